//! What must hold, whatever happened.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep;

use super::life::{World, name};
use super::plan::AWAY_MAX;
use crate::feed::records::Record;
use crate::feed::view::{GameView, HallView};
use crate::hall::{Hall, Proof};
use crate::journal::{Reader, verify};
use adoube_core::event::{Finding, Numbered, Publisher, Said};
use adoube_rules::sensor::Content;

/// Between two looks at a board that is not read as it stands, and how many there are: a board of the protocol with the
/// longest pauses is asked how it stands three times.
const LOOK: Duration = Duration::from_secs(5);
const LOOKS: u32 = 6;

/// The games as pages show them.
pub(super) fn games(view: &HallView) -> Vec<Value> {
    view.games().map(|game: &GameView| serde_json::to_value(game).unwrap()).collect()
}

/// Is that what stands there, as far as the board can tell?
fn alike(read: &[Content], last: &[Content]) -> bool {
    let is_alike = |(read, last): (&Content, &Content)| {
        read == last || *read == Content::OCCUPIED && *last != Content::EMPTY
    };
    read.len() == last.len() && read.iter().zip(last).all(is_alike)
}

/// Where the pieces of a position stand.
fn placement(fen: &str) -> &str {
    fen.split(' ').next().unwrap_or_default()
}

impl World<'_> {
    /// While the daemon is there, and nothing has gone wrong for a while: each board is read as it stands, and its game
    /// stands so as well, or a record says that it does not.
    pub(super) async fn look(&mut self, hall: &Hall) {
        for index in 0..self.tables.len() {
            let mut wrong = self.look_at(hall, index).await;
            // Lines lie now and then, chips are not read in every scan, and what rests is offered after a while.
            for _ in 0..LOOKS {
                if wrong.is_some() {
                    sleep(LOOK).await;
                    wrong = self.look_at(hall, index).await;
                }
            }
            self.wrong.extend(wrong);
        }
        // What the last run had not let out waits as much longer as nobody was there.
        sleep(Duration::from_secs(u64::from(self.plan.delay_s)) + AWAY_MAX).await;
        self.desk = hall.desk.with_view(games);
        self.public = hall.public.with_view(games);
    }

    /// What is wrong with a board.
    async fn look_at(&self, hall: &Hall, index: usize) -> Option<String> {
        let board = name(index);
        let (last, fen) = self.tables[index].last();
        let Some(picture) = hall.board(&board)?.picture().await else {
            return Some(format!("the task of board {board} is gone"));
        };
        if !alike(&picture.contents, &last) {
            return Some(format!("board {board} stands at {fen}, and is read as {:?}", picture.contents));
        }
        let shown = hall.desk.with_view(|view| {
            let game = view.game(view.board(&board)?.game.as_deref()?)?;
            Some((game.fen().to_owned(), game.moves.len()))
        });
        let is_of_board = |record: &Record| record.is_open() && *record.event.board == *board;
        let is_told = !hall.desk.records(is_of_board).is_empty();
        let stands = shown.as_ref().is_some_and(|(shown, _)| placement(shown) == placement(&fen));
        // Where nobody saw the array, a board that feels pieces alone offers no start, and neither does one whose clock
        // stands when somebody looks at last: the game waits, and the desk is told what stands otherwise (`readiness`).
        let is_unplayed = shown.as_ref().is_none_or(|(_, plies)| *plies == 0);
        let is_stopped = picture.clock.is_some_and(|clock| clock.running.is_none());
        let waits = is_unplayed && (is_stopped || picture.contents.contains(&Content::OCCUPIED));
        let is_fine = stands || is_told || waits || self.plan.is_ended_early(index);
        (!is_fine)
            .then(|| format!("board {board} stands at {fen}, its game at {shown:?}, and nobody says so"))
    }

    /// When the daemon is gone: the journal is whole, replays to what was said, and holds all that anybody heard.
    pub(super) fn look_back(&mut self) {
        let report = verify(self.folder);
        let proof = Proof::of(self.folder);
        self.wrong.extend(report.problem.map(|problem| problem.to_string()));
        self.wrong.extend(proof.problem);
        let events: Vec<Numbered> =
            Reader::open(self.folder, 1).map(|event| event.unwrap().numbered().unwrap()).collect();
        let lost: Vec<(u64, u64)> = events.iter().filter_map(lost).collect();
        self.look_at_said(&events, &lost);
        if lost.is_empty() {
            let (mut desk, mut public, mut publisher) =
                (HallView::default(), HallView::default(), Publisher::default());
            for event in &events {
                desk.apply_private(event);
                publisher.publish(event).iter().for_each(|event| public.apply(event));
            }
            for (who, shown, stored) in
                [("the desk", &self.desk, games(&desk)), ("spectators", &self.public, games(&public))]
            {
                if *shown != stored {
                    self.wrong.push(format!("{who} saw other games than the journal holds"));
                }
            }
        }
    }

    /// All that anybody heard is there, or was marked and lies in a gap; nothing was said twice.
    fn look_at_said(&mut self, events: &[Numbered], lost: &[(u64, u64)]) {
        let stored: BTreeMap<u64, &Numbered> = events.iter().map(|event| (event.seq, event)).collect();
        let mut heard = BTreeMap::new();
        for (epoch, event) in &self.said {
            let seq = event.seq;
            if heard.insert((epoch, seq), ()).is_some() {
                self.wrong.push(format!("seq {seq} of {epoch} was said twice"));
            }
            let mut durable = event.clone();
            durable.is_durable = true;
            let is_stored = stored.get(&seq).is_some_and(|stored| stored.to_line() == durable.to_line());
            let is_marked =
                !event.is_durable && lost.iter().any(|&(first, last)| (first..=last).contains(&seq));
            if !is_stored && !is_marked {
                let said = event.to_line();
                self.wrong.push(format!("heard and not in the journal: {said}"));
            }
        }
    }
}

/// The numbers that are lost for ever, if the event is a gap's that says so.
fn lost(event: &Numbered) -> Option<(u64, u64)> {
    let Said::Record(recorded) = &event.said else { return None };
    let Finding::JournalGap(gap) = &recorded.finding else { return None };
    gap.first_lost.zip(gap.last_lost)
}
