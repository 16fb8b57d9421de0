//! Games on a mock of lichess.org.

use std::time::Duration;

use adoube_rules::GameResult;
use adoube_rules::sensor::Side;
use tokio::time::sleep;

use super::mock::{GAME, Lichess, TOKEN};
use super::table::{START, Table};
use super::words;

/// Takes in passing, castles on both sides, promotes and takes at once.
const EVERYTHING: &str = "e2e4 g8f6 e4e5 d7d5 e5d6 b8c6 g1f3 g7g6 f1c4 f8g7 e1g1 e8g8 d6c7 c8g4 c7d8q f8d8";

const START_960: &str = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1";

/// Every second move, the first one with 0.
fn every_second(moves: &[String], first: usize) -> Vec<String> {
    moves.iter().skip(first).step_by(2).cloned().collect()
}

/// A table in a game at a Lichess where the opponent plays his share of `moves`.
pub(super) async fn game(start: &str, variant: &'static str, ours: Side, moves: &str) -> (Table, Lichess) {
    let theirs = every_second(&words(moves), if ours == Side::White { 1 } else { 0 });
    let lichess = Lichess::listen(start, variant, ours, &theirs).await;
    let mut table = Table::new(start, variant == "chess960", ours);
    std::fs::write(table.path("token"), format!("{TOKEN}\n")).unwrap();
    play(&mut table, &lichess, &["--game", GAME]);
    if ours == Side::White {
        table.says("your move").await;
    }
    (table, lichess)
}

fn play(table: &mut Table, lichess: &Lichess, more: &[&str]) {
    let token = table.path("token").display().to_string();
    let url = lichess.url();
    let mut arguments = vec!["lichess", "--url", &url, "--token", &token];
    arguments.extend(more);
    table.play(&arguments);
}

/// Plays on, up to the end of `moves`.
pub(super) async fn plays(table: &mut Table, lichess: &Lichess, moves: &str) {
    let moves = words(moves);
    while table.moves.len() < moves.len() {
        let next = &moves[table.moves.len()];
        let is_ours = table.moves.len().is_multiple_of(2) == (table.ours == Side::White);
        if is_ours {
            table.makes(next).await;
            lichess.has(table.moves.len()).await;
        } else {
            assert_eq!(table.answers().await, *next);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_as_white_with_every_kind_of_move() {
    let (mut table, lichess) = game(START, "standard", Side::White, EVERYTHING).await;
    table.says("your move").await;
    plays(&mut table, &lichess, EVERYTHING).await;
    lichess.ends("resign", Some(Side::White));
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(lichess.moves(), words(EVERYTHING));
    assert_eq!(table.pgn_moves(), words(EVERYTHING));
    let pgn = table.pgn();
    assert_eq!(pgn.result, Some(GameResult::WhiteWins));
    assert_eq!(
        (pgn.tag("White"), pgn.tag("Black"), pgn.tag("BlackElo")),
        (Some("Tester"), Some("Opponent"), Some("2000"))
    );
    assert_eq!(pgn.tag("TimeControl"), Some("900+10"));
    assert_eq!(lichess.asked("POST /api/board/game/5IrD6Gzz/move/").len(), 8, "each move once");
    assert!(table.board.clock_beeps() >= 8, "a beep for each move");
    assert_eq!(table.board.clock_text(), None, "the clock shows its times again");
    let verified = std::process::Command::new(env!("CARGO_BIN_EXE_adoube"))
        .args(["verify", "--journal"])
        .arg(table.path("journal"))
        .output()
        .unwrap();
    assert!(verified.status.success(), "announcements change no event: {verified:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_as_black_in_which_hands_make_the_opponents_moves() {
    let (mut table, lichess) = game(START, "standard", Side::Black, EVERYTHING).await;
    plays(&mut table, &lichess, EVERYTHING).await;
    table.types("resign");
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(lichess.asked("POST /api/board/game/5IrD6Gzz/resign").len(), 1);
    assert_eq!((table.pgn_moves(), lichess.moves()), (words(EVERYTHING), words(EVERYTHING)));
    assert_eq!(table.pgn().result, Some(GameResult::WhiteWins));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_chess960_castling_is_king_takes_rook() {
    let moves = "g2g4 g7g5 g1g2 g8g7 e1f1 e8f8 b2b4";
    let (mut table, lichess) = game(START_960, "chess960", Side::Black, moves).await;
    plays(&mut table, &lichess, moves).await;
    lichess.ends("outoftime", Some(Side::White));
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(lichess.asked("POST /api/board/game/5IrD6Gzz/move/e8f8").len(), 1);
    assert_eq!((table.pgn_moves(), lichess.moves()), (words(moves), words(moves)));
    assert_eq!(table.pgn().result, Some(GameResult::WhiteWins));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mate_on_the_board_is_one_at_lichess() {
    let moves = "f2f3 e7e5 g2g4 d8h4";
    let (mut table, lichess) = game(START, "standard", Side::Black, moves).await;
    plays(&mut table, &lichess, moves).await;
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!((table.pgn_moves(), table.pgn().result), (words(moves), Some(GameResult::BlackWins)));
    table.says("0-1 (mate)").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_move_for_the_opponent_is_shown_and_not_sent() {
    let moves = "e2e4 e7e5 g1f3";
    let (mut table, lichess) = game(START, "standard", Side::White, moves).await;
    plays(&mut table, &lichess, "e2e4").await;
    table.clock_shows(Some("e7-e5")).await;
    table.board.carry("e7e6").await;
    table.says("your opponent plays e5, not e7e6: take e7e6 back").await;
    assert_eq!(table.board.clock_text().as_deref(), Some("e7-e5"), "what is to be made stays on the clock");
    table.board.carry("e6e5").await;
    table.clock_shows(None).await;
    table.position = adoube_rules::ChessPosition::from_fen(
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        false,
    )
    .unwrap();
    table.moves.push("e7e5".to_owned());
    plays(&mut table, &lichess, moves).await;
    lichess.ends("resign", Some(Side::White));
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!((table.pgn_moves(), lichess.moves()), (words(moves), words(moves)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_taken_back_before_it_stands_is_never_sent_and_after_that_must_stand() {
    let (mut table, lichess) = game(START, "standard", Side::White, "e2e4 e7e5").await;
    table.says("your move").await;
    // A moment on e3, as somebody does who lets a pawn rest on his way: far from `release_dwell_ms`, on a busy
    // machine as well.
    table.board.lift("e2");
    table.board.hands(300).await;
    table.board.place("e3", 'P');
    table.board.hands(200).await;
    table.board.lift("e3");
    table.board.hands(300).await;
    table.board.place("e4", 'P');
    lichess.has(1).await;
    assert_eq!(lichess.moves()[0], "e2e4");
    assert_eq!(
        lichess.asked("POST /api/board/game/5IrD6Gzz/move/"),
        ["POST /api/board/game/5IrD6Gzz/move/e2e4"]
    );
    table.clock_shows(Some("e7-e5")).await;
    // Now it is too late.
    table.board.carry("e4e2").await;
    table.says("e4 was sent and cannot be taken back").await;
    table.clock_shows(Some("e2-e4")).await;
    table.board.carry("e2e4").await;
    table.clock_shows(Some("e7-e5")).await;
    table.board.carry("e7e5").await;
    table.clock_shows(None).await;
    assert_eq!(lichess.moves(), words("e2e4 e7e5"));
    table.types("abort");
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    table.says("the game does not count (aborted)").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_clock_runs_a_move_is_sent_when_it_is_pressed() {
    let (mut table, lichess) = game(START, "standard", Side::White, "e2e4 e7e5").await;
    table.says("your move").await;
    table.board.start_clock();
    sleep(Duration::from_millis(300)).await;
    table.makes("e2e4").await;
    table.says("e2e4: press the clock to send it").await;
    table.board.hands(4_000).await;
    assert_eq!(lichess.moves(), Vec::<String>::new(), "a move that is not pressed may still be thought over");
    table.board.press(Side::White);
    lichess.has(1).await;
    assert_eq!(table.answers().await, "e7e5");
    table.types("draw");
    lichess.is_asked("POST /api/board/game/5IrD6Gzz/draw/yes").await;
    lichess.ends("draw", None);
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(table.pgn().result, Some(GameResult::Draw));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_that_break_and_servers_that_are_busy_lose_nothing() {
    let moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6";
    let (mut table, lichess) = game(START, "standard", Side::White, moves).await;
    plays(&mut table, &lichess, "e2e4 e7e5").await;
    // The stream breaks, and its successor is told to wait.
    lichess.fails("/api/board/game/stream/", 429, "Retry-After: 1");
    lichess.drops_streams();
    table.says("no connection").await;
    table.makes("g1f3").await;
    lichess.has(4).await;
    table.says("connected again").await;
    assert_eq!(table.answers().await, "b8c6");
    // A busy server: the move is sent again.
    lichess.fails("/api/board/game/5IrD6Gzz/move/", 429, "Retry-After: 1");
    plays(&mut table, &lichess, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6").await;
    // A move whose answer is lost was taken all the same.
    lichess.loses_answers(true);
    plays(&mut table, &lichess, moves).await;
    lichess.ends("outoftime", Some(Side::Black));
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!((table.pgn_moves(), lichess.moves()), (words(moves), words(moves)));
    assert_eq!(table.pgn().result, Some(GameResult::BlackWins));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_refused_is_said_and_not_repeated() {
    let (table, lichess) = game(START, "standard", Side::White, "d2d4 d7d5").await;
    table.says("your move").await;
    lichess.fails("/api/board/game/5IrD6Gzz/move/", 400, "");
    table.board.carry("e2e4").await;
    table.says("your move was refused: a fault").await;
    table.says("e2e4 does not count: take it back").await;
    table.clock_shows(Some("undo")).await;
    table.board.carry("e4e2").await;
    table.clock_shows(None).await;
    table.board.carry("d2d4").await;
    lichess.has(1).await;
    assert_eq!(lichess.moves()[0], "d2d4");
    assert_eq!(lichess.asked("POST /api/board/game/5IrD6Gzz/move/").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_comes_too_late_finds_the_game_over() {
    let (mut table, lichess) = game(START, "standard", Side::White, "e2e4 e7e5").await;
    plays(&mut table, &lichess, "e2e4 e7e5").await;
    lichess.ends_unheard("outoftime", Side::Black);
    table.makes("g1f3").await;
    table.says("your move was refused: Not your turn, or game already over").await;
    // The move that does not count is taken back, and the result stands in the books.
    table.board.carry("f3g1").await;
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!((table.pgn_moves(), table.pgn().result), (words("e2e4 e7e5"), Some(GameResult::BlackWins)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_whose_cable_was_out_goes_on() {
    let moves = "e2e4 e7e5 g1f3 b8c6";
    let (mut table, lichess) = game(START, "standard", Side::White, moves).await;
    plays(&mut table, &lichess, "e2e4 e7e5").await;
    table.clock_shows(None).await;
    table.board.unplug();
    sleep(Duration::from_millis(300)).await;
    table.makes("g1f3").await;
    table.board.plug_in();
    lichess.has(3).await;
    assert_eq!(table.answers().await, "b8c6", "and the clock is told again");
    table.types("quit");
    assert_eq!(table.ends().await, 0);
    assert_eq!(lichess.moves(), words(moves));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_loss_of_power_the_game_goes_on() {
    let moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
    let (mut table, lichess) = game(START, "standard", Side::White, moves).await;
    plays(&mut table, &lichess, "e2e4 e7e5 g1f3").await;
    table.clock_shows(Some("b8-c6")).await;
    table.kill();
    // Meanwhile a man was knocked over.
    table.board.lift("a2");
    table.start();
    table.says("on the board: a2 lacks a white pawn").await;
    table.board.place("a2", 'P');
    assert_eq!(table.answers().await, "b8c6");
    plays(&mut table, &lichess, moves).await;
    lichess.offers_draw();
    table.says("your opponent offers a draw").await;
    table.types("draw");
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(
        (table.pgn_moves(), table.pgn().result),
        (words(moves), Some(GameResult::Draw)),
        "one game, from its start"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_begun_elsewhere_goes_on_where_it_stands() {
    let lichess = Lichess::listen(START, "standard", Side::White, &words("e7e5 b8c6")).await;
    let mut table =
        Table::new("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", false, Side::White);
    std::fs::write(table.path("token"), TOKEN).unwrap();
    lichess.plays_elsewhere("e2e4");
    play(&mut table, &lichess, &[]);
    lichess.begins().await;
    table.says("your move").await;
    table.makes("g1f3").await;
    assert_eq!(table.answers().await, "b8c6");
    // A move is taken back by agreement, and not sent again.
    table.types("takeback");
    table.says("a move was taken back").await;
    table.clock_shows(Some("undo")).await;
    table.board.carry("c6b8").await;
    table.board.carry("f3g1").await;
    table.clock_shows(None).await;
    assert_eq!(lichess.moves(), words("e2e4 e7e5"));
    table.board.carry("b1c3").await;
    lichess.has(3).await;
    assert_eq!(lichess.moves()[2], "b1c3");
    table.types("resign");
    assert_eq!(table.ends().await, 0, "{:#?}", table.said());
    assert_eq!(table.pgn_moves(), ["b1c3"]);
    assert!(table.pgn().tag("FEN").is_some_and(|fen| fen.starts_with("rnbqkbnr/pppp1ppp/8/4p3")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_sought_and_challenged_for() {
    let lichess = Lichess::listen(START, "standard", Side::White, &[]).await;
    let mut table = Table::new(START, false, Side::White);
    std::fs::write(table.path("token"), TOKEN).unwrap();
    play(&mut table, &lichess, &["--seek", "15+10", "--side", "white"]);
    table.says("your move").await;
    assert_eq!(lichess.asked("seek"), ["seek rated=false&color=white&variant=standard&time=15&increment=10"]);
    table.kill();
    play(&mut table, &lichess, &["--challenge", "somebody", "--pace", "5+3"]);
    table.says("your move").await;
    assert!(
        lichess.asked("challenge")[0].contains("somebody rated=false&color=random"),
        "{:?}",
        lichess.asked("challenge")
    );
    table.kill();
    play(&mut table, &lichess, &["--seek", "5+0"]);
    assert_eq!(table.ends().await, 2);
    table.says("Invalid time control: with a board Lichess seeks games of rapid and slower").await;
    play(&mut table, &lichess, &["--challenge", "shy"]);
    assert_eq!(table.ends().await, 2);
    table.says("the challenge was declined").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_token_or_a_game_is_said_in_a_line() {
    let lichess = Lichess::listen(START, "standard", Side::White, &[]).await;
    let mut table = Table::new(START, false, Side::White);
    let mut said = Vec::new();
    for (token, game) in [("", GAME), ("lip_wrong", GAME), (TOKEN, "abcdefgh"), (TOKEN, "../../x")] {
        std::fs::write(table.path("token"), token).unwrap();
        play(&mut table, &lichess, &["--game", game]);
        assert_eq!(table.ends().await, 2, "{token} {game}");
        let line = table.says("adoube: ").await;
        said.push(line.replace(&table.path("token").display().to_string(), "token"));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    adoube: token: it holds no token; make a token at https://lichess.org/account/oauth/token/create?scopes[]=board:play and put it into that file, or name another with --token
    adoube: Lichess does not take the token (No such token); it needs the permission board:play
    adoube: Lichess does not know that (Not found)
    adoube: --game ../../x: a game's id is eight letters and digits, as in its address
    ");
}
