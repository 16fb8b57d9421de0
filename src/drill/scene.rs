//! What a walk sees and does: hands at its boards, and a look at what adoube says and the arbiter rules.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::time::{sleep, timeout};

use super::LiveBoard;
use crate::feed::hub::READINESS;
use crate::feed::records::{Record, record_of};
use crate::feed::view::GameView;
use crate::hall::Hall;
use adoube_core::event::Status;
use adoube_core::event::finding::{Finding, PartState, ResolutionPart};
use adoube_core::ruling::{Ruled, Ruling, Task};
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;

/// Between two looks at something that is awaited.
const LOOK: Duration = Duration::from_millis(50);
/// What hands have done is seen within this: a busy machine takes its time.
const SEEN: Duration = Duration::from_secs(60);
/// What follows from a ruling is told with it; a busy machine takes a moment longer.
const TOLD: Duration = Duration::from_secs(5);
/// Before hands do what was ruled: the arbiter goes to the board.
const WAY_MS: u64 = 3_000;

/// The boards of a walk, numbered from 0, and the hall in which they stand.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) hall: Arc<Hall>,
    pub(super) boards: Vec<LiveBoard>,
    /// What the first of them is called; the others follow.
    pub(super) first: usize,
}

impl Scene {
    pub(super) fn name(&self, board: usize) -> String {
        (self.first + board).to_string()
    }

    /// The pairing of a board.
    pub(super) fn pairing(&self, board: usize) -> String {
        format!("1-{}", self.first + board)
    }

    /// The clock of a board is started, and heard.
    pub(super) async fn starts(&self, board: usize) -> anyhow::Result<()> {
        self.boards[board].start_clock();
        let runs = |game: &GameView| game.clock.as_ref().is_some_and(|clock| clock.running.is_some());
        self.seen("its clock runs", || self.game(board, runs)).await
    }

    /// Both sides play these moves (`e2e4 e7e5`) with their presses, each once the one before was seen.
    pub(super) async fn play(&self, board: usize, moves: &str) -> anyhow::Result<()> {
        for squares in moves.split_whitespace() {
            let plies = self.look(board, |game| game.moves.len()).unwrap_or_default();
            self.boards[board].play(squares, self.turn(board)).await;
            self.seen(squares, || self.game(board, |game| game.moves.len() == plies + 1)).await?;
        }
        Ok(())
    }

    /// Whose move it is.
    pub(super) fn turn(&self, board: usize) -> Side {
        let is_black = self.look(board, |game| game.fen().split(' ').nth(1) == Some("b"));
        if is_black == Some(true) { Side::Black } else { Side::White }
    }

    /// The clock is stopped: nobody plays while the arbiter decides.
    pub(super) fn stops(&self, board: usize) {
        self.boards[board].stop_clock();
    }

    /// Whoever practises is told something that no board can say.
    pub(super) async fn tells(&self, board: usize, text: &str) {
        let text = format!("board {}: {text}", self.name(board));
        println!("      {text}");
        self.notes(board, &text).await;
    }

    /// Writes something beside the game.
    pub(super) async fn notes(&self, board: usize, text: &str) {
        let ruled = Ruled { ruling: Ruling::Note { text: text.to_owned() }, by: Some("drill".to_owned()) };
        if let Some(handle) = self.hall.board(&self.name(board))
            && let Err(error) = handle.rule(ruled).await
        {
            tracing::debug!("no note: {error}");
        }
    }

    /// The record of that name which hands have just caused.
    pub(super) async fn opens(&self, board: usize, name: Name) -> anyhow::Result<Record> {
        // An arbiter may be quick.
        let found = || self.records(board, name).pop();
        let found = timeout(SEEN, until(found)).await;
        found.with_context(|| format!("board {}: {name} was not seen", self.name(board)))
    }

    /// Where that record stands once the arbiter has decided.
    pub(super) async fn decided(&self, record: &Record) -> Option<Status> {
        let number = record_of(&record.event)?.record;
        until(|| self.hall.desk.record(number.0)?.status().filter(|status| *status != Status::Open))
            .await
            .into()
    }

    /// Where a record of that name stands once the arbiter has entered and decided it; `None` if the game was ended
    /// otherwise.
    pub(super) async fn entered(&self, board: usize, name: Name) -> Option<Status> {
        let decided = || self.records(board, name).iter().rev().find_map(Record::status);
        let is_over = || self.game(board, |game| game.closed || game.result != "*").map(|()| None);
        until(|| decided().filter(|status| *status != Status::Open).map(Some).or_else(is_over)).await
    }

    /// Has the arbiter confirmed a record of that name?
    pub(super) fn has_confirmed(&self, board: usize, name: Name) -> bool {
        self.records(board, name).iter().any(|record| record.status() == Some(Status::Confirmed))
    }

    /// Hands do what was ruled, if anything was: `back` brings the pieces where they belong. Until then nobody plays.
    pub(super) async fn carries_out(&self, board: usize, back: &[&str]) -> anyhow::Result<()> {
        self.boards[board].hands(WAY_MS).await;
        for squares in back {
            self.boards[board].carry(squares).await;
        }
        if let Some(parts) = self.parts(board) {
            let target = |side| {
                let is_its = |part: &&ResolutionPart| part.name == Task::Clock && part.side == Some(side);
                parts.iter().find(is_its).and_then(|part| part.target_ms)
            };
            let shown_s = self.boards[board].shows();
            let left_s =
                Side::BOTH.map(|side| target(side).map_or_else(|| shown_s[side.index()], |ms| ms / 1_000));
            self.boards[board].hands(WAY_MS).await;
            let runs = parts.iter().find(|part| part.name == Task::Running).and_then(|part| part.side);
            self.boards[board].set_clock(left_s, runs.unwrap_or_else(|| self.turn(board)));
            self.boards[board].hands(WAY_MS).await;
        }
        self.starts(board).await?;
        let is_done = || self.parts(board).is_none_or(|parts| !parts.iter().any(is_to_do)).then_some(());
        timeout(SEEN, until(is_done))
            .await
            .with_context(|| format!("board {}: not ticked off", self.name(board)))
    }

    /// What hands have to do, while that is open.
    fn parts(&self, board: usize) -> Option<Vec<ResolutionPart>> {
        let open = self.records(board, Name::Resolution).into_iter().rfind(Record::is_open)?;
        match &record_of(&open.event)?.finding {
            Finding::Resolution(resolution) => Some(resolution.parts.clone()),
            _ => None,
        }
    }

    fn records(&self, board: usize, name: Name) -> Vec<Record> {
        let board = self.name(board);
        self.hall.desk.records(|record| *record.event.board == *board && record.event.name() == name)
    }

    /// The game of a board, if it is as it should be.
    pub(super) fn game(&self, board: usize, is_right: impl Fn(&GameView) -> bool) -> Option<()> {
        self.look(board, is_right).filter(|is_right| *is_right).map(drop)
    }

    fn look<T>(&self, board: usize, look: impl Fn(&GameView) -> T) -> Option<T> {
        let board = self.name(board);
        self.hall.desk.with_view(|view| view.game(view.board(&board)?.game.as_deref()?).map(look))
    }

    /// What goes on in the game of a board, if it is not being played.
    pub(super) fn stage(&self, board: usize) -> Option<String> {
        let name = self.name(board);
        let told = self.hall.desk.told(READINESS);
        let told = told.iter().find(|told| told["board"] == name.as_str())?;
        told.get("stage")?.as_str().map(str::to_owned)
    }

    /// The result of a game, by its name.
    pub(super) fn result(&self, game: &str) -> String {
        self.hall.desk.with_view(|view| view.game(game).map(|game| game.result.clone())).unwrap_or_default()
    }

    /// The result of a game that was just ruled on: it is told after the ruling, or not at all.
    pub(super) async fn comes_to(&self, game: &str) -> String {
        let ended = until(|| Some(self.result(game)).filter(|result| result != "*"));
        timeout(TOLD, ended).await.unwrap_or_else(|_| self.result(game))
    }

    /// Waits for what hands have just done.
    pub(super) async fn seen(&self, what: &str, look: impl Fn() -> Option<()>) -> anyhow::Result<()> {
        match timeout(SEEN, until(look)).await {
            Ok(()) => Ok(()),
            Err(_) => bail!("board {}: {what}: not seen", self.name(0)),
        }
    }
}

/// Waits for what the arbiter does, or the boards show: as long as it takes.
pub(super) async fn until<T>(look: impl Fn() -> Option<T>) -> T {
    loop {
        match look() {
            Some(found) => return found,
            None => sleep(LOOK).await,
        }
    }
}

fn is_to_do(part: &ResolutionPart) -> bool {
    part.state == PartState::ToDo
}
