//! What the first process tells its helpers, line by line, on their input.

use std::io::{BufRead as _, Write as _};

use tokio::sync::mpsc;

/// Lines that may wait: there are two at the most.
const WAITING: usize = 4;

/// The lines of our input, until it ends.
pub(super) struct Orders(mpsc::Receiver<String>);

impl Orders {
    /// Reads from now on.
    pub(super) fn read() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// The next line; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<String> {
        self.0.recv().await
    }
}

/// Answers with a line.
pub(super) fn answer(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
