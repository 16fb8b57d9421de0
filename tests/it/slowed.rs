//! System calls of another process that take their time, as on a disk that is slow or hangs.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::children::Ended;
use crate::daemon::{Daemon, skip};

/// Longer than any test lasts: nothing is done any more.
pub(crate) const STOPPED: Duration = Duration::from_secs(600);

/// The calls with which a file is written.
pub(crate) const WRITES: &str = "pwrite64,write,fdatasync,fsync,ftruncate";

/// Makes threads of a process slow as long as this is there.
pub(crate) struct Slowed(Ended);

impl Slowed {
    /// Of all threads, those of that name: each of these system calls (`all`) waits for so long before it is made. `None`
    /// where nobody may.
    pub(crate) fn threads(daemon: &Daemon, name: &str, calls: &str, delay: Duration) -> Option<Self> {
        let tasks = PathBuf::from(format!("/proc/{}/task", daemon.id()));
        let threads = std::fs::read_dir(tasks).unwrap().map(|entry| entry.unwrap().path());
        let found = threads.filter(|thread| {
            std::fs::read_to_string(thread.join("comm")).is_ok_and(|own| own.trim_end() == name)
        });
        let ids: Vec<String> =
            found.map(|thread| thread.file_name().unwrap().to_str().unwrap().to_owned()).collect();
        assert!(!ids.is_empty(), "no thread {name}");
        let mut strace = Command::new("strace");
        let delayed = format!("inject={calls}:delay_enter={}", delay.as_micros());
        strace.args(["-qq", "-e", &delayed, "-o", "/dev/null"]);
        strace.args(ids.iter().flat_map(|id| ["-p", id]));
        let child = strace.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(child) = child else {
            skip("there is no strace");
            return None;
        };
        Some(Self(Ended(child)))
    }

    /// Does it hold the thread?
    pub(crate) fn holds(&mut self) -> bool {
        self.0.0.try_wait().unwrap().is_none()
    }
}
