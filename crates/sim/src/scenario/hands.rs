//! What hands have to do on a board for a move that is written down, whatever stands there.
//!
//! The position need not be one that could be played from: a scenario may begin with a missing
//! king, or go on behind an illegal move. So a move is found by how its piece moves alone, and the
//! safety of the own king only decides between several.

use shakmaty::san::San;
use shakmaty::{Bitboard, Board, CastlingSide, Color, File, Piece, Rank, Role, Square, attacks};

use super::cross::{self, Coordinates};
use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::square;
use adoube_rules::{Family, letter, man_from_letter};

/// A hand on one square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hand {
    /// Takes what stands there.
    Lift(square::Square),
    /// Puts a man there.
    Place(square::Square, Content),
}

/// A move as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Move {
    /// Of chess.
    San(San),
    /// Of the four-player game.
    Coordinates(Coordinates),
}

/// A move of some movetext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// Where it stands in the text.
    pub(super) at: usize,
    /// The army whose it is, if a number or a letter before it says so.
    pub(super) army: Option<Army>,
    /// The move.
    pub(super) mv: Move,
    /// As it stands there.
    pub(super) text: String,
}

/// Reads `1.e4 e5 2.Nf3`, or `1. R h2-h4 W b7-d7`. The error is the place and the word that is no move.
pub(super) fn movetext(text: &str, family: Family) -> Result<Vec<Written>, (usize, String)> {
    match family {
        Family::Chess => movetext_of_chess(text),
        Family::FourPlayer => cross::movetext(text),
    }
}

fn movetext_of_chess(text: &str) -> Result<Vec<Written>, (usize, String)> {
    let mut moves = Vec::new();
    let mut army = None;
    for (at, word) in words(text) {
        let number = word.bytes().take_while(u8::is_ascii_digit).count();
        let dots = word[number..].bytes().take_while(|&byte| byte == b'.').count();
        let is_number = number > 0 && dots > 0;
        let (at, san) = if is_number { (at + number + dots, &word[number + dots..]) } else { (at, word) };
        if is_number {
            army = Some(Army::new(u8::from(dots > 1)));
        }
        if san.is_empty() {
            continue;
        }
        let bare = plain(san);
        let bare = if bare.starts_with("0-0") { bare.replace('0', "O") } else { bare };
        let parsed = bare.parse().map_err(|_| (at, san.to_owned()))?;
        moves.push(Written { at, army, mv: Move::San(parsed), text: san.to_owned() });
        army = None;
    }
    Ok(moves)
}

/// The words of a text with their places.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// A move without the signs that say nothing about it.
pub(super) fn plain(san: &str) -> String {
    san.trim_end_matches(['+', '#', '!', '?']).to_owned()
}

/// What the player of `army` does for `mv` on a board with these men, in order: the victim goes first, the king
/// castles first.
pub(super) fn act(contents: &[Content], army: Army, mv: &Move) -> Result<Vec<Hand>, &'static str> {
    let san = match mv {
        Move::San(san) => san,
        Move::Coordinates(coordinates) => return cross::act(contents, army, coordinates),
    };
    let board = board(contents);
    let color = if army.side() == Side::White { Color::White } else { Color::Black };
    match san {
        San::Castle(castling) => castle(&board, color, *castling),
        San::Normal { role, file, rank, to, promotion, .. } => {
            let asked = Asked { role: *role, file: *file, rank: *rank, to: *to };
            let from = origin(&board, color, asked)?;
            let arrives = promotion.unwrap_or(*role).of(color);
            let victim = victim(&board, color, *role, from, *to);
            let lifts = victim.into_iter().chain([from]).map(|square| Hand::Lift(square.into()));
            Ok(lifts.chain([place(*to, arrives)]).collect())
        }
        San::Put { .. } | San::Null => Err("is no move of chess"),
    }
}

/// The men as `shakmaty` has them.
pub(super) fn board(contents: &[Content]) -> Board {
    let mut board = Board::empty();
    for (square, &content) in Square::ALL.into_iter().zip(contents) {
        if let Some(piece) = letter(content).and_then(Piece::from_char) {
            board.set_piece_at(square, piece);
        }
    }
    board
}

fn place(square: Square, piece: Piece) -> Hand {
    Hand::Place(square.into(), man_from_letter(piece.char()).unwrap_or(Content::OCCUPIED))
}

#[derive(Clone, Copy)]
struct Asked {
    role: Role,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
}

fn origin(board: &Board, color: Color, asked: Asked) -> Result<Square, &'static str> {
    let able: Vec<Square> = (board.by_piece(asked.role.of(color)))
        .into_iter()
        .filter(|from| asked.file.is_none_or(|file| from.file() == file))
        .filter(|from| asked.rank.is_none_or(|rank| from.rank() == rank))
        .filter(|&from| reaches(board, color, asked.role, from, asked.to))
        .collect();
    match able.as_slice() {
        [] => Err("cannot be played on this board"),
        [from] => Ok(*from),
        several => {
            let safe: Vec<Square> =
                several.iter().copied().filter(|&from| is_safe(board, color, asked, from)).collect();
            if let [from] = safe.as_slice() { Ok(*from) } else { Err("fits several pieces") }
        }
    }
}

fn reaches(board: &Board, color: Color, role: Role, from: Square, to: Square) -> bool {
    let occupied = board.occupied();
    if board.by_color(color).contains(to) {
        return false;
    }
    if role != Role::Pawn {
        return attacks::attacks(from, role.of(color), occupied).contains(to);
    }
    if from.file() != to.file() {
        return attacks::pawn_attacks(color, from).contains(to)
            && victim(board, color, role, from, to).is_some();
    }
    let ahead = |square: Square| square.offset(color.fold_wb(8, -8)).filter(|&next| !occupied.contains(next));
    let one = ahead(from);
    let is_home = from.rank() == color.fold_wb(Rank::Second, Rank::Seventh);
    one == Some(to) || (is_home && one.and_then(ahead) == Some(to))
}

/// The square of the man that is captured; in passing it is not the square of arrival.
fn victim(board: &Board, color: Color, role: Role, from: Square, to: Square) -> Option<Square> {
    if board.occupied().contains(to) {
        return Some(to);
    }
    let passed = Square::from_coords(to.file(), from.rank());
    let is_en_passant = role == Role::Pawn
        && from.file() != to.file()
        && board.piece_at(passed) == Some(Role::Pawn.of(!color));
    is_en_passant.then_some(passed)
}

fn is_safe(board: &Board, color: Color, asked: Asked, from: Square) -> bool {
    let mut after = board.clone();
    if let Some(victim) = victim(board, color, asked.role, from, asked.to) {
        after.discard_piece_at(victim);
    }
    after.discard_piece_at(from);
    after.set_piece_at(asked.to, asked.role.of(color));
    let kings = after.by_piece(Role::King.of(color));
    kings.into_iter().all(|king| (after.attacks_to(king, !color, after.occupied())).is_empty())
}

/// King and the outermost rook on that side of it, on the first rank.
fn castle(board: &Board, color: Color, castling: CastlingSide) -> Result<Vec<Hand>, &'static str> {
    let rank = Bitboard::from_rank(color.fold_wb(Rank::First, Rank::Eighth));
    let king =
        (board.by_piece(Role::King.of(color)) & rank).first().ok_or("needs a king on its first rank")?;
    let mut rooks = (board.by_piece(Role::Rook.of(color)) & rank).into_iter();
    let rook = match castling {
        CastlingSide::KingSide => rooks.next_back().filter(|&rook| rook > king),
        CastlingSide::QueenSide => rooks.next().filter(|&rook| rook < king),
    };
    let rook = rook.ok_or("needs a rook on that side of the king")?;
    let (king_to, rook_to) = (castling.king_to(color), castling.rook_to(color));
    let (king_man, rook_man) = (Role::King.of(color), Role::Rook.of(color));
    let lifts = |square: Square| Hand::Lift(square.into());
    Ok(match (king == king_to, rook == rook_to) {
        (true, true) => Vec::new(),
        (true, false) => vec![lifts(rook), place(rook_to, rook_man)],
        (false, true) => vec![lifts(king), place(king_to, king_man)],
        // The rook stands where the king goes.
        (false, false) if king_to == rook => {
            vec![lifts(king), lifts(rook), place(king_to, king_man), place(rook_to, rook_man)]
        }
        (false, false) => vec![lifts(king), place(king_to, king_man), lifts(rook), place(rook_to, rook_man)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::capture::pieces_frame;
    use adoube_rules::square_name;

    fn hands(placement: &str, army: u8, san: &str) -> String {
        let frame = pieces_frame(placement).unwrap();
        let written = movetext(san, Family::Chess).unwrap();
        match act(frame.contents(), Army::new(army), &written[0].mv) {
            Err(problem) => problem.to_owned(),
            Ok(hands) => {
                let text = |hand: &Hand| match *hand {
                    Hand::Lift(square) => format!("-{}", square_name(square)),
                    Hand::Place(square, man) => format!("+{}={}", square_name(square), letter(man).unwrap()),
                };
                hands.iter().map(text).collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn the_victim_goes_first_and_the_king_castles_first() {
        let (white, black) = (0, 1);
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(hands(start, white, "e4"), "-e2 +e4=P");
        assert_eq!(hands(start, black, "Nf6"), "-g8 +f6=n");
        assert_eq!(hands(start, white, "Bb5"), "cannot be played on this board");
        assert_eq!(hands("8/8/8/3pP3/8/8/8/8", white, "exd6"), "-d5 -e5 +d6=P");
        assert_eq!(hands("3r4/4P3/8/8/8/8/8/8", white, "exd8=N+"), "-d8 -e7 +d8=N");
        assert_eq!(hands("8/8/8/8/8/8/8/R3K2R", white, "O-O"), "-e1 +g1=K -h1 +f1=R");
        assert_eq!(hands("r3k2r/8/8/8/8/8/8/8", black, "0-0-0"), "-e8 +c8=k -a8 +d8=r");
        assert_eq!(hands("8/8/8/8/8/8/8/5KR1", white, "O-O"), "-f1 -g1 +g1=K +f1=R");
        assert_eq!(hands("8/8/8/8/8/8/8/6KR", white, "O-O"), "-h1 +f1=R");
    }

    #[test]
    fn a_pinned_piece_leaves_the_move_to_the_other_one() {
        let pinned = "4r3/8/8/8/8/8/4N3/N3K3";
        assert_eq!(hands(pinned, 0, "Nc2"), "-a1 +c2=N");
        assert_eq!(hands("4r3/8/8/8/8/4N3/8/N3K3", 0, "Nc2"), "-a1 +c2=N");
        assert_eq!(hands("8/8/8/8/8/8/8/N3N3", 0, "Nc2"), "fits several pieces");
    }

    #[test]
    fn numbers_say_whose_move_it_is() {
        let moves = movetext("1.e4 e5 2. Nf3 2...Nc6!?", Family::Chess).unwrap();
        let armies: Vec<Option<usize>> = moves.iter().map(|written| Some(written.army?.index())).collect();
        assert_eq!(armies, [Some(0), None, Some(0), Some(1)]);
        assert_eq!(movetext("1.e4 xyz", Family::Chess).unwrap_err(), (5, "xyz".to_owned()));
    }
}
