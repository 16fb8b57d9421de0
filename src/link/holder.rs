//! Who holds a port that is busy.

use std::fs;
use std::path::Path;

/// A process that has a device open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// Its name, as the kernel has it: 15 letters at most.
    pub name: String,
}

/// The first process below `proc` (`/proc`) that has `device` open; `None` if none is found. Other users'
/// processes show to root only.
#[must_use]
pub fn holder(proc: &Path, device: &Path) -> Option<Holder> {
    let device = fs::canonicalize(device).ok()?;
    let mut pids: Vec<u32> =
        fs::read_dir(proc).ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let has_it = |pid: &u32| {
        let files = fs::read_dir(proc.join(pid.to_string()).join("fd")).into_iter().flatten();
        files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|target| target == device))
    };
    let pid = pids.into_iter().find(has_it)?;
    let name = fs::read_to_string(proc.join(pid.to_string()).join("comm")).unwrap_or_default();
    Some(Holder { pid, name: name.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_file_open_is_found() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let found = holder(Path::new("/proc"), file.path()).unwrap();
        assert_eq!(found.pid, std::process::id());
        assert!(!found.name.is_empty());
        let (_, path) = file.keep().unwrap();
        assert_eq!(holder(Path::new("/proc"), &path), None);
        fs::remove_file(path).unwrap();
    }
}
