//! What a move is to the hand that makes it, whatever the game: which men go where.

use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::{Move as _, Position as _, Variant};

/// One man's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: Square,
    pub(super) to: Square,
}

/// A move as a hand makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// A man goes to a square, perhaps in the place of another one; he `arrives` as another man if he is promoted.
    Bring { step: Step, man: Content, arrives: Content, captures: bool },
    /// A pawn goes to an empty square and takes the pawn on `victim`.
    EnPassant { step: Step, man: Content, victim: Square },
    /// King and rook go; one of them may stay where he is (Chess960).
    Castle { king: Step, rook: Step },
}

impl Deed {
    /// What `mv` is in `position`.
    pub(super) fn of<V: Variant>(position: &V::Position, mv: V::Move) -> Self {
        let footprint = position.footprint(mv);
        let changes = footprint.changes();
        if let Some((king, rook)) = mv.castling() {
            let tower = position.content(rook);
            let arrival = changes.iter().find(|(_, _, after)| *after == tower);
            return Self::Castle {
                king: Step { from: king, to: position.castling_target(mv).unwrap_or(king) },
                rook: Step { from: rook, to: arrival.map_or(rook, |(square, ..)| *square) },
            };
        }
        let [from, _] = mv.departures();
        let man = position.content(from);
        let arrival = changes.iter().find(|(_, _, after)| !after.is_empty());
        let (to, before, arrives) = arrival.copied().unwrap_or((from, Content::EMPTY, man));
        let step = Step { from, to };
        let beside = changes.iter().find(|(square, _, after)| *square != from && after.is_empty());
        match beside {
            Some(&(victim, ..)) => Self::EnPassant { step, man, victim },
            None => Self::Bring { step, man, arrives, captures: !before.is_empty() },
        }
    }

    /// The way of the only man who goes, if there is only one.
    pub(super) fn step(self) -> Option<Step> {
        match self {
            Self::Bring { step, .. } => Some(step),
            Self::EnPassant { .. } | Self::Castle { .. } => None,
        }
    }

    /// It can be begun while the opponent still holds his man, and be answered while this one is held.
    pub(super) fn is_simple(self) -> bool {
        matches!(self, Self::Bring { man, arrives, .. } if man == arrives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;
    use adoube_rules::{Chess, ChessPosition, square_name};

    fn deeds(fen: &str, chess960: bool) -> Vec<(String, Deed)> {
        let position = ChessPosition::from_fen(fen, chess960).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let deed = |mv| (position.played(mv).uci(), Deed::of::<Chess>(&position, mv));
        moves.into_iter().map(deed).collect()
    }

    fn deed(fen: &str, chess960: bool, uci: &str) -> Deed {
        deeds(fen, chess960).into_iter().find(|(name, _)| name == uci).unwrap().1
    }

    #[test]
    fn a_castling_names_both_ways_even_of_a_man_who_stays() {
        let ways = |fen, chess960, uci| match deed(fen, chess960, uci) {
            Deed::Castle { king, rook } => [king.from, king.to, rook.from, rook.to].map(square_name),
            other => panic!("{other:?}"),
        };
        assert_eq!(ways("4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, "e1g1"), ["e1", "g1", "h1", "f1"]);
        assert_eq!(ways("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", false, "e8c8"), ["e8", "c8", "a8", "d8"]);
        assert_eq!(ways("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", true, "f1g1"), ["f1", "g1", "g1", "f1"]);
        assert_eq!(ways("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", true, "c1a1"), ["c1", "c1", "a1", "d1"]);
    }

    #[test]
    fn captures_promotions_and_en_passant_are_told_apart() {
        let pawn = Content::man(Army::new(0), Role::Pawn);
        let fen = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1";
        let Deed::EnPassant { step, man, victim } = deed(fen, false, "e5d6") else { panic!() };
        assert_eq!([step.from, step.to, victim].map(square_name), ["e5", "d6", "d5"]);
        assert_eq!(man, pawn);
        for (uci, arrives, captures) in
            [("a7b8n", Role::Knight, true), ("a7a8q", Role::Queen, false), ("e5e6", Role::Pawn, false)]
        {
            let deed = deed(fen, false, uci);
            let wanted = (pawn, Content::man(Army::new(0), arrives), captures);
            assert!(
                matches!(deed, Deed::Bring { man, arrives, captures, .. } if (man, arrives, captures) == wanted),
                "{uci}: {deed:?}"
            );
            assert_eq!(deed.is_simple(), uci == "e5e6");
        }
    }
}
