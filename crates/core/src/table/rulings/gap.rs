//! Plies that nobody saw, and the arbiter says which they were and in which order.

use super::decided::decide;
use crate::event::finding::Finding;
use crate::event::{Event, Status};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use crate::table::records::Record;
use crate::table::{Table, written};
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// What was played in `gap` is `moves`, with spaces between them.
    pub(super) fn confirm_way(&mut self, gap: &Record, moves: &str, out: &mut Vec<Event>) -> Outcome {
        self.check_playing()?;
        let Finding::RecordGap(found) = &gap.finding else { return Ok(()) };
        let (since_ply, moves) = (found.since_ply, moves.split_whitespace().collect::<Vec<&str>>());
        let way = self.read_line(since_ply, &moves)?;
        if way.len() != found.recovered.len() {
            let (said, played) = (way.len(), found.recovered.len());
            return Err(inapplicable(format!("{said} moves are said for a gap of {played}")));
        }
        // Decided first: what is played again does not withdraw it.
        let fill = |record: &mut Record| {
            if let Finding::RecordGap(gap) = &mut record.finding {
                gap.recovered = way.iter().map(|played| played.1.clone()).collect();
            }
        };
        self.amend(gap.number, fill, out);
        decide(gap.number, Status::Confirmed, &mut self.report(out));
        self.close_all(|known| known.of == Some(gap.number), Status::Confirmed, out);
        let plies = || since_ply.next().to(Ply::last_of(since_ply.count() + way.len()));
        let is_played = |(ply, (uci, _)): (Ply, &(String, String))| {
            let played = self.scene.game.as_ref().and_then(|game| game.tracker.played(ply));
            played.is_some_and(|played| played.uci() == *uci)
        };
        if !plies().zip(&way).all(is_played) {
            let ucis: Vec<String> = way.iter().map(|played| played.0.clone()).collect();
            self.replay_with(since_ply.next(), &ucis, out);
        } else if let Some(game) = &mut self.scene.game {
            plies().for_each(|ply| game.tracker.confirm(ply));
        }
        Ok(())
    }

    /// `moves`, played after ply `since`, from square to square and as players write them.
    fn read_line(&self, since: Ply, moves: &[&str]) -> Result<Vec<(String, String)>, Inapplicable> {
        let game = self.scene.game.as_ref().filter(|game| since <= game.tracker.plies());
        let Some(game) = game else { return Err(inapplicable(format!("there is no ply {since}"))) };
        let mut position = game.tracker.position(since).clone();
        let mut line = Vec::new();
        for text in moves {
            let mv = written::read::<V>(&position, text)
                .map_err(|fault| inapplicable(format!("\"{text}\" is {} in its place", fault.as_str())))?;
            let played = position.played(mv);
            line.push((played.uci(), played.san()));
            position = position.play(mv);
        }
        Ok(line)
    }
}
