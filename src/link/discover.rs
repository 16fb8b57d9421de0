//! Which ports a board could be at.

use std::fs;
use std::path::{Path, PathBuf};

use crate::wire::PROTOCOLS;

/// A port at which a board may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name under which it should be opened: the one that stays with the socket, if there is one.
    pub path: PathBuf,
    /// The device behind that name.
    pub device: PathBuf,
    /// What it says it is: vendor and product, if it is a USB device.
    pub usb_id: Option<String>,
    /// Probed by itself. A generic bridge chip may be anybody's, and is left alone unless configured
    /// (dgt-protocol 1.2).
    pub is_known: bool,
}

/// Kernel names of ports that boards have.
const NAMES: [&str; 3] = ["ttyACM", "ttyUSB", "rfcomm"];

/// The serial ports of this machine, in the order of their names.
#[must_use]
pub fn candidates() -> Vec<Candidate> {
    candidates_in(Path::new("/dev"), Path::new("/sys/class/tty"))
}

fn candidates_in(dev: &Path, sys: &Path) -> Vec<Candidate> {
    let names = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let by_path = names(&dev.join("serial/by-path"));
    let mut found: Vec<Candidate> = names(dev)
        .into_iter()
        .filter(|device| {
            let name = device.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            NAMES.iter().any(|known| name.starts_with(known))
        })
        .map(|device| {
            let path = by_path
                .iter()
                .find(|path| fs::canonicalize(path).is_ok_and(|target| target == device))
                .unwrap_or(&device)
                .clone();
            let usb_id = device.file_name().and_then(|name| usb_id(&sys.join(name)));
            let is_rfcomm = device.to_string_lossy().contains("rfcomm");
            let is_known = is_rfcomm || usb_id.as_deref().is_some_and(is_board);
            Candidate { path, device, usb_id, is_known }
        })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// `0403:6001` of the USB device to which a tty belongs: it lies one or two folders above the
/// interface.
fn usb_id(tty: &Path) -> Option<String> {
    let device = fs::canonicalize(tty.join("device")).ok()?;
    device.ancestors().take(4).find_map(|folder| {
        let read = |name: &str| Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_owned());
        Some(format!("{}:{}", read("idVendor")?, read("idProduct")?))
    })
}

/// Is a device with these numbers a board and nothing else?
fn is_board(usb_id: &str) -> bool {
    let Some((vendor, product)) = usb_id.split_once(':') else { return false };
    let hex = |text| u16::from_str_radix(text, 16).ok();
    let (Some(vendor), Some(product)) = (hex(vendor), hex(product)) else { return false };
    PROTOCOLS.iter().flat_map(|protocol| protocol.known).any(|known| known.matches(vendor, product))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_named_by_its_socket_and_known_by_its_numbers() {
        let root = tempfile::tempdir().unwrap();
        let (dev, sys) = (root.path().join("dev"), root.path().join("sys"));
        fs::create_dir_all(dev.join("serial/by-path")).unwrap();
        for (tty, usb, id) in [("ttyACM0", "1-1", "045b:8111"), ("ttyUSB0", "1-2", "0403:6001")] {
            fs::write(dev.join(tty), "").unwrap();
            let device = root.path().join(usb);
            fs::create_dir_all(device.join("interface")).unwrap();
            let (vendor, product) = id.split_once(':').unwrap();
            fs::write(device.join("idVendor"), vendor).unwrap();
            fs::write(device.join("idProduct"), product).unwrap();
            fs::create_dir_all(sys.join(tty)).unwrap();
            std::os::unix::fs::symlink(device.join("interface"), sys.join(tty).join("device")).unwrap();
        }
        fs::write(dev.join("null"), "").unwrap();
        let socket = dev.join("serial/by-path/usb-port-1");
        std::os::unix::fs::symlink(dev.join("ttyACM0"), &socket).unwrap();
        let found = candidates_in(&dev, &sys);
        let told: Vec<_> = found.iter().map(|found| (found.path.clone(), found.is_known)).collect();
        assert_eq!(told, [(socket, true), (dev.join("ttyUSB0"), false)]);
        assert_eq!(found[1].usb_id.as_deref(), Some("0403:6001"));
    }
}
