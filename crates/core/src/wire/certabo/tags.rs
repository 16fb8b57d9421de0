//! Which tag is which man: learned whenever a start array stands.
//!
//! The array shows which tag stands on which square of it, and no more: from the other side of the board it looks the
//! same, so a tag may be the one side's king or the other's queen. The side that moves first is White; until a first
//! move has been seen, nothing is known but that something stands there. Spare queens beside the array (d3 and d6) say
//! at once which way round it stands.
//!
//! A set of men is learned from the ordinary array; it has to stand so once before Chess960 is played with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::picture::{SQUARES, Tag, Tags as Picture};
use crate::wire::by_square::BySquare;
use adoube_rules::sensor::{Army, Content, Role};

/// Lines that must agree on the tag of each square (other-boards, section 2.1).
const AGREEING: u32 = 7;
/// Tags that are counted on a square; more come of noise alone.
const CANDIDATES: usize = 8;
/// Tags that are kept: two sets, and men that were exchanged. Past it those that do not stand there are forgotten.
const TAGS_MAX: usize = 96;

/// The squares of the array, a1 the lowest bit.
const ARRAY: u64 = 0xffff_0000_0000_ffff;
/// Where spare queens stand: White's on d3, Black's on d6.
const SPARES: [(usize, Army); 2] = [(19, Army::new(0)), (43, Army::new(1))];
/// The men of the first rank: rook, knight, bishop, queen, king, and back.
const BACK_RANK: [Role; 8] =
    [Role::Rook, Role::Knight, Role::Bishop, Role::Queen, Role::King, Role::Bishop, Role::Knight, Role::Rook];

const WHITE_PAWN: Content = Content::man(Army::new(0), Role::Pawn);
const BLACK_PAWN: Content = Content::man(Army::new(1), Role::Pawn);
/// Where the queens stand: d1 and d8.
const WHITE_QUEEN: usize = 3;
const BLACK_QUEEN: usize = 59;

fn is_of_array(square: usize) -> bool {
    ARRAY >> square & 1 != 0
}

/// The man who stands on a square of the array, or beside it as a spare queen.
fn man(square: usize) -> Option<Content> {
    let spare = SPARES.iter().find(|(known, _)| *known == square);
    match square / 8 {
        0 => Some(Content::man(Army::new(0), BACK_RANK[square % 8])),
        1 => Some(Content::man(Army::new(0), Role::Pawn)),
        6 => Some(Content::man(Army::new(1), Role::Pawn)),
        7 => Some(Content::man(Army::new(1), BACK_RANK[square % 8])),
        _ => spare.map(|&(_, seat)| Content::man(seat, Role::Queen)),
    }
}

/// The square as it is counted from the other side of the board.
fn lying(square: usize, turned: bool) -> usize {
    if turned { SQUARES - 1 - square } else { square }
}

/// What is known of tags.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tags {
    /// The square of the array where each stood, as the sensor counts.
    #[serde(with = "squares_by_tag")]
    homes: BTreeMap<Tag, usize>,
    /// White stands on the sensor's seventh and eighth ranks; `None`: not known yet.
    turned: Option<bool>,
    array: Option<Array>,
    /// The army, by the sensor's sides, that has lifted a man from the array first.
    began: Option<u8>,
    /// Pawns that were last seen one step before their promotion, and where.
    #[serde(with = "squares_by_tag")]
    promoting: BTreeMap<Tag, usize>,
}

/// Squares of an army's men who have left the array, and squares to which men came, each with its kind.
#[derive(Debug, Default)]
struct Departures {
    gone: Vec<(usize, Role)>,
    arrived: Vec<(usize, Role)>,
}

impl Departures {
    /// True if it is one of the first moves of an army and nothing else; `None` if it is none.
    fn first_move(&self, is_far: bool) -> Option<bool> {
        match (&self.gone[..], &self.arrived[..]) {
            (&[(from, kind)], &[(to, same)]) if kind == same => {
                is_first_move(lying(from, is_far), lying(to, is_far)).then_some(true)
            }
            // Men in hands.
            (_, []) => Some(false),
            _ => None,
        }
    }
}

/// An array that stands on the board, and what its lines said so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Array {
    /// Which squares are occupied: the array, and perhaps some beside it.
    occupied: u64,
    /// How often each tag was read on each square.
    counts: BySquare<Vec<(Tag, u32)>>,
    /// Which men stood there when it was learned from.
    learned: Option<Box<Picture>>,
}

impl Tags {
    /// Takes a line, and what the last lines agree on.
    pub(super) fn take(&mut self, line: &Picture, agreed: &Picture) {
        self.watch_promotions(agreed);
        let occupied = occupied(agreed);
        let Some(spares_turned) = array_of(occupied) else {
            self.array = None;
            return;
        };
        let is_same = |array: &Array| {
            array.occupied == occupied && array.learned.as_ref().is_none_or(|learned| **learned == *agreed)
        };
        let mut array = self.array.take().filter(is_same).unwrap_or_else(|| Array::new(occupied));
        if array.learned.is_none()
            && let Some(stands) = array.count(line)
        {
            self.learn(&stands, spares_turned);
            array.learned = Some(Box::new(*agreed));
        }
        self.array = Some(array);
    }

    /// Learns the tags of an array, each with its square.
    fn learn(&mut self, stands: &[(Tag, usize)], spares_turned: Option<bool>) {
        let is_known = |(tag, _): &&(Tag, usize)| self.homes.contains_key(tag);
        let known = stands.iter().filter(is_known).count();
        if known == 0 {
            // Another set of men, or the first.
            self.homes = stands.iter().copied().collect();
            self.turned = spares_turned;
        } else if known < stands.len()
            && let Some(turned) = [false, true].into_iter().find(|&turned| self.agrees(stands, turned))
        {
            // Some men were exchanged, or are spare ones; the others say which way round the array stands.
            if self.homes.len() + stands.len() > TAGS_MAX {
                self.homes.retain(|tag, _| stands.iter().any(|(stands, _)| stands == tag));
            }
            for &(tag, square) in stands {
                self.homes.entry(tag).or_insert_with(|| lying(square, turned));
            }
        }
        if known > 0 && self.turned.is_none() {
            self.turned = spares_turned;
        }
    }

    /// Do the men who are known stand right, if the array stands this way round? If not, it was set up wrong, which is
    /// nothing to learn from.
    fn agrees(&self, stands: &[(Tag, usize)], turned: bool) -> bool {
        let kind = |square| man(lying(square, self.turned.unwrap_or(false)));
        stands.iter().all(|(tag, square)| {
            self.homes.get(tag).is_none_or(|&home| kind(home) == kind(lying(*square, turned)))
        })
    }

    /// A stranger where a pawn promotes that has left the board is a queen from the box. (Another man from the box is
    /// taken for one, too; those who took part in the array have their own names.)
    fn watch_promotions(&mut self, agreed: &Picture) {
        let Some(turned) = self.turned else { return };
        for (square, tag) in agreed.iter().enumerate() {
            let Some(tag) = tag else { continue };
            let kind = self.homes.get(tag).and_then(|&home| man(lying(home, turned)));
            match (kind, lying(square, turned) / 8) {
                (Some(WHITE_PAWN), 6) | (Some(BLACK_PAWN), 1) => _ = self.promoting.insert(*tag, square),
                (Some(_), _) => _ = self.promoting.remove(tag),
                (None, 0 | 7) => self.promote(*tag, square, agreed, turned),
                (None, _) => {}
            }
        }
    }

    fn promote(&mut self, stranger: Tag, square: usize, agreed: &Picture, turned: bool) {
        let is_next =
            |at: usize| square.abs_diff(at) <= 9 && square % 8 <= at % 8 + 1 && at % 8 <= square % 8 + 1;
        let gone = |tag: &Tag| !agreed.contains(&Some(*tag));
        let Some((&pawn, _)) = self.promoting.iter().find(|&(tag, &at)| gone(tag) && is_next(at)) else {
            return;
        };
        self.promoting.remove(&pawn);
        if self.homes.len() < TAGS_MAX {
            let queen = if lying(square, turned) / 8 == 7 { WHITE_QUEEN } else { BLACK_QUEEN };
            self.homes.insert(stranger, lying(queen, turned));
        }
    }

    /// The start array, if just now its first move was made and shows which way round it stood.
    pub(super) fn begins(&mut self, agreed: &Picture) -> Option<Vec<Content>> {
        if self.turned.is_some() || self.homes.is_empty() {
            return None;
        }
        let turned = self.first_to_move(agreed)? == 1;
        self.turned = Some(turned);
        let stood =
            |square| man(lying(square, turned)).filter(|_| is_of_array(square)).unwrap_or(Content::EMPTY);
        Some((0..SQUARES).map(stood).collect())
    }

    /// The army, by the sensor's sides, that has made a first move: the other one has only men in hands, or has
    /// answered.
    fn first_to_move(&mut self, agreed: &Picture) -> Option<u8> {
        let [near, far] = self.departures(agreed)?;
        if self.began.is_none() || (near.gone.is_empty() && far.gone.is_empty()) {
            self.began = match (near.gone.is_empty(), far.gone.is_empty()) {
                (false, true) => Some(0),
                (true, false) => Some(1),
                _ => None,
            };
        }
        match (near.first_move(false)?, far.first_move(true)?) {
            (true, true) => self.began,
            (true, false) => Some(0),
            (false, true) => Some(1),
            (false, false) => None,
        }
    }

    /// Which men of each army have left the array, and where they went; `None` if anybody else stands anywhere.
    fn departures(&self, agreed: &Picture) -> Option<[Departures; 2]> {
        let mut armies = [Departures::default(), Departures::default()];
        for (square, tag) in agreed.iter().enumerate() {
            let at_home = man(square).filter(|_| is_of_array(square));
            let stands = match tag {
                Some(tag) => Some(self.homes.get(tag).and_then(|&home| man(home))?),
                None => None,
            };
            if stands == at_home {
                continue;
            }
            match (at_home.and_then(Content::seat_role), stands.and_then(Content::seat_role)) {
                (Some((seat, role)), None) => armies[seat.index()].gone.push((square, role)),
                (None, Some((seat, role))) => armies[seat.index()].arrived.push((square, role)),
                _ => return None,
            }
        }
        Some(armies)
    }

    /// What stands on each square; `None` as long as too little is known of the men that are there.
    pub(super) fn men(&self, agreed: &Picture) -> Option<Vec<Content>> {
        let turned = self.turned?;
        let content = |tag: &Option<Tag>| match tag {
            None => Content::EMPTY,
            Some(tag) => {
                self.homes.get(tag).and_then(|&home| man(lying(home, turned))).unwrap_or(Content::OCCUPIED)
            }
        };
        let men: Vec<Content> = agreed.iter().map(content).collect();
        let unknown = men.iter().filter(|&&content| content == Content::OCCUPIED).count();
        let standing = men.iter().filter(|content| !content.is_empty()).count();
        (2 * unknown <= standing).then_some(men)
    }
}

impl Array {
    fn new(occupied: u64) -> Self {
        Self { occupied, counts: BySquare([const { Vec::new() }; SQUARES]), learned: None }
    }

    /// Counts the tags of a line; each square's tag, once enough lines agree on all of them.
    fn count(&mut self, line: &Picture) -> Option<Vec<(Tag, usize)>> {
        for (counts, tag) in self.counts.iter_mut().zip(line.iter()) {
            let Some(tag) = tag else { continue };
            match counts.iter().position(|(known, _)| known == tag) {
                Some(place) => counts[place].1 += 1,
                None if counts.len() < CANDIDATES => counts.push((*tag, 1)),
                None => {}
            }
        }
        let squares = (0..SQUARES).filter(|square| self.occupied >> square & 1 != 0);
        let leader = |square: usize| {
            let (tag, count) = self.counts[square].iter().max_by_key(|(_, count)| *count)?;
            let others = self.counts[square].iter().map(|(_, count)| count).sum::<u32>() - count;
            (*count >= AGREEING && *count > others).then_some((*tag, square))
        };
        let stands: Vec<(Tag, usize)> = squares.map(leader).collect::<Option<_>>()?;
        // No two men have the same tag: such a stream is none of a board.
        let distinct: BTreeMap<Tag, usize> = stands.iter().copied().collect();
        (distinct.len() == stands.len()).then_some(stands)
    }
}

fn occupied(picture: &Picture) -> u64 {
    picture.iter().enumerate().fold(0, |set, (square, tag)| set | u64::from(tag.is_some()) << square)
}

/// If these squares are the start array, with or without spare queens: which way round they say that it stands.
fn array_of(occupied: u64) -> Option<Option<bool>> {
    let spares =
        |turned: bool| SPARES.iter().fold(0, |set, &(square, _)| set | 1_u64 << lying(square, turned));
    match occupied ^ ARRAY {
        0 => Some(None),
        beside if beside & !spares(false) == 0 => Some(Some(false)),
        beside if beside & !spares(true) == 0 => Some(Some(true)),
        _ => None,
    }
}

/// Is this one of White's twenty first moves?
fn is_first_move(from: usize, to: usize) -> bool {
    match from {
        1 | 6 => to == from + 15 || to == from + 17,
        8..16 => to == from + 8 || to == from + 16,
        _ => false,
    }
}

/// Saves squares by tags as pairs, since what JSON calls a key is a text.
mod squares_by_tag {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::{SQUARES, Tag};

    pub(super) fn serialize<S: Serializer>(
        squares: &BTreeMap<Tag, usize>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(squares)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Tag, usize>, D::Error> {
        let pairs = Vec::<(Tag, usize)>::deserialize(deserializer)?;
        match pairs.iter().find(|(_, square)| *square >= SQUARES) {
            Some((_, square)) => Err(D::Error::custom(format!("there is no square {square}"))),
            None => Ok(pairs.into_iter().collect()),
        }
    }
}

#[cfg(test)]
mod tests;
