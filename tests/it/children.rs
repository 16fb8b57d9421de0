//! Programs that a test starts: none outlives it, and none is waited for without end.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Between two looks at whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A child that is ended with this value, also when the test fails.
#[derive(Debug)]
pub(crate) struct Ended(pub(crate) Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may be gone already.
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// What a child says on its piped stdout, line by line.
#[derive(Debug)]
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    pub(crate) fn of(child: &mut Child) -> Self {
        let said = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        // A pipe cannot be read for a while only; the thread ends with the child.
        std::thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self(lines)
    }

    /// The next line; empty if it has said its last.
    ///
    /// # Panics
    /// If there is none within `patience`.
    pub(crate) fn next(&self, patience: Duration) -> String {
        match self.0.recv_timeout(patience) {
            Err(RecvTimeoutError::Timeout) => panic!("it has said nothing for {patience:?}"),
            line => line.unwrap_or_default(),
        }
    }
}

/// What a program says and how it ends.
///
/// # Panics
/// If it has not ended after `patience`; what it has said up to then is told, and it is ended.
pub(crate) async fn output(mut command: Command, patience: Duration) -> Output {
    // Files: a pipe would be open for as long as any child of the program is there.
    let [stdout, stderr] = [(); 2].map(|()| tempfile::tempfile().unwrap());
    command.stdin(Stdio::null());
    command.stdout(stdout.try_clone().unwrap()).stderr(stderr.try_clone().unwrap());
    let mut child = Ended(command.spawn().unwrap());
    let deadline = Instant::now() + patience;
    let status = loop {
        let status = child.0.try_wait().unwrap();
        if status.is_some() || Instant::now() >= deadline {
            break status;
        }
        sleep(LOOK).await;
    };
    drop(child);
    let [stdout, stderr] = [stdout, stderr].map(contents);
    let Some(status) = status else {
        let said = [stdout, stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        panic!("{command:?} does not end; after {patience:?} it has said:\n{}", said.concat());
    };
    Output { status, stdout, stderr }
}

fn contents(mut file: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}
