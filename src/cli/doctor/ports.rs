//! Serial ports: are they there, may we use them, and who else wants them?

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::check::Check;
use super::system::System;
use crate::link::{Candidate, Devices, holder};

/// Drivers of the chips that boards have.
const MODULES: [&str; 4] = ["cdc_acm", "ftdi_sio", "cp210x", "ch341"];

/// Where udev's rules lie, the administrator's own first.
const RULES: [&str; 3] = ["etc/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d"];
const RULES_NAME: &str = "70-adoube.rules";

/// Puts the rules of this version where they belong.
const INSTALL: &str = "adoube doctor --udev-rules | sudo tee /etc/udev/rules.d/70-adoube.rules >/dev/null && \
                       sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty";

/// Chips that the Braille terminal's driver takes for its own.
const BRAILLE: [(u16, u16); 3] = [(0x1a86, 0x7523), (0x10c4, 0xea60), (0x0403, 0x6001)];

/// The nodes are open to their owner and to their group, `dialout` as a rule.
const OWNER: u32 = 0o600;
const GROUP: u32 = 0o060;
const OTHERS: u32 = 0o006;

/// All of them; `rules` are those of this version.
pub(super) fn all(system: &dyn System, rules: &str) -> Vec<Check> {
    let ports = Devices::below(system.root()).candidates();
    let mut checks = vec![present(&ports)];
    checks.extend(ports.iter().map(|port| permitted(system, &port.device)));
    checks.extend(ports.iter().filter_map(|port| busy(system, &port.device)));
    let is_ruled = installed(system.root(), rules) == Rules::Current;
    checks.push(udev(system.root(), rules));
    checks.push(modem_manager(system.root(), is_ruled));
    checks.push(braille(system.root(), &ports));
    checks.push(modules(system.root()));
    checks
}

fn present(ports: &[Candidate]) -> Check {
    let names: Vec<String> = ports.iter().map(|port| port.device.display().to_string()).collect();
    if names.is_empty() {
        let what = "no port at which a board could be (ttyACM*, ttyUSB*, rfcomm*)";
        return Check::warning(
            "serial-ports",
            what,
            "plug a board in; dmesg | tail shows whether the kernel sees it",
        );
    }
    Check::ok("serial-ports", names.join(", "))
}

fn permitted(system: &dyn System, device: &Path) -> Check {
    let name = device.display();
    let Ok(node) = fs::metadata(device) else {
        return Check::warning("permission", format!("{name} is gone"), "plug it in again");
    };
    let (user, mode) = (system.user(), node.permissions().mode());
    let may = |bits: u32| mode & bits == bits;
    let is_open = user.uid == 0
        || user.uid == node.uid() && may(OWNER)
        || user.gids.contains(&node.gid()) && may(GROUP)
        || may(OTHERS)
        // Whoever sits at the machine has a list of his own (uaccess).
        || system.may_use(device);
    if is_open {
        return Check::ok("permission", format!("{name} may be used"));
    }
    let group = group_name(system.root(), node.gid());
    let what = format!("{name} belongs to the group {group}, and you are not in it");
    if may(GROUP) {
        let fix = format!("sudo usermod -aG {group} $USER; then log out and in again");
        Check::problem("permission", what, fix)
    } else {
        Check::problem("permission", format!("{name} is open to nobody but its owner"), INSTALL)
    }
}

/// Who else has a port open; our own daemon may.
fn busy(system: &dyn System, device: &Path) -> Option<Check> {
    let holder = holder(&system.root().join("proc"), device)?;
    let name = device.display();
    if holder.name == "adoube" {
        return Some(Check::ok("busy-port", format!("{name} is used by adoube (process {})", holder.pid)));
    }
    let what = format!("{name} is held by {} (process {})", holder.name, holder.pid);
    let fix = if holder.name == "ModemManager" { INSTALL.to_owned() } else { format!("kill {}", holder.pid) };
    Some(Check::problem("busy-port", what, fix))
}

#[derive(Debug, PartialEq, Eq)]
enum Rules {
    Missing,
    Other(PathBuf),
    Current,
}

/// Are the rules there? The first folder that has them counts, as for udev. Lines that the administrator opened
/// or added are his business.
fn installed(root: &Path, rules: &str) -> Rules {
    let found = RULES.iter().map(|folder| root.join(folder).join(RULES_NAME)).find(|path| path.exists());
    let Some(path) = found else { return Rules::Missing };
    let text = fs::read_to_string(&path).unwrap_or_default();
    let has = |line: &str| text.lines().any(|other| other.trim() == line);
    let needed = rules.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    if needed.into_iter().all(has) { Rules::Current } else { Rules::Other(path) }
}

fn udev(root: &Path, rules: &str) -> Check {
    match installed(root, rules) {
        Rules::Current => Check::ok("udev-rules", "installed, as of this version"),
        Rules::Missing => {
            Check::warning("udev-rules", "not installed: modem software may write to boards", INSTALL)
        }
        Rules::Other(path) => {
            Check::warning("udev-rules", format!("{} is of another version", path.display()), INSTALL)
        }
    }
}

fn modem_manager(root: &Path, is_ruled: bool) -> Check {
    let name = "modem-manager";
    match process(root, "ModemManager") {
        None => Check::ok(name, "does not run"),
        Some(_) if is_ruled => Check::ok(name, "runs, and leaves boards alone (udev rules)"),
        Some(pid) => {
            Check::warning(name, format!("runs (process {pid}) and writes AT commands to boards"), INSTALL)
        }
    }
}

fn braille(root: &Path, ports: &[Candidate]) -> Check {
    let name = "brltty";
    let wanted = ports.iter().find(|port| port.usb.as_ref().is_some_and(|usb| BRAILLE.contains(&usb.id)));
    let rules = RULES.iter().flat_map(|folder| fs::read_dir(root.join(folder)).into_iter().flatten());
    let has_rules = rules.flatten().any(|file| file.file_name().to_string_lossy().contains("brltty"));
    let is_there = has_rules || process(root, "brltty").is_some();
    match wanted {
        Some(port) if is_there => {
            let what = format!("takes {} for a Braille terminal", port.device.display());
            Check::warning(name, what, "if nobody here reads Braille: sudo apt remove brltty")
        }
        _ if is_there => Check::ok(name, "is installed, and no port has a chip that it wants"),
        _ => Check::ok(name, "is not installed"),
    }
}

fn modules(root: &Path) -> Check {
    let name = "kernel-modules";
    let release = fs::read_to_string(root.join("proc/sys/kernel/osrelease")).unwrap_or_default();
    let folder = root.join("lib/modules").join(release.trim());
    let lists = ["modules.dep", "modules.builtin"].map(|list| fs::read_to_string(folder.join(list)));
    let is_listed = |module: &str| {
        let files = [format!("/{module}.ko"), format!("/{}.ko", module.replace('_', "-"))];
        lists.iter().flatten().any(|list| files.iter().any(|file| list.contains(file)))
    };
    let is_loaded = |module: &str| root.join("sys/module").join(module).is_dir();
    let missing: Vec<&str> =
        MODULES.into_iter().filter(|module| !is_loaded(module) && !is_listed(module)).collect();
    if missing.is_empty() {
        return Check::ok(name, format!("{} are there", MODULES.join(", ")));
    }
    let missing = missing.join(", ");
    if lists.iter().all(Result::is_err) {
        let what = format!("{} has no list; not loaded: {missing}", folder.display());
        return Check::warning(name, what, "in a container, load them on the host: sudo modprobe cdc_acm");
    }
    let what = format!("the kernel has no driver {missing}: boards with such chips do not show");
    Check::warning(
        name,
        what,
        "install the full kernel: sudo apt install linux-image-amd64 (Ubuntu: linux-modules-extra-$(uname -r))",
    )
}

/// The process of that name, as the kernel has it.
fn process(root: &Path, name: &str) -> Option<u32> {
    let processes = fs::read_dir(root.join("proc")).ok()?.flatten();
    processes.into_iter().find_map(|process| {
        let pid = process.file_name().to_str()?.parse().ok()?;
        let comm = fs::read_to_string(process.path().join("comm")).ok()?;
        (comm.trim() == name).then_some(pid)
    })
}

fn group_name(root: &Path, gid: u32) -> String {
    let groups = fs::read_to_string(root.join("etc/group")).unwrap_or_default();
    let name = groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(gid)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| gid.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::check::Level;
    use super::super::fixture::Fixture;
    use super::*;

    const OURS: &str = "# Boards.\nENV{ID_MM_DEVICE_IGNORE}=\"1\"\n#TAG+=\"systemd\"\n";

    #[track_caller]
    fn one(system: &Fixture, name: &str) -> Check {
        let checks = all(system, OURS);
        checks
            .iter()
            .find(|check| check.check == name)
            .cloned()
            .unwrap_or_else(|| panic!("{name}: {checks:?}"))
    }

    #[test]
    fn a_port_is_there_and_open_to_its_group() {
        let mut system = Fixture::new();
        assert_eq!(one(&system, "serial-ports").level, Level::Warning);
        let port = system.write("dev/ttyACM0", "");
        assert_eq!(one(&system, "serial-ports").what, port.display().to_string());
        let node = fs::metadata(&port).unwrap();
        system.write("etc/group", &format!("root:x:999999:\nserial:x:{}:\n", node.gid()));
        let mode = |mode| fs::set_permissions(&port, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o660);
        system.user.uid = node.uid() + 1;
        system.user.gids = vec![node.gid() + 1];
        let refused = one(&system, "permission");
        assert_eq!(refused.level, Level::Problem);
        assert_eq!(refused.fix.as_deref(), Some("sudo usermod -aG serial $USER; then log out and in again"));
        mode(0o600);
        assert!(one(&system, "permission").fix.is_some_and(|fix| fix.contains("udevadm")));
        system.may_use = true;
        assert_eq!(one(&system, "permission").level, Level::Ok, "uaccess");
        system.may_use = false;
        mode(0o660);
        system.user.gids = vec![node.gid()];
        assert_eq!(one(&system, "permission").level, Level::Ok);
    }

    #[test]
    fn who_holds_a_port_is_named() {
        let system = Fixture::new();
        let port = system.write("dev/ttyUSB0", "");
        assert!(all(&system, OURS).iter().all(|check| check.check != "busy-port"));
        system.write("proc/77/comm", "picochess\n");
        fs::create_dir_all(system.path("proc/77/fd")).unwrap();
        symlink(&port, system.path("proc/77/fd/3")).unwrap();
        let busy = one(&system, "busy-port");
        assert_eq!((busy.level, busy.fix.as_deref()), (Level::Problem, Some("kill 77")));
        system.write("proc/77/comm", "adoube\n");
        assert_eq!(one(&system, "busy-port").level, Level::Ok);
    }

    #[test]
    fn the_rules_are_those_of_this_version() {
        let system = Fixture::new();
        assert!(one(&system, "udev-rules").what.starts_with("not installed"));
        system.write("usr/lib/udev/rules.d/70-adoube.rules", "# Old.\n");
        assert!(one(&system, "udev-rules").what.ends_with("of another version"));
        system.write("usr/lib/udev/rules.d/70-adoube.rules", OURS);
        assert_eq!(one(&system, "udev-rules").level, Level::Ok);
        // What the administrator opened is his, and his own file is the one that counts.
        system.write("usr/lib/udev/rules.d/70-adoube.rules", &OURS.replace("#TAG", "TAG"));
        assert_eq!(one(&system, "udev-rules").level, Level::Ok);
        system.write("etc/udev/rules.d/70-adoube.rules", "");
        assert_eq!(one(&system, "udev-rules").level, Level::Warning);
    }

    #[test]
    fn others_who_want_the_ports_are_named() {
        let system = Fixture::new();
        assert_eq!(one(&system, "modem-manager").level, Level::Ok);
        system.write("proc/9/comm", "ModemManager\n");
        assert!(one(&system, "modem-manager").what.starts_with("runs (process 9) and writes AT"));
        system.write("etc/udev/rules.d/70-adoube.rules", OURS);
        assert_eq!(one(&system, "modem-manager").level, Level::Ok);

        system.usb_port("ttyUSB0", "1a86", "7523");
        assert_eq!(one(&system, "brltty").level, Level::Ok);
        system.write("usr/lib/udev/rules.d/85-brltty.rules", "");
        let braille = one(&system, "brltty");
        assert!(braille.level == Level::Warning && braille.what.contains("ttyUSB0"), "{braille:?}");
    }

    #[test]
    fn drivers_are_loaded_or_could_be() {
        let system = Fixture::new();
        system.write("proc/sys/kernel/osrelease", "6.1.0\n");
        assert!(one(&system, "kernel-modules").what.contains("has no list"));
        let usb = "kernel/drivers/usb";
        system.write(
            "lib/modules/6.1.0/modules.dep",
            &format!("{usb}/class/cdc-acm.ko.xz:\n{usb}/serial/ftdi_sio.ko.xz:\n{usb}/serial/cp210x.ko:\n"),
        );
        let missing = one(&system, "kernel-modules");
        assert!(missing.what.starts_with("the kernel has no driver ch341:"), "{missing:?}");
        fs::create_dir_all(system.path("sys/module/ch341")).unwrap();
        assert_eq!(one(&system, "kernel-modules").level, Level::Ok);
    }
}
