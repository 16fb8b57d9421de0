//! Games of four players as spectators, files and other programs get them.

use adoube_core::event::testing::public;
use adoube_rules::Position as _;
use serde_json::{Value, json};

use crate::feed::pgn::{EventTags, game};
use crate::feed::view::{GameView, HallView};
use adoube_rules::four::record::read;
use adoube_rules::four::{FourPosition, FourRules, read_move};
use adoube_rules::pgn::read_games;

/// A hall with one game, in which these moves were made; one that is not legal stands all the same.
struct Hall {
    hall: HallView,
    position: FourPosition,
    ply: u64,
}

impl Hall {
    fn open(rules: FourRules) -> Self {
        let position = FourPosition::start(rules);
        let mut hall = Self { hall: HallView::default(), position, ply: 0 };
        let player = |name: &str, team: &str| json!({ "name": name, "team": team });
        hall.take(json!({ "type": "game-opened", "at": "2026-05-01T10:00:00.000Z", "round": 5, "number": 12,
            "variant": "four-player", "start": hall.position.fen(), "time_control": "900+10",
            "red": player("A", "North"), "white": player("B", "South"),
            "blue": player("C", "North"), "black": player("D", "South") }));
        hall
    }

    fn take(&mut self, mut event: Value) {
        event["board"] = "12".into();
        event["game"] = "5-12".into();
        self.hall.apply(&public(event));
    }

    fn play(&mut self, moves: &[&str]) {
        for text in moves {
            let mv = read_move(&self.position, text).unwrap();
            let (san, uci) = (self.position.san(mv), self.position.uci(mv));
            let after = self.position.play(mv);
            self.made(&san, &uci, after, true);
        }
    }

    fn made(&mut self, san: &str, uci: &str, after: FourPosition, legal: bool) {
        let (army, seat) = (self.position.player(), self.position.seat());
        let index = self.ply;
        self.ply += 1;
        self.position = after;
        let clock = json!({ "white_ms": 900_000 - index * 1_000, "black_ms": 890_000 - index * 1_000 });
        self.take(
            json!({ "type": "move-made", "ply": self.ply, "side": army.side().name(), "player": army.name(),
            "seat": seat.name(), "san": san, "uci": uci, "fen": self.position.fen(), "legal": legal,
            "made_ms": index * 2_000, "clock": clock, "cause": "played" }),
        );
    }

    fn game(&self) -> &GameView {
        self.hall.game("5-12").unwrap()
    }

    fn text(&self) -> String {
        game(self.game(), &EventTags { event: Some("City Open".to_owned()), site: None })
    }
}

const ROUND: [&str; 5] = ["h2-h4", "b7-d7", "g13-g11", "m8-k8", "g1-h2"];

#[test]
fn a_game_is_its_record() {
    let mut hall = Hall::open(FourRules::default());
    hall.play(&ROUND);
    hall.take(json!({ "type": "clock-read", "white_ms": 880_500, "black_ms": 870_000, "running": "black",
        "at": "2026-05-01T10:05:00.000Z" }));
    insta::assert_snapshot!(hall.text(), @r#"
    [Event "City Open"]
    [Site "?"]
    [Date "2026.05.01"]
    [Round "5.12"]
    [Red "A"]
    [White "B"]
    [Blue "C"]
    [Black "D"]
    [Result "*"]
    [Variant "4p-team"]
    [Board "160"]
    [Seats "S=Red W=White N=Blue E=Black"]
    [Parity "k1-light"]
    [Table "12"]
    [TimeControl "900+10"]
    [RedBlueClock "00:14:40"]
    [WhiteBlackClock "00:14:30"]
    [ReferenceTime "WK/2026-05-01T10:05:00.000+00:00"]
    [RedTeam "North"]
    [WhiteTeam "South"]
    [BlueTeam "North"]
    [BlackTeam "South"]
    [GameId "city-open-5-12"]

    1. R h2-h4 {[%clk 0:15:00]} W b7-d7 {[%clk 0:14:49] [%emt 0:00:02]} B g13-g11
    {[%clk 0:14:58] [%emt 0:00:02]} K m8-k8 {[%clk 0:14:47] [%emt 0:00:02]}
    2. R g1-h2 {[%clk 0:14:56] [%emt 0:00:02]} *
    "#);
    hall.take(json!({ "type": "game-over", "result": "1-0", "status": "confirmed" }));
    let text = hall.text();
    assert!(
        text.contains("[Result \"RB 1-0 WK\"]") && !text.contains("Clock") && text.ends_with(" 1-0\n\n"),
        "{text}"
    );
    let records = read(&text).unwrap();
    assert_eq!((records.len(), records[0].moves.len(), records[0].tag("Blue")), (1, 5, Some("C")));
    // No reader of chess takes it for a game of chess.
    let fault = read_games(text.as_bytes()).unwrap().remove(0).fault.unwrap();
    assert!(fault.contains("--variant four-player"), "{fault}");
    hall.take(json!({ "type": "game-annulled", "status": "confirmed" }));
    let text = hall.text();
    assert!(text.contains("[Result \"*\"]") && text.ends_with("{annulled} *\n\n"), "{text}");
    assert_eq!(read(&text).unwrap()[0].result, None);
}

/// A move that no rule allows, and stands, ends one record and begins another.
#[test]
fn a_game_that_leaves_the_rules_is_two_records() {
    let mut hall = Hall::open(FourRules::default());
    hall.play(&ROUND[..3]);
    let moved = hall.position.fen().replacen("10kPkQ", "8kQ1kP1", 1).replacen(" k ", " r ", 1);
    let after = FourPosition::read(&moved, FourRules::default()).unwrap();
    hall.made("n8-k8", "n8k8", after, false);
    hall.play(&["g1-h2", "b8-c8"]);
    let records = read(&hall.text()).unwrap();
    let tags = |name: &str| records.iter().map(|record| record.tag(name).unwrap()).collect::<Vec<_>>();
    assert_eq!(
        (tags("Round"), tags("GameId")),
        (vec!["5.12", "5.12b"], vec!["city-open-5-12", "city-open-5-12/b"])
    );
    assert_eq!(records.iter().map(|record| record.moves.len()).collect::<Vec<_>>(), [3, 2]);
    assert!(hall.text().contains("{illegal move n8-k8 stood; goes on as 5-12/b}"), "{}", hall.text());
}

/// Every layout can be read again from what is written.
#[test]
fn the_layout_is_in_the_tags() {
    use adoube_rules::four::{Army, Parity};
    for (parity, seat_after_red) in [(Parity::Dark, Army::White), (Parity::Light, Army::Black)] {
        let mut hall = Hall::open(FourRules { parity, seat_after_red, ..FourRules::default() });
        hall.play(&["h2-h4", "b7-d7"]);
        assert!(!hall.text().contains("SetUp"));
        assert_eq!(read(&hall.text()).unwrap()[0].start.fen(), hall.game().start);
    }
}

/// What a page is told beside the moves: the four of them, and who moved from where.
#[test]
fn spectators_see_four_players() {
    let mut hall = Hall::open(FourRules::default());
    hall.play(&ROUND[..2]);
    let seen = serde_json::to_value(hall.game()).unwrap();
    assert_eq!((&seen["red"]["name"], &seen["blue"]["name"]), (&json!("A"), &json!("C")));
    let last = &seen["moves"][1];
    assert_eq!(
        [&last["side"], &last["player"], &last["seat"], &last["uci"]],
        ["black", "white", "west", "b7d7"]
    );
    assert!(hall.game().is_named() && hall.game().is_of_four());
    let threat =
        |status: &str| json!({ "type": "mate-threat", "player": "blue", "seat": "north", "status": status });
    for (status, threats) in
        [("open", Some(json!(["blue"]))), ("open", Some(json!(["blue"]))), ("withdrawn", None)]
    {
        hall.take(threat(status));
        let seen = serde_json::to_value(hall.game()).unwrap();
        assert_eq!(seen.get("threats"), threats.as_ref(), "{status}");
    }
}
