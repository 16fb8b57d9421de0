//! The moves of a game: as they are while it is on its board, and packed when it is over and another one has begun there.
//! After a week there are many, and hardly anybody asks for those of yesterday.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::view::MoveView;

/// How hard moves are pressed: more takes longer and gains little.
const LEVEL: i32 = 3;

/// The moves of a game, in order.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// All of them, or the last one while they are packed.
    moves: Vec<MoveView>,
    packed: Option<Packed>,
}

#[derive(Debug, Clone)]
struct Packed {
    plies: usize,
    /// As JSON, which has so many bytes.
    moves: Arc<[u8]>,
    bytes: usize,
}

impl Line {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.packed.as_ref().map_or(self.moves.len(), |packed| packed.plies)
    }

    /// Nothing was played.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The last one.
    #[must_use]
    pub fn last(&self) -> Option<&MoveView> {
        self.moves.last()
    }

    /// They are not packed.
    #[cfg(test)]
    pub(super) fn is_at_hand(&self) -> bool {
        self.packed.is_none()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Cow<'_, [MoveView]> {
        self.packed.as_ref().map_or(Cow::Borrowed(&self.moves), |packed| Cow::Owned(packed.unpacked()))
    }

    /// All of them, to be changed.
    pub fn edit(&mut self) -> &mut Vec<MoveView> {
        if let Some(packed) = &self.packed {
            self.moves = packed.unpacked();
            self.packed = None;
        }
        &mut self.moves
    }

    /// Packs them.
    pub(super) fn pack(&mut self) {
        if self.packed.is_some() || self.moves.len() < 2 {
            return;
        }
        let text = serde_json::to_vec(&self.moves).expect("a move has nothing that JSON cannot say");
        let moves = zstd::bulk::compress(&text, LEVEL).expect("bytes in memory can be packed");
        self.packed = Some(Packed { plies: self.moves.len(), moves: moves.into(), bytes: text.len() });
        self.moves = self.moves.pop().into_iter().collect();
    }
}

impl Packed {
    fn unpacked(&self) -> Vec<MoveView> {
        let text = zstd::bulk::decompress(&self.moves, self.bytes).expect("what was packed is whole");
        serde_json::from_slice(&text).expect("a move is read as it was written")
    }
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::finding::BothTimes;
    use adoube_core::ply::Ply;
    use adoube_rules::four::{Army, Seat};
    use adoube_rules::{ChessPosition, Position as _, Seated};

    /// A game of chance, with all that a move may say.
    fn played(plies: u32) -> Vec<MoveView> {
        let mut position = ChessPosition::default();
        let mut moves = Vec::new();
        let mut rng = fastrand::Rng::with_seed(1);
        (1..=plies)
            .map(|ply| {
                moves.clear();
                position.legal_moves(&mut moves);
                let mv = rng.choice(moves.iter().copied()).unwrap();
                let (side, made) = (position.turn(), position.played(mv));
                position = position.play(mv);
                MoveView {
                    ply: Ply::new(ply),
                    side,
                    seated: (ply % 7 == 0).then_some(Seated { player: Army::Red, seat: Seat::South }),
                    san: made.san().to_owned(),
                    uci: made.uci().to_owned(),
                    fen: position.fen(),
                    made_ms: u64::from(ply) * 30_417,
                    clock: (ply % 5 != 0).then_some(BothTimes {
                        white_ms: 5_400_000 - u64::from(ply) * 21_000,
                        black_ms: 5_123_000,
                    }),
                    completed: ply % 3 != 0,
                    pressed_ms: (ply % 2 == 0).then_some(u64::from(ply) * 30_419),
                    legal: ply % 11 != 0,
                    recovered: ply % 13 == 0,
                }
            })
            .collect()
    }

    #[test]
    fn moves_are_the_same_when_they_were_packed_and_take_little_room() {
        for plies in [0, 1, 2, 160] {
            let moves = played(plies);
            let mut line = Line { moves: moves.clone(), packed: None };
            line.pack();
            line.pack();
            assert_eq!((line.len(), line.is_empty()), (moves.len(), plies == 0));
            assert_eq!((line.last(), &*line.all()), (moves.last(), &moves[..]));
            assert_eq!(serde_json::to_value(&line).unwrap(), serde_json::to_value(&moves).unwrap());
            assert_eq!(line, Line { moves: moves.clone(), packed: None });
            let texts = |mv: &MoveView| mv.san.len() + mv.uci.len() + mv.fen.len();
            let open = moves.iter().map(|mv| size_of::<MoveView>() + texts(mv)).sum::<usize>();
            let packed = line.packed.as_ref().map_or(0, |packed| packed.moves.len());
            assert!(5 * packed < open || plies < 3, "{packed} of {open} bytes");
            assert_eq!(line.edit(), &moves);
            assert!(line.packed.is_none());
        }
    }
}
