//! Does the array on the board agree with the one that the game is to start from (2.2, 2.3, II.2)?

use crate::words::words;
use shakmaty::{CastlingMode, Color, Rank, Role, Setup};

use super::ChessPosition;
use super::irregular::standing_rights;
use super::touch::side_of;
use crate::sensor::{Army, Content, Side};
use crate::square::Square;

words! {
    /// How an array differs from the one that was agreed.
    WrongArray {
        /// Kings and queens stand in each other's place.
        KingQueenSwapped = "king-queen-swapped",
        /// Knights and bishops do.
        KnightBishopSwapped = "knight-bishop-swapped",
        /// No array of Chess960.
        Chess960Invalid = "chess960-invalid",
        /// Another layout than somebody has set, and whole.
        OtherLayout = "other-layout",
        /// Something else.
        Other = "other",
    }
}

/// What is wrong with an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongStart {
    /// The registry's `sub`.
    pub sub: WrongArray,
    /// Squares that show something else.
    pub squares: Vec<Square>,
    /// Men that stand nowhere.
    pub missing: Vec<Content>,
    /// Men that are too many.
    pub extra: Vec<Content>,
}

/// How `contents` differ from the `agreed` array; `None` if they do not. A board that does not name
/// its men (`named`) tells squares only.
#[must_use]
pub fn compare(agreed: &[Content], contents: &[Content], named: bool) -> Option<WrongStart> {
    let see = |content: Content| if named { content } else { content.occupancy() };
    let differing: Vec<(Square, Content, Content)> = Square::all()
        .zip(agreed.iter().zip(contents))
        .map(|(square, (&agreed, &content))| (square, see(agreed), see(content)))
        .filter(|(_, agreed, content)| agreed != content)
        .collect();
    if differing.is_empty() {
        return None;
    }
    let squares = differing.iter().map(|change| change.0).collect();
    let swapped = |one: Role, other: Role| {
        named
            && differing.iter().all(|&(_, agreed, content)| {
                let (of, stands) = (agreed.seat_role(), content.seat_role());
                let is = |one: Option<(Army, Role)>, role: Role| one.is_some_and(|(_, kind)| kind == role);
                let is_own = of.map(|(army, _)| army) == stands.map(|(army, _)| army);
                let pair = |a: Role, b: Role| is_own && is(of, a) && is(stands, b);
                pair(one, other) || pair(other, one)
            })
    };
    let sub = if swapped(Role::King, Role::Queen) {
        WrongArray::KingQueenSwapped
    } else if swapped(Role::Knight, Role::Bishop) {
        WrongArray::KnightBishopSwapped
    } else {
        WrongArray::Other
    };
    let (missing, extra) =
        if named { (surplus(agreed, contents), surplus(contents, agreed)) } else { Default::default() };
    Some(WrongStart { sub, squares, missing, extra })
}

/// What keeps `contents` from being an array of Chess960; `None` if nothing does.
#[must_use]
pub(crate) fn compare_shuffled(contents: &[Content]) -> Option<WrongStart> {
    let (standard, row) = (ChessPosition::default().contents(), |rank: Rank| rank_of(contents, rank));
    let (missing, extra) = (surplus(&standard, contents), surplus(contents, &standard));
    let mut squares: Vec<Square> = Vec::new();
    // Black's men stand opposite White's, and nothing stands but the two rows of each (II.2.3).
    for file in 0..8_u8 {
        let opposite =
            row(Rank::First)[usize::from(file)].seat_role().map(|(_, role)| Content::man(Army::new(1), role));
        let home = [(file, Some(0)), (file + 8, None), (file + 48, None), (file + 56, Some(1))];
        for (number, seat) in home {
            let square = Square::new(number);
            let content = contents[square];
            let is_right = match seat {
                None => content == standard[square],
                Some(0) => side_of(content) == Some(Side::White),
                Some(_) => Some(content) == opposite,
            };
            if !is_right {
                squares.push(square);
            }
        }
        squares.extend(
            (2..6).map(|rank| Square::new(rank * 8 + file)).filter(|&square| !contents[square].is_empty()),
        );
    }
    let of = |role: Role| -> Vec<u8> {
        (0_u8..8).filter(|&file| contents[usize::from(file)] == Content::man(Army::new(0), role)).collect()
    };
    let (kings, rooks, bishops) = (of(Role::King), of(Role::Rook), of(Role::Bishop));
    // King between the rooks (II.2.1), bishops on squares of both colours (II.2.2).
    if let (&[king], &[left, right]) = (kings.as_slice(), rooks.as_slice())
        && !(left < king && king < right)
    {
        squares.extend([king, left, right].map(Square::new));
    }
    if let &[first, second] = bishops.as_slice()
        && (first + second).is_multiple_of(2)
    {
        squares.extend([first, second].map(Square::new));
    }
    if squares.is_empty() && missing.is_empty() && extra.is_empty() {
        return None;
    }
    squares.sort_unstable();
    squares.dedup();
    Some(WrongStart { sub: WrongArray::Chess960Invalid, squares, missing, extra })
}

fn rank_of(contents: &[Content], rank: Rank) -> &[Content] {
    let first = 8 * rank.to_usize();
    &contents[first..first + 8]
}

/// The men that `contents` has more of than `other`.
fn surplus(contents: &[Content], other: &[Content]) -> Vec<Content> {
    let men = |contents: &[Content]| -> Vec<Content> {
        contents.iter().copied().filter(|man| man.seat_role().is_some()).collect()
    };
    let mut left = men(contents);
    for man in men(other) {
        if let Some(at) = left.iter().position(|&other| other == man) {
            left.remove(at);
        }
    }
    left
}

/// A king, or a single rook (by the square on which it stood at the start), that stood wrong: what
/// may not castle once nothing can be claimed any more (A.4.1.2). A rook counts only where its king
/// stood right.
#[must_use]
pub fn misplaced(agreed: &[Content], contents: &[Content]) -> Vec<(Side, Option<Square>)> {
    let mut found = Vec::new();
    for side in Side::BOTH {
        let stands = |contents: &[Content], role: Role| -> Vec<Square> {
            let man = Content::man(side.into(), role);
            Square::all()
                .zip(contents)
                .filter(|&(_, &content)| content == man)
                .map(|(square, _)| square)
                .collect()
        };
        if stands(agreed, Role::King) != stands(contents, Role::King) {
            found.push((side, None));
            continue;
        }
        let right = stands(agreed, Role::Rook);
        found.extend(
            stands(contents, Role::Rook)
                .into_iter()
                .filter(|rook| !right.contains(rook))
                .map(|rook| (side, Some(rook))),
        );
    }
    found
}

impl ChessPosition {
    /// The position of a game that starts from what stands on the board though another array was
    /// `agreed`: White to move, castling where king and rook stand as agreed.
    #[must_use]
    pub fn start_from(contents: &[Content], agreed: &Self) -> Self {
        let stood = Self::from_contents(contents, Side::White, agreed);
        let setup = Setup {
            board: stood.board().clone(),
            turn: Color::White,
            castling_rights: standing_rights(agreed.board(), stood.board(), agreed.castling_rights()),
            ..Setup::empty()
        };
        Self::from_setup(setup, agreed.mode())
    }

    /// The same in Chess960 where no array was agreed: castling with the outermost rooks that have the
    /// king between them, if any.
    #[must_use]
    pub(crate) fn start_shuffled(contents: &[Content]) -> Self {
        let stood = Self::from_contents(contents, Side::White, &Self::default());
        let rooks = |color: Color| stood.board().by_piece(Role::Rook.of(color)) & color.backrank();
        let ends = |color: Color| rooks(color).first().into_iter().chain(rooks(color).last());
        let setup = Setup {
            board: stood.board().clone(),
            turn: Color::White,
            castling_rights: Color::ALL.into_iter().flat_map(ends).collect(),
            ..Setup::empty()
        };
        Self::from_setup(setup, CastlingMode::Chess960)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position as _;

    fn contents(placement: &str) -> Vec<Content> {
        ChessPosition::from_fen(placement, true).unwrap().contents()
    }

    fn array(row: &str) -> Vec<Content> {
        contents(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/{row}"))
    }

    fn wrong(row: &str) -> WrongStart {
        compare(&ChessPosition::default().contents(), &array(row), true).unwrap()
    }

    #[test]
    fn what_is_wrong_with_an_array() {
        assert_eq!(compare(&ChessPosition::default().contents(), &array("RNBQKBNR"), true), None);
        let (swapped, knights) = (wrong("RNBKQBNR"), wrong("RBNQKBNR"));
        assert_eq!(
            (swapped.sub, swapped.squares),
            (WrongArray::KingQueenSwapped, [3, 4].map(Square::new).to_vec())
        );
        assert_eq!(
            (knights.sub, knights.squares),
            (WrongArray::KnightBishopSwapped, [1, 2].map(Square::new).to_vec())
        );
        // Both at once are something else; so are two men of which one is missing.
        assert_eq!(wrong("RBNKQBNR").sub, WrongArray::Other);
        let missing = wrong("1NBQKBNN");
        let (rook, knight) =
            (Content::man(Army::new(0), Role::Rook), Content::man(Army::new(0), Role::Knight));
        assert_eq!(
            (missing.sub, missing.missing, missing.extra),
            (WrongArray::Other, vec![rook; 2], vec![knight])
        );
    }

    #[test]
    fn a_board_without_names_shows_squares_only() {
        let start = ChessPosition::default().contents();
        let occupied =
            |contents: Vec<Content>| contents.into_iter().map(Content::occupancy).collect::<Vec<_>>();
        assert_eq!(compare(&start, &occupied(array("RNBKQBNR")), false), None);
        let moved =
            compare(&start, &occupied(contents("rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR")), false);
        assert_eq!(
            moved.map(|wrong| (wrong.sub, wrong.squares, wrong.missing)),
            Some((WrongArray::Other, [8, 16].map(Square::new).to_vec(), Vec::new()))
        );
    }

    #[test]
    fn arrays_of_chess960() {
        let invalid = |row: &str| {
            let placement = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{row}", row.to_lowercase());
            compare_shuffled(&contents(&placement)).map(|wrong| wrong.squares)
        };
        assert_eq!(invalid("BQNNRBKR"), None);
        assert_eq!(invalid("RNBQKBNR"), None);
        assert_eq!(invalid("KRNNBBQR"), Some([0, 1, 7].map(Square::new).to_vec()));
        assert_eq!(invalid("BRBNKQNR"), Some([0, 2].map(Square::new).to_vec()));
        let mirrored = contents("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        assert_eq!(
            compare_shuffled(&mirrored).map(|wrong| wrong.squares),
            Some([59, 60].map(Square::new).to_vec())
        );
    }

    #[test]
    fn who_may_not_castle() {
        let start = ChessPosition::default().contents();
        assert_eq!(misplaced(&start, &array("RNBKQBNR")), [(Side::White, None)]);
        assert_eq!(misplaced(&start, &array("NRBQKBNR")), [(Side::White, Some(Square::new(1)))]);
        assert_eq!(misplaced(&start, &array("RBNQKBNR")), []);
    }

    #[test]
    fn a_game_starts_from_what_stands() {
        let start = |row: &str| ChessPosition::start_from(&array(row), &ChessPosition::default()).fen();
        assert_eq!(start("RBNQKBNR"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR w KQkq - 0 1");
        assert_eq!(start("RNBKQBNR"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq - 0 1");
        assert_eq!(start("NRBQKBNR"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBNR w Kkq - 0 1");
    }
}
