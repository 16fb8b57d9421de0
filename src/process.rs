//! What the system says of a process, and allows ours.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Opens as many files as we may: each spectator is one, and most systems begin with 1,024.
pub(crate) fn allow_many_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "no more files can be open at one time than {}", current.unwrap_or(u64::MAX));
    }
}

/// Memory of a process that is really there.
pub(crate) fn resident_kib(pid: u32) -> u64 {
    memory_kib(pid, "VmRSS:")
}

/// The most that it ever had.
pub(crate) fn peak_kib(pid: u32) -> u64 {
    memory_kib(pid, "VmHWM:")
}

fn memory_kib(pid: u32, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Seconds of a processor that a process has taken.
pub(crate) fn cpu_s(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / rustix::param::clock_ticks_per_second() as f64
}

/// Files that this process has open, sockets included.
pub(crate) fn open_files() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64)
}
