//! What the master knows of one board: what it owes, what it said last, how long it has been silent.

use std::collections::VecDeque;

use super::SIGN_OF_LIFE;
use crate::wire::dgt::bus::codec::{Message, Packet};
use crate::wire::dgt::bus::command::Command;
use adoube_rules::stamp::SECOND;

/// Tries before a board counts as silent (section 2.8), and before a session's question is dropped: the
/// session asks again.
const TRIES: u32 = 3;
/// A silent board is asked again after one second, two, four …, and never less often than this.
const LONGEST_WAIT: u64 = 10 * SECOND;
/// After so many misses, some 25 s, the board is reset, once: nothing else is left to try.
const RESET_AT: u32 = 8;
/// Questions of a session that can wait; it has six different ones.
const QUESTIONS: usize = 8;

/// One board.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) address: u16,
    is_wanted: bool,
    /// It answered since the line was opened.
    is_present: bool,
    /// Changes were asked for and did not come: the board still has them. So it is at first, too: somebody
    /// before us may have asked and died.
    owes_changes: bool,
    /// The last changes that came.
    last: Option<Packet>,
    /// It numbers its changes, odd and even.
    counts: bool,
    asked: VecDeque<Command>,
    tries: u32,
    misses: u32,
    due_ns: u64,
    told_ns: Option<u64>,
}

/// What a packet was good for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdict {
    /// It answers what the board was asked.
    pub(super) is_awaited: bool,
    /// Its session has to hear it.
    pub(super) is_news: bool,
}

impl Board {
    pub(super) fn new(address: u16, at_ns: u64) -> Self {
        Self {
            address,
            is_wanted: true,
            is_present: false,
            owes_changes: true,
            last: None,
            counts: false,
            asked: VecDeque::new(),
            tries: 0,
            misses: 0,
            due_ns: at_ns,
            told_ns: None,
        }
    }

    /// Asked again; how silent it was is not forgotten.
    pub(super) fn add(&mut self, at_ns: u64) {
        self.is_wanted = true;
        self.forget();
        if self.misses < TRIES {
            self.due_ns = at_ns;
        }
    }

    pub(super) fn remove(&mut self) {
        self.is_wanted = false;
        self.asked.clear();
    }

    pub(super) fn link_up(&mut self, at_ns: u64) {
        self.is_present = false;
        (self.misses, self.due_ns) = (0, at_ns);
        self.forget();
    }

    /// What was told last may not have reached anybody: the board is to say it once more.
    fn forget(&mut self) {
        self.asked.clear();
        self.told_ns = None;
        self.last = None;
        self.owes_changes = true;
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    pub(super) fn is_present(&self) -> bool {
        self.is_present
    }

    /// It answered a ping: whatever it missed before, it is asked now.
    pub(super) fn here(&mut self, at_ns: u64) {
        self.is_present = true;
        if self.misses >= TRIES {
            self.due_ns = at_ns;
        }
    }

    /// When it is to be asked next.
    pub(super) fn due_ns(&self) -> Option<u64> {
        self.is_wanted.then_some(self.due_ns)
    }

    pub(super) fn wait_until(&mut self, at_ns: u64) {
        self.due_ns = at_ns;
    }

    /// Its session wants to ask this; once is enough.
    pub(super) fn ask(&mut self, command: Command) {
        if self.is_wanted && self.asked.len() < QUESTIONS && !self.asked.contains(&command) {
            self.asked.push_back(command);
        }
    }

    /// The session's next question.
    pub(super) fn asked(&self) -> Option<Command> {
        self.asked.front().copied()
    }

    /// What to ask when its turn comes.
    pub(super) fn question(&mut self) -> Command {
        if self.misses == RESET_AT {
            self.misses += 1;
            return Command::Reset;
        }
        if self.owes_changes {
            return Command::RepeatChanges;
        }
        // Owed from now on, until they come.
        self.owes_changes = true;
        Command::SendChanges
    }

    /// No answer came to that.
    pub(super) fn missed(&mut self, command: Command, at_ns: u64) {
        if command == Command::IgnoreNextPing {
            return;
        }
        if self.asked() == Some(command) {
            self.tries += 1;
            if self.tries >= TRIES {
                self.done(command);
            }
        }
        self.misses = self.misses.saturating_add(1);
        if self.misses >= TRIES {
            self.is_present = false;
            let wait_ns = SECOND << (self.misses - TRIES).min(8);
            self.due_ns = at_ns + wait_ns.min(LONGEST_WAIT);
        }
    }

    /// Takes a packet; `asked` is what the board was asked and has not answered yet. `None`: nobody asked for
    /// such a thing.
    pub(super) fn take(
        &mut self,
        packet: &Packet,
        message: &Message,
        asked: Option<Command>,
        at_ns: u64,
    ) -> Option<Verdict> {
        let verdict = match message {
            Message::Changes { records, even } => self.take_changes(packet, records, *even, asked)?,
            _ => {
                let command = asked.filter(|command| answers(message, *command))?;
                self.done(command);
                let is_news = !matches!(message, Message::Ping);
                Verdict { is_awaited: true, is_news }
            }
        };
        (self.is_present, self.misses) = (true, 0);
        let is_quiet = self.told_ns.is_none_or(|told_ns| at_ns >= told_ns + SIGN_OF_LIFE);
        let is_news = verdict.is_news
            || (is_quiet && matches!(message, Message::Changes { records, .. } if records.is_empty()));
        if is_news {
            self.told_ns = Some(at_ns);
        }
        Some(Verdict { is_news, ..verdict })
    }

    fn take_changes(
        &mut self,
        packet: &Packet,
        records: &[u8],
        even: bool,
        asked: Option<Command>,
    ) -> Option<Verdict> {
        let is_repeat = asked == Some(Command::RepeatChanges);
        let is_awaited = is_repeat || asked == Some(Command::SendChanges);
        // The same packet twice in a row. Asked to repeat, the board had not heard the question before; else it
        // is an answer that came late, and the one that is awaited is still to come. (That a board says the
        // very same twice changes nothing on it, so that nothing is lost here.)
        if !records.is_empty() && self.last.as_ref() == Some(packet) {
            self.owes_changes &= !is_repeat;
            return is_repeat.then_some(Verdict { is_awaited, is_news: false });
        }
        let was_even = self.last.as_ref().and_then(|last| match last.message() {
            Message::Changes { even, .. } => Some(even),
            _ => None,
        });
        // Some firmware says the same kind always: only one that was seen to alternate does.
        self.counts |= was_even == Some(!even);
        let is_gap = self.counts && was_even == Some(even) && !is_repeat;
        self.last = Some(packet.clone());
        self.owes_changes &= !is_awaited;
        if is_gap {
            // What was between is not to be had by repeating. The memory has it, and this packet as well.
            self.asked.retain(|command| *command != Command::SendFromStart);
            self.asked.push_front(Command::SendFromStart);
        }
        Some(Verdict { is_awaited, is_news: !records.is_empty() && !is_gap })
    }

    fn done(&mut self, command: Command) {
        if self.asked() == Some(command) {
            self.asked.pop_front();
            self.tries = 0;
        }
    }
}

/// Is that what a board says when it is asked so?
fn answers(message: &Message, command: Command) -> bool {
    match command {
        Command::SendClock => matches!(message, Message::Clock(_)),
        Command::SendBoard => matches!(message, Message::Dump(_)),
        Command::StartGame => *message == Message::StartWritten,
        Command::SendFromStart => matches!(message, Message::FromStart(_)),
        Command::Ping | Command::IgnoreNextPing => *message == Message::Ping,
        Command::SendVersion => matches!(message, Message::Version(_)),
        Command::SendChanges | Command::RepeatChanges => matches!(message, Message::Changes { .. }),
        Command::EndBusMode | Command::Reset | Command::SendAll => false,
    }
}
