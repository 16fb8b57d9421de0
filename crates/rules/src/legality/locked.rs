//! Men that can never have moved, and where the others can have come from.
//!
//! Played backwards, a man steps to an empty square. So the men fall into those that can step back at
//! once, those that can once others have, and the rest: of the rest none can be the first to step back.
//! They have stood where they are since the game began. Whatever else happened, happened around them.

use shakmaty::{Bitboard, Board, CastlingMode, Color, File, Piece, Rank, Role, Setup, Square, attacks};

use super::Reason;
use super::count::name;

/// Men that never moved, and the squares that a king never crossed because of them.
#[derive(Debug)]
pub(super) struct Locked {
    /// Where the men stand that never moved.
    pub(super) men: Bitboard,
    /// Squares that such men attack whatever stands between, for the king of the index.
    shunned: [Bitboard; 2],
    /// Captures that each side has made.
    captures: [usize; 2],
    mode: CastlingMode,
}

fn index(color: Color) -> usize {
    usize::from(color.is_black())
}

/// The square from which a pawn moved straight ahead.
pub(super) fn behind(color: Color, square: Square) -> Option<Square> {
    square.offset(color.fold_wb(-8, 8))
}

/// Where men of a kind can have stood when the game began. In Chess960 this is not known to the square.
fn homes(piece: Piece, mode: CastlingMode) -> Vec<Bitboard> {
    let rank = Bitboard::from_rank(piece.color.backrank());
    let on = |files: &[File]| -> Vec<Bitboard> {
        files
            .iter()
            .map(|&file| Square::from_coords(file, piece.color.backrank()))
            .map(Bitboard::from_square)
            .collect()
    };
    match (piece.role, mode) {
        (Role::Pawn, _) => vec![Bitboard::from_rank(piece.color.relative_rank(Rank::Second)); 8],
        (Role::Bishop, CastlingMode::Chess960) => {
            vec![rank & Bitboard::LIGHT_SQUARES, rank & Bitboard::DARK_SQUARES]
        }
        (Role::King | Role::Queen, CastlingMode::Chess960) => vec![rank],
        (_, CastlingMode::Chess960) => vec![rank; 2],
        (Role::King, _) => on(&[File::E]),
        (Role::Queen, _) => on(&[File::D]),
        (Role::Rook, _) => on(&[File::A, File::H]),
        (Role::Bishop, _) => on(&[File::C, File::F]),
        (Role::Knight, _) => on(&[File::B, File::G]),
    }
}

impl Locked {
    /// Finds the men that never moved; a reason if one of them stands where none begins.
    pub(super) fn new(setup: &Setup, mode: CastlingMode) -> Result<Self, Reason> {
        let board = &setup.board;
        let captures = Color::ALL.map(|color| 16_usize.saturating_sub(board.by_color(!color).count()));
        let mut locked = Self { men: Bitboard::EMPTY, shunned: [Bitboard::EMPTY; 2], captures, mode };
        loop {
            let men = locked.settle(board, castling_men(setup));
            for square in men {
                locked.require_home(board, square)?;
            }
            if men == locked.men {
                return Ok(locked);
            }
            locked.men = men;
            locked.shunned = Color::ALL.map(|color| shunned(board, men & board.by_color(!color)));
        }
    }

    /// The men that no order of steps back sets free.
    fn settle(&self, board: &Board, castling_men: Bitboard) -> Bitboard {
        let mut blocked = board.occupied();
        loop {
            let free = (blocked & !castling_men)
                .into_iter()
                .filter(|&square| {
                    board.piece_at(square).is_some_and(|piece| self.steps_back(board, piece, square, blocked))
                })
                .fold(Bitboard::EMPTY, |free, square| free.with(square));
            if free.is_empty() {
                return blocked;
            }
            blocked &= !free;
        }
    }

    /// True if the man can step back when only `blocked` squares are taken.
    fn steps_back(&self, board: &Board, piece: Piece, square: Square, blocked: Bitboard) -> bool {
        let open = !blocked;
        if piece.role == Role::Pawn {
            return (self.pawn_steps(piece.color, square) & open).any();
        }
        let mut steps = attacks::attacks(square, piece, blocked);
        if piece.role == Role::King {
            steps &= !self.shunned[index(piece.color)];
        } else if square.rank() == piece.color.relative_rank(Rank::Eighth) {
            steps |= self.pawn_steps(piece.color, square);
        }
        (steps & open).any() || self.has_castled(board, piece, square, blocked)
    }

    /// The squares from which a pawn can have come to `square` by one step.
    fn pawn_steps(&self, color: Color, square: Square) -> Bitboard {
        if square.rank() <= Rank::Second && color.is_white()
            || square.rank() >= Rank::Seventh && color.is_black()
        {
            return Bitboard::EMPTY;
        }
        let straight = behind(color, square).map_or(Bitboard::EMPTY, Bitboard::from_square);
        let may_capture = self.captures[index(color)] > 0;
        straight | if may_capture { attacks::pawn_attacks(!color, square) } else { Bitboard::EMPTY }
    }

    /// True if king or rook can have come to `square` by castling.
    fn has_castled(&self, board: &Board, piece: Piece, square: Square, blocked: Bitboard) -> bool {
        let (color, rank) = (piece.color, piece.color.backrank());
        if square.rank() != rank {
            return false;
        }
        [(File::G, File::F, [File::E, File::H]), (File::C, File::D, [File::E, File::A])].into_iter().any(
            |(king, rook, from)| {
                let king = Square::from_coords(king, rank);
                let rook = Square::from_coords(rook, rank);
                (square == king || square == rook)
                    && board.piece_at(king) == Some(color.king())
                    && board.piece_at(rook) == Some(color.rook())
                    && (self.mode.is_chess960()
                        || from.iter().all(|&file| !blocked.contains(Square::from_coords(file, rank))))
            },
        )
    }

    fn require_home(&self, board: &Board, square: Square) -> Result<(), Reason> {
        let Some(piece) = board.piece_at(square) else { return Ok(()) };
        if homes(piece, self.mode).iter().any(|home| home.contains(square)) {
            return Ok(());
        }
        let text = format!(
            "The {} {} on {square} is shut in: it cannot have come there, nor can it have begun there.",
            piece.color.fold_wb("white", "black"),
            role_name(piece.role),
        );
        Err(Reason::new("man-shut-in", text))
    }

    /// All squares from which a man can have come to `square`, by any number of moves of its own kind.
    fn region(&self, piece: Piece, square: Square) -> Bitboard {
        let mut region = Bitboard::from_square(square);
        if self.men.contains(square) {
            return region;
        }
        let mut open = !self.men;
        if piece.role == Role::King {
            open &= !self.shunned[index(piece.color)];
            if !open.contains(square) {
                return Bitboard::EMPTY;
            }
        }
        let mut border = region;
        while let Some(from) = border.pop_front() {
            let steps = attacks::attacks(from, piece, self.men) | self.castling_jumps(piece, from);
            let new = steps & open & !region;
            region |= new;
            border |= new;
        }
        region
    }

    fn castling_jumps(&self, piece: Piece, square: Square) -> Bitboard {
        let jump = match (piece.role, square.file()) {
            (Role::King, File::C | File::G) => &[File::E][..],
            (Role::Rook, File::D) => &[File::A],
            (Role::Rook, File::F) => &[File::H],
            _ => return Bitboard::EMPTY,
        };
        let rank = piece.color.backrank();
        match (square.rank() == rank, self.mode) {
            (false, _) => Bitboard::EMPTY,
            (true, CastlingMode::Chess960) => Bitboard::from_rank(rank),
            (true, CastlingMode::Standard) => {
                jump.iter().map(|&file| Square::from_coords(file, rank)).collect()
            }
        }
    }

    /// Captures that a side's pawns can have made: those of men that its officers must have taken, shut
    /// in at home, are left out.
    pub(super) fn pawn_captures(&self, board: &Board, color: Color) -> usize {
        let captures = self.captures[index(color)];
        if self.mode.is_chess960() {
            return captures;
        }
        let rank = (!color).backrank();
        let gone = [File::C, File::F].into_iter().filter(|&file| {
            let home = Square::from_coords(file, rank);
            board.piece_at(home) != Some((!color).bishop()) && self.is_walled_in(board, !color, home)
        });
        captures.saturating_sub(gone.count())
    }

    /// True if the pawns before a bishop on `home` never moved.
    fn is_walled_in(&self, board: &Board, color: Color, home: Square) -> bool {
        let walls = attacks::pawn_attacks(color, home);
        walls.is_subset(self.men & board.by_piece(color.pawn()))
    }

    /// Squares that a pawn of this side can only have left by being captured: from there it gave check
    /// to a king that never moved.
    pub(super) fn deadly(&self, board: &Board, color: Color) -> Bitboard {
        let king = board.by_piece((!color).king()) & self.men;
        king.into_iter()
            .map(|king| attacks::pawn_attacks(!color, king))
            .fold(Bitboard::EMPTY, |all, next| all | next)
    }
}

/// Kings and rooks that may still castle.
fn castling_men(setup: &Setup) -> Bitboard {
    Color::ALL
        .into_iter()
        .filter(|&color| (setup.castling_rights & setup.board.by_color(color)).any())
        .fold(setup.castling_rights, |men, color| men | setup.board.by_piece(color.king()))
}

/// Squares beside men that attack them: no king ever stood there and lived.
fn shunned(board: &Board, men: Bitboard) -> Bitboard {
    men.into_iter().fold(Bitboard::EMPTY, |all, square| {
        let near = attacks::king_attacks(square) | attacks::knight_attacks(square);
        all | (board.attacks_from(square) & near)
    })
}

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// Promotions that a side needs.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Needs {
    /// Of any kind, those below included.
    pub(super) total: usize,
    /// To bishops on light squares.
    pub(super) light: usize,
    /// To bishops on dark squares.
    pub(super) dark: usize,
}

/// Works out which officers must be promoted because no home of their kind led to where they stand.
pub(super) fn origins(board: &Board, mode: CastlingMode, locked: &Locked) -> Result<[Needs; 2], Reason> {
    Ok([origins_of(board, mode, locked, Color::White)?, origins_of(board, mode, locked, Color::Black)?])
}

fn origins_of(board: &Board, mode: CastlingMode, locked: &Locked, color: Color) -> Result<Needs, Reason> {
    let mut needs = Needs::default();
    let light = |square: &Square| square.is_light();
    let dark = |square: &Square| square.is_dark();
    for role in [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
        let homes = homes(role.of(color), mode);
        if role == Role::Bishop {
            needs.light = promoted(board, role.of(color), locked, &homes, light)?;
            needs.dark = promoted(board, role.of(color), locked, &homes, dark)?;
            needs.total += needs.light + needs.dark;
        } else {
            needs.total += promoted(board, role.of(color), locked, &homes, |_| true)?;
        }
    }
    let missing = 8_usize.saturating_sub(board.by_piece(color.pawn()).count());
    if needs.total <= missing {
        return Ok(needs);
    }
    let text = format!(
        "{} must have promoted {} times, for men that cannot have come from where they began, but only \
         {missing} of its pawns {} missing.",
        name(color),
        needs.total,
        if missing == 1 { "is" } else { "are" },
    );
    Err(Reason::new("promotions-too-many", text))
}

/// How many men of a kind, on the squares asked for, must be promoted.
fn promoted(
    board: &Board,
    piece: Piece,
    locked: &Locked,
    homes: &[Bitboard],
    is_asked: impl Fn(&Square) -> bool,
) -> Result<usize, Reason> {
    let homes: Vec<Bitboard> =
        homes.iter().map(|home| home.into_iter().filter(|square| is_asked(square)).collect()).collect();
    let last_rank = Bitboard::from_rank(piece.color.relative_rank(Rank::Eighth));
    let mut regions = Vec::new();
    for square in board.by_piece(piece).into_iter().filter(is_asked) {
        let region = locked.region(piece, square);
        let is_original = homes.iter().any(|&home| (home & region).any());
        let is_promoted = piece.role != Role::King && (region & last_rank & !locked.men).any();
        if !is_original && !is_promoted {
            let text = format!(
                "The {} {} on {square} cannot have come there past men that never moved.",
                piece.color.fold_wb("white", "black"),
                role_name(piece.role),
            );
            return Err(Reason::new("man-shut-in", text));
        }
        regions.push(region);
    }
    Ok(regions.len() - most_at_home(&regions, &homes))
}

/// How many men can have come from different homes, of which there are one or two.
fn most_at_home(regions: &[Bitboard], homes: &[Bitboard]) -> usize {
    let from = |home: Bitboard| move |region: &Bitboard| (*region & home).any();
    let most = match *homes {
        [first, second] => {
            let pair = regions.iter().enumerate().any(|(one, region)| {
                from(first)(region)
                    && regions.iter().enumerate().any(|(other, region)| one != other && from(second)(region))
            });
            let any = regions.iter().any(|region| from(first)(region) || from(second)(region));
            if pair { 2 } else { usize::from(any) }
        }
        _ => usize::from(homes.iter().any(|&home| regions.iter().any(from(home)))),
    };
    most.min(regions.len())
}
