//! The touch obligation: which moves a player may still make after what he touched and released.
//!
//! One pure function of the position and the ordered touches (Articles 4.3 to 4.7; laws-model 4).
//! The same function gives the moves that may replace an illegal one (7.5.1).

use crate::sensor::{Army, Content, Role, Side};
use crate::square::Square;
use crate::words::words;
use crate::{Move as _, Position as _};

use super::Variant;

/// A piece that was touched with intent, by the square on which it stands in the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Where it stands.
    pub square: Square,
    /// Touches of one frame have the same number: their order is not known.
    pub group: u64,
}

/// A piece that was let go of on another square, as (part of) a legal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// Where it stood.
    pub from: Square,
    /// Where it was let go.
    pub to: Square,
}

words! {
    /// The article, by its number in the 2018 edition, that binds a player: the key `rule` of a record, whatever the
    /// edition in force.
    Rule {
        /// 4.3.1: the first touched own piece that can move.
        OwnPiece = "4.3.1",
        /// 4.3.2: the first touched enemy piece that can be captured.
        EnemyPiece = "4.3.2",
        /// 4.3.3: pieces of both colours.
        BothColours = "4.3.3",
        /// 4.4.1: king, then rook: castling.
        KingThenRook = "4.4.1",
        /// 4.4.2: rook, then king: no castling on that side.
        RookThenKing = "4.4.2",
        /// 4.4.3: king, then rook, and castling is not legal: another king move.
        CastlingIllegal = "4.4.3",
        /// 4.4.4: the piece that a pawn became first.
        PieceChosen = "4.4.4",
        /// 4.7: the released piece stays.
        Released = "4.7",
        /// 4.7.2: the released king castles, or moves otherwise.
        KingReleased = "4.7.2",
    }
}

/// What the touches leave to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obligation<M> {
    /// Why.
    pub rule: Rule,
    /// The touched piece that binds.
    pub first: Square,
    /// The legal moves still allowed; never empty.
    pub moves: Vec<M>,
}

/// A legal move and what it does to the men of either side.
struct Candidate<M> {
    mv: M,
    /// Squares that own men leave, or on which an own man changes.
    own: [Option<Square>; 2],
    /// The square of the captured man.
    victim: Option<Square>,
}

impl<M: Copy> Candidate<M> {
    fn moves_man_of(&self, square: Square) -> bool {
        self.own.contains(&Some(square))
    }

    fn is_castling(&self) -> bool {
        self.own[1].is_some()
    }

    fn castles_with(&self, king: Square, rook: Square) -> bool {
        self.is_castling() && self.moves_man_of(king) && self.moves_man_of(rook)
    }
}

/// The side of a man, if the sensor named one.
#[must_use]
pub fn side_of(content: Content) -> Option<Side> {
    content.seat_role().map(|(army, _)| army.side())
}

/// Is it a man of that army? A partner's men are of the same side, and of another army.
#[must_use]
pub fn is_of_army(content: Content, army: Army) -> bool {
    content.seat_role().is_some_and(|(found, _)| found == army)
}

fn candidates<V: Variant>(position: &V::Position) -> Vec<Candidate<V::Move>> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let turn = position.turn();
    let candidate = |mv: V::Move| {
        let mut candidate = Candidate { mv, own: [None; 2], victim: None };
        // A king that stays where he is, as Chess960 lets him, is still part of the castling.
        let [king, rook] = mv.castling().map_or([None; 2], |(king, rook)| [Some(king), Some(rook)]);
        candidate.own = [king, rook];
        for &(square, before, _) in position.footprint(mv).changes() {
            match side_of(before) {
                Some(side) if side == turn && king.is_none() => candidate.own[0] = Some(square),
                Some(side) if side != turn => candidate.victim = Some(square),
                _ => {}
            }
        }
        candidate
    };
    moves.into_iter().map(candidate).collect()
}

/// True if `played` moved or captured everything that was touched: then nothing binds to another
/// move, whatever else is legal. Never so for castling, where the order of the touches matters.
#[must_use]
pub fn touched_only_what_moved<V: Variant>(
    position: &V::Position,
    touches: &[Touch],
    played: V::Move,
) -> bool {
    let footprint = position.footprint(played);
    let leaves = |square: Square| {
        footprint.changes().iter().any(|&(left, before, _)| left == square && !before.is_empty())
    };
    played.castling().is_none() && touches.iter().all(|touch| leaves(touch.square))
}

/// What the player to move is bound to after `touches`, in order; `None` if he is free (4.5).
///
/// `release` is the piece that he let go of, if that was (part of) a legal move; one that was not
/// binds nothing. Touches of squares on which nothing stands are left out.
///
/// The editions word 4.3.3 and 4.4.3 differently (2005: "one piece of each colour", "king, or king
/// and rook at the same time"), but ask for the same moves in every case; so none is asked for here.
#[must_use]
pub fn obligation<V: Variant>(
    position: &V::Position,
    touches: &[Touch],
    release: Option<Release>,
) -> Option<Obligation<V::Move>> {
    let all = candidates::<V>(position);
    let (turn, army) = (position.turn(), position.army());
    let content = |square: Square| position.content(square);
    if let Some(bound) = release.and_then(|release| released::<V>(position, &all, release)) {
        return Some(bound);
    }
    let own: Vec<Touch> =
        touches.iter().copied().filter(|touch| is_of_army(content(touch.square), army)).collect();
    let enemy: Vec<Touch> = touches
        .iter()
        .copied()
        .filter(|touch| side_of(content(touch.square)) == Some(turn.other()))
        .collect();
    if enemy.is_empty()
        && let Some(bound) = king_and_rook::<V>(position, &all, &own)
    {
        return bound;
    }
    let of = |keep: &dyn Fn(&Candidate<V::Move>) -> bool| -> Vec<V::Move> {
        all.iter().filter(|&candidate| keep(candidate)).map(|candidate| candidate.mv).collect()
    };
    let bound =
        |rule, first, moves: Vec<V::Move>| (!moves.is_empty()).then_some(Obligation { rule, first, moves });
    match (own.first(), enemy.first()) {
        (None, None) => None,
        // Touches of one frame have no order: either piece may be the first.
        (Some(_), None) => own.iter().find_map(|touch| {
            let together = own.iter().filter(|other| other.group == touch.group);
            let moves = of(&|candidate| together.clone().any(|other| candidate.moves_man_of(other.square)));
            bound(Rule::OwnPiece, touch.square, moves)
        }),
        (None, Some(_)) => enemy.iter().find_map(|touch| {
            let together = enemy.iter().filter(|other| other.group == touch.group);
            let moves = of(&|candidate| together.clone().any(|other| candidate.victim == Some(other.square)));
            bound(Rule::EnemyPiece, touch.square, moves)
        }),
        (Some(mover), Some(victim)) => {
            let movers = own.iter().filter(|touch| touch.group == mover.group);
            let victims = enemy.iter().filter(|touch| touch.group == victim.group);
            let pair = of(&|candidate| {
                movers.clone().any(|touch| candidate.moves_man_of(touch.square))
                    && victims.clone().any(|touch| candidate.victim == Some(touch.square))
            });
            bound(Rule::BothColours, first_touched(mover, victim), pair).or_else(|| {
                in_order(touches, &own).into_iter().find_map(|touch| {
                    let moves = of(&|candidate| {
                        candidate.moves_man_of(touch.square) || candidate.victim == Some(touch.square)
                    });
                    bound(Rule::BothColours, touch.square, moves)
                })
            })
        }
    }
}

fn first_touched(own: &Touch, enemy: &Touch) -> Square {
    if enemy.group < own.group { enemy.square } else { own.square }
}

/// The touches in order, an own piece before an enemy's of the same frame (4.3.3).
fn in_order(touches: &[Touch], own: &[Touch]) -> Vec<Touch> {
    let mut ordered = touches.to_vec();
    ordered.sort_by_key(|touch| (touch.group, !own.contains(touch)));
    ordered
}

/// Rules 1 and 2 of laws-model 4: a released piece.
fn released<V: Variant>(
    position: &V::Position,
    all: &[Candidate<V::Move>],
    release: Release,
) -> Option<Obligation<V::Move>> {
    let man = position.content(release.from);
    let steps = |candidate: &Candidate<V::Move>| {
        candidate.mv.castling().is_none()
            && position
                .footprint(candidate.mv)
                .changes()
                .iter()
                .any(|&change| change.2 == man && change.0 == release.to)
    };
    // Further than it moves by itself, the king castles; in Chess960 that may be as far.
    let is_castling = position.is_castling_step(release.from, release.to)
        || (position.castles_in_any_order() && !all.iter().any(steps));
    if man.role() == Some(Role::King) && is_castling {
        let castling =
            |candidate: &&Candidate<V::Move>| position.castling_target(candidate.mv) == Some(release.to);
        // One that is not legal binds nothing: what was touched first does.
        let moves: Vec<V::Move> = all.iter().filter(castling).map(|candidate| candidate.mv).collect();
        return (!moves.is_empty()).then_some(Obligation {
            rule: Rule::KingReleased,
            first: release.from,
            moves,
        });
    }
    let is_promoted = |after: Content| man.role() == Some(Role::Pawn) && side_of(after) == side_of(man);
    let forms_part = |candidate: &&Candidate<V::Move>| {
        candidate.moves_man_of(release.from)
            && position
                .footprint(candidate.mv)
                .changes()
                .iter()
                .any(|&(square, _, after)| square == release.to && (after == man || is_promoted(after)))
    };
    let moves: Vec<V::Move> = all.iter().filter(forms_part).map(|candidate| candidate.mv).collect();
    (!moves.is_empty()).then_some(Obligation { rule: Rule::Released, first: release.from, moves })
}

/// Rules 3 and 4: king and rook, in whichever order. `Some(None)`: touched, but free.
#[expect(clippy::option_option, reason = "not touched so, touched and free, touched and bound")]
fn king_and_rook<V: Variant>(
    position: &V::Position,
    all: &[Candidate<V::Move>],
    own: &[Touch],
) -> Option<Option<Obligation<V::Move>>> {
    let role = |touch: &Touch, role: Role| position.content(touch.square).role() == Some(role);
    let first = own.first()?;
    let king = own.iter().find(|touch| role(touch, Role::King))?;
    let rook = own.iter().find(|touch| role(touch, Role::Rook))?;
    // Another piece was touched before either of them: that one binds.
    if !role(first, Role::King) && !role(first, Role::Rook) {
        return None;
    }
    let of = |keep: &dyn Fn(&Candidate<V::Move>) -> bool| -> Vec<V::Move> {
        all.iter().filter(|&candidate| keep(candidate)).map(|candidate| candidate.mv).collect()
    };
    if rook.group < king.group && !position.castles_in_any_order() {
        let moves = of(&|candidate| {
            candidate.moves_man_of(rook.square) && !candidate.castles_with(king.square, rook.square)
        });
        let moves = if moves.is_empty() {
            of(&|candidate| {
                candidate.moves_man_of(king.square) && !candidate.castles_with(king.square, rook.square)
            })
        } else {
            moves
        };
        return Some((!moves.is_empty()).then_some(Obligation {
            rule: Rule::RookThenKing,
            first: rook.square,
            moves,
        }));
    }
    let castling = of(&|candidate| candidate.castles_with(king.square, rook.square));
    if !castling.is_empty() {
        return Some(Some(Obligation { rule: Rule::KingThenRook, first: king.square, moves: castling }));
    }
    let moves = of(&|candidate| candidate.moves_man_of(king.square));
    Some((!moves.is_empty()).then_some(Obligation { rule: Rule::CastlingIllegal, first: king.square, moves }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chess, ChessPosition};

    /// Whatever of its own squares were touched, and in whichever order: a move that is said to have
    /// moved all of it is one that the obligation allows.
    #[test]
    fn who_touched_only_what_moved_kept_to_it() {
        let mut seen = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "r3k3/8/8/8/8/8/8/R3K2r w Qq - 0 1",
        ] {
            let position = ChessPosition::from_fen(fen, false).unwrap();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            for mv in moves {
                let left: Vec<Square> = (position.footprint(mv).changes().iter())
                    .filter(|change| !change.1.is_empty())
                    .map(|change| change.0)
                    .collect();
                let (first, last) = (left[0], left[left.len() - 1]);
                for squares in [vec![], vec![first], vec![last], vec![first, last], vec![last, first]] {
                    let touches: Vec<Touch> =
                        (0..).zip(squares).map(|(group, square)| Touch { square, group }).collect();
                    if touched_only_what_moved::<Chess>(&position, &touches, mv) {
                        seen += 1;
                        let bound = obligation::<Chess>(&position, &touches, None);
                        assert!(
                            bound.is_none_or(|bound| bound.moves.contains(&mv)),
                            "{fen} {mv:?} {touches:?}"
                        );
                    }
                }
            }
        }
        assert!(seen > 400, "{seen}");
    }

    #[test]
    fn a_touch_beside_the_move_and_castling_are_looked_into() {
        let position = ChessPosition::from_fen("4k3/8/8/8/8/8/P7/R3K2R w KQ - 0 1", false).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let touch = |square: Square| Touch { square, group: 0 };
        let (rook, pawn, king) = (touch(Square::new(7)), touch(Square::new(8)), touch(Square::new(4)));
        for mv in moves {
            if mv.castling().is_some() {
                assert!(!touched_only_what_moved::<Chess>(&position, &[rook, king], mv), "{mv:?}");
            }
            let is_of_pawn = position.footprint(mv).changes().iter().any(|change| change.0 == Square::new(8));
            assert_eq!(touched_only_what_moved::<Chess>(&position, &[pawn], mv), is_of_pawn, "{mv:?}");
        }
    }
}
