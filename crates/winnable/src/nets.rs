//! The mates of a knight or a bishop, or two of them: the king in a corner, the other king beside it, and the square that
//! is left covered by a man of its own or by the second piece.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position as _, Role, Square, attacks};

use super::ways::{FAR, NOWHERE, Way, index, pawn_way, way};

/// One such mate, and how far everybody is from his place in it. The figures only order a search: no answer depends on
/// them.
pub(super) struct Net {
    winner: Color,
    /// For each kind of man of the winner how many moves it is from each square to where it gives check; its king, to
    /// where it guards.
    pub(super) checking: [Way; 6],
    /// The same to where it guards what is left.
    guarding: [Way; 6],
    /// The same for each kind of man of the other side to where it is in its king's way; its king, to the corner.
    pub(super) blocking: [Way; 6],
}

/// Who covers what the winner's king and the check leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Helper {
    /// A man of the losing side stands there.
    Theirs(Role),
    /// The winner's second piece guards it.
    Ours,
}

const HELPERS: [Helper; 5] = [
    Helper::Ours,
    Helper::Theirs(Role::Pawn),
    Helper::Theirs(Role::Knight),
    Helper::Theirs(Role::Bishop),
    Helper::Theirs(Role::Rook),
];

static NETS: LazyLock<Vec<Net>> = LazyLock::new(|| {
    let mut nets = Vec::new();
    for corner in Bitboard::CORNERS {
        for left in edges(corner) {
            for helper in HELPERS {
                nets.extend(Color::ALL.map(|winner| Net::new(winner, corner, left, helper)));
            }
        }
    }
    nets
});

impl Net {
    /// All that there are men for, the nearest first; none unless the winner has one or two knights and bishops and
    /// nothing else, and the other side's king is alone with two of them.
    pub(super) fn all(board: &Board, winner: Color) -> Vec<&'static Self> {
        let men = board.by_color(winner) & !board.kings();
        let is_enough = men.count() == 1 || men.count() == 2 && board.by_color(!winner).count() == 1;
        if !is_enough || !men.is_subset(board.knights() | board.bishops()) {
            return Vec::new();
        }
        let all = NETS.iter().filter(|net| net.winner == winner);
        let mut nets: Vec<(i32, &Self)> = all.map(|net| (Men::of(board, net).distance(), net)).collect();
        nets.retain(|(distance, _)| *distance < FAR.into());
        nets.sort_by_key(|(distance, _)| *distance);
        nets.into_iter().map(|(_, net)| net).collect()
    }

    /// The one in which the winner's king does not guard the edge at `left`.
    ///
    /// With the corner a1 and a2 left the king guards b1 from c1 or c2, a knight gives check from b3 or c2 and a bishop
    /// on the diagonal; but nobody stands where the helper on a2 takes him, or steps between.
    fn new(winner: Color, corner: Square, left: Square, helper: Helper) -> Self {
        let beside = attacks::king_attacks(corner);
        let guarded = edges(corner).without(left);
        let guards: Bitboard = guarded.into_iter().flat_map(attacks::king_attacks).collect();
        let taken = match helper {
            Helper::Theirs(role) => attacks::attacks(left, role.of(!winner), Bitboard::EMPTY),
            Helper::Ours => Bitboard::EMPTY,
        };
        let mut king = guards & !beside.with(corner) & !taken;
        let mut knight = attacks::knight_attacks(corner) & !taken;
        if king.count() == 1 {
            knight &= !king;
        } else if knight.count() == 1 {
            king &= !knight;
        }
        let diagonal = attacks::bishop_attacks(corner, Bitboard::EMPTY);
        let is_open = diagonal.is_disjoint(taken);
        let bishop = if is_open { diagonal } else { diagonal & beside & !taken };
        let way = |role: Role, places: Bitboard| way(role, places, Bitboard::EMPTY);
        let mut net = Self { winner, checking: [NOWHERE; 6], guarding: [NOWHERE; 6], blocking: [NOWHERE; 6] };
        net.checking[index(Role::King)] = way(Role::King, king);
        net.checking[index(Role::Knight)] = way(Role::Knight, knight);
        net.checking[index(Role::Bishop)] = way(Role::Bishop, bishop);
        net.blocking[index(Role::King)] = way(Role::King, Bitboard::from_square(corner));
        match helper {
            Helper::Ours => {
                for role in [Role::Knight, Role::Bishop] {
                    let from = attacks::attacks(left, role.of(winner), Bitboard::EMPTY);
                    net.guarding[index(role)] = way(role, from);
                }
            }
            Helper::Theirs(role) => {
                if role != Role::Pawn {
                    net.blocking[index(role)] = way(role, Bitboard::from_square(left));
                }
                net.blocking[index(Role::Pawn)] = pawn_way(!winner, left, role, &net.blocking[index(role)]);
            }
        }
        // Who stands in the corner is in the king's way.
        for way in net.checking.iter_mut().chain(&mut net.guarding) {
            way[corner as usize] = way[corner as usize].saturating_add(IN_THE_WAY);
        }
        net
    }
}

/// The moves away and back.
const AGAIN: i32 = 2;
/// Worse than anywhere near.
const IN_THE_WAY: u8 = 2;

/// A position as the moves from it are weighed: how far all men are from their places.
#[derive(Clone, Copy)]
pub(super) struct Men<'a> {
    net: &'a Net,
    /// The winner's and the other.
    kings: (i32, i32),
    /// The winner's one or two men: the moves to give check, and to guard.
    ours: [Option<(Square, i32, i32)>; 2],
    /// The other side's nearest man, and the moves of the next one.
    theirs: (Square, i32),
    next: i32,
}

impl<'a> Men<'a> {
    pub(super) fn of(board: &Board, net: &'a Net) -> Self {
        let mut men =
            Self { net, kings: (0, 0), ours: [None; 2], theirs: (Square::A1, FAR.into()), next: FAR.into() };
        for (square, man) in board {
            men.add(square, man);
        }
        men
    }

    /// How many moves there are to be made after this move before it is mate, at the least.
    pub(super) fn distance_after(&self, chess: &Chess, mv: Move) -> i32 {
        let Some(from) = mv.from() else { return self.distance() };
        let (turn, role) = (chess.turn(), mv.role());
        let mut men = *self;
        men.remove(from, role.of(turn));
        if let Some(taken) = mv.capture() {
            men.remove(mv.to(), taken.of(!turn));
        }
        men.add(mv.to(), mv.promotion().unwrap_or(role).of(turn));
        men.distance()
    }

    fn add(&mut self, square: Square, Piece { color, role }: Piece) {
        let at = |ways: &[Way; 6]| i32::from(ways[index(role)][square as usize]);
        let is_ours = color == self.net.winner;
        if role == Role::King {
            if is_ours {
                self.kings.0 = at(&self.net.checking);
            } else {
                self.kings.1 = at(&self.net.blocking);
            }
        } else if is_ours {
            if let Some(place) = self.ours.iter_mut().find(|place| place.is_none()) {
                *place = Some((square, at(&self.net.checking), at(&self.net.guarding)));
            }
        } else {
            let moves = at(&self.net.blocking);
            if moves < self.theirs.1 {
                self.next = self.theirs.1;
                self.theirs = (square, moves);
            } else {
                self.next = self.next.min(moves);
            }
        }
    }

    /// Once in a move for each side: of the other side's men two are known.
    fn remove(&mut self, square: Square, Piece { color, role }: Piece) {
        if role == Role::King {
            return;
        }
        if color != self.net.winner {
            if square == self.theirs.0 {
                self.theirs.1 = self.next;
            }
        } else if let Some(place) =
            self.ours.iter_mut().find(|place| place.is_some_and(|(at, ..)| at == square))
        {
            *place = None;
        }
    }

    fn distance(&self) -> i32 {
        let (ours, king) = self.kings;
        // Who is there before the king can go there no more has to go away and come back.
        let again = |moves: i32, is_early: bool| if moves == 0 && is_early { AGAIN } else { moves };
        let alone = |check: i32| {
            let others = ours + king + again(self.theirs.1, ours == 0 && king > 0);
            others + again(check, others > 0)
        };
        let together = |check: i32, guard: i32| {
            let others = ours + king + again(guard, ours > 0 || king > 1);
            others + again(check, others > 0)
        };
        match self.ours {
            [Some((_, check, _)), None] | [None, Some((_, check, _))] => alone(check),
            [Some((_, check, guard)), Some((_, other_check, other_guard))] => {
                together(check, other_guard).min(together(other_check, guard))
            }
            [None, None] => FAR.into(),
        }
    }
}

/// The two squares beside a corner on the edge.
fn edges(corner: Square) -> Bitboard {
    attacks::king_attacks(corner) & attacks::rook_attacks(corner, Bitboard::EMPTY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn chess(fen: &str) -> Chess {
        read(fen)
    }

    /// To the nearest net of the side that has one.
    fn distance(chess: &Chess) -> Option<i32> {
        let of = |winner| {
            let net = *Net::all(chess.board(), winner).first()?;
            Some(Men::of(chess.board(), net).distance())
        };
        Color::ALL.into_iter().filter_map(of).min()
    }

    /// With every kind of helper, in other corners and with the colours exchanged as well.
    #[test]
    fn it_is_mate_where_all_are_in_their_places() {
        for fen in [
            "8/8/8/8/8/1N6/n1K5/k7 b - - 0 1",
            "8/8/8/8/8/8/b1N5/k1K5 b - - 0 1",
            "8/8/8/8/8/1N6/r7/k1K5 b - - 0 1",
            "8/8/8/8/8/1N6/p1K5/k7 b - - 0 1",
            "8/8/8/8/8/8/p1N5/k1K5 b - - 0 1",
            "8/8/8/8/8/8/P1n5/K1k5 w - - 0 1",
            "8/8/8/8/8/8/nBK5/k7 b - - 0 1",
            "8/8/8/8/3B4/8/b7/k1K5 b - - 0 1",
            "8/8/8/8/3B4/8/p1K5/k7 b - - 0 1",
            "8/8/8/8/1N1B4/8/2K5/k7 b - - 0 1",
            "8/8/8/8/8/1NN5/2K5/k7 b - - 0 1",
            "8/8/8/3B4/3B4/8/2K5/k7 b - - 0 1",
            "7K/5k1N/6n1/8/8/8/8/8 w - - 0 1",
        ] {
            let chess = chess(fen);
            assert_eq!((chess.is_checkmate(), distance(&chess)), (true, Some(0)), "{fen}");
        }
    }

    /// The helper takes the knight, or steps between; or the king has a square left.
    #[test]
    fn nobody_is_in_his_place_where_it_is_no_mate() {
        for fen in [
            "8/8/8/8/8/1N6/b7/k1K5 b - - 0 1",
            "8/8/8/8/8/8/r1N5/k1K5 b - - 0 1",
            "8/8/8/8/8/1n6/P7/K1k5 w - - 0 1",
            "8/8/8/8/3B4/8/n1K5/k7 b - - 0 1",
            "8/8/8/8/8/1N6/n7/k2K4 b - - 0 1",
            "8/8/8/8/1N1B4/1K6/8/k7 b - - 0 1",
        ] {
            let chess = chess(fen);
            assert!(!chess.is_checkmate() && distance(&chess) > Some(0), "{fen}: {:?}", distance(&chess));
        }
    }

    /// What is said of a move before it is made is what is seen after it: captures, promotions and all.
    #[test]
    fn a_move_is_weighed_as_what_it_leads_to() {
        for fen in [
            "8/8/8/8/2Bkn3/8/Kp5b/8 b - - 0 1",
            "8/8/8/3n4/2Bk4/8/K6r/8 w - - 0 1",
            "1k6/8/8/3Nb3/2N5/8/K7/8 w - - 0 1",
            "8/8/8/8/2Bk4/8/K1N5/8 b - - 0 1",
            "8/8/8/pP6/1N2k3/8/K7/8 w - a6 0 1",
        ] {
            let position = chess(fen);
            for net in NETS.iter().filter(|net| net.winner == Color::White) {
                let men = Men::of(position.board(), net);
                for mv in position.legal_moves() {
                    let mut after = position.clone();
                    after.play_unchecked(mv);
                    let seen = Men::of(after.board(), net).distance();
                    assert_eq!(men.distance_after(&position, mv), seen, "{fen} {mv}");
                }
            }
        }
    }

    /// Who is in his place too early has to make way: a bishop on the diagonal, a helper beside the empty corner, a guard
    /// of the square from which the king goes to the corner.
    #[test]
    fn nobody_is_to_be_there_first() {
        let left = |mate: &str, fen: &str| {
            let net = *Net::all(chess(mate).board(), Color::White).first().unwrap();
            Men::of(chess(fen).board(), net).distance()
        };
        let with_theirs = |fen: &str| left("8/8/8/8/3B4/8/b7/k1K5 b - - 0 1", fen);
        assert_eq!(with_theirs("8/8/4b3/8/8/8/k6B/2K5 b - - 0 1"), 3);
        assert_eq!(with_theirs("8/8/4b3/8/3B4/8/k7/2K5 b - - 0 1"), 4);
        assert_eq!(with_theirs("8/8/4b3/8/8/1k6/7B/2K5 b - - 0 1"), 4);
        assert_eq!(with_theirs("8/8/8/8/8/1k6/b6B/2K5 b - - 0 1"), 5);
        let with_ours = |fen: &str| left("8/8/8/8/1N1B4/8/2K5/k7 b - - 0 1", fen);
        assert_eq!(with_ours("8/8/8/3N4/8/8/k1K4B/8 w - - 0 1"), 3);
        assert_eq!(with_ours("8/8/8/3N4/8/1k6/7B/2K5 w - - 0 1"), 4);
        assert_eq!(with_ours("8/8/8/8/1N6/1k6/7B/2K5 w - - 0 1"), 5);
        assert_eq!(with_ours("8/8/8/3N4/8/8/k1K5/B7 w - - 0 1"), 1 + 1 + 3);
    }

    #[test]
    fn there_are_nets_for_one_piece_or_two_against_a_king() {
        for (fen, is_any) in [
            ("8/8/8/8/2Bk4/8/K1n5/8 b - - 0 1", true),
            ("8/8/8/8/2Bk4/8/K1N5/8 b - - 0 1", true),
            ("8/8/8/8/2Bk4/8/K1Np4/8 b - - 0 1", false),
            ("8/8/8/8/2Bk4/8/K7/7r b - - 0 1", false),
            ("8/8/8/8/2Nk4/8/K7/7q b - - 0 1", false),
            ("8/8/8/8/2Bk4/8/K7/2B5 b - - 0 1", true),
            ("8/8/8/8/2Bk4/8/K1P5/7n b - - 0 1", false),
        ] {
            assert_eq!(!Net::all(chess(fen).board(), Color::White).is_empty(), is_any, "{fen}");
        }
    }
}
