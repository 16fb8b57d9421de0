//! Plies that nobody saw, and the arbiter says which they were and in which order.

use crate::event::finding::Finding;
use crate::event::{Event, RecordId, Status};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Outcome, inapplicable};
use crate::table::records::Record;
use crate::table::{Table, written};
use adoube_rules::laws::Name;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Table<V> {
    /// What was played in `gap` is `moves`, with spaces between them.
    pub(super) fn confirm_way(&mut self, gap: &Record, moves: &str, out: &mut Vec<Event>) -> Outcome {
        let Finding::RecordGap(found) = &gap.finding else { return Ok(()) };
        let since_ply = found.since_ply;
        let way = self.read_way(since_ply, &moves.split_whitespace().collect::<Vec<&str>>())?;
        let (ucis, sans): (Vec<String>, Vec<String>) = way.into_iter().unzip();
        let plies = || since_ply.next().to(Ply::last_of(since_ply.count() + ucis.len()));
        let is_played = |(ply, uci): (Ply, &String)| {
            let played = self.scene.game.as_ref().and_then(|game| game.tracker.played(ply));
            played.is_some_and(|played| played.uci() == *uci)
        };
        let is_other = !plies().zip(&ucis).all(is_played);
        if is_other {
            self.check_playing()?;
        }
        // Decided first: what is played again does not withdraw it.
        let asked = |known: &&Record| known.of == Some(gap.number) && known.name() == Name::ConfirmMove;
        let asked: Vec<RecordId> = self.records.open().filter(asked).map(|known| known.number).collect();
        for number in asked.into_iter().chain([gap.number]) {
            let answer = |record: &mut Record| {
                match &mut record.finding {
                    Finding::RecordGap(gap) => gap.recovered.clone_from(&sans),
                    Finding::ConfirmMove(confirm) => {
                        confirm.moves.clone_from(&sans);
                        confirm.ways = None;
                    }
                    _ => {}
                }
                (record.status, record.by_arbiter) = (Status::Confirmed, true);
            };
            self.amend(number, answer, out);
        }
        if is_other {
            self.replay_with(since_ply.next(), &ucis, out);
        } else if let Some(game) = &mut self.scene.game {
            plies().for_each(|ply| game.tracker.confirm(ply));
        }
        self.doubt_decided(out);
        Ok(())
    }

    /// `moves`, played after ply `since`, from square to square and as players write them. They lead to what stood there
    /// after as many plies: anything else would take back what was played on.
    fn read_way(&self, since: Ply, moves: &[&str]) -> Result<Vec<(String, String)>, Inapplicable> {
        let last = Ply::last_of(since.count() + moves.len());
        let game = self.scene.game.as_ref().filter(|game| last <= game.tracker.plies());
        let Some(game) = game else { return Err(inapplicable(format!("there is no ply {last}"))) };
        let mut position = game.tracker.position(since).clone();
        let mut way = Vec::new();
        for text in moves {
            let mv = written::read::<V>(&position, text)
                .map_err(|fault| inapplicable(format!("\"{text}\" is {} in its place", fault.as_str())))?;
            let played = position.played(mv);
            way.push((played.uci(), played.san()));
            position = position.play(mv);
        }
        let stood = game.tracker.position(last);
        let see = |position: &V::Position, square| self.scene.view.see(position.content(square));
        match Square::all().find(|&square| see(&position, square) != see(stood, square)) {
            None => Ok(way),
            Some(square) => Err(inapplicable(format!(
                "these moves do not lead to what stood on {} after ply {last}",
                V::FAMILY.square_name(square)
            ))),
        }
    }
}
