//! Which captures the pawns need, all sixteen together.
//!
//! Every pawn began on a file of its own. It stands on the board now, was promoted, or was captured as a
//! pawn; each change of file was a capture on the file that it came to. Two opposing pawns that never left
//! their file did not pass each other. Who was captured was a pawn on that file or an officer, and only so
//! many are missing. If no fates of all pawns fulfil this, there is no game.

use std::collections::BTreeSet;

use shakmaty::{Bitboard, Board, Color, File, Rank, Square};

use super::Reason;
use super::locked::{Locked, Needs};

/// Pairs of fates looked at before giving up; nearly all positions need a few dozen.
const NODES_MAX: u32 = 50_000;
/// A square that no path of captures reaches.
const NEVER: u8 = u8::MAX;
/// The rank on which a pawn "stands" that was promoted on its own file, seen from its side.
const PROMOTED: u8 = 7;

/// What became of the pawn of a file.
#[derive(Debug, Clone, Copy)]
struct Fate {
    end: End,
    /// Captures that it made.
    captures: u8,
    /// The files on which it made them, a bit each, where only one way leads; else none.
    captured_on: u8,
    /// Its rank as its side counts, if it never left its file and was not captured: then it bars the way.
    stays_on: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It is the pawn of that index on the board.
    Stands(usize),
    /// The colour of its last square, if a bishop is needed there.
    Promoted {
        needed: Option<Colour>,
    },
    Captured {
        file: u32,
    },
}

/// The colour of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Light,
    Dark,
}

/// One side's pawns and what they may have done.
#[derive(Debug)]
struct Pawns {
    fates: [Vec<Fate>; 8],
    start: State,
}

/// What is still to be had while fates are assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Pawns on the board without a file of origin.
    standing: u8,
    captures: u8,
    /// Pawns that may still be said to have been captured.
    captured: u8,
    light: u8,
    dark: u8,
    /// Captures on each file, and pawns lost there.
    taken_on: Tally,
    lost_on: Tally,
}

/// A number up to 15 for each file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Tally(u32);

impl Tally {
    fn add(&mut self, file: u32) {
        self.0 += 1 << (4 * file);
    }

    fn on(self, file: u32) -> u8 {
        (self.0 >> (4 * file) & 15) as u8
    }
}

/// Looks for fates of all pawns.
///
/// # Errors
/// The reason why there are none.
pub(super) fn structure(board: &Board, locked: &Locked, needs: &[Needs; 2]) -> Result<(), Reason> {
    let pawns = |needs: &[Needs; 2]| Color::ALL.map(|color| Pawns::new(board, locked, color, needs));
    let sides = pawns(needs);
    if exists(&sides) {
        return Ok(());
    }
    if !exists(&pawns(&[Needs::default(); 2])) {
        let text = "The pawns cannot have come where they stand by captures of the men that are missing.";
        return Err(Reason::new("pawn-captures", text));
    }
    let text =
        "The pawns that must have been promoted cannot have passed the others with the men that are missing.";
    Err(Reason::new("promotions-blocked", text))
}

fn exists(sides: &[Pawns; 2]) -> bool {
    let [white, black] = sides;
    let mut search = Search::new(white, black);
    search.exists(0, white.start, black.start)
}

impl Pawns {
    fn new(board: &Board, locked: &Locked, color: Color, needs: &[Needs; 2]) -> Self {
        let needs = color.fold_wb(needs[0], needs[1]);
        let own = |squares: Bitboard| color.fold_wb(squares, squares.flip_vertical());
        let standing: Vec<Square> = own(board.by_piece(color.pawn())).into_iter().collect();
        let (fixed, deadly) = (own(locked.men), own(locked.deadly(board, color)));
        let missing = 8_usize.saturating_sub(standing.len());
        let start = State {
            standing: ((1_u16 << standing.len().min(8)) - 1) as u8,
            captures: locked.pawn_captures(board, color).min(16) as u8,
            captured: missing.saturating_sub(needs.total) as u8,
            light: needs.light as u8,
            dark: needs.dark as u8,
            taken_on: Tally::default(),
            lost_on: Tally::default(),
        };
        // Light squares are dark ones seen from Black's side.
        let needed = |square: Square| match square.is_light() == color.is_white() {
            true => (needs.light > 0).then_some(Colour::Light),
            false => (needs.dark > 0).then_some(Colour::Dark),
        };
        let fates = std::array::from_fn(|file| {
            let start = Square::from_coords(File::new(file as u32), Rank::Second);
            let own_pawn = standing.iter().position(|&square| square == start);
            let fixed = fixed.without(start);
            own_pawn.map_or_else(
                || fates(&captures_to(start, fixed, deadly), start.file(), &standing, needed),
                |index| vec![Fate::straight(End::Stands(index), 1)],
            )
        });
        Self { fates, start }
    }
}

/// The fewest captures with which a pawn of White gets from `start` to each square.
fn captures_to(start: Square, fixed: Bitboard, deadly: Bitboard) -> [u8; 64] {
    let mut captures = [NEVER; 64];
    captures[start.to_usize()] = 0;
    for square in Square::ALL.into_iter().filter(|square| square.rank() < Rank::Eighth) {
        let so_far = captures[square.to_usize()];
        if so_far == NEVER || deadly.contains(square) {
            continue;
        }
        for (file_step, more) in [(0, 0), (-1, 1), (1, 1)] {
            let (Some(file), Some(rank)) = (square.file().offset(file_step), square.rank().offset(1)) else {
                continue;
            };
            let to = Square::from_coords(file, rank);
            if !fixed.contains(to) {
                let best = &mut captures[to.to_usize()];
                *best = (*best).min(so_far + more);
            }
        }
    }
    captures
}

/// Everything that can have become of a pawn that is no longer where it began.
fn fates(
    captures: &[u8; 64],
    home: File,
    standing: &[Square],
    needed: impl Fn(Square) -> Option<Colour>,
) -> Vec<Fate> {
    let mut fates = Vec::new();
    for (index, &square) in standing.iter().enumerate() {
        let rank = square.rank().to_u32() as u8;
        fates.extend(Fate::all(End::Stands(index), home, square.file(), captures[square.to_usize()], rank));
    }
    for square in Bitboard::from_rank(Rank::Eighth) {
        let end = End::Promoted { needed: needed(square) };
        fates.extend(Fate::all(end, home, square.file(), captures[square.to_usize()], PROMOTED));
    }
    for file in File::ALL {
        let fewest = Bitboard::from_file(file).into_iter().map(|square| captures[square.to_usize()]).min();
        let end = End::Captured { file: file.to_u32() };
        // A pawn that was captured on its file bars nobody's way.
        fates.extend(
            Fate::all(end, home, file, fewest.unwrap_or(NEVER), 0)
                .map(|fate| Fate { stays_on: None, ..fate }),
        );
    }
    // The likely ones first: where there is a game, it is found soon.
    fates.sort_by_key(|fate| match fate.end {
        End::Stands(_) => 2 * fate.captures,
        End::Captured { .. } => 2 * fate.captures + 1,
        End::Promoted { .. } => 2 * fate.captures + 2,
    });
    let mut best: Vec<Fate> = Vec::new();
    for fate in fates {
        if !best.iter().any(|better| better.replaces(fate)) {
            best.push(fate);
        }
    }
    best
}

impl Fate {
    /// True if whatever is possible with `other` is possible with this too.
    fn replaces(self, other: Self) -> bool {
        self.end == other.end
            && (self.stays_on.is_none() || self.stays_on == other.stays_on)
            && self.captures <= other.captures
            && self.captured_on & !other.captured_on == 0
    }

    fn straight(end: End, rank: u8) -> Self {
        Self { end, captures: 0, captured_on: 0, stays_on: Some(rank) }
    }

    /// The ways from the file `home` to an end on `file` that takes at least so many captures. Longer
    /// ways over more files need all that the direct one does.
    fn all(end: End, home: File, file: File, captures: u8, rank: u8) -> impl Iterator<Item = Self> {
        let (from, to) = (home.to_u32().min(file.to_u32()), home.to_u32().max(file.to_u32()));
        let direct = (from..=to).filter(|&on| on != home.to_u32()).fold(0, |files, on| files | 1 << on);
        let is_direct = u32::from(captures) == to - from;
        let away = |captured_on: u8| Self {
            end,
            captures: captures.max(captured_on.count_ones() as u8),
            captured_on,
            stays_on: None,
        };
        let aways = match captures {
            NEVER => vec![],
            // It left its file and came back.
            0 => [home.offset(-1), home.offset(1)]
                .into_iter()
                .flatten()
                .map(|beside| away(1 << beside.to_u32() | 1 << home.to_u32()))
                .collect(),
            _ => vec![away(if is_direct { direct } else { 0 })],
        };
        (captures == 0).then_some(Self::straight(end, rank)).into_iter().chain(aways)
    }
}

impl State {
    /// What is left when a pawn had this fate, if it can have had it.
    fn after(mut self, fate: Fate) -> Option<Self> {
        self.captures = self.captures.checked_sub(fate.captures)?;
        match fate.end {
            End::Stands(index) if self.standing & (1 << index) == 0 => return None,
            End::Stands(index) => self.standing &= !(1 << index),
            End::Promoted { needed: Some(Colour::Light) } => self.light = self.light.saturating_sub(1),
            End::Promoted { needed: Some(Colour::Dark) } => self.dark = self.dark.saturating_sub(1),
            End::Promoted { needed: None } => {}
            End::Captured { file } => {
                self.captured = self.captured.checked_sub(1)?;
                self.lost_on.add(file);
            }
        }
        for file in (0..8).filter(|file| fate.captured_on & (1 << file) != 0) {
            self.taken_on.add(file);
        }
        Some(self)
    }

    fn can_still_end(self, files_left: u32) -> bool {
        self.standing.count_ones() <= files_left && u32::from(self.light) + u32::from(self.dark) <= files_left
    }
}

struct Search<'a> {
    white: &'a Pawns,
    black: &'a Pawns,
    failed: BTreeSet<(usize, State, State)>,
    nodes: u32,
    /// Files from the index on where both pawns cannot have gone straight.
    barred: [i32; 9],
    /// True if captures on files that are not known are among the fates.
    is_vague: bool,
}

impl<'a> Search<'a> {
    fn new(white: &'a Pawns, black: &'a Pawns) -> Self {
        let is_barred = |file: usize| {
            let mut straight = white.fates[file].iter().filter(|fate| fate.stays_on.is_some());
            !straight.any(|&white| {
                let mut others = black.fates[file].iter();
                others.any(|&black| black.stays_on.is_some() && !have_passed(white, black))
            })
        };
        let mut barred = [0; 9];
        for file in (0..8).rev() {
            barred[file] = barred[file + 1] + i32::from(is_barred(file));
        }
        let mut all = white.fates.iter().chain(&black.fates).flatten();
        let is_vague = all.any(|fate| fate.captures > 0 && fate.captured_on == 0);
        Self { white, black, failed: BTreeSet::new(), nodes: NODES_MAX, barred, is_vague }
    }

    /// How many more barred files can be opened at most. Each takes a pawn's capture or its loss; one man
    /// that is missing explains one of them, or a capture and the loss of its victim, and captures and
    /// losses so far that have no counterpart yet explain one each.
    fn slack(&self, file: usize, white: State, black: State) -> i32 {
        let first = if self.is_vague { 0 } else { file.saturating_sub(1) as u32 };
        let side = |pawns: &Pawns, side: State, theirs: &Pawns, opponent: State| -> i32 {
            let captures = i32::from(pawns.start.captures - side.captures);
            let lost = i32::from(theirs.start.captured - opponent.captured);
            let both = |on: u32| i32::from(side.taken_on.on(on).min(opponent.lost_on.on(on)));
            let single = |on: u32| i32::from(side.taken_on.on(on).max(opponent.lost_on.on(on))) - both(on);
            let on_files: i32 = (0..8).map(|on| i32::from(side.taken_on.on(on))).sum();
            let explained: i32 = (0..8).map(both).sum::<i32>() + captures - on_files;
            let left = i32::from(pawns.start.captures) - (captures + lost - explained);
            2 * left + (first..8).map(single).sum::<i32>() + captures - on_files
        };
        side(self.white, white, self.black, black) + side(self.black, black, self.white, white)
    }

    /// True if the pawns from `file` on have fates, or if that took too long to find out.
    fn exists(&mut self, file: usize, white: State, black: State) -> bool {
        let files_left = 8 - file as u32;
        if !white.can_still_end(files_left) || !black.can_still_end(files_left) {
            return false;
        }
        if file == 8 {
            return true;
        }
        if self.failed.contains(&(file, white, black)) {
            return false;
        }
        if self.slack(file, white, black) < self.barred[file] {
            return false;
        }
        let (whites, blacks) = (self.white, self.black);
        for &white_fate in &whites.fates[file] {
            let Some(white) = white.after(white_fate) else { continue };
            for &black_fate in &blacks.fates[file] {
                if have_passed(white_fate, black_fate) {
                    continue;
                }
                let Some(black) = black.after(black_fate) else { continue };
                self.nodes = self.nodes.saturating_sub(1);
                if self.nodes > 0 && !self.have_victims(white, black) {
                    continue;
                }
                if self.nodes == 0 || self.exists(file + 1, white, black) {
                    return true;
                }
            }
        }
        self.failed.insert((file, white, black));
        false
    }

    fn have_victims(&self, white: State, black: State) -> bool {
        has_victims((self.white.start, white), (self.black.start, black))
            && has_victims((self.black.start, black), (self.white.start, white))
    }
}

/// True if enough men of the opponent are missing for the captures of a side's pawns so far; each side as
/// it was at the start of the search and as it is now. Another pawn that is said to have been captured
/// explains one capture and is one officer less, so what fails here fails for good.
fn has_victims((start, side): (State, State), (their_start, opponent): (State, State)) -> bool {
    let pawns = their_start.captured - opponent.captured;
    let Some(officers) = start.captures.checked_sub(pawns) else { return false };
    let captures = start.captures - side.captures;
    let on_files: u8 = (0..8).map(|file| side.taken_on.on(file)).sum();
    let of_pawns: u8 = (0..8).map(|file| side.taken_on.on(file).min(opponent.lost_on.on(file))).sum();
    // Captures on files that are not known may have been of any pawn left over.
    let elsewhere = captures.saturating_sub(on_files).min(pawns - of_pawns);
    captures <= officers + of_pawns + elsewhere
}

/// True if two pawns that never left their common file would have had to jump over each other.
fn have_passed(white: Fate, black: Fate) -> bool {
    match (white.stays_on, black.stays_on) {
        (Some(white), Some(black)) => white + black >= 7,
        _ => false,
    }
}
