//! Pairings at a board, five seconds an input.

use serde_json::{Value, json};

use super::*;
use crate::capture::pieces_frame;
use crate::event::Numbering;
use crate::ruling::Ruled;
use crate::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::sensor::Reading;
use adoube_rules::stamp::{SECOND, Stamp};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
const NF3: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
const MEN_BESIDE: &str = "8/8/8/8/8/8/8/8";

fn pairing(number: u32, white: &str, black: &str) -> Pairing {
    let player = |name: &str| Player { name: Some(name.to_owned()), ..Player::default() };
    Pairing { round: 5, number, white: player(white), black: player(black), ..Pairing::default() }
}

/// A board, five seconds an input.
struct Board {
    station: Station,
    second: u64,
    output: Output,
    numbering: Numbering,
}

impl Board {
    fn new() -> Self {
        let station = Station::open(Open::new("7", FRAMES, "test"), Stamp::default()).unwrap();
        Self { station, second: 0, output: Output::default(), numbering: Numbering::default() }
    }

    /// What came of an input, of what is public: `type game`, and what is of interest of it.
    fn take(&mut self, input: &Input) -> Vec<String> {
        self.second += 5;
        let before = self.output.events.len();
        self.output.refused = None;
        self.station.handle(input, Stamp::default().at(self.second * SECOND), &mut self.output);
        let numbering = &mut self.numbering;
        let told = |event: &Event| {
            let said = numbering.render(&"7".into(), event, 1).json();
            let more = match event.body.name().as_str() {
                "game-opened" | "game-changed" => {
                    json!([said["white"]["name"], said["black"]["name"]]).to_string()
                }
                "game-closed" => said["result"].to_string(),
                "move-made" => said["san"].to_string(),
                _ => return None,
            };
            let name = event.body.name();
            Some(format!("{name} {} {more}", said["game"].as_str().unwrap_or_default()).replace('"', ""))
        };
        self.output.events[before..].iter().filter_map(told).collect()
    }

    fn shows(&mut self, placement: &str) -> Vec<String> {
        let mut told = self.take(&Input::Reading(Reading::Frame(pieces_frame(placement).unwrap())));
        self.second -= 3;
        told.extend(self.waits());
        told
    }

    fn pair(&mut self, pairing: Pairing) -> Vec<String> {
        self.take(&Input::Pairing(Some(pairing)))
    }

    fn rule(&mut self, ruling: &Value) -> Vec<String> {
        self.take(&Input::Ruling(Ruled::parse(ruling).unwrap()))
    }

    fn refused(&self) -> String {
        self.output.refused.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    fn waits(&mut self) -> Vec<String> {
        self.take(&Input::Wake)
    }
}

fn draw() -> Value {
    json!({ "name": "result", "value": "1/2-1/2" })
}

#[test]
fn a_game_is_open_from_its_pairing_on_and_starts_from_its_array() {
    let mut board = Board::new();
    assert_eq!(board.shows(MEN_BESIDE), [""; 0]);
    assert_eq!(board.pair(pairing(7, "A", "B")), ["game-opened 5-7 [A,B]"]);
    assert!(board.station.is_playing());
    assert_eq!(board.shows(START), [""; 0], "it is open already");
    assert_eq!(board.waits(), [""; 0]);
    assert_eq!(board.shows(E4), ["move-made 5-7 e4"]);
    board.rule(&draw());
    assert_eq!(board.shows(START), ["game-closed 5-7 1/2-1/2"]);
    assert_eq!(board.waits(), [""; 0], "the board is kept for its next pairing");
    assert_eq!(board.shows(E4), [""; 0], "whoever tries something there plays no game");
    assert_eq!(board.pair(pairing(7, "A", "B")), [""; 0], "the same pairing again is no other game");
    board.shows(START);
    let next = Pairing { round: 6, ..pairing(3, "C", "D") };
    assert_eq!(board.pair(next), ["game-opened 6-3 [C,D]"]);
    assert_eq!(board.shows(E4), ["move-made 6-3 e4"], "the array had stood before the pairing came");
}

#[test]
fn a_correction_changes_who_plays_and_nothing_else() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    board.shows(START);
    board.shows(E4);
    let mut corrected = pairing(7, "A", "Bee");
    corrected.team_match = Some(TeamMatch { number: 3, board: 2 });
    assert_eq!(board.pair(corrected.clone()), ["game-changed 5-7 [A,Bee]"]);
    assert_eq!(board.pair(corrected.clone()), [""; 0]);
    assert_eq!(board.rule(&json!({ "name": "swap-colours" })), ["game-changed 5-7 [Bee,A]"]);
    corrected.black.elo = Some(2_000);
    assert_eq!(board.pair(corrected.clone()), ["game-changed 5-7 [Bee,A]"], "the ruling holds");
    assert_eq!(board.shows(E5), ["move-made 5-7 e5"]);
    board.rule(&draw());
    assert_eq!(board.shows(START), ["game-closed 5-7 1/2-1/2"]);
    corrected.white.name = Some("Ay".to_owned());
    assert_eq!(board.pair(corrected), ["game-changed 5-7 [Bee,Ay]"], "also of a game that is over");
}

#[test]
fn a_free_game_that_is_played_gets_the_players_and_keeps_its_name() {
    let mut board = Board::new();
    board.shows(START);
    assert_eq!(board.waits(), ["game-opened free-19700101-1 [null,null]"]);
    board.shows(E4);
    assert_eq!(board.pair(pairing(7, "A", "B")), ["game-changed free-19700101-1 [A,B]"]);
    assert_eq!(board.shows(E5), ["move-made free-19700101-1 e5"]);
    board.pair(pairing(8, "C", "D"));
    assert_eq!(board.refused(), "ruling \"assign\" cannot apply: board 7 plays 5-7, which has no result yet");
    board.rule(&draw());
    assert_eq!(board.shows(START), ["game-closed free-19700101-1 1/2-1/2"]);
    assert_eq!(board.waits(), [""; 0]);
}

#[test]
fn of_a_game_that_has_not_begun_nothing_is_left() {
    let mut board = Board::new();
    board.shows(START);
    board.waits();
    let closed = "game-closed free-19700101-1 *";
    assert_eq!(board.pair(pairing(7, "A", "B")), [closed, "game-opened 5-7 [A,B]"]);
    board.waits();
    // Boards are exchanged before the round begins, there and back again.
    assert_eq!(board.pair(pairing(8, "C", "D")), ["game-closed 5-7 *", "game-opened 5-8 [C,D]"]);
    assert_eq!(board.pair(pairing(7, "A", "B")), ["game-closed 5-8 *", "game-opened 5-7 [A,B]"]);
    assert_eq!(board.take(&Input::Pairing(None)), ["game-closed 5-7 *"]);
    assert_eq!(board.waits(), ["game-opened free-19700101-2 [null,null]"]);
}

#[test]
fn a_game_that_is_played_is_not_taken_away() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    board.shows(START);
    board.shows(E4);
    for other in [Some(pairing(8, "C", "D")), None] {
        assert_eq!(board.take(&Input::Pairing(other)), [""; 0]);
        assert_eq!(
            board.refused(),
            "ruling \"assign\" cannot apply: board 7 plays 5-7, which has no result yet"
        );
    }
    assert_eq!(board.shows(E5), ["move-made 5-7 e5"]);
    board.rule(&draw());
    let next = board.pair(pairing(8, "C", "D"));
    assert_eq!(next, ["game-closed 5-7 1/2-1/2", "game-opened 5-8 [C,D]"], "the last position still stands");
}

#[test]
fn a_board_takes_no_pairing_of_another_game() {
    let mut board = Board::new();
    let four = Pairing { red_blue: Some(Box::default()), ..pairing(3, "Two", "Four") };
    assert_eq!(board.take(&Input::Pairing(Some(four))), [""; 0]);
    let refused = board.output.refused.take().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("5-3 has four players, and board 7 plays chess"), "{refused}");
    // Nothing has changed: whoever is paired next plays here.
    assert_eq!(board.pair(pairing(4, "One", "Two")), ["game-opened 5-4 [One,Two]"]);

    let open = Open { variant: adoube_rules::GameKind::FourPlayer, ..Open::new("7", FRAMES, "test") };
    let mut four = Board { station: Station::open(open, Stamp::default()).unwrap(), ..Board::new() };
    four.take(&Input::Pairing(Some(pairing(3, "Two", "Four"))));
    let refused = four.output.refused.take().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("5-3 has two players, and board 7 plays the four-player game"), "{refused}");
}

#[test]
fn the_second_game_of_a_pairing_has_a_name_of_its_own() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    board.shows(START);
    board.shows(E4);
    let annul = json!({ "name": "annul-game", "reason": "colours" });
    assert_eq!(board.rule(&annul), ["game-closed 5-7 *"]);
    board.shows(START);
    assert_eq!(board.waits(), ["game-opened 5-7-2 [A,B]"]);
    board.shows(E4);
    board.rule(&draw());
    assert_eq!(board.shows(START), ["game-closed 5-7-2 1/2-1/2"]);
    assert_eq!(board.waits(), [""; 0]);
    // A play-off, by the arbiter's word.
    assert_eq!(board.rule(&json!({ "name": "start-game" })), ["game-opened 5-7-3 [A,B]"]);
    // The first games were played elsewhere.
    let mut board = Board::new();
    assert_eq!(board.pair(Pairing { games: 2, ..pairing(7, "A", "B") }), ["game-opened 5-7-3 [A,B]"]);
    // It was played before the daemon was started again.
    let mut board = Board::new();
    let over = Pairing { games: 1, is_over: true, ..pairing(7, "A", "B") };
    assert_eq!(board.pair(over), [""; 0]);
    assert_eq!(board.shows(START), [""; 0]);
    assert_eq!(board.waits(), [""; 0]);
}

#[test]
fn a_game_whose_men_went_home_waits_for_its_result() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    for placement in [START, E4, E5, NF3] {
        board.shows(placement);
    }
    assert_eq!(board.shows(MEN_BESIDE), [""; 0]);
    assert_eq!(board.shows(START), [""; 0], "nobody has said who won");
    assert_eq!(board.waits(), [""; 0]);
    assert_eq!(board.shows(E4), [""; 0], "somebody tries something");
    assert_eq!(board.shows(NF3), [""; 0], "they go on after all");
    let nc6 = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
    assert_eq!(board.shows(nc6), ["move-made 5-7 Nc6"]);
    board.shows(MEN_BESIDE);
    board.shows(START);
    board.waits();
    assert_eq!(board.rule(&draw()), ["game-closed 5-7 1/2-1/2"]);
}

#[test]
fn a_result_is_entered_also_where_nobody_came() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    let forfeit = json!({ "name": "result", "value": "1-0", "basis": "late-arrival-forfeit" });
    board.rule(&forfeit);
    assert_eq!(board.refused(), "");
    assert!(!board.station.is_playing());
    assert_eq!(board.shows(START), ["game-closed 5-7 1-0"]);
}

#[test]
fn a_round_that_is_closed_takes_its_game_along_and_can_be_undone() {
    let mut board = Board::new();
    board.rule(&json!({ "name": "round-close" }));
    assert!(board.refused().contains("no game of a round is open"), "{}", board.refused());
    board.pair(pairing(7, "A", "B"));
    board.shows(START);
    board.shows(E4);
    assert_eq!(board.rule(&json!({ "name": "round-close" })), ["game-closed 5-7 *"]);
    let undone = board.rule(&json!({ "name": "undo", "ruling": 1 }));
    assert_eq!(undone, ["game-opened 5-7 [A,B]", "move-made 5-7 e4"], "{}", board.refused());
    assert_eq!(board.shows(E5), ["move-made 5-7 e5"]);
}

#[test]
fn what_is_undone_leaves_the_pairings_as_they_are() {
    let mut board = Board::new();
    board.pair(pairing(7, "A", "B"));
    board.shows(START);
    board.shows(E4);
    board.rule(&draw());
    board.pair(pairing(7, "A", "Bee"));
    let undone = board.rule(&json!({ "name": "undo", "ruling": 1 }));
    assert_eq!((undone, board.refused()), (Vec::new(), String::new()));
    assert_eq!(board.shows(E5), ["move-made 5-7 e5"]);
    assert_eq!(board.pair(pairing(7, "A", "Bee")), [""; 0], "the correction holds");
}
