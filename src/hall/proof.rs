//! Does what the journal holds, replayed, give what was said?

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::restart::Replay;
use crate::journal::{InputKind, Walked, walk};
use adoube_core::station::CORE;

/// Every board's inputs once more, from each opening to the next.
#[derive(Debug, Default)]
pub struct Proof {
    boards: BTreeMap<String, Replay>,
    /// So many inputs were replayed.
    pub inputs: u64,
    /// The first difference, if there is one.
    pub problem: Option<String>,
    /// What was not replayed, a sentence each.
    pub left_out: Vec<String>,
}

impl Proof {
    /// Replays what the journal in `folder` holds.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let mut proof = Self::default();
        let errors = walk(folder, |walked| proof.take(&walked));
        proof.left_out.extend(errors.iter().map(ToString::to_string));
        proof
    }

    fn take(&mut self, Walked { board, core, input, events }: &Walked) {
        match input.kind {
            InputKind::Open if *core != CORE => self.leave_out(board, "recorded by another version"),
            InputKind::Open => {
                let before = self.boards.remove(board);
                if before.is_some_and(|before| !before.leads_to(input)) {
                    let difference = format!(
                        "board {board}, input {}: it did not stand so when it was opened again",
                        input.id
                    );
                    self.problem.get_or_insert(difference);
                }
                match Replay::begin(input) {
                    Ok(replay) => {
                        self.boards.insert(board.clone(), replay);
                        self.inputs += 1;
                    }
                    Err(error) => {
                        self.problem.get_or_insert(error);
                    }
                }
            }
            InputKind::Journal => self.tear(&input.data),
            _ => {
                let Some(replay) = self.boards.get_mut(board) else { return };
                let mut stored = events.iter();
                let taken = replay.take(input, &mut stored);
                let more =
                    stored.next().map(|more| format!("board {board}: the replay lacks seq {}", more.seq));
                self.inputs += 1;
                if let Some(difference) = taken.err().or(more) {
                    self.problem.get_or_insert(difference);
                    self.boards.remove(board);
                }
            }
        }
    }

    fn leave_out(&mut self, board: &str, why: &str) {
        self.boards.remove(board);
        let remark = format!("board {board}: {why}; not replayed");
        if !self.left_out.contains(&remark) {
            self.left_out.push(remark);
        }
    }

    /// Boards that lost inputs cannot be replayed until they are opened again.
    fn tear(&mut self, remark: &[u8]) {
        let remark: Value = serde_json::from_slice(remark).unwrap_or_default();
        let lost: Vec<String> = match remark.get("lost_boards") {
            None => return,
            Some(Value::Array(lost)) => {
                lost.iter().filter_map(|board| Some(board.as_str()?.to_owned())).collect()
            }
            Some(_) => self.boards.keys().cloned().collect(),
        };
        for board in lost.iter().filter(|board| !board.is_empty()) {
            self.leave_out(board, "a gap");
        }
    }
}
