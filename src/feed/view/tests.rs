//! Games as they stand after what was said of them.

use serde_json::{Value, json};

use super::*;
use adoube_core::event::testing::public;

fn event(board: &str, kind: &str, fields: Value) -> PublicEvent {
    let mut event = json!({ "type": kind, "board": board, "game": "5-1", "at": "2026-05-01T11:00:00.000Z" });
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    public(event)
}

fn game(white: &str, black: &str) -> Value {
    json!({ "round": 5, "white": { "name": white }, "black": { "name": black } })
}

#[test]
fn what_the_arbiter_changes_is_changed() {
    let mut hall = HallView::default();
    let mut take = |kind: &str, fields: Value| {
        hall.apply(&event("1", kind, fields));
        let game = hall.game("5-1").unwrap();
        (game.result.clone(), game.white.name.clone())
    };
    let said = |result: &str, white: &str| (result.to_owned(), Some(white.to_owned()));
    let result = |result: &str| json!({ "result": result });
    let mut first = game("A", "B");
    first["at"] = "2026-05-01T10:00:00.000Z".into();
    assert_eq!(take("game-opened", first), said("*", "A"));
    assert_eq!(take("game-over", result("1-0")), said("1-0", "A"));
    assert_eq!(take("result-changed", result("1/2-1/2")), said("1/2-1/2", "A"));
    assert_eq!(take("result-changed", result("*")), said("*", "A"));
    assert_eq!(take("game-closed", json!({ "result": "*" })), said("*", "A"));
    assert_eq!(take("game-opened", game("A", "B")), said("*", "A"));
    assert_eq!(take("game-changed", game("B", "A")), said("*", "B"));
    let games: Vec<(&str, bool)> = hall.games().map(|game| (game.opened_at.as_str(), game.closed)).collect();
    assert_eq!(games, [("2026-05-01T10:00:00.000Z", false)], "one game, opened again");
}

#[test]
fn a_game_that_has_left_its_board_is_as_it_was() {
    let mut hall = HallView::default();
    let made = |ply: usize, san: &str| {
        json!({ "ply": ply, "side": "white", "san": san, "uci": "", "fen": "", "made_ms": 1, "clock": null,
            "legal": true, "cause": "played" })
    };
    hall.apply(&event("1", "game-opened", game("A", "B")));
    ["e4", "e5", "Nf3"]
        .iter()
        .enumerate()
        .for_each(|(index, san)| hall.apply(&event("1", "move-made", made(index + 1, san))));
    hall.apply(&event("1", "game-closed", json!({ "result": "1-0" })));
    let closed = hall.game("5-1").unwrap().clone();
    let mut next = event("1", "game-opened", game("C", "D"));
    next.game = Some("6-1".into());
    hall.apply(&next);
    assert!(!hall.game("5-1").unwrap().moves.is_at_hand() && hall.game("6-1").unwrap().moves.is_at_hand());
    assert_eq!(serde_json::to_value(hall.game("5-1")).unwrap(), serde_json::to_value(&closed).unwrap());
    let line = |hall: &HallView| -> Vec<String> {
        hall.game("5-1").unwrap().clone().unpacked().moves.all().iter().map(|mv| mv.san.clone()).collect()
    };
    assert_eq!(line(&hall), ["e4", "e5", "Nf3"]);
    // The arbiter looks at it once more.
    hall.apply(&event(
        "1",
        "move-retracted",
        json!({ "ply": 3, "side": "white", "san": "Nf3", "cause": "ruling" }),
    ));
    assert_eq!(
        (line(&hall), hall.game("5-1").unwrap().moves.is_at_hand()),
        (vec!["e4".into(), "e5".into()], false)
    );
}

#[test]
fn a_game_is_on_one_board() {
    let mut hall = HallView::default();
    for board in ["1", "2"] {
        let mut opened = game("A", "B");
        opened["match"] = json!({ "number": 3, "board": 2 });
        hall.apply(&event(board, "game-opened", opened));
    }
    assert_eq!(["1", "2"].map(|board| hall.board(board).unwrap().game.as_deref()), [None, Some("5-1")]);
    let shown = hall.game("5-1").unwrap();
    assert_eq!((shown.board.as_str(), shown.team_match), ("2", Some(TeamMatch { number: 3, board: 2 })));
    let mut corrected = game("A", "B");
    (corrected["round"], corrected["number"]) = (6.into(), 4.into());
    corrected["start"] = "8/8/8/8/8/8/8/8 w - - 0 1".into();
    hall.apply(&event("2", "game-changed", corrected));
    let game = hall.game("5-1").unwrap();
    assert_eq!((game.round, game.number, game.team_match), (Some(6), 4, None));
    assert_eq!(game.start, "8/8/8/8/8/8/8/8 w - - 0 1");
}

/// The games on the boards, and those that are awaited.
fn shown(hall: &HallView) -> (Vec<&str>, Vec<&str>) {
    let on_boards = hall.boards().filter_map(|board| board.game.as_deref()).collect();
    (on_boards, hall.games().filter(|game| game.awaited).map(|game| game.game.as_str()).collect())
}

fn awaited(game: &str, board: &str, is_open: bool) -> Awaited {
    let (round, number) = game.split_once('-').unwrap();
    let said = json!({ "round": round.parse::<u32>().unwrap(), "number": number.parse::<u32>().unwrap(),
        "variant": "chess", "start": "", "time_control": null, "white": {}, "black": {}, "result": "*" });
    Awaited {
        game: game.to_owned(),
        board: board.to_owned(),
        is_open,
        said: serde_json::from_value(said).unwrap(),
    }
}

/// The boards of which whoever watches is to be told.
fn told(hall: &mut HallView) -> Vec<String> {
    hall.boards_to_tell().into_iter().collect()
}

#[test]
fn a_board_on_which_nothing_is_played_shows_who_will_play_there() {
    let mut hall = HallView::default();
    hall.await_games(
        &[awaited("5-1", "1", false), awaited("6-1", "1", false), awaited("6-2", "2", false)],
        "now",
    );
    assert_eq!(shown(&hall), (vec!["5-1"], vec!["5-1", "6-1", "6-2"]), "of the first round alone");
    assert_eq!(told(&mut hall), ["1"]);
    hall.await_games(
        &[awaited("5-1", "1", false), awaited("6-1", "1", false), awaited("6-2", "2", false)],
        "later",
    );
    assert_eq!(told(&mut hall), [""; 0], "no news");
    hall.apply(&event("1", "clock-read", json!({ "white_ms": 1, "black_ms": 1, "running": null })));
    hall.apply(&event("1", "game-opened", game("A", "B")));
    assert_eq!(shown(&hall), (vec!["5-1"], vec!["6-1", "6-2"]));
    assert_eq!((hall.game("5-1").unwrap().clock.clone(), told(&mut hall)), (None, vec![]), "it was opened");
    // It is played: the next round says who comes, and does not take its place until it is closed.
    hall.await_games(&[awaited("6-1", "1", true), awaited("6-2", "2", true)], "now");
    assert_eq!(shown(&hall).0, ["5-1", "6-2"]);
    assert_eq!(told(&mut hall), ["2"]);
    hall.apply(&event("1", "game-closed", json!({ "result": "1-0" })));
    assert_eq!(shown(&hall).0, ["6-1", "6-2"]);
    assert_eq!(told(&mut hall), ["1"]);
    hall.await_games(&[awaited("6-1", "1", false)], "now");
    hall.await_games(&[], "now");
    assert_eq!(shown(&hall), (vec!["5-1"], vec![]), "it was not to be");
    assert_eq!(told(&mut hall), ["1", "2"]);
    // A round that comes later shows nobody while how this one ended stands.
    hall.await_games(&[awaited("6-1", "1", false), awaited("6-2", "2", false)], "now");
    assert_eq!(shown(&hall), (vec!["5-1"], vec!["6-1", "6-2"]));
}

#[test]
fn a_game_that_was_not_played_takes_no_board_from_a_later_one() {
    let mut hall = HallView::default();
    hall.apply(&event("1", "game-opened", game("A", "B")));
    // Nobody came.
    hall.apply(&event("1", "game-closed", json!({ "result": "*" })));
    let mut next = event("1", "game-opened", game("C", "D"));
    next.game = Some("6-1".into());
    hall.apply(&next);
    let mut closed = event("1", "game-closed", json!({ "result": "1-0" }));
    closed.game = Some("6-1".into());
    hall.apply(&closed);
    hall.await_games(&[awaited("5-1", "1", true), awaited("4-1", "1", true)], "now");
    assert_eq!(shown(&hall), (vec!["6-1"], vec!["4-1"]));
}

#[test]
fn a_board_that_is_taken_away_is_told_of_with_its_awaited_game() {
    let mut hall = HallView::default();
    hall.await_games(&[awaited("5-1", "1", true), awaited("5-2", "2", true)], "now");
    hall.boards_to_tell();
    hall.remove_board("2", true);
    assert_eq!((hall.boards().count(), told(&mut hall)), (1, vec!["2".to_owned()]));
}

#[test]
fn a_game_that_began_under_another_name_is_awaited_no_more() {
    let mut hall = HallView::default();
    hall.await_games(&[awaited("5-1", "1", true), awaited("5-2", "2", true)], "now");
    assert_eq!(told(&mut hall), ["1", "2"]);
    let mut free = game("A", "B");
    (free["round"], free["number"]) = (Value::Null, 1.into());
    let mut opened = event("1", "game-opened", free);
    opened.game = Some("free-20260501-1".into());
    hall.apply(&opened);
    assert_eq!(shown(&hall), (vec!["free-20260501-1", "5-2"], vec!["5-1", "5-2"]));
    let mut changed = event("1", "game-changed", game("A", "B"));
    changed.game = Some("free-20260501-1".into());
    hall.apply(&changed);
    assert_eq!(shown(&hall).1, ["5-2"]);
    assert_eq!(told(&mut hall), ["1"], "whoever watches knows it by another name");
    hall.await_games(&[awaited("5-1", "1", true)], "now");
    assert_eq!(shown(&hall).1, [""; 0]);
}
