//! How promising a move looks before it is played.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

/// How much a plan minds each thing that stands between a position and a mate.
///
/// The figures only order the search: no answer depends on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// A square to which the losing king could step.
    pub(super) escape: i32,
    /// A step between the kings.
    pub(super) kings: i32,
    /// A step of the losing king to a corner in which it can be mated.
    pub(super) corner: i32,
    /// A step of the losing king to the edge.
    pub(super) edge: i32,
    /// A step of the winner's foremost pawn, where there is no rook and no queen.
    pub(super) pawn: i32,
    /// A step of the foremost pawn of the other side.
    pub(super) their_pawn: i32,
    /// A man that the winner loses.
    pub(super) loss: i32,
    /// A check to the winner.
    pub(super) check: i32,
    /// A man that the other side still has.
    pub(super) man: i32,
    /// A step of the winner's nearest piece to the losing king.
    pub(super) nearest: i32,
    /// A step of each of the winner's pieces to the losing king.
    pub(super) approach: i32,
    /// A step of each of the losing king's own pieces to it.
    pub(super) crowd: i32,
    /// What is won by offering a man to a pawn that gets through once it takes.
    pub(super) offer: i32,
}

/// A position as the moves from it are weighed.
pub(super) struct Glance<'a> {
    plan: &'a Plan,
    winner: Color,
    is_winner_to_move: bool,
    /// The kings.
    ours: Square,
    theirs: Square,
    /// All men but the losing king, which shields nothing.
    occupied: Bitboard,
    our_pieces: Bitboard,
    their_men: Bitboard,
    their_pieces: Bitboard,
    corners: Bitboard,
    /// Squares that the winner attacks, and those that more than one of its men attack.
    attacked: Bitboard,
    attacked_twice: Bitboard,
    /// The squares beside the losing king, those of them to which it could step, and those that one man alone
    /// keeps it from.
    around: Bitboard,
    escapes: Bitboard,
    guarded_once: Bitboard,
    /// Where a pawn of the winner takes and has no pawn before it then.
    offers: Bitboard,
    to_their_king: Lines,
    to_our_king: Lines,
    has_major: bool,
    our_pawn: Option<Runner>,
    their_pawn: Option<Runner>,
    /// What the men of the other side weigh.
    base: i32,
}

/// The squares from which sliders give check.
struct Lines {
    diagonals: Bitboard,
    straights: Bitboard,
}

/// The pawn of a side that promotes soonest.
#[derive(Clone, Copy)]
struct Runner {
    square: Square,
    /// The squares in front of it.
    way: Bitboard,
    /// Where a pawn of the other side stops it.
    stopped: Option<Square>,
    steps: i32,
}

/// What a move leads to, as far as it is weighed.
struct After {
    ours: Square,
    theirs: Square,
    our_pieces: Bitboard,
    their_pieces: Bitboard,
    /// Squares to which the losing king could step.
    escapes: Bitboard,
    /// What else speaks against it.
    other: i32,
}

/// The score of a move that seems to give check and leave no escape.
pub(super) const MIGHT_BE_MATE: i32 = 0;
/// So far is a pawn that does not exist.
const NO_PAWN: i32 = 8;

impl<'a> Glance<'a> {
    pub(super) fn new(chess: &Chess, winner: Color, plan: &'a Plan) -> Self {
        let board = chess.board();
        let king = |color| board.king_of(color).unwrap_or(Square::A1);
        let (ours, theirs) = (king(winner), king(!winner));
        let occupied = board.occupied().without(theirs);
        let (mut attacked, mut attacked_twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for role in Role::ALL {
            for man in board.by_piece(role.of(winner)) {
                let attacks = attacks::attacks(man, role.of(winner), occupied);
                attacked_twice |= attacked & attacks;
                attacked |= attacks;
            }
        }
        let pieces = |color| board.by_color(color) & !board.pawns() & !board.kings();
        let (our_pieces, their_pieces) = (pieces(winner), pieces(!winner));
        let has_major = !our_pieces.is_disjoint(board.rooks_and_queens());
        let their_men = board.by_color(!winner);
        let around = attacks::king_attacks(theirs);
        Self {
            plan,
            winner,
            is_winner_to_move: chess.turn() == winner,
            ours,
            theirs,
            occupied,
            our_pieces,
            their_men,
            their_pieces,
            corners: corners(board, board.by_color(winner).without(ours)),
            attacked,
            attacked_twice,
            around,
            offers: if plan.offer == 0 { Bitboard::EMPTY } else { offers(board, winner) },
            escapes: around & !their_men & !attacked,
            guarded_once: around & !their_men & attacked & !attacked_twice,
            to_their_king: Lines::of(theirs, board.occupied()),
            to_our_king: Lines::of(ours, board.occupied()),
            has_major,
            our_pawn: if has_major || plan.pawn == 0 { None } else { Runner::of(board, winner, ours) },
            their_pawn: if plan.their_pawn == 0 { None } else { Runner::of(board, !winner, theirs) },
            base: plan.man * count(their_men),
        }
    }

    /// How far from a mate it is after this move: less is nearer, [`MIGHT_BE_MATE`] is least.
    pub(super) fn score(&self, mv: Move) -> i32 {
        let Some(from) = mv.from() else { return self.base };
        let after = if self.is_winner_to_move { self.winning(mv, from) } else { self.losing(mv, from) };
        after.map_or(MIGHT_BE_MATE, |after| self.weigh(&after, mv, from).max(MIGHT_BE_MATE + 1))
    }

    /// None for what might be mate.
    fn winning(&self, mv: Move, from: Square) -> Option<After> {
        let (plan, to) = (self.plan, mv.to());
        let role = mv.promotion().unwrap_or_else(|| mv.role());
        let mut escapes = self.escapes;
        if self.guarded_once.any() {
            let before = attacks::attacks(from, mv.role().of(self.winner), self.occupied);
            escapes |= self.guarded_once & before;
        }
        // A man that is taken leaves its square to the king, unless the one that took it is guarded.
        if self.around.contains(to) {
            escapes.set(to, !self.attacked_twice.contains(to));
        }
        if escapes.any() {
            escapes &= !attacks::attacks(to, role.of(self.winner), self.occupied.without(from).with(to));
        }
        // A king gives no check itself, but it may step out of the way of one that does.
        let may_check =
            role == Role::King || self.to_their_king.may_check(role, to, self.theirs, self.winner);
        if escapes.is_empty() && may_check {
            return None;
        }
        let is_piece = !matches!(role, Role::King | Role::Pawn);
        let our_pieces = if is_piece { self.our_pieces.without(from).with(to) } else { self.our_pieces };
        Some(After {
            ours: if role == Role::King { to } else { self.ours },
            theirs: self.theirs,
            our_pieces,
            their_pieces: self.their_pieces.without(to),
            escapes,
            other: if mv.is_capture() { -plan.man } else { 0 },
        })
    }

    fn losing(&self, mv: Move, from: Square) -> Option<After> {
        let (plan, role, to) = (self.plan, mv.role(), mv.to());
        let is_piece = !matches!(role, Role::King | Role::Pawn);
        let theirs = if role == Role::King { to } else { self.theirs };
        let their_pieces =
            if is_piece { self.their_pieces.without(from).with(to) } else { self.their_pieces };
        let loss = if mv.is_capture() { plan.loss } else { 0 };
        let is_check = plan.check != 0 && self.to_our_king.may_check(role, to, self.ours, !self.winner);
        let check = if is_check { plan.check } else { 0 };
        let offer = if role != Role::King && self.offers.contains(to) { plan.offer } else { 0 };
        Some(After {
            ours: self.ours,
            theirs,
            our_pieces: self.our_pieces.without(to),
            their_pieces,
            escapes: attacks::king_attacks(theirs) & !self.their_men.without(from).with(to) & !self.attacked,
            other: loss + check - offer,
        })
    }

    fn weigh(&self, after: &After, mv: Move, from: Square) -> i32 {
        let (plan, theirs) = (self.plan, after.theirs);
        let steps = |pawn: Option<Runner>, king, king_after| {
            let after = |pawn: Runner| {
                let has_promoted = mv.is_promotion() && pawn.square == from;
                if has_promoted { 0 } else { pawn.steps_after(from, mv.to(), king, king_after) }
            };
            pawn.map_or(NO_PAWN, after)
        };
        let when = |weight: i32, steps: &dyn Fn() -> i32| if weight == 0 { 0 } else { weight * steps() };
        let our_steps = if self.has_major { 0 } else { steps(self.our_pawn, self.ours, after.ours) };
        self.base
            + after.other
            + plan.escape * count(after.escapes)
            + plan.kings * distance(after.ours, theirs)
            + when(plan.corner, &|| from_corner(theirs, self.corners))
            + plan.edge * from_edge(theirs)
            + plan.pawn * our_steps
            + when(plan.their_pawn, &|| steps(self.their_pawn, self.theirs, theirs))
            + when(plan.nearest, &|| nearest(after.our_pieces, theirs))
            + when(plan.approach, &|| way(after.our_pieces, theirs))
            + when(plan.crowd, &|| way(after.their_pieces, theirs))
    }
}

impl Lines {
    fn of(king: Square, occupied: Bitboard) -> Self {
        Self {
            diagonals: attacks::bishop_attacks(king, occupied),
            straights: attacks::rook_attacks(king, occupied),
        }
    }

    /// Whether a man of `color` on `from` attacks the king.
    fn may_check(&self, role: Role, from: Square, king: Square, color: Color) -> bool {
        match role {
            Role::Pawn => attacks::pawn_attacks(!color, king).contains(from),
            Role::Knight => attacks::knight_attacks(king).contains(from),
            Role::Bishop => self.diagonals.contains(from),
            Role::Rook => self.straights.contains(from),
            Role::Queen => (self.diagonals | self.straights).contains(from),
            Role::King => false,
        }
    }
}

impl Runner {
    fn of(board: &Board, color: Color, king: Square) -> Option<Self> {
        let pawns = board.by_piece(Role::Pawn.of(color)).into_iter().map(|square| {
            let rank = i32::from(square.rank() as u8);
            let way = ahead(square, color);
            let stopping = way & board.by_piece(Role::Pawn.of(!color));
            let stopped = color.fold_wb(stopping.first(), stopping.last());
            let clearing = stopped.map_or(0, |stopped| distance(king, stopped));
            let steps = color.fold_wb(7 - rank, rank) + count(way & board.occupied()) + clearing;
            Self { square, way, stopped, steps }
        });
        pawns.min_by_key(|pawn| pawn.steps)
    }

    /// Its steps after a move from one square to another, with its own side's king where it is then.
    fn steps_after(&self, from: Square, to: Square, king: Square, king_after: Square) -> i32 {
        if from == self.square {
            return self.steps - 1;
        }
        let clearing = match self.stopped {
            Some(stopped) if stopped == from || stopped == to => -distance(king, stopped),
            Some(stopped) => distance(king_after, stopped) - distance(king, stopped),
            None => 0,
        };
        self.steps + clearing - i32::from(self.way.contains(from)) + i32::from(self.way.contains(to))
    }
}

/// The corners in which these men can mate: bishops on squares of one colour have only two.
fn corners(board: &Board, men: Bitboard) -> Bitboard {
    if !men.is_subset(board.bishops()) {
        return Bitboard::CORNERS;
    }
    let colours = [Bitboard::LIGHT_SQUARES, Bitboard::DARK_SQUARES];
    let colour = colours.into_iter().find(|&colour| men.is_subset(colour));
    Bitboard::CORNERS & colour.unwrap_or(Bitboard::FULL)
}

fn ahead(pawn: Square, color: Color) -> Bitboard {
    let file = Bitboard::from_file(pawn.file());
    let above = Bitboard(u64::MAX << (pawn as u32) << 1);
    let below = Bitboard((1 << (pawn as u32)) - 1);
    file & color.fold_wb(above, below)
}

/// The squares on which a pawn of `color` may take and meets no other pawn from there on.
fn offers(board: &Board, color: Color) -> Bitboard {
    let pawns = board.by_piece(Role::Pawn.of(color));
    let taking: Bitboard = pawns.into_iter().flat_map(|pawn| attacks::pawn_attacks(color, pawn)).collect();
    let is_free = |square: &Square| ahead(*square, color).is_disjoint(board.by_piece(Role::Pawn.of(!color)));
    taking.into_iter().filter(is_free).collect()
}

fn way(men: Bitboard, to: Square) -> i32 {
    men.into_iter().map(|man| distance(man, to)).sum()
}

fn nearest(men: Bitboard, to: Square) -> i32 {
    men.into_iter().map(|man| distance(man, to)).min().unwrap_or(0)
}

fn count(squares: Bitboard) -> i32 {
    i32::try_from(squares.count()).unwrap_or(0)
}

fn from_corner(square: Square, corners: Bitboard) -> i32 {
    let steps =
        |corner: Square| square.file().distance(corner.file()) + square.rank().distance(corner.rank());
    corners.into_iter().map(steps).min().map_or(0, |steps| i32::try_from(steps).unwrap_or(0))
}

fn from_edge(square: Square) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    file.min(7 - file).min(rank).min(7 - rank)
}

fn distance(a: Square, b: Square) -> i32 {
    i32::try_from(a.distance(b)).unwrap_or(8)
}
