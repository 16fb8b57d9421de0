//! Bytes read as a position, and what must hold of who can still mate from it, whatever it is. `fuzz/` finds
//! bytes that `any_bytes` does not.

use adoube_winnable::{CanMate, Dead, can_mate, cannot_mate, check as check_certificate, dead};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup as _, Move, Piece, Position as _, PositionError,
    Rank, Role, Setup, Square,
};

/// Positions that a search may look at: enough for most, and a case takes milliseconds.
const NODES: u32 = 200;
/// Moves that are played on from where a side cannot mate.
const PLIES: usize = 40;

/// Asks who can mate from a game, from anything put on a board, or from pawns that block each other, as the first
/// byte says.
pub(crate) fn check(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let mut bytes = Bytes(bytes.iter());
    match kind % 3 {
        0 => check_game(&mut bytes),
        1 => check_setup(anything(&mut bytes)),
        _ => check_setup(blocked(&mut bytes)),
    }
}

/// Nothing but zeros at their end.
struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.0.len() == 0
    }

    fn square(&mut self) -> Square {
        Square::new(u32::from(self.next() % 64))
    }
}

/// Who was said not to mate at one ply does not mate at a later one.
fn check_game(bytes: &mut Bytes<'_>) {
    let mut chess = Chess::default();
    let mut ruled_out = [false; 2];
    while !bytes.is_over() {
        let moves = chess.legal_moves();
        if moves.is_empty() {
            break;
        }
        for (ruled_out, side) in ruled_out.iter_mut().zip(Color::ALL) {
            *ruled_out |= cannot_mate(&chess, side).is_some();
        }
        chess.play_unchecked(moves[usize::from(bytes.next()) % moves.len()]);
    }
    for (ruled_out, side) in ruled_out.into_iter().zip(Color::ALL) {
        let answer = check_side(&chess, side);
        assert!(!ruled_out || !matches!(answer, CanMate::Yes(_)), "{side:?} {:?}", chess.board());
    }
    check_position(&chess);
}

/// Up to 30 men and both kings anywhere, any rights.
fn anything(bytes: &mut Bytes<'_>) -> Setup {
    let mut setup = kings(bytes);
    for _ in 0..30 {
        if bytes.is_over() {
            break;
        }
        let (square, man) = (bytes.square(), bytes.next());
        let role = [Role::Pawn, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            [usize::from(man / 2 % 6)];
        put(&mut setup.board, square, role.of(Color::from_white(man.is_multiple_of(2))));
    }
    setup.castling_rights =
        Bitboard::CORNERS & !Bitboard(u64::from(bytes.next()) << 56 | u64::from(bytes.next()));
    setup.ep_square = Some(bytes.square());
    setup
}

/// On each file a pawn of each side that stand before each other, or one of them, or none; bishops and knights.
fn blocked(bytes: &mut Bytes<'_>) -> Setup {
    let mut setup = kings(bytes);
    for file in 0..8 {
        let byte = bytes.next();
        let below = Square::new(file + 8 * (1 + u32::from(byte / 8 % 5)));
        if !byte.is_multiple_of(5) {
            put(&mut setup.board, below, Color::White.pawn());
        }
        if !byte.is_multiple_of(7) {
            put(&mut setup.board, Square::new(u32::from(below) + 8), Color::Black.pawn());
        }
    }
    for _ in 0..bytes.next() % 4 {
        let (square, man) = (bytes.square(), bytes.next());
        let role = if man.is_multiple_of(3) { Role::Knight } else { Role::Bishop };
        put(&mut setup.board, square, role.of(Color::from_white(man.is_multiple_of(2))));
    }
    setup
}

fn kings(bytes: &mut Bytes<'_>) -> Setup {
    let mut setup = Setup::empty();
    setup.turn = Color::from_white(bytes.next().is_multiple_of(2));
    for color in Color::ALL {
        setup.board.set_piece_at(bytes.square(), color.king());
    }
    setup
}

/// Kings stay, and no pawn stands where none can.
fn put(board: &mut Board, square: Square, man: Piece) {
    let is_barred = man.role == Role::Pawn && matches!(square.rank(), Rank::First | Rank::Eighth);
    if !is_barred && !board.kings().contains(square) {
        board.set_piece_at(square, man);
    }
}

fn check_setup(setup: Setup) {
    let chess = Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square);
    if let Ok(chess) = chess {
        check_position(&chess);
    }
}

fn check_position(chess: &Chess) {
    let answers = Color::ALL.map(|side| check_side(chess, side));
    let can = answers.each_ref().map(verdict);
    let is_over = chess.legal_moves().is_empty();
    if !is_over && dead(chess, NODES) == Dead::Yes {
        assert!(!can.contains(&Some(true)), "dead, but {can:?}: {:?}", chess.board());
    }
    for (turned, is_turned) in [(by_color(chess), true), (by_file(chess), false)] {
        let Some(turned) = turned else { continue };
        for (side, can) in Color::ALL.into_iter().zip(can) {
            let turned_side = if is_turned { !side } else { side };
            let turned_can = verdict(&check_side(&turned, turned_side));
            if let (Some(can), Some(turned_can)) = (can, turned_can) {
                assert_eq!(can, turned_can, "{side:?}, turned over: {:?}", chess.board());
            }
        }
    }
}

fn verdict(answer: &CanMate) -> Option<bool> {
    match answer {
        CanMate::Yes(_) => Some(true),
        CanMate::No(_) => Some(false),
        CanMate::Unknown(_) => None,
    }
}

/// The answer for one side, after it has been tried in every way.
fn check_side(chess: &Chess, side: Color) -> CanMate {
    let answer = can_mate(chess, side, NODES);
    match &answer {
        CanMate::Yes(line) => assert_mates(chess.clone(), side, line),
        CanMate::No(certificate) => {
            if let Err(flaw) = check_certificate(chess, side, certificate) {
                panic!("{flaw:?}: {side:?} {:?}", chess.board());
            }
            play_on(chess.clone(), side);
        }
        CanMate::Unknown(effort) => assert!(effort.nodes <= NODES, "{effort:?}"),
    }
    answer
}

/// The moves are legal and mate, and before none of them the quick form says that they cannot.
fn assert_mates(mut chess: Chess, side: Color, line: &[Move]) {
    for &mv in line {
        assert_eq!(cannot_mate(&chess, side), None, "{mv:?}: {:?}", chess.board());
        assert!(chess.legal_moves().contains(&mv), "{mv:?}: {:?}", chess.board());
        chess.play_unchecked(mv);
    }
    assert!(is_mate(&chess, side), "{line:?}: {:?}", chess.board());
}

fn is_mate(chess: &Chess, side: Color) -> bool {
    chess.is_checkmate() && chess.turn() != side
}

/// Plays at random and fails if the side could mate anywhere on the way.
fn play_on(mut chess: Chess, side: Color) {
    for ply in 0..PLIES {
        let moves = chess.legal_moves();
        if moves.is_empty() {
            break;
        }
        for &mv in &moves {
            let mut next = chess.clone();
            next.play_unchecked(mv);
            assert!(!is_mate(&next, side), "{side:?} mates by {mv:?}: {:?}", chess.board());
        }
        // Any way through will do; this one takes many moves of the list in turn.
        chess.play_unchecked(moves[(ply * 31 + 7) % moves.len()]);
    }
}

/// The same with the colours changed, and the board turned over so that pawns move on.
fn by_color(chess: &Chess) -> Option<Chess> {
    let mut setup = chess.to_setup(shakmaty::EnPassantMode::Legal);
    setup.mirror();
    again(setup)
}

/// The same in a mirror; there is none of castling.
fn by_file(chess: &Chess) -> Option<Chess> {
    let mut setup = chess.to_setup(shakmaty::EnPassantMode::Legal);
    if !chess.castles().is_empty() {
        return None;
    }
    setup.board.flip_horizontal();
    setup.ep_square = setup.ep_square.map(Square::flip_horizontal);
    again(setup)
}

fn again(setup: Setup) -> Option<Chess> {
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}
