//! Squares that do not say what stands on them (DESIGN 2.5): what the line itself shows of them, ply by ply.
//!
//! A square counts against itself with each ply through the whole of which it showed something else than stood
//! there. Twice, and it is not believed any more ([`Sight`]): what it shows is no evidence, and the game goes on. It is
//! believed again when it shows what stands there where it had failed to.
//!
//! [`Sight`]: crate::infer::sight::Sight

use super::{Explanation, NAT, Step, Tracker};
use crate::infer::image::{Image, View, squares};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::sensor::Content;
use adoube_rules::square::{Square, Squares};
use adoube_rules::stamp::SECOND;
use adoube_rules::{Move as _, Position as _, Variant};
use serde::{Deserialize, Serialize};

/// Plies that count against a square before it is doubted: one may be a hand that was slow.
const DOUBTED: u32 = 2;
/// The same where the sensor names nobody: a capture that left no trace looks like a man who is not read.
const DOUBTED_UNNAMED: u32 = 3;
/// Squares of a board that are sick at once. More that seem to be tell of a line that is wrong.
pub(crate) const SICK_MAX: usize = 2;
/// After so many plies a single one is forgotten.
const FORGOTTEN_PLIES: usize = 24;
/// A piece that is held in the hand before its player has the move is lifted no longer before.
const IN_ADVANCE_NS: u64 = SECOND;
/// Departures and returns of one man, with nothing else changing between, after which its square flickers: nobody puts a
/// piece right so often.
const FLICKERS: u32 = 5;
/// They follow on each other within this time.
const FLICKER_NS: u64 = 2 * SECOND;
/// Plies without a flicker after which the square is believed again.
const QUIET_PLIES: u32 = 12;
/// Squares that earlier games found sick, and that are not believed from the beginning: a board on which more are is
/// due to be exchanged, and a game that lost its line may have named healthy ones.
pub(crate) const KNOWN_MAX: usize = 2 * SICK_MAX;
/// An explanation that is so much worse does not keep a square from being doubted.
const RIVAL: i32 = 4 * NAT;

/// What is wrong with a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sickness {
    /// It reads empty although a man stands there.
    Dead,
    /// It reads a man who does not stand there.
    Stuck,
    /// It loses its man again and again.
    Flickering,
}

/// A square, and what is wrong with it.
pub type SickSquare = (Square, Sickness);

/// A square that is not to be trusted, or is again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnosis {
    /// Which.
    pub square: Square,
    /// What is wrong with it; `None`: nothing any more.
    pub sickness: Option<Sickness>,
    /// How many plies, or returns of a man, tell against it.
    pub evidence: u32,
}

/// What one ply says of the squares.
#[derive(Debug, Clone, Copy)]
struct Told {
    ply: Ply,
    /// They read empty, and a man stood there.
    unread: Squares,
    /// They read another man than stood there, or one where none did.
    unreal: Squares,
    /// They read the man who stood there.
    full: Squares,
    /// They read empty, and nobody stood there.
    void: Squares,
    /// A piece left them that had been unread since before its player's last move, and where moves are pressed since before
    /// his last but one: nobody holds one for so long.
    left: [Squares; 2],
}

impl Told {
    fn nothing(ply: Ply) -> Self {
        Self {
            ply,
            unread: Squares::EMPTY,
            unreal: Squares::EMPTY,
            full: Squares::EMPTY,
            void: Squares::EMPTY,
            left: [Squares::EMPTY; 2],
        }
    }
}

/// How often a man was gone and back.
#[derive(Debug, Clone, Copy, Default)]
struct Flicker {
    /// An earlier game found it out: only quiet plies clear it.
    is_known: bool,
    count: u32,
    left_ns: u64,
    man: Content,
    /// How many readings there had been when it left.
    readings: u64,
    /// Plies since, as long as it is held for flickering.
    quiet_plies: u32,
}

impl Flicker {
    /// It has done so in this game.
    fn has_flickered(&self) -> bool {
        !self.is_known || self.count > FLICKERS
    }
}

/// What is known of the squares of a board in one game.
#[derive(Debug, Clone)]
pub(super) struct Health {
    /// What the sensor says, believed or not, and since when.
    read: Vec<(Content, u64)>,
    /// Some of it is not what the board shows, because men are displaced.
    pub(super) is_masked: bool,
    told: Vec<Told>,
    flickers: Vec<Flicker>,
    readings: u64,
    /// Squares that are doubted though nothing is said of them yet: a man is there who cannot be, or they were wrong
    /// before the first move.
    pub(super) suspected: Squares,
    pub(super) sick: Vec<SickSquare>,
    /// What earlier games found, as long as it has not behaved in this one.
    known: Vec<SickSquare>,
    /// Plies were withdrawn since the last diagnosis.
    is_stale: bool,
}

impl Health {
    pub(super) fn new(contents: &[Content], at_ns: u64) -> Self {
        Self {
            read: contents.iter().map(|&content| (content, at_ns)).collect(),
            is_masked: false,
            told: Vec::new(),
            readings: 0,
            flickers: vec![Flicker::default(); contents.len()],
            suspected: Squares::EMPTY,
            sick: Vec::new(),
            known: Vec::new(),
            is_stale: false,
        }
    }

    /// The board shows this.
    pub(super) fn shows(&mut self, contents: &[Content], at_ns: u64) {
        self.read = contents.iter().map(|&content| (content, at_ns)).collect();
    }

    /// `square` is to be read so: that is nothing that the sensor did.
    pub(super) fn is_shown(&mut self, square: Square, content: Content, at_ns: u64) {
        self.read[square] = (content, at_ns);
    }

    /// `square` shows `content` now.
    pub(super) fn reads(&mut self, square: Square, content: Content, at_ns: u64) {
        let before = std::mem::replace(&mut self.read[square], (content, at_ns)).0;
        self.readings += 1;
        let flicker = &mut self.flickers[square];
        let is_soon = at_ns.saturating_sub(flicker.left_ns) <= FLICKER_NS;
        if content.is_empty() {
            if !flicker.is_known && (before != flicker.man || !is_soon) {
                flicker.count = flicker.count.saturating_sub(FLICKERS);
            }
            (flicker.man, flicker.left_ns, flicker.readings) = (before, at_ns, self.readings);
        } else if content == flicker.man && is_soon && flicker.readings + 1 == self.readings {
            flicker.count += 1;
            flicker.quiet_plies = 0;
        }
    }

    /// The plies after `ply` were not played.
    pub(super) fn cut_after(&mut self, ply: Ply) {
        let known = self.told.len();
        self.told.retain(|told| told.ply <= ply);
        self.is_stale |= self.told.len() < known;
    }

    /// What counts against `square`, and how often it was told. What was wrong before the first move, or in an earlier game,
    /// is enough at once.
    pub(super) fn diagnosis(&self, square: Square, view: View) -> Option<(Sickness, u32)> {
        let doubted = if view == View::Identity { DOUBTED } else { DOUBTED_UNNAMED };
        let is_wrong = |told: &&Told| told.unread.contains(square) || told.unreal.contains(square);
        let at_start = self.told.first().filter(|told| told.ply.is_start()).filter(is_wrong);
        let enough = |sickness: Sickness| {
            if at_start.is_some() || self.known.contains(&(square, sickness)) { 1 } else { doubted }
        };
        let (dead, stuck) = (enough(Sickness::Dead), enough(Sickness::Stuck));
        let (mut unread, mut unreal) = (0, 0);
        let mut last = Ply::START;
        for told in &self.told {
            if is_wrong(&told) {
                // A slip long ago makes no second one worse.
                if told.ply.count() - last.count() > FORGOTTEN_PLIES {
                    for (count, enough) in [(&mut unread, dead), (&mut unreal, stuck)] {
                        *count = if *count < enough { 0 } else { *count };
                    }
                }
                last = told.ply;
            }
            if told.unread.contains(square) {
                unread += 1;
                unread += told.left.map(|left| u32::from(left.contains(square))).iter().sum::<u32>();
            } else if told.full.contains(square) {
                unread = 0;
            }
            if told.unreal.contains(square) {
                unreal += 1;
            } else if told.void.contains(square) {
                unreal = 0;
            }
        }
        match () {
            () if unreal >= stuck => Some((Sickness::Stuck, unreal)),
            () if unread >= dead => Some((Sickness::Dead, unread)),
            () if self.is_flickering(square) && self.flickers[square].has_flickered() => {
                Some((Sickness::Flickering, self.flickers[square].count))
            }
            () => None,
        }
    }

    /// Of the squares that earlier games found sick those that are as they should be where they had not been.
    fn forget_what_behaves(&mut self, told: &Told) -> Squares {
        let behaves = |&(square, sickness): &SickSquare| match sickness {
            Sickness::Dead => told.full.contains(square),
            Sickness::Stuck => told.void.contains(square),
            Sickness::Flickering => !self.is_flickering(square),
        };
        let behaved: Squares =
            self.known.iter().filter(|known| behaves(known)).map(|known| known.0).collect();
        self.known.retain(|known| !behaved.contains(known.0));
        behaved
    }

    /// What `square` shows, and since when.
    pub(super) fn read(&self, square: Square) -> (Content, u64) {
        self.read[square]
    }

    /// Since when `square` has shown what it shows.
    pub(super) fn since_ns(&self, square: Square) -> u64 {
        self.read[square].1
    }

    pub(super) fn is_flickering(&self, square: Square) -> bool {
        let flicker = &self.flickers[square];
        flicker.count >= FLICKERS && flicker.quiet_plies < QUIET_PLIES
    }
}

impl<V: Variant> Tracker<V> {
    /// What `square` shows is no evidence of what players do.
    #[must_use]
    pub fn is_sick(&self, square: Square) -> bool {
        self.sight.doubted.contains(square) || self.health.is_flickering(square)
    }

    /// What is shown from now on is not everywhere what the board shows: men are displaced who belong elsewhere.
    pub(crate) fn mask(&mut self, is_masked: bool) {
        self.health.is_masked = is_masked;
    }

    /// All that is known of the squares is this from now on, and the board shows `contents`, if anything: an earlier game
    /// found it, or the board lies otherwise. They are not believed until they behave.
    pub(crate) fn know_sick(&mut self, known: Vec<SickSquare>, contents: &[Content], at_ns: u64) {
        let mut flickers = vec![Flicker::default(); self.health.flickers.len()];
        let mut suspected = Squares::EMPTY;
        for &(square, sickness) in &known {
            if let Some(&content) = contents.get(square.index()) {
                self.health.read[square] = (content, at_ns);
            }
            match sickness {
                Sickness::Dead | Sickness::Stuck => suspected.insert(square),
                Sickness::Flickering => {
                    flickers[square] = Flicker { is_known: true, count: FLICKERS, ..Flicker::default() };
                }
            }
        }
        self.health.told.clear();
        self.health.sick.clear();
        (self.health.known, self.health.suspected, self.health.flickers) = (known, suspected, flickers);
        self.see_anew(at_ns);
        self.remember_from_here();
    }

    /// What was found, and what earlier games had found and nothing in this one has disproved.
    pub(crate) fn sick_squares(&self) -> Vec<SickSquare> {
        let Health { sick, known, .. } = &self.health;
        let is_found = |square: Square| sick.iter().any(|found| found.0 == square);
        let known = known.iter().filter(|known| !is_found(known.0));
        sick.iter().chain(known).take(KNOWN_MAX).copied().collect()
    }

    /// Something was wrong before the first move.
    pub(crate) fn began_wrong(&self) -> bool {
        self.health.told.first().is_some_and(|told| told.ply.is_start())
    }

    /// `square` shows `content` before the first move, and something else belongs there.
    pub fn doubt(&mut self, square: Square, content: Content, at_ns: u64) {
        let content = self.sight.view.see(content);
        self.health.is_shown(square, content, at_ns);
        self.health.suspected.insert(square);
        let mut told = Told::nothing(Ply::START);
        let set = if content.is_empty() { &mut told.unread } else { &mut told.unreal };
        set.insert(square);
        self.health.told.push(told);
        self.see_anew(at_ns);
        self.remember_from_here();
    }

    /// The last plies up to `self.standing` stand: what do they tell of the squares?
    pub(super) fn learn(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let since = self.health.told.last().map_or(Ply::START, |told| told.ply);
        if self.standing <= since {
            if std::mem::take(&mut self.health.is_stale) {
                self.diagnose(at_ns, steps);
            }
            return;
        }
        self.health.is_stale = false;
        // Of plies that stand at once only the last was seen as the picture is now.
        let told = self.told(self.standing);
        self.health.told.push(told);
        for square in squares::<V>() {
            let flicker = &mut self.health.flickers[square];
            if told.full.contains(square) && flicker.count >= FLICKERS {
                flicker.quiet_plies += 1;
                if flicker.quiet_plies >= QUIET_PLIES {
                    *flicker = Flicker::default();
                }
            }
        }
        // The man who seemed to stand there may have come there by chance: only an empty square tells, or a man where
        // none had been read.
        let unread = self.health.told.first().filter(|told| told.ply.is_start()).map(|told| told.unread);
        let right = told.void.union(told.full.intersection(unread.unwrap_or_default()));
        let known: Squares = self.health.known.iter().map(|known| known.0).collect();
        let behaved = self.health.forget_what_behaves(&told);
        self.health.suspected = self.health.suspected.without(right.without(known)).without(behaved);
        self.diagnose(at_ns, steps);
    }

    fn told(&self, ply: Ply) -> Told {
        let node = self.tree.node(self.announced_node(ply));
        let mut told = Told::nothing(ply);
        if node.recovered {
            return told;
        }
        for (square, &(read, since_ns)) in Square::all().zip(&self.health.read) {
            let stands = self.sight.view.see(node.position.content(square));
            let set = match () {
                () if read == stands && read.is_empty() => &mut told.void,
                () if read == stands => &mut told.full,
                // Whoever lifts a piece of his own is about to move it.
                // (Some hold it in the hand before the opponent has begun.)
                () if since_ns + IN_ADVANCE_NS > node.first_lift_ns => continue,
                () if read.is_empty() => &mut told.unread,
                () => &mut told.unreal,
            };
            set.insert(square);
        }
        // Several at once: it is the line that is wrong.
        if told.unread.union(told.unreal).without(self.sight.doubted).count() > 1 {
            (told.unread, told.unreal) = (Squares::EMPTY, Squares::EMPTY);
            return told;
        }
        self.tell_of_move(self.announced_node(ply), &mut told);
        told
    }

    /// In ply `id` a piece left a square on which none was seen through the ply before, or came to one on which one was.
    fn tell_of_move(&self, id: NodeId, told: &mut Told) {
        let earlier = |plies: usize| self.tree.upwards(id).nth(plies).map(|id| self.tree.node(id));
        let (Some(before), Some(mv)) = (earlier(1), self.tree.node(id).mv) else { return };
        let departures = mv.departures();
        let is_pressed = self.presses_ns != [[0; 2]; 2];
        let (last, last_but_one) = (earlier(V::ARMIES), earlier(2 * V::ARMIES).filter(|_| is_pressed));
        for &(square, stood, stands) in self.tree.node(id).footprint.changes() {
            let (read, since_ns) = self.health.read[square];
            if since_ns + IN_ADVANCE_NS >= before.first_lift_ns {
                continue;
            }
            if departures.contains(&square) && read.is_empty() && !stood.is_empty() {
                told.void.remove(square);
                told.unread.insert(square);
                for (left, own) in told.left.iter_mut().zip([last, last_but_one]) {
                    if own.is_some_and(|own| since_ns <= own.made_ns) {
                        left.insert(square);
                    }
                }
            }
            if stood.is_empty() && !stands.is_empty() && !read.is_empty() {
                told.full.remove(square);
                told.unreal.insert(square);
            }
        }
    }

    /// Doubts what has to be doubted, and believes again what deserves it.
    pub(super) fn diagnose(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let suspects = self
            .health
            .told
            .iter()
            .fold(Squares::EMPTY, |all, told| all.union(told.unread).union(told.unreal));
        let mut sick: Vec<SickSquare> = Vec::new();
        for square in squares::<V>() {
            if !suspects.contains(square) && !self.health.is_flickering(square) {
                continue;
            }
            let Some((sickness, evidence)) = self.health.diagnosis(square, self.sight.view) else { continue };
            let known = self.health.sick.iter().find(|known| known.0 == square);
            let is_unlikely = || sick.len() >= SICK_MAX || self.may_be_elsewhere(square);
            if known.is_none() && sickness != Sickness::Flickering && is_unlikely() {
                continue;
            }
            if known != Some(&(square, sickness)) {
                steps.push(Step::Diagnosed(Diagnosis { square, sickness: Some(sickness), evidence }));
            }
            sick.push((square, sickness));
        }
        for &(square, _) in &self.health.sick {
            if sick.iter().all(|known| known.0 != square) {
                steps.push(Step::Diagnosed(Diagnosis { square, sickness: None, evidence: 0 }));
            }
        }
        if self.health.sick != sick {
            self.health.sick = sick;
            self.see_anew(at_ns);
        }
    }

    /// Another explanation that is nearly as good, and supplies no ply where one was pressed, says what `square` does.
    fn may_be_elsewhere(&self, square: Square) -> bool {
        let best = self.weight(&self.beam[0]);
        let read = self.health.read[square].0;
        let is_right = |explanation: &Explanation| {
            self.sight.view.see(self.tree.node(explanation.node).position.content(square)) == read
        };
        let plies = |explanation: &Explanation| self.tree.node(explanation.node).ply;
        let is_rival = |other: &Explanation| {
            best - self.weight(other) < RIVAL
                && is_right(other)
                && (plies(other) <= plies(&self.beam[0]) || self.keeps_pressed(other.node))
        };
        !is_right(&self.beam[0]) && self.beam[1..].iter().any(is_rival)
    }

    /// Looks at the picture with what is doubted now, and holds it against the explanations.
    pub(super) fn see_anew(&mut self, at_ns: u64) {
        self.look_anew();
        let mut beam = std::mem::take(&mut self.beam);
        for explanation in &mut beam {
            let Explanation { node, penalty, via, holds_ns, .. } = *explanation;
            *explanation = Explanation { holds_ns, ..Explanation::new(node, penalty, via) };
            self.compare(explanation, at_ns);
        }
        self.beam = beam;
        if self.is_explained() {
            (self.settle_ns, self.gap_ns) = (None, None);
        }
    }

    /// Looks at the picture and at every position with what is doubted now.
    pub(super) fn look_anew(&mut self) {
        let is_doubted = |&&(_, sickness): &&(Square, Sickness)| sickness != Sickness::Flickering;
        let sick: Squares = self.health.sick.iter().filter(is_doubted).map(|known| known.0).collect();
        self.sight.doubted = self.health.suspected.union(sick);
        let read = Square::all().zip(&self.health.read);
        let seen: Vec<Content> = read.map(|(square, read)| self.sight.see(square, read.0)).collect();
        self.image = Image::of(seen.into());
        self.tree.see(self.sight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::{Army, Role};
    use adoube_rules::stamp::MS;

    const KNIGHT: Content = Content::man(Army::new(0), Role::Knight);

    fn squares_of(squares: &[u8]) -> Squares {
        squares.iter().map(|&square| Square::new(square)).collect()
    }

    /// A ply that says of these squares that they were unread, unreal, full and void.
    fn told(ply: u32, [unread, unreal, full, void]: [&[u8]; 4]) -> Told {
        let [unread, unreal, full, void] = [unread, unreal, full, void].map(squares_of);
        Told { unread, unreal, full, void, ..Told::nothing(Ply::new(ply)) }
    }

    fn health(told: &[Told]) -> Health {
        Health { told: told.to_vec(), ..Health::new(&[Content::EMPTY; 64], 0) }
    }

    fn diagnosis(told: &[Told], view: View) -> Option<(Sickness, u32)> {
        health(told).diagnosis(Square::new(21), view)
    }

    #[test]
    fn one_ply_is_a_slip_and_two_are_a_fault_unless_one_is_long_ago() {
        let unread = |ply| told(ply, [&[21], &[], &[], &[]]);
        assert_eq!(diagnosis(&[unread(4)], View::Identity), None);
        assert_eq!(diagnosis(&[unread(4), unread(5)], View::Identity), Some((Sickness::Dead, 2)));
        assert_eq!(diagnosis(&[unread(4), unread(5)], View::Occupancy), None);
        assert_eq!(diagnosis(&[unread(4), unread(30)], View::Identity), None);
    }

    #[test]
    fn a_piece_that_leaves_a_square_where_it_was_unread_for_long_tells_more_than_a_ply() {
        let unread = told(12, [&[21], &[], &[], &[]]);
        let left = |times: usize| {
            let mut left = [Squares::EMPTY; 2];
            left[..times].fill(squares_of(&[21]));
            Told { left, ..told(13, [&[21], &[], &[], &[]]) }
        };
        // A hand may have held it through the opponent's move.
        assert_eq!(diagnosis(&[unread, left(0)], View::Occupancy), None);
        // But not through its player's own.
        assert_eq!(diagnosis(&[left(1)], View::Occupancy), None);
        assert_eq!(diagnosis(&[unread, left(1)], View::Occupancy), Some((Sickness::Dead, 3)));
        assert_eq!(diagnosis(&[left(2)], View::Occupancy), Some((Sickness::Dead, 3)));
    }

    #[test]
    fn a_square_that_reads_right_where_it_had_failed_is_believed_again() {
        let unread = [told(4, [&[21], &[], &[], &[]]), told(5, [&[21], &[], &[], &[]])];
        let right = told(6, [&[], &[], &[21], &[]]);
        assert_eq!(diagnosis(&[unread[0], unread[1], right], View::Identity), None);
        // Nobody stands there: a dead square reads that as well.
        let void = told(6, [&[], &[], &[], &[21]]);
        assert_eq!(diagnosis(&[unread[0], unread[1], void], View::Identity), Some((Sickness::Dead, 2)));
        let unreal = [told(4, [&[], &[21], &[], &[]]), told(5, [&[], &[21], &[], &[]])];
        // The man whom it always reads may come there.
        assert_eq!(diagnosis(&[unreal[0], unreal[1], right], View::Identity), Some((Sickness::Stuck, 2)));
        assert_eq!(diagnosis(&[unreal[0], unreal[1], void], View::Identity), None);
    }

    #[test]
    fn what_was_withdrawn_counts_no_more() {
        let mut health = health(&[told(4, [&[21], &[], &[], &[]]), told(5, [&[21], &[], &[], &[]])]);
        health.cut_after(Ply::new(4));
        assert_eq!(health.diagnosis(Square::new(21), View::Identity), None);
        assert!(health.is_stale);
    }

    #[test]
    fn a_man_who_comes_and_goes_by_himself_flickers_and_one_in_a_hand_does_not() {
        let flickers = |is_alone: bool| {
            let mut health = Health::new(&[KNIGHT; 64], 0);
            for round in 0..6_u64 {
                let at_ns = round * 500 * MS;
                health.reads(Square::new(21), Content::EMPTY, at_ns);
                if !is_alone {
                    health.reads(Square::new(22), Content::EMPTY, at_ns + 100 * MS);
                    health.reads(Square::new(22), KNIGHT, at_ns + 200 * MS);
                }
                health.reads(Square::new(21), KNIGHT, at_ns + 250 * MS);
            }
            health.is_flickering(Square::new(21))
        };
        assert!(flickers(true));
        assert!(!flickers(false));
    }
}
