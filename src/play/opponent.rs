//! What an opponent is to the driver: orders go in, how the game stands comes out.

use tokio::sync::mpsc::{Receiver, Sender};

use adoube_core::event::Player;
use adoube_rules::GameResult;
use adoube_rules::sensor::Side;

/// How a game begins, known before the board is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// FEN of the position that it starts from.
    pub start: String,
    /// It is Chess960: castling is written as king takes rook.
    pub is_chess960: bool,
    /// The side that we play.
    pub ours: Side,
    /// White and Black.
    pub players: [Player; 2],
    /// Base and increment in seconds, `600+5`; `None` without a clock.
    pub time_control: Option<String>,
    /// Moves that were made before, from-to notation.
    pub moves: Vec<String>,
    /// So many of the game's moves were made before the board came to it: `start` is the position after them.
    pub skipped: usize,
    /// Where it can be looked at.
    pub address: Option<String>,
}

/// Both times, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// White's.
    pub white_ms: u64,
    /// Black's.
    pub black_ms: u64,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The result; `None` if it was aborted and does not count.
    pub result: Option<GameResult>,
    /// Lichess's word for it: `mate`, `resign`, `draw`, `outoftime`, `aborted` …
    pub reason: String,
}

/// How the game stands with the opponent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// All moves that are agreed, from-to notation; castling written either way.
    pub moves: Vec<String>,
    /// The times, if there is a clock.
    pub times: Option<Times>,
    /// Who offers a draw.
    pub draw_offer: Option<Side>,
    /// Who asks to take a move back.
    pub takeback: Option<Side>,
    /// It is over.
    pub end: Option<End>,
}

/// What the opponent is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// We played this; it is ply `ply`, from 1.
    Move {
        /// Its number.
        ply: usize,
        /// From-to notation; king takes rook in Chess960.
        uci: String,
    },
    /// We resign.
    Resign,
    /// We offer a draw or accept one; or decline it.
    Draw(bool),
    /// We ask to take a move back or let it be taken back; or refuse that.
    Takeback(bool),
    /// The game shall not count; possible before the second move.
    Abort,
}

/// What the opponent says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// How the game stands now.
    State(State),
    /// Our move was not taken.
    Refused {
        /// Its number.
        ply: usize,
        /// Why.
        reason: String,
    },
    /// Something for the player to read.
    Note(String),
    /// It is not there for the moment, or (`None`) there again.
    Away(Option<String>),
    /// Nothing more will come: why.
    Gone(String),
}

/// Somebody to play against.
///
/// It runs until the game is over or `orders` is closed. It never waits for the driver longer than `said` is
/// full, and gives up only with [`Said::Gone`].
pub trait Opponent: Send + 'static {
    /// Plays the game.
    fn play(self, orders: Receiver<Order>, said: Sender<Said>) -> impl Future<Output = ()> + Send;
}
