//! Between the board and the opponent: sends what we make, shows what the opponent plays, until the game is
//! over.
//!
//! Our move is sent once it stands: where the clock on the table runs for us, when it is pressed, because that
//! is how a player says that he is done; else when the board has been quiet for [`REST`]. A man that is dragged
//! rests on squares on his way, and what is sent cannot be taken back.

mod ending;
mod page;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{Instant, sleep_until};

use ending::AFTER_END;

use super::asked::Asked;
use super::line::{Line, Step};
use super::opponent::{End, Opening, Order, Said, State};
use super::shown::{self, Wrong};
use crate::feed::hub::Frame;
use crate::feed::view::GameView;
use crate::hall::{BoardHandle, Hall};
use adoube_core::wire::Announcement;
use adoube_rules::ChessPosition;
use adoube_rules::sensor::Side;

/// A board that is quiet for so long has a move that stands, where no clock is pressed.
const REST: Duration = Duration::from_millis(1_200);
/// After so long, what stands wrong is said.
const WRONG: Duration = Duration::from_secs(3);

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The game is over.
    Over(End),
    /// The opponent is gone: why.
    Gone(String),
    /// The player left.
    Left,
}

/// A game that is driven.
#[derive(Debug)]
pub struct Driver {
    hall: Arc<Hall>,
    board: String,
    game: String,
    handle: BoardHandle,
    opening: Opening,
    line: Line,
    state: State,
    has_state: bool,
    orders: Sender<Order>,
    /// Where words for the player go.
    say: fn(&str),
    /// How many times as fast as the world.
    speed: f64,
    /// The last change on the board.
    quiet_since: Instant,
    /// Since when the game is over.
    ended: Option<Instant>,
    /// The opponent's link is down.
    away: Option<String>,
    /// What was said and shown last.
    said: Option<String>,
    announced: Option<Announcement>,
    told: Option<Map<String, Value>>,
    wrong: Vec<Wrong>,
    must_press: bool,
    /// The game is not open: its position does not stand on the board yet.
    is_set_up: bool,
    /// Moves were taken back by agreement, and are still on the board.
    is_restoring: bool,
    is_ruled: bool,
}

impl Driver {
    /// A driver of a game: `names` are those of its board and its own. `None` if there is no such board, or no
    /// such position to start from.
    #[must_use]
    pub fn new(
        hall: &Arc<Hall>,
        (board, game): (&str, &str),
        opening: Opening,
        orders: Sender<Order>,
        say: fn(&str),
    ) -> Option<Self> {
        let start = ChessPosition::from_fen(&opening.start, opening.is_chess960).ok()?;
        Some(Self {
            hall: Arc::clone(hall),
            board: board.to_owned(),
            game: game.to_owned(),
            handle: hall.board(board)?,
            line: Line::new(start, opening.ours),
            opening,
            state: State::default(),
            has_state: false,
            orders,
            say,
            speed: hall.about().speed,
            quiet_since: Instant::now(),
            ended: None,
            away: None,
            said: None,
            announced: None,
            told: None,
            wrong: Vec::new(),
            must_press: false,
            is_set_up: false,
            is_restoring: false,
            is_ruled: false,
        })
    }

    /// Drives the game to its end.
    pub async fn run(mut self, mut said: Receiver<Said>, mut asked: Receiver<Asked>) -> Outcome {
        let (_, mut frames) = self.hall.desk.subscribe(None);
        // Who has nothing more to say is not asked any more.
        let (mut is_there, mut is_at_keyboard) = (true, true);
        let outcome = loop {
            if let Some(outcome) = self.look().await {
                break outcome;
            }
            let due = self.due();
            tokio::select! {
                frame = frames.recv() => match frame {
                    Ok(frame) => self.take(&frame).await,
                    // How the board stands is looked up, not added up.
                    Err(RecvError::Lagged(_)) => self.quiet_since = Instant::now(),
                    Err(RecvError::Closed) => break Outcome::Left,
                },
                heard = said.recv(), if is_there => match heard {
                    Some(heard) => {
                        if let Some(reason) = self.hear(heard).await {
                            break Outcome::Gone(reason);
                        }
                    }
                    None if self.state.end.is_some() => is_there = false,
                    None => break Outcome::Gone("the opponent has left".to_owned()),
                },
                asked = asked.recv(), if is_at_keyboard => match asked {
                    Some(Asked::Quit) => break Outcome::Left,
                    Some(asked) => self.ask(asked).await,
                    // The page is there.
                    None => is_at_keyboard = false,
                },
                () = sleep_until(due) => {}
            }
        };
        if let Outcome::Gone(reason) = &outcome {
            self.tell_gone(reason);
        }
        outcome
    }

    fn time(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }

    /// When something may be due without anything happening.
    fn due(&self) -> Instant {
        let now = Instant::now();
        let due = [self.time(REST), self.time(WRONG)].map(|time| self.quiet_since + time);
        let end = self.ended.map(|ended| ended + self.time(AFTER_END));
        let due = due.into_iter().chain(end).filter(|due| *due > now).min();
        // Times on the page run by themselves.
        due.unwrap_or(now + Duration::from_secs(60))
    }

    fn is_quiet(&self, time: Duration) -> bool {
        self.quiet_since.elapsed() >= self.time(time)
    }

    /// Looks at an event of the board.
    async fn take(&mut self, frame: &Frame) {
        if *frame.board != *self.board || frame.is_aside {
            return;
        }
        match frame.name {
            "piece-lifted" | "piece-placed" | "move-made" | "move-retracted" | "game-opened" => {
                self.quiet_since = Instant::now();
            }
            "ruled" => self.ruled(frame).await,
            _ => {}
        }
    }

    /// What was entered at the desk is meant for the opponent, too.
    async fn ruled(&mut self, frame: &Frame) {
        let Ok(ruling) = serde_json::from_str::<Value>(&frame.line) else { return };
        let text = |key: &str| ruling.get(key).and_then(Value::as_str);
        if text("by") == Some(NAME) {
            return;
        }
        let is_ours = text("side") == Some(self.opening.ours.name());
        match text("name") {
            Some("resign") if is_ours => {
                self.is_ruled = true;
                self.order(Order::Resign);
            }
            Some("draw-offer") if is_ours => self.order(Order::Draw(true)),
            _ => {}
        }
    }

    /// Tells the opponent, who takes a few things at once; a move is one at a time.
    fn order(&self, order: Order) {
        if self.orders.try_send(order).is_err() && self.state.end.is_none() {
            (self.say)("your opponent does not listen at the moment");
        }
    }

    /// What the opponent says. Gives why the game cannot go on, if it cannot.
    async fn hear(&mut self, said: Said) -> Option<String> {
        match said {
            Said::State(state) => return self.stands(state).await,
            Said::Refused { ply, reason } => {
                self.line.refused(ply.saturating_sub(self.opening.skipped));
                (self.say)(&format!("your move was refused: {reason}"));
            }
            Said::Note(note) => (self.say)(&note),
            Said::Away(Some(reason)) => {
                (self.say)(&format!("no connection: {reason}; it is tried again"));
                self.away = Some(reason);
            }
            Said::Away(None) => {
                (self.say)("connected again");
                self.away = None;
            }
            Said::Gone(reason) => return Some(reason),
        }
        None
    }

    /// The game stands so with the opponent.
    async fn stands(&mut self, state: State) -> Option<String> {
        let board = self.board_moves();
        let is_new = !std::mem::replace(&mut self.has_state, true)
            || state.moves.len() != self.state.moves.len()
            || state.end.is_some() != self.state.end.is_some();
        let Some(moves) = state.moves.get(self.opening.skipped..) else {
            return Some("more moves were taken back than the board has seen".to_owned());
        };
        match self.line.agree(moves, &board) {
            Ok(true) => {
                (self.say)("a move was taken back");
                // What was taken back by agreement is no displaced man.
                let kept = moves.len();
                if board.len() > kept {
                    self.rule(json!({ "name": "restore-position", "ply": kept })).await;
                    self.is_restoring = true;
                }
            }
            Ok(false) => {}
            Err(error) => return Some(format!("the opponent's moves cannot be: {error}")),
        }
        let offers = |side: Option<Side>| side.is_some_and(|side| side != self.opening.ours);
        if offers(state.draw_offer) && state.draw_offer != self.state.draw_offer {
            (self.say)("your opponent offers a draw: \"draw\" accepts, \"no\" or a move declines");
        }
        if offers(state.takeback) && state.takeback != self.state.takeback {
            (self.say)("your opponent asks to take a move back: \"takeback\" accepts, \"no\" declines");
        }
        self.state = state;
        if let Some(end) = &self.state.end {
            self.ended.get_or_insert_with(Instant::now);
            tracing::info!(reason = end.reason, "the game is over");
        }
        if let Some(times) = self.state.times.filter(|_| is_new) {
            // On Lichess the clock runs once both have moved; ours has its own, if it cannot be set.
            let is_running = self.state.moves.len() >= 2 && self.state.end.is_none();
            let running = Some(self.line.turn()).filter(|_| is_running);
            let left_ms = [times.white_ms, times.black_ms];
            self.handle.announce(Announcement::Times { left_ms, running }).await;
        }
        None
    }

    async fn ask(&mut self, asked: Asked) {
        match asked {
            Asked::Resign => self.order(Order::Resign),
            Asked::Draw => self.order(Order::Draw(true)),
            Asked::Takeback => self.order(Order::Takeback(true)),
            Asked::Abort => self.order(Order::Abort),
            Asked::No => {
                let ours = self.opening.ours;
                let theirs = |side: Option<Side>| side.is_some_and(|side| side != ours);
                if theirs(self.state.draw_offer) {
                    self.order(Order::Draw(false));
                }
                if theirs(self.state.takeback) {
                    self.order(Order::Takeback(false));
                }
            }
            Asked::Status => {
                self.said = None;
                if let Some(times) = self.state.times {
                    (self.say)(&shown::times_words(times));
                }
            }
            Asked::Quit => {}
        }
    }

    /// The game on the board, if it is open.
    fn view(&self) -> Option<GameView> {
        self.hall.desk.with_view(|view| view.game(&self.game).cloned())
    }

    /// The moves that the board shows; one that is illegal and stands is none of them.
    fn board_moves(&self) -> Vec<String> {
        self.view().map(|game| moves_of(&game)).unwrap_or_default()
    }

    /// Sees what has to be done, does what is due, and shows the rest.
    async fn look(&mut self) -> Option<Outcome> {
        let game = self.view();
        let moves = game.as_ref().map(moves_of).unwrap_or_default();
        let mut step = self.line.step(&moves);
        (self.must_press, self.is_set_up) = (false, game.is_some());
        if let (Step::Send { ply, uci }, None) = (&step, &self.state.end) {
            let game = game.as_ref();
            let played = game.map(|game| game.moves.all()).unwrap_or_default();
            let made = played.get(ply - 1);
            let is_timed = game
                .and_then(|game| game.clock.as_ref()?.running)
                .is_some_and(|side| side == self.opening.ours);
            self.must_press = is_timed && !made.is_some_and(|mv| mv.completed);
            let stands = if is_timed || made.is_some_and(|mv| mv.pressed_ms.is_some()) {
                !self.must_press
            } else {
                self.is_quiet(REST)
            };
            if stands && self.line.sent(*ply, uci) {
                let ply = ply + self.opening.skipped;
                self.order(Order::Move { ply, uci: uci.clone() });
                step = self.line.step(&moves);
            }
        }
        self.see_wrong(game.as_ref()).await;
        self.show(&step).await;
        self.over(game.as_ref(), &step).await
    }

    /// Compares what stands with what the board's own game says, once it has been quiet.
    async fn see_wrong(&mut self, game: Option<&GameView>) {
        // A man in a hand is missing from the board; what was said to be wrong is right as soon as it is.
        if self.is_restoring || self.is_quiet(if self.wrong.is_empty() { WRONG } else { REST }) {
            self.compare(game).await;
        }
    }

    async fn compare(&mut self, game: Option<&GameView>) {
        let fen = game.map_or(self.opening.start.as_str(), GameView::fen);
        let Ok(position) = ChessPosition::from_fen(fen, self.opening.is_chess960) else { return };
        let Some(picture) = self.handle.picture().await else { return };
        let wrong = match picture.contents.len() {
            // Nothing was seen yet.
            0 => Vec::new(),
            _ => shown::wrong(&picture.contents, &position.contents(), picture.is_named),
        };
        // The ruling is on disk before it is shown here.
        let has_more = game.is_some_and(|game| game.moves.len() > self.line.plies().len());
        self.is_restoring &= has_more || !wrong.is_empty();
        if wrong != self.wrong && !wrong.is_empty() && self.is_quiet(WRONG) {
            (self.say)(&format!("on the board: {}", shown::wrong_words(&wrong)));
        }
        self.wrong = wrong;
    }

    /// Shows a step wherever the player may look.
    async fn show(&mut self, step: &Step) {
        let announcement = match &self.state.end {
            None if self.is_restoring => Announcement::Text("undo".to_owned()),
            None if !self.is_set_up => Announcement::Clear,
            Some(_) if !matches!(step, Step::Make { .. }) => Announcement::Clear,
            _ => shown::announcement(step),
        };
        if self.announced.as_ref() != Some(&announcement) {
            self.handle.announce(announcement.clone()).await;
            self.announced = Some(announcement);
        }
        let words = match step {
            _ if !self.is_set_up && self.state.end.is_none() => "set up the board".to_owned(),
            _ if self.is_restoring => String::new(),
            Step::Send { uci, .. } if self.must_press => format!("{uci}: press the clock to send it"),
            _ if self.state.end.is_some() && !matches!(step, Step::Make { .. }) => String::new(),
            step => shown::words(step, self.opening.ours),
        };
        if !words.is_empty() && self.said.as_deref() != Some(&words) {
            (self.say)(&words);
            self.said = Some(words);
        }
        self.tell(step);
    }
}

/// Who enters results here.
const NAME: &str = "adoube play";

fn moves_of(game: &GameView) -> Vec<String> {
    game.moves.all().iter().take_while(|mv| mv.legal).map(|mv| mv.uci.clone()).collect()
}
