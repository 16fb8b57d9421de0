//! Games of every kind that PGN may have to show.

use adoube::feed::parts::LivePgn;
use adoube::feed::pgn::EventTags;
use adoube::feed::sheets::{ALL_GAMES, PublishAt, Sheets, Shown};
use serde_json::json;
use shakmaty::Position as _;

use crate::public_hall::{PublicHall, START};

/// A game as a reader of PGN shall see it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub(crate) struct Read {
    /// Its `GameId`.
    pub(crate) id: String,
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) result: String,
    /// From-to notation; castling as the king's way over two squares, in Chess960 to the rook.
    pub(crate) moves: Vec<String>,
}

/// What all live PGN is about here.
pub(crate) fn shown(live: LivePgn) -> Shown {
    let event = "The \"Open\" of Łódź \\ Ørsted, 中国 {live}; 2026".to_owned();
    Shown {
        tags: EventTags { event: Some(event), site: Some("Reykjavík".to_owned()) },
        live,
        publish_at: PublishAt::Made,
        ..Shown::default()
    }
}

/// The file of round 5 of `hall`.
pub(crate) fn text(hall: &PublicHall) -> String {
    let mut sheets = Sheets::new(shown(LivePgn::Both));
    sheets.update(&hall.hub);
    sheets.files("round-5").remove(ALL_GAMES).unwrap()
}

/// The game `game` of `hall` as a reader shall see it, if it is one line.
pub(crate) fn expected(hall: &PublicHall, game: &str) -> Read {
    hall.hub.with_view(|view| {
        let view = view.game(game).unwrap();
        Read {
            id: format!("the-open-of-łódź-ørsted-中国-live-2026-{game}"),
            white: view.white.name.clone().unwrap_or_else(|| "?".to_owned()),
            black: view.black.name.clone().unwrap_or_else(|| "?".to_owned()),
            result: if view.annulled { "*".to_owned() } else { view.result.clone() },
            moves: view.moves.all().iter().map(|mv| mv.uci.clone()).collect(),
        }
    })
}

/// After 1.e4 e5 2.Bg5, which cannot be.
const BG5: &str = "rnbqkbnr/pppp1ppp/8/4p1B1/4P3/8/PPPP1PPP/RN1QKBNR b KQkq - 1 2";

/// A position with Black to move at move 30.
const ADJOURNED: &str = "8/5pk1/6p1/8/3R4/6P1/1r3P1K/8 b - - 3 30";

/// The hall, and what readers shall see of it.
pub(crate) fn corpus() -> (PublicHall, Vec<Read>) {
    let mut hall = PublicHall::default();
    // Opened in another order than that of the boards.
    for number in (1..=10).rev().filter(|number| ![2, 8, 9].contains(number)) {
        hall.open(&format!("5-{number}"));
    }
    play_first(&mut hall);
    play_others(&mut hall);
    let mut reads: Vec<Read> = Vec::new();
    for number in 1..=10 {
        let game = format!("5-{number}");
        if number == 3 {
            let whole = expected(&hall, &game);
            let part = |letter: &str, moves: &[String]| Read {
                id: format!("{}{letter}", whole.id),
                moves: moves.to_vec(),
                ..whole.clone()
            };
            reads.extend([part("", &whole.moves[..2]), part("/b", &whole.moves[3..])]);
            continue;
        }
        reads.push(expected(&hall, &game));
        if number == 4 {
            reads.push(expected(&hall, "5-4-2"));
        }
    }
    assert_eq!(reads.last().unwrap().moves.len(), 300);
    assert_eq!(hall.hub.with_view(|view| view.game("5-1").unwrap().start.clone()), START);
    (hall, reads)
}

/// What happens on boards 1 to 4.
fn play_first(hall: &mut PublicHall) {
    // 1: a mate.
    for san in ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"] {
        hall.play("5-1", san);
    }
    hall.end("5-1", "1-0");
    // 2: castling to the rook, in Chess960.
    let start = "nrkbbqnr/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQNR w KQkq - 0 1";
    hall.open_with("5-2", json!({ "variant": "chess960", "start": start }));
    for san in ["c3", "c6", "Bc2", "Bc7", "O-O-O", "O-O-O"] {
        hall.play("5-2", san);
    }
    // 3: an illegal move stood; the game goes on.
    hall.play("5-3", "e4");
    hall.play("5-3", "e5");
    hall.stand("5-3", "Bg5", "c1g5", BG5);
    for san in ["Nc6", "Nf3"] {
        hall.play("5-3", san);
    }
    hall.end("5-3", "0-1");
    // 4: plies that were supplied after a gap; a draw.
    for nth in 0..6 {
        hall.play_any("5-4", nth * 7);
    }
    let moves = ["e4", "c5"];
    hall.open("5-4-2");
    for san in moves {
        let mv = san.parse::<shakmaty::san::San>().unwrap();
        let mv = mv.to_move(hall.position("5-4-2")).unwrap();
        hall.make("5-4-2", &mv, "recovered", false);
    }
    hall.play("5-4-2", "Nf3");
    hall.end("5-4", "1/2-1/2");
}

/// What happens on boards 5 to 10.
fn play_others(hall: &mut PublicHall) {
    // 5: nothing played yet. 6: running, with its clock.
    for san in ["d4", "d5", "c4"] {
        hall.play("5-6", san);
    }
    hall.clock("5-6", [5_025_999, 36_000_000], Some("black"));
    // 7: annulled, with nothing in its place.
    hall.play("5-7", "f3");
    hall.end("5-7", "0-1");
    hall.say("5-7", "game-annulled", json!({ "status": "confirmed" }));
    // 8: odd names, titles, teams and no FIDE id.
    let odd =
        json!({ "name": "O\"Brien\\, [José] %; {x}", "title": "WGM", "elo": 2100, "team": "Süd \"A\"" });
    hall.open_with(
        "5-8",
        json!({ "white": odd, "black": { "name": "Ωμέγα", "fide_id": 4_158_814, "team": "B" } }),
    );
    for san in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"] {
        hall.play("5-8", san);
    }
    // 9: from another position, with Black to move.
    hall.open_with("5-9", json!({ "start": ADJOURNED }));
    for san in ["Rb3", "Rd7"] {
        hall.play("5-9", san);
    }
    // 10: three hundred plies.
    let mut nth = 1;
    while hall.position("5-10").fullmoves().get() <= 150 {
        nth = (nth * 31 + 7) % 1_009;
        hall.play_any("5-10", nth);
    }
}
