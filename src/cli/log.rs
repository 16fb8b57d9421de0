//! Where log lines go: to stderr, or to systemd's journal with their fields, if that is where stderr leads.

use rustix::fs::{Stat, fstat};
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_journald::{Priority, PriorityMappings};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt, registry};

/// Where stderr leads, `DEVICE:INODE`, if systemd connected it with its journal.
const JOURNAL_STREAM: &str = "JOURNAL_STREAM";

/// Begins to log; `ADOUBE_LOG` says how much.
///
/// In the journal a line has its fields beside it, in capitals and without a prefix: `journalctl BOARD=7`,
/// `journalctl INCIDENT=illegal-move`.
pub(super) fn start(usual: Level) {
    let filter = std::env::var("ADOUBE_LOG").ok().and_then(|level| level.parse().ok());
    let filter = LevelFilter::from_level(filter.unwrap_or(usual));
    if leads_to_journal() {
        // Its own mapping has every line about nothing in particular stand out as a notice.
        let priorities = PriorityMappings {
            info: Priority::Informational,
            debug: Priority::Debug,
            ..PriorityMappings::new()
        };
        match tracing_journald::layer() {
            Ok(journal) => {
                let journal = journal.with_field_prefix(None).with_priority_mappings(priorities);
                registry().with(journal.with_filter(filter)).init();
                return;
            }
            // Plain lines get there, too.
            Err(error) => eprintln!("adoube: no fields in systemd's journal: {error}"),
        }
    }
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(is_terminal);
    registry().with(lines.with_filter(filter)).init();
}

/// Is stderr what systemd connected? A child that writes elsewhere inherits the variable all the same.
fn leads_to_journal() -> bool {
    let stream = std::env::var(JOURNAL_STREAM).unwrap_or_default();
    let Some((device, inode)) = stream.split_once(':') else { return false };
    let Ok(Stat { st_dev, st_ino, .. }) = fstat(std::io::stderr()) else { return false };
    device.parse() == Ok(st_dev) && inode.parse() == Ok(st_ino)
}
