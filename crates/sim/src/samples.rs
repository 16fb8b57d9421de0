//! Games for the tests of this folder.

use fastrand::Rng;
use shakmaty::san::San;

use super::Game;
use adoube_rules::{ChessPosition, Position as _};

/// Both castlings, en passant, a promotion with a capture.
pub(super) const CASTLES_AND_PROMOTES: &str =
    "e4 a6 e5 d5 exd6 Bf5 dxc7 Nc6 cxd8=Q+ Rxd8 Nf3 e6 Bd3 Bxd3 cxd3 Rxd3 O-O Bc5 Nc3 Nf6 Ne4 O-O";

/// Queen's side castlings.
pub(super) const LONG_CASTLES: &str = "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O";

/// The game of these moves from `fen`.
pub(super) fn game_from(fen: &str, chess960: bool, sans: &str) -> Game {
    let start = ChessPosition::from_fen(fen, chess960).unwrap();
    let mut position = start.clone();
    let mut moves = Vec::new();
    for san in sans.split_whitespace() {
        let mv = san.parse::<San>().unwrap().to_move(position.regular().unwrap()).unwrap();
        position = position.play(mv);
        moves.push(mv);
    }
    Game { start, moves, result: None }
}

/// The game of these moves from the start array.
pub(super) fn game(sans: &str) -> Game {
    game_from(&ChessPosition::default().fen(), false, sans)
}

/// Random legal moves.
pub(super) fn random_game(seed: u64, plies: usize) -> Game {
    let mut rng = Rng::with_seed(seed);
    let start = ChessPosition::default();
    let mut position = start.clone();
    let mut moves = Vec::new();
    let mut legal = Vec::new();
    while moves.len() < plies {
        legal.clear();
        position.legal_moves(&mut legal);
        let Some(&mv) = rng.choice(legal.iter()) else { break };
        position = position.play(mv);
        moves.push(mv);
    }
    Game { start, moves, result: None }
}

/// A few whole games with everything that moves can be.
pub(super) fn games() -> Vec<Game> {
    let mut games = vec![
        game(CASTLES_AND_PROMOTES),
        game(LONG_CASTLES),
        game_from("8/P6k/8/8/8/8/p6K/8 w - - 0 1", false, "a8=Q a1=N Qb8"),
        game_from("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", true, "O-O Kd8"),
        game_from("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", true, "O-O-O Kf8"),
    ];
    games.extend((0..6).map(|seed| random_game(seed, 160)));
    games
}
