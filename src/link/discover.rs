//! Which ports a board could be at.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::link::Port;
use adoube_core::wire::{PROTOCOLS, Protocol};

/// A port at which a board may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name under which it should be opened: the one that stays with the socket, if there is one.
    pub path: PathBuf,
    /// The device behind that name.
    pub device: PathBuf,
    /// Which of all devices that ever had this name; another node, and it was plugged in anew.
    pub node: Node,
    /// Who it is, if it is a USB device.
    pub usb: Option<Usb>,
    /// Probed by itself. A generic bridge chip may be anybody's, and is left alone unless configured
    /// (dgt-protocol 1.2).
    pub is_known: bool,
}

/// A USB device, as it says who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usb {
    /// The numbers of its vendor and product.
    pub id: (u16, u16),
    /// The names of its manufacturer and product, as far as it has any.
    pub names: Vec<String>,
}

impl Usb {
    /// Does it say that it is a board of that protocol?
    #[must_use]
    pub fn is_board(&self, protocol: &Protocol) -> bool {
        self.names.iter().any(|name| protocol.says.iter().any(|says| name.starts_with(says)))
    }
}

/// What tells devices apart that had the same name: the node's number in its folder, and the device's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Node {
    inode: u64,
    device: u64,
}

impl Node {
    /// The node of that name, as it is now; `None` if it leads nowhere.
    fn of(name: &Path) -> Option<Self> {
        let (own, real) = (fs::symlink_metadata(name).ok()?, fs::metadata(name).ok()?);
        Some(Self { inode: own.ino(), device: real.rdev() })
    }
}

impl Candidate {
    /// A port that somebody named: it is asked, whatever it is.
    #[must_use]
    pub fn named(port: &Port) -> Self {
        let path = match port {
            Port::Serial(path) => path.clone(),
            _ => PathBuf::new(),
        };
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let node = Node::of(&path).unwrap_or_default();
        let usb = real.file_name().and_then(|name| usb_device(&Devices::default().sys.join(name)));
        Self { device: real, path, node, usb, is_known: true }
    }

    /// `0403:6001`, if it is a USB device.
    #[must_use]
    pub fn usb_id(&self) -> Option<String> {
        self.usb.as_ref().map(|Usb { id: (vendor, product), .. }| format!("{vendor:04x}:{product:04x}"))
    }
}

/// Kernel names of ports that boards have.
const NAMES: [&str; 3] = ["ttyACM", "ttyUSB", "rfcomm"];

/// Is that the kernel's name of a port that boards have?
pub(super) fn is_port(name: &str) -> bool {
    NAMES.iter().any(|known| name.starts_with(known))
}

/// Where the system keeps its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Devices {
    /// Their nodes: `/dev`.
    pub dev: PathBuf,
    /// What is known of ttys: `/sys/class/tty`.
    pub sys: PathBuf,
}

impl Default for Devices {
    fn default() -> Self {
        Self { dev: "/dev".into(), sys: "/sys/class/tty".into() }
    }
}

impl Devices {
    /// Those below another root, for tests and for looking into an image.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self { dev: root.join("dev"), sys: root.join("sys/class/tty") }
    }

    /// The serial ports of this machine, in the order of their names.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        let by_path = names(&self.dev.join("serial/by-path"));
        let mut found: Vec<Candidate> =
            names(&self.dev).into_iter().filter_map(|device| self.candidate(device, &by_path)).collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    fn candidate(&self, device: PathBuf, by_path: &[PathBuf]) -> Option<Candidate> {
        let name = device.file_name()?.to_str()?;
        if !is_port(name) {
            return None;
        }
        // A name that leads nowhere is no port.
        let real = fs::canonicalize(&device).ok()?;
        let node = Node::of(&device)?;
        let path = by_path
            .iter()
            .find(|path| fs::canonicalize(path).is_ok_and(|target| target == real))
            .unwrap_or(&device)
            .clone();
        let usb = usb_device(&self.sys.join(name));
        let is_board = |usb: &Usb| PROTOCOLS.iter().any(|protocol| usb.is_board(protocol));
        let is_known = name.starts_with("rfcomm") || usb.as_ref().is_some_and(is_board);
        Some(Candidate { path, node, usb, is_known, device })
    }
}

/// The serial ports of this machine, in the order of their names.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    Devices::default().candidates()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    names
}

/// The USB device to which a tty belongs: it lies one or two folders above the interface.
fn usb_device(tty: &Path) -> Option<Usb> {
    let device = fs::canonicalize(tty.join("device")).ok()?;
    device.ancestors().take(4).find_map(|folder| {
        let read = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
        let number = |name: &str| u16::from_str_radix(&read(name)?, 16).ok();
        let names = ["manufacturer", "product"].into_iter().filter_map(read).collect();
        Some(Usb { id: (number("idVendor")?, number("idProduct")?), names })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_named_by_its_socket_and_known_by_what_it_says() {
        let root = tempfile::tempdir().unwrap();
        let devices = Devices::below(root.path());
        let Devices { dev, sys } = &devices;
        fs::create_dir_all(dev.join("serial/by-path")).unwrap();
        let plugged = [
            ("ttyACM0", "1-1", "045b:8111", "DGT"),
            ("ttyACM1", "1-3", "045b:8111", "Renesas"),
            ("ttyUSB0", "1-2", "0403:6001", "FTDI"),
        ];
        for (tty, usb, id, manufacturer) in plugged {
            fs::write(dev.join(tty), "").unwrap();
            let device = root.path().join(usb);
            fs::create_dir_all(device.join("interface")).unwrap();
            let (vendor, product) = id.split_once(':').unwrap();
            fs::write(device.join("idVendor"), format!("{vendor}\n")).unwrap();
            fs::write(device.join("idProduct"), format!("{product}\n")).unwrap();
            fs::write(device.join("manufacturer"), format!("{manufacturer}\n")).unwrap();
            fs::create_dir_all(sys.join(tty)).unwrap();
            std::os::unix::fs::symlink(device.join("interface"), sys.join(tty).join("device")).unwrap();
        }
        for name in ["null", "rfcomm0"] {
            fs::write(dev.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root.path().join("gone"), dev.join("ttyUSB7")).unwrap();
        let socket = dev.join("serial/by-path/usb-port-1");
        std::os::unix::fs::symlink(dev.join("ttyACM0"), &socket).unwrap();
        let found = devices.candidates();
        let told: Vec<_> = found.iter().map(|found| (found.path.clone(), found.is_known)).collect();
        let rfcomm = dev.join("rfcomm0");
        let [other, bridge] = ["ttyACM1", "ttyUSB0"].map(|name| dev.join(name));
        assert_eq!(told, [(rfcomm, true), (socket, true), (other, false), (bridge, false)]);
        assert_eq!(found[3].usb_id().as_deref(), Some("0403:6001"));
        let before = found[1].node;
        fs::rename(dev.join("ttyUSB0"), dev.join("ttyACM0")).unwrap();
        assert_ne!(devices.candidates()[1].node, before, "a port that is plugged in anew is told apart");
    }
}
