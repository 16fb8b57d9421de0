//! The moves of chess, regular and irregular, counted and compared.
//!
//! Every position is played by `Irregular` too, which has to agree with published counts and with
//! `shakmaty` wherever both can play.

use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::{Chess, ChessPosition, Irregular, Position as _, Variant as _};
use proptest::prelude::*;
use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::{
    Bitboard, Board, CastlingMode, Color, EnPassantMode, FromSetup as _, Move, Piece, Position as _, Role,
    Setup, Square,
};

use crate::data;
use crate::depth::{cases, sampled};
use crate::slots::computing;

/// The deepest count of each position that is no higher: the counts of all files together take some
/// seconds then.
const MOST_MOVES: u64 = 12_000;

fn perft(position: &Irregular, depth: u32) -> u64 {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|&mv| perft(&position.play(mv), depth - 1)).sum(),
    }
}

fn perft_of_variant(position: &ChessPosition, depth: u32) -> u64 {
    let moves = moves_of(position);
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|&mv| perft_of_variant(&position.play(mv), depth - 1)).sum(),
    }
}

fn moves_of(position: &ChessPosition) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

/// Counts the positions of a file: `epd FEN`, then `perft DEPTH COUNT` for several depths.
fn counts_agree(name: &str, mode: CastlingMode) {
    let Some(text) = data::text(&format!("perft/{name}.perft")) else { return };
    let mut positions: Vec<(&str, Vec<(u32, u64)>)> = Vec::new();
    for line in text.lines() {
        if let Some(epd) = line.trim().strip_prefix("epd ") {
            positions.push((epd, Vec::new()));
        } else if let Some(count) = line.trim().strip_prefix("perft ") {
            let (depth, count) = count.split_once(' ').unwrap();
            let count = (depth.parse().unwrap(), count.trim().parse().unwrap());
            positions.last_mut().unwrap().1.push(count);
        }
    }
    assert!(positions.len() > 10);
    for (epd, counts) in sampled(name, positions, 3) {
        let Some(&(depth, count)) = counts.iter().rfind(|count| count.1 <= MOST_MOVES) else { continue };
        let setup = epd.parse::<Fen>().unwrap().into_setup();
        assert_eq!(perft(&Irregular::from_setup(setup, mode), depth), count, "{epd}, depth {depth}");
        let position = ChessPosition::from_fen(epd, mode.is_chess960()).unwrap();
        // One position has more queens than a game can bring.
        assert!(position.is_regular() || position.board().queens().count() > 18, "{epd}");
        assert_eq!(perft_of_variant(&position, depth), count, "{epd}, depth {depth}");
    }
}

#[test]
fn random_positions_have_the_published_counts() {
    let _slot = computing();
    counts_agree("random", CastlingMode::Standard);
}

#[test]
fn tricky_positions_have_the_published_counts() {
    counts_agree("tricky-shakmaty", CastlingMode::Chess960);
    counts_agree("tricky-python-chess", CastlingMode::Chess960);
}

#[test]
fn chess960_positions_have_the_published_counts() {
    counts_agree("chess960", CastlingMode::Chess960);
}

/// The men of the first rank in the start array of that number (Scharnagl).
fn start_row(number: usize) -> String {
    const KNIGHTS: [[usize; 2]; 10] =
        [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
    let mut row = [' '; 8];
    row[number % 4 * 2 + 1] = 'B';
    row[number / 4 % 4 * 2] = 'B';
    let free = |row: &[char; 8]| -> Vec<usize> { (0..8).filter(|&file| row[file] == ' ').collect() };
    row[free(&row)[number / 16 % 6]] = 'Q';
    let files = free(&row);
    for index in KNIGHTS[number / 96] {
        row[files[index]] = 'N';
    }
    for (file, man) in free(&row).into_iter().zip(['R', 'K', 'R']) {
        row[file] = man;
    }
    row.iter().collect()
}

fn start(number: usize) -> ChessPosition {
    let row = start_row(number);
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{row} w KQkq - 0 1", row.to_lowercase());
    ChessPosition::from_fen(&fen, true).unwrap()
}

#[test]
fn all_start_arrays_have_the_moves_that_shakmaty_gives() {
    let _slot = computing();
    assert_eq!(start_row(518), "RNBQKBNR");
    for number in sampled("start arrays", 0..960, 4) {
        let start = start(number);
        assert_eq!(*start.board(), Board::chess960(u32::try_from(number).unwrap()), "{number}");
        assert_eq!(Chess::recognise_start(&start.contents(), true, true), Some(start.clone()), "{number}");
        let chess = start.regular().unwrap();
        let setup = chess.to_setup(EnPassantMode::Always);
        let counted = perft(&Irregular::from_setup(setup, CastlingMode::Chess960), 3);
        assert_eq!(counted, shakmaty::perft(chess, 3), "{number}");
    }
}

fn picked(moves: &[Move], pick: u16) -> Option<Move> {
    moves.get(usize::from(pick) % moves.len().max(1)).copied()
}

/// Any board whatsoever: from a few men to a board full of queens.
fn contents() -> impl Strategy<Value = Vec<Content>> {
    // Any man, any but kings, queens alone.
    let roles = prop::sample::select(vec![0..6_usize, 0..5, 4..5]);
    (1..12_u32, roles).prop_flat_map(|(empty, roles)| {
        let man = (0..2_u8, roles).prop_map(|(seat, role)| Content::man(Army::new(seat), Role::ALL[role]));
        let square = prop_oneof![empty * empty => Just(Content::EMPTY), 6 => man];
        prop::collection::vec(square, 64)
    })
}

/// Any placement with any rights and counters that a FEN can hold.
fn placement() -> impl Strategy<Value = String> {
    (contents(), any::<[bool; 2]>(), any::<u64>(), 0..128_u8).prop_map(|(contents, flags, rights, ep)| {
        let before = ChessPosition::default();
        let board = ChessPosition::from_contents(&contents, Side::White, &before).board().clone();
        // King and rook on their squares, so that castling comes up.
        let board = if flags[0] { board } else { with_castling(board) };
        let setup = Setup {
            castling_rights: Bitboard(rights) & Bitboard::BACKRANKS & board.rooks(),
            board,
            turn: Color::from_white(flags[1]),
            ep_square: Square::try_from(ep).ok(),
            ..Setup::empty()
        };
        Fen::try_from_setup(setup).unwrap_or_else(LossyFenError::ignore).to_string()
    })
}

fn with_castling(mut board: Board) -> Board {
    for color in Color::ALL {
        for king in board.by_piece(Role::King.of(color)) {
            board.discard_piece_at(king);
        }
    }
    for (square, role) in [(Square::E1, Role::King), (Square::H1, Role::Rook), (Square::A1, Role::Rook)] {
        board.set_piece_at(square, Piece { color: Color::White, role });
        board.set_piece_at(square.flip_vertical(), Piece { color: Color::Black, role });
    }
    board
}

/// What holds in any position; a step on from it.
fn sound(position: &ChessPosition, pick: u16) -> Option<ChessPosition> {
    let fen = position.fen();
    assert_eq!(ChessPosition::from_fen(&fen, position.is_chess960()).unwrap(), *position, "{fen}");
    let moves = moves_of(position);
    if position.end().is_some_and(|end| end.name() != "dead-position") {
        assert!(moves.is_empty(), "{fen}");
    }
    let mv = picked(&moves, pick)?;
    let next = position.play(mv);
    let mut contents = position.contents();
    for &(square, before, after) in position.footprint(mv).changes() {
        assert_eq!(contents[square], before, "{mv:?} in {fen}");
        contents[square] = after;
    }
    assert_eq!(contents, next.contents(), "{mv:?} in {fen}");
    let kings = |position: &ChessPosition| position.board().kings().count();
    assert_eq!(kings(position), kings(&next), "{mv:?} in {fen}");
    let mover = position.turn();
    assert!(!next.checked_sides()[mover.index()], "{mv:?} in {fen}");
    let written = position.played(mv);
    assert_eq!(written.fen(), next.fen());
    let san = written.san();
    let alike = moves.iter().filter(|other| other.to() == mv.to() && other.role() == mv.role());
    let same = alike.filter(|&&other| position.played(other).san() == san).count();
    assert_eq!(same, 1, "{san} in {fen}");
    position.prior(mv);
    position.rest(mv);
    Some(next)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn irregular_and_regular_play_agree_wherever_both_apply(
        number in 0..960_usize,
        picks in prop::collection::vec(any::<u16>(), 1..80),
    ) {
        let _slot = computing();
        let mut position = start(number);
        for pick in picks {
            let chess = position.regular().unwrap();
            let setup = |chess: &shakmaty::Chess| chess.to_setup(EnPassantMode::Always);
            let irregular = Irregular::from_setup(setup(chess), CastlingMode::Chess960);
            let mut found = Vec::new();
            irregular.legal_moves(&mut found);
            let mut moves = moves_of(&position);
            for moves in [&mut found, &mut moves] {
                moves.sort_unstable_by_key(|mv| format!("{mv:?}"));
            }
            prop_assert_eq!(&found, &moves, "{}", position.fen());
            let Some(mv) = picked(&moves, pick) else { break };
            position = position.play(mv);
            prop_assert_eq!(irregular.play(mv).setup(), setup(position.regular().unwrap()));
        }
    }

    #[test]
    fn any_placement_can_be_played_on(
        fen in placement(),
        chess960 in any::<bool>(),
        picks in prop::collection::vec(any::<u16>(), 1..12),
    ) {
        let mut position = ChessPosition::from_fen(&fen, chess960).unwrap();
        let is_standard = shakmaty::Chess::from_setup(
            fen.parse::<Fen>().unwrap().into_setup(),
            CastlingMode::from_chess960(chess960),
        );
        if is_standard.is_ok() {
            prop_assert!(position.is_regular());
        }
        for pick in picks {
            let Some(next) = sound(&position, pick) else { break };
            position = next;
        }
    }

    #[test]
    fn whatever_stands_is_written_and_played_on(
        number in 0..960_usize,
        changes in prop::collection::vec((0..64_usize, 0..64_usize), 0..3),
        pick in any::<u16>(),
    ) {
        let mut before = start(number);
        for (from, to) in changes {
            let mut contents = before.contents();
            contents[to] = std::mem::take(&mut contents[from]);
            let after = before.stood(&contents);
            prop_assert_eq!(&after.contents(), &contents);
            let played = before.played_stood(&after);
            prop_assert_eq!(played.side(), before.turn());
            prop_assert_eq!(played.fen(), after.fen());
            prop_assert!(!played.san().is_empty());
            sound(&after, pick);
            before = after;
        }
    }
}
