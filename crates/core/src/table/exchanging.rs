//! Two pairs have played at each other's boards (DESIGN 2.6): each pairing gets the game that was played where its players
//! sat. The games stay where they are and change names and players; what was said of each and stands is said again
//! under the other's name, as if it had been opened there.

use serde::{Deserialize, Serialize};

use super::moving::Moved;
use super::taking_over::{Stands, TakenOver};
use super::{Known, Mode, Pairing, Table, pairing};
use crate::event::said::RetractedSaid;
use crate::event::{Body, Cause, Event, GameInfo, GameName, Numbered, RecordId, Said};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, Ruled, inapplicable};
use adoube_rules::Variant;

/// What the game on the board has been all along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// Whose it is.
    pub pairing: Pairing,
    /// What it is called.
    pub name: String,
    /// The game whose name it has had has not begun, and is still to be opened at its board.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_left: bool,
    /// The moves and times that were said of it and stand, and what was settled.
    again: Vec<Stands>,
    /// What the other board takes after this one: a crash between the two loses neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<(String, Box<Moved>)>,
}

/// The other board's half.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// The pairing to which the game here belongs.
    pub pairing: Pairing,
    /// The name under which that has been played.
    pub name: String,
    /// That one has not begun.
    pub is_alone: bool,
}

impl<V: Variant> Table<V> {
    /// The exchange of the game for that of `other`, by `ruled`; `said` is all that was said of it, in order.
    ///
    /// # Errors
    /// A sentence that says why it cannot be.
    pub(crate) fn exchange(
        &self,
        said: &[Numbered],
        ruled: Ruled,
        Other { pairing, name, is_alone }: Other,
    ) -> Result<Moved, Inapplicable> {
        self.check_exchange(&pairing)?;
        let stuck = || inapplicable("what was said of the game does not lead to where it stands");
        let is_published = |(_, known): &(Ply, &Known)| !known.is_held;
        let plies = self.scene.game.as_ref().map_or(0, |game| game.plies.iter().filter(is_published).count());
        let again = TakenOver::settled(said);
        let made = again.iter().filter(|event| event.is_made()).count();
        if made != plies {
            return Err(stuck());
        }
        let exchange = Exchange { pairing, name, is_left: is_alone, again, other: None };
        Ok(Moved { ruled, game: None, exchange: Some(Box::new(exchange)) })
    }

    /// Why the game of the board cannot be exchanged for that of `pairing`.
    fn check_exchange(&self, pairing: &Pairing) -> Outcome {
        let board = &self.scene.setting.board;
        if self.scene.setting.pair.is_some() {
            return Err(inapplicable(format!("board {board} is one of two on which one game is played")));
        }
        if !pairing.is_of(V::FAMILY) {
            return Err(Inapplicable(pairing::other_game(&pairing.game(), board, V::FAMILY)));
        }
        let begun = self.scene.game.as_ref().filter(|game| game.info.is_some() && game.has_begun());
        match begun.map(|game| game.mode) {
            None => Err(inapplicable(format!("no game that has begun is open at board {board}"))),
            Some(Mode::Running | Mode::AtHome) => Ok(()),
            Some(mode) => Err(inapplicable(format!("the game at board {board} is {}", mode.name()))),
        }
    }

    /// The game is another pairing's from now on, and has been all along.
    ///
    /// # Errors
    /// [`Inapplicable`]: what is left of the table then is of no use.
    pub(super) fn exchanged(&mut self, exchange: &Exchange, ruled: &Ruled, out: &mut Vec<Event>) -> Outcome {
        self.check_exchange(&exchange.pairing)?;
        let Some(before) = self.scene.info().cloned() else { return Ok(()) };
        if exchange.is_left {
            self.leaves_name(exchange, out);
        }
        let pairing = &exchange.pairing;
        let info = Box::new(GameInfo {
            name: GameName::Given(exchange.name.as_str().into()),
            round: Some(pairing.round),
            number: pairing.number,
            ..Self::corrected(&before, self.scene.paired.of(&before), pairing)
        });
        self.scene.paired.exchanges(&before, pairing);
        if let Some(game) = &mut self.scene.game {
            game.info = Some(info.clone());
        }
        self.emit(Body::GameOpened(info), out);
        self.emit(Body::Ruled(Box::new(ruled.clone())), out);
        for event in &exchange.again {
            let mut said = event.said().clone();
            if let Said::Record(recorded) = &mut said {
                recorded.each_record(&mut |record| *record = record.in_journal());
            }
            self.emit(Body::Again(Box::new(said)), out);
        }
        let open: Vec<RecordId> = self.records.open().map(|record| record.number).collect();
        open.into_iter().for_each(|number| self.amend(number, |_| (), out));
        self.emit(Body::ClockRead(self.scene.clock.last().copied()), out);
        Ok(())
    }

    /// Nothing was played under the name that the game has had.
    fn leaves_name(&self, exchange: &Exchange, out: &mut Vec<Event>) {
        let start = self.scene.info().map(|info| info.start.clone()).unwrap_or_default();
        let first = exchange.again.iter().find(|event| event.is_made()).map(Stands::said);
        if let Some(Said::MoveMade(first)) = first {
            let gone = RetractedSaid {
                ply: first.ply,
                side: first.side,
                seated: first.seated,
                san: first.san.clone(),
                uci: first.uci.clone(),
                fen: start,
                cause: Cause::Ruling,
            };
            self.emit(Body::Again(Box::new(Said::MoveRetracted(gone.into()))), out);
        }
        self.emit(Body::GameClosed { result: None }, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::station::{FRAMES, Input, Open, PublishAt, Station};
    use crate::table::testing::{ARRAY, E6, Hall, NF3};
    use adoube_rules::laws::Name;
    use adoube_rules::sensor::Side;
    use adoube_rules::stamp::Stamp;
    use serde_json::json;

    fn pairing(number: u32, white: &str) -> Pairing {
        let mut pairing = Pairing { round: 5, number, games: 1, ..Pairing::default() };
        pairing.white.name = Some(white.to_owned());
        pairing
    }

    impl Hall {
        /// As [`Hall::new`]; at board 1 it is the game of the pairing 5-1, and 5-2 waits at board 2.
        fn paired() -> Self {
            Self::paired_with(|_| ())
        }

        fn paired_with(setting: impl Fn(&mut Open)) -> Self {
            let mut hall = Self::opened_with(setting);
            for (board, white) in [(1, "One, A"), (2, "Three, C")] {
                let pairing = Pairing { games: 0, ..pairing(board, white) };
                assert_eq!(hall.take(board as usize, &Input::Pairing(Some(pairing))), None);
            }
            hall
        }

        fn said_of(&self, board: usize) -> Vec<Numbered> {
            let game = self.game(board);
            self.said.iter().filter(|event| event.game.as_deref() == Some(&*game)).cloned().collect()
        }

        /// The game that is open on a board.
        fn game(&self, board: usize) -> String {
            let is_it = |event: &&Numbered| *event.board == *board.to_string() && event.game.is_some();
            self.said.iter().rfind(is_it).unwrap().game.as_deref().unwrap().to_owned()
        }

        /// The game of board 1 is the one that is to be played at board 2.
        fn exchanged(&mut self, other: Other) -> Result<(), String> {
            let ruled = Ruled::parse(&json!({ "name": "exchange-boards", "board": "2" })).unwrap();
            let moved = self.boards[0].exchange(&self.said_of(1), ruled, other)?;
            let stored = serde_json::to_string(&moved).unwrap();
            let moved: Moved = serde_json::from_str(&stored).unwrap();
            assert_eq!(serde_json::to_string(&moved).unwrap(), stored);
            self.take(1, &Input::Moved(Box::new(moved))).map_or(Ok(()), Err)
        }
    }

    fn other(is_alone: bool) -> Other {
        Other { pairing: pairing(2, "Three, C"), name: "5-2".to_owned(), is_alone }
    }

    #[test]
    fn what_was_counted_goes_with_who_did_it() {
        let mut hall = Hall::paired();
        hall.moves(1, E6, [5_300, 5_340], Side::Black);
        let illegal = hall.last(Name::IllegalMoveCompleted);
        assert_eq!((&illegal["count"], &illegal["status"]), (&json!(1), &json!("open")));
        hall.exchanged(other(false)).unwrap();
        let waits = hall.last(Name::IllegalMoveCompleted);
        assert_eq!((&waits["game"], &waits["record"]), (&json!("5-2"), &illegal["seq"]), "{waits}");
        assert_eq!(hall.rules(1, &json!({ "name": "confirm", "record": illegal["seq"] })), None);
        hall.shows(1, crate::table::testing::E5);
        hall.clock(1, [5_340, 5_460], None);
        hall.clock(1, [5_340, 5_460], Some(Side::White));
        hall.moves(1, E6, [5_300, 5_460], Side::Black);
        let second = hall.last(Name::IllegalMoveCompleted);
        assert_eq!((&second["game"], &second["count"]), (&json!("5-2"), &json!(2)), "{second}");
    }

    #[test]
    fn a_name_that_nobody_takes_is_left() {
        let mut hall = Hall::paired();
        let name = hall.game(1);
        let since = hall.said.last().unwrap().seq;
        hall.exchanged(other(true)).unwrap();
        let said = hall.said.iter().filter(|event| event.seq > since);
        let said: Vec<(&str, &str)> =
            said.map(|event| (event.game.as_deref().unwrap_or_default(), event.name().as_str())).collect();
        assert_eq!(said[..2], [(&*name, "move-retracted"), (&*name, "game-closed")]);
        assert_eq!(
            said[2..5],
            [("5-2", "game-opened"), ("5-2", "ruled"), ("5-2", "game-started")],
            "{said:?}"
        );
        assert_eq!(hall.last(Name::GameOpened)["white"]["name"], "Three, C");
        assert_eq!(hall.last(Name::MoveMade)["game"], "5-2");
        hall.moves(1, NF3, [5_300, 5_340], Side::Black);
        let made = hall.last(Name::MoveMade);
        assert_eq!((&made["game"], &made["ply"], &made["san"]), (&json!("5-2"), &json!(3), &json!("Nf3")));
    }

    #[test]
    fn what_is_withheld_is_withheld_under_the_other_name() {
        let mut hall = Hall::paired_with(|open| open.publish_at = PublishAt::Completed);
        hall.exchanged(other(false)).unwrap();
        hall.shows(1, NF3);
        hall.second += 5;
        hall.take(1, &Input::Wake);
        let opened = hall.said.iter().rposition(|event| event.name() == Name::GameOpened).unwrap();
        let public = |name: Name| {
            let said = hall.said[opened..].iter().filter(move |event| event.name() == name);
            said.map(|event| event.public_id.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(public(Name::MoveMade), [false, false, false]);
        assert_eq!(public(Name::MoveCompleted), [true, true]);
    }

    #[test]
    fn it_is_refused_unless_the_game_is_played() {
        let mut hall = Hall::paired();
        let ruled = Ruled::parse(&json!({ "name": "exchange-boards", "board": "1" })).unwrap();
        let refused = hall.boards[1].exchange(&hall.said_of(2), ruled, other(false)).unwrap_err();
        assert!(refused.contains("no game that has begun is open at board 2"), "{refused}");
        assert_eq!(hall.rules(1, &json!({ "name": "adjourn", "side": "white" })), None);
        let refused = hall.exchanged(other(false)).unwrap_err();
        assert!(refused.contains("the game at board 1 is"), "{refused}");
        let fresh = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
        hall.boards[0] = fresh;
        hall.shows(1, ARRAY);
        assert!(hall.exchanged(other(false)).is_err());
    }

    #[test]
    fn nothing_that_was_ruled_before_is_undone_afterwards() {
        let mut hall = Hall::paired();
        hall.rules(1, &json!({ "name": "note", "text": "late" }));
        hall.exchanged(other(false)).unwrap();
        for ruling in [1, 2] {
            let undo = Ruled::parse(&json!({ "name": "undo", "ruling": ruling })).unwrap();
            let refused = hall.take(1, &Input::Ruling(undo)).unwrap();
            assert!(refused.contains("too long ago"), "{refused}");
        }
    }
}
