//! A machine for tests: a folder for its files, and answers that are set.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::system::{Space, System, User};

pub(super) struct Fixture {
    folder: TempDir,
    pub(super) user: User,
    pub(super) may_use: bool,
    pub(super) space: Option<Space>,
    pub(super) commit_ms: Result<u64, io::ErrorKind>,
    /// What programs print, by their whole command lines.
    pub(super) programs: BTreeMap<String, String>,
    /// Why nobody can listen there.
    pub(super) taken: BTreeMap<SocketAddr, io::ErrorKind>,
    pub(super) reachable: Vec<(String, u16)>,
    pub(super) utc_s: i64,
    pub(super) files_max: Option<u64>,
}

impl Fixture {
    /// Nothing is there, and everything else is fine.
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            user: User { uid: 1_000, gids: vec![1_000] },
            may_use: false,
            space: Some(Space { free: 100 << 30, total: 200 << 30 }),
            commit_ms: Ok(2),
            programs: BTreeMap::new(),
            taken: BTreeMap::new(),
            reachable: Vec::new(),
            // 2026-05-01.
            utc_s: 1_777_593_600,
            files_max: Some(524_288),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// A serial port of a USB device.
    pub(super) fn usb_port(&self, tty: &str, vendor: &str, product: &str) {
        self.write(&format!("dev/{tty}"), "");
        self.write(&format!("sys/devices/{tty}/idVendor"), vendor);
        self.write(&format!("sys/devices/{tty}/idProduct"), product);
        fs::create_dir_all(self.path(&format!("sys/class/tty/{tty}"))).unwrap();
        let device = self.path(&format!("sys/class/tty/{tty}/device"));
        symlink(self.path(&format!("sys/devices/{tty}")), device).unwrap();
    }

    pub(super) fn says(&mut self, command: &str, text: &str) {
        self.programs.insert(command.to_owned(), text.to_owned());
    }
}

impl System for Fixture {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn user(&self) -> User {
        self.user.clone()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Option<String> {
        self.programs.get(&format!("{program} {}", arguments.join(" "))).cloned()
    }

    fn may_use(&self, _: &Path) -> bool {
        self.may_use
    }

    fn space(&self, _: &Path) -> Option<Space> {
        self.space
    }

    fn commit_ms(&self, _: &Path) -> io::Result<u64> {
        self.commit_ms.map_err(io::Error::from)
    }

    fn can_listen(&self, address: SocketAddr) -> io::Result<()> {
        self.taken.get(&address).map_or(Ok(()), |kind| Err(io::Error::from(*kind)))
    }

    fn can_reach(&self, host: &str, port: u16) -> io::Result<()> {
        let is_there = self.reachable.contains(&(host.to_owned(), port));
        if is_there { Ok(()) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
    }

    fn utc_s(&self) -> i64 {
        self.utc_s
    }

    fn files_max(&self) -> Option<u64> {
        self.files_max
    }
}
