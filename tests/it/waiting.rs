//! A test that waits for what never comes fails, and says for what.

use std::future::pending;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::children::{self, Ended, Lines};
use crate::daemon::awaited;

const PATIENCE: Duration = Duration::from_millis(300);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[tokio::test]
#[should_panic(expected = "still no answer after 300ms")]
async fn a_look_that_never_ends_is_given_up() {
    awaited("answer", PATIENCE, pending::<Option<()>>).await;
}

#[tokio::test]
#[should_panic(expected = "it has said:\nthis\nand that\n")]
async fn a_program_that_never_ends_is_ended_and_what_it_said_is_told() {
    children::output(shell("echo this; echo and that >&2; exec sleep 1000"), PATIENCE).await;
}

#[test]
#[should_panic(expected = "it has said nothing for 300ms")]
fn a_program_that_never_says_a_line_is_not_listened_to_for_ever() {
    let mut child = Ended(shell("printf half; exec sleep 1000").stdout(Stdio::piped()).spawn().unwrap());
    Lines::of(&mut child.0).next(PATIENCE);
}

/// What it leaves behind has its files open, and holds nobody up.
#[tokio::test]
async fn a_program_that_ends_has_ended() {
    let output = children::output(shell("sleep 1000 & echo $!"), Duration::from_secs(60)).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let left = String::from_utf8(output.stdout).unwrap();
    assert!(Command::new("kill").arg(left.trim_end()).status().unwrap().success(), "{left}");
}
