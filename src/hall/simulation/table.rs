//! A board and its line, on virtual time: they are there whether or not the daemon is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout};

use adoube_rules::sensor::Content;
use adoube_rules::{Chess, Position as _};
use adoube_sim::{BoardConfig, Game, VirtualBoard};

/// A board with nothing to do looks up so often, and sees that its line was cut.
const IDLE: Duration = Duration::from_millis(50);

/// A board whose host takes no bytes waits no longer.
const FULL: Duration = Duration::from_secs(1);

/// A board, seen from all sides.
#[derive(Debug, Clone)]
pub(super) struct Table(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    board: VirtualBoard,
    is_cut: bool,
    garbage: Vec<u8>,
    /// What stands there when the game is over.
    last: (Vec<Content>, String),
}

/// Time from the opening of the doors, in whichever run of the daemon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub(super) before_ns: u64,
    pub(super) began: Instant,
}

impl Time {
    pub(super) fn now_ns(&self) -> u64 {
        self.before_ns + u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// How long it is until then.
    pub(super) fn until(&self, at_ns: u64) -> Duration {
        Duration::from_nanos(at_ns.saturating_sub(self.now_ns()))
    }
}

impl Table {
    pub(super) fn new(game: &Game<Chess>, config: BoardConfig) -> Self {
        let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
        Self(Arc::new(Mutex::new(State {
            board: VirtualBoard::new(game, config),
            is_cut: false,
            garbage: Vec::new(),
            last: (last.contents(), last.fen()),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn cut(&self, is_cut: bool) {
        self.state().is_cut = is_cut;
    }

    pub(super) fn say(&self, garbage: &[u8]) {
        self.state().garbage.extend(garbage);
    }

    /// The game is over.
    pub(super) fn is_finished(&self) -> bool {
        self.state().board.is_finished()
    }

    /// Time passes while no daemon is there.
    pub(super) fn pass(&self, now_ns: u64) {
        self.state().board.poll(now_ns, &mut Vec::new());
    }

    /// What stands there when the game is over, and as FEN.
    pub(super) fn last(&self) -> (Vec<Content>, String) {
        self.state().last.clone()
    }

    /// Is there for whoever calls.
    pub(super) async fn serve(self, mut calls: UnboundedReceiver<DuplexStream>, time: Time) {
        let mut line: Option<DuplexStream> = None;
        let mut heard = [0; 256];
        loop {
            let mut said = Vec::new();
            let wait = {
                let mut state = self.state();
                let now_ns = time.now_ns();
                state.board.poll(now_ns, &mut said);
                said.append(&mut state.garbage);
                if state.is_cut {
                    line = None;
                }
                state
                    .board
                    .wake_at_ns()
                    .map_or(IDLE, |at_ns| time.until(at_ns))
                    .clamp(Duration::from_millis(1), IDLE)
            };
            if let Some(stream) = &mut line
                && !said.is_empty()
                && !matches!(timeout(FULL, stream.write_all(&said)).await, Ok(Ok(())))
            {
                line = None;
            }
            let read = async {
                match &mut line {
                    Some(stream) => stream.read(&mut heard).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(call) = calls.recv() => line = Some(call),
                read = timeout(wait, read) => match read {
                    Err(_) => {}
                    Ok(Ok(count @ 1..)) => self.state().board.receive(&heard[..count], time.now_ns()),
                    Ok(_) => line = None,
                },
            }
        }
    }
}
