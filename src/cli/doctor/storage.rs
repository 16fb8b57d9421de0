//! The journal's folder: is it there, is there room, and does the disk keep what it takes?

use std::fs;
use std::path::Path;

use super::check::Check;
use super::system::System;

/// Below this share of free room the journal may not last the day, and below that not the round (reliability,
/// rule 4).
const LOW_PERCENT: u64 = 10;
const VERY_LOW_PERCENT: u64 = 5;
/// Less than this is little, however small the disk is: a day of a large hall.
const LOW_BYTES: u64 = 1 << 30;

/// Above this a move is seen late: what was read is shown when it is on disk.
const SLOW_MS: u64 = 50;
/// Above this boards wait for the disk.
const VERY_SLOW_MS: u64 = 500;

/// File systems over a network: locks and shared memory, which a database needs, are not safe there.
const REMOTE: [&str; 7] = ["nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p"];
/// Those that are gone with the power.
const VOLATILE: [&str; 2] = ["tmpfs", "ramfs"];
/// Those without owners and without a journal of their own.
const FRAIL: [&str; 3] = ["vfat", "exfat", "msdos"];

/// All of them. A running daemon has the folder to itself: it says itself if it cannot write.
pub(super) fn all(system: &dyn System, folder: &Path, is_running: bool) -> Vec<Check> {
    // Before the first start the folder is not there; the nearest one that is stands for it.
    let Some(there) = folder.ancestors().find(|folder| folder.is_dir()) else { return Vec::new() };
    vec![
        writable(system, folder, there, is_running),
        room(system, there),
        file_system(system, there),
        speed(system, there),
    ]
}

fn writable(system: &dyn System, folder: &Path, there: &Path, is_running: bool) -> Check {
    let (name, shown) = ("journal-folder", folder.display());
    if is_running {
        return Check::ok(name, format!("{shown}, or the daemon's own"));
    }
    if system.may_use(there) {
        let what = if folder == there { format!("{shown}") } else { format!("{shown} will be made") };
        return Check::ok(name, what);
    }
    let fix = format!("sudo install -d -o $USER {shown}; or set [journal] path");
    Check::problem(name, format!("{shown} cannot be written"), fix)
}

fn room(system: &dyn System, there: &Path) -> Check {
    let (name, shown) = ("free-space", there.display());
    let Some(space) = system.space(there) else {
        return Check::warning(name, format!("the disk of {shown} does not say"), format!("df {shown}"));
    };
    let percent = (space.free * 100).checked_div(space.total).unwrap_or(0);
    let what = format!("{percent} % ({} MiB) free at {shown}", space.free >> 20);
    let fix = format!("df {shown}; move what is old elsewhere, or set [journal] path to a larger disk");
    match percent {
        _ if percent < VERY_LOW_PERCENT => Check::problem(name, what, fix),
        _ if percent < LOW_PERCENT || space.free < LOW_BYTES => Check::warning(name, what, fix),
        _ => Check::ok(name, what),
    }
}

fn file_system(system: &dyn System, there: &Path) -> Check {
    let name = "file-system";
    let mounts = fs::read_to_string(system.root().join("proc/self/mounts")).unwrap_or_default();
    let Some(kind) = kind_of(&mounts, there) else {
        return Check::warning(name, "unknown: /proc/self/mounts does not say", "findmnt");
    };
    let what = format!("{kind} at {}", there.display());
    let fix = "set [journal] path to a folder on a disk of this machine";
    match kind {
        _ if REMOTE.contains(&kind) => {
            Check::problem(name, format!("{what}: a database is not safe on a network's file system"), fix)
        }
        _ if VOLATILE.contains(&kind) => {
            Check::problem(name, format!("{what}: it is gone with the power"), fix)
        }
        _ if FRAIL.contains(&kind) => {
            Check::warning(name, format!("{what}: it suffers when power fails"), fix)
        }
        _ => Check::ok(name, what),
    }
}

/// The type of the file system on which `folder` lies: that of the longest mount point above it, and of several
/// there the last.
fn kind_of<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    let rows = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let at = fields.next()?.replace("\\040", " ");
        folder.starts_with(&at).then_some((at.len(), fields.next()?))
    });
    rows.max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}

fn speed(system: &dyn System, there: &Path) -> Check {
    let name = "disk-speed";
    let fix = "set [journal] path to an SSD; SD cards and USB sticks are slow to commit";
    match system.commit_ms(there) {
        Ok(ms) => {
            let what = format!("a commit takes {ms} ms at {}", there.display());
            match ms {
                _ if ms > VERY_SLOW_MS => Check::problem(name, what, fix),
                _ if ms > SLOW_MS => Check::warning(name, what, fix),
                _ => Check::ok(name, what),
            }
        }
        Err(error) => {
            let fix =
                format!("ls -ld {}; run this as the user of the service, or with sudo", there.display());
            Check::warning(name, format!("not measured: {error}"), fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::check::Level;
    use super::super::fixture::Fixture;
    use super::super::system::Space;
    use super::*;

    #[track_caller]
    fn one(system: &Fixture, name: &str) -> Check {
        let checks = all(system, &system.path("var/lib/adoube"), false);
        checks.iter().find(|check| check.check == name).cloned().unwrap()
    }

    #[test]
    fn the_folder_is_or_can_be_made() {
        let mut system = Fixture::new();
        assert_eq!(one(&system, "journal-folder").level, Level::Problem);
        system.may_use = true;
        assert!(one(&system, "journal-folder").what.ends_with("will be made"));
        fs::create_dir_all(system.path("var/lib/adoube")).unwrap();
        assert!(one(&system, "journal-folder").what.ends_with("var/lib/adoube"));
    }

    #[test]
    fn there_is_room() {
        let mut system = Fixture::new();
        let mut with = |free_mib: u64, total_mib: u64| {
            system.space = Some(Space { free: free_mib << 20, total: total_mib << 20 });
            one(&system, "free-space").level
        };
        assert_eq!(with(50_000, 100_000), Level::Ok);
        assert_eq!(with(9_000, 100_000), Level::Warning, "9 %");
        assert_eq!(with(1_000, 2_000), Level::Warning, "less than 1 GiB");
        assert_eq!(with(4_000, 100_000), Level::Problem, "4 %");
        system.space = None;
        assert_eq!(one(&system, "free-space").level, Level::Warning);
    }

    #[test]
    fn the_file_system_keeps_what_it_takes() {
        let system = Fixture::new();
        assert_eq!(one(&system, "file-system").level, Level::Warning, "unknown");
        let own = system.path("");
        let own = own.display().to_string().trim_end_matches('/').to_owned();
        for (kind, level) in [
            ("ext4", Level::Ok),
            ("nfs4", Level::Problem),
            ("tmpfs", Level::Problem),
            ("vfat", Level::Warning),
        ] {
            system.write(
                "proc/self/mounts",
                &format!("a / xfs rw 0 0\nb {own} {kind} rw 0 0\nc {own}x nfs rw 0 0\n"),
            );
            assert_eq!(one(&system, "file-system").level, level, "{kind}");
        }
        assert_eq!(kind_of("a / xfs rw\nb /a\\040b ext4 rw\n", Path::new("/a b/c")), Some("ext4"));
    }

    #[test]
    fn the_disk_is_fast_enough() {
        let mut system = Fixture::new();
        for (taken, level) in [
            (Ok(3), Level::Ok),
            (Ok(80), Level::Warning),
            (Ok(900), Level::Problem),
            (Err(io::ErrorKind::PermissionDenied), Level::Warning),
        ] {
            system.commit_ms = taken;
            assert_eq!(one(&system, "disk-speed").level, level, "{taken:?}");
        }
    }
}
