//! The udev rules, line by line, against the registry of protocols.

use std::collections::BTreeMap;

use adoube_core::wire::PROTOCOLS;

const RULES: &str = include_str!("../../../udev/70-adoube.rules");

/// One part of a rule: `KEY{ATTRIBUTE} OPERATOR "value"`.
#[derive(Debug, PartialEq, Eq)]
struct Part<'a> {
    key: &'a str,
    operator: &'a str,
    value: &'a str,
}

/// The parts of a line.
///
/// # Panics
/// If it is no rule.
fn parts(line: &str) -> Vec<Part<'_>> {
    let parts: Vec<Part<'_>> = line.split(", ").map(|part| part_of(part, line)).collect();
    assert!(!parts.is_empty());
    parts
}

fn part_of<'a>(part: &'a str, line: &str) -> Part<'a> {
    let start = part.find(['=', '!', '+', ':']).unwrap_or_else(|| panic!("{part} in {line}"));
    let (key, rest) = part.split_at(start);
    let quote = rest.find('"').unwrap_or_else(|| panic!("{part} in {line}"));
    let (operator, value) = rest.split_at(quote);
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let value = value.filter(|value| !value.contains('"')).unwrap_or_else(|| panic!("{part} in {line}"));
    Part { key, operator, value }
}

/// Is it one of those that we use? Keys that run programs, set modes or owners, or match by name are none.
fn is_ours(part: &Part<'_>) -> bool {
    let Part { key, operator, value } = part;
    match *key {
        "ACTION" | "SUBSYSTEM" => matches!(*operator, "==" | "!="),
        "ATTRS{idVendor}" | "ATTRS{idProduct}" => {
            *operator == "=="
                && value.len() == 4
                && u16::from_str_radix(value, 16).is_ok()
                && *value == value.to_lowercase()
        }
        "ATTRS{manufacturer}" | "ATTRS{product}" => {
            let says = PROTOCOLS.iter().flat_map(|protocol| protocol.says);
            *operator == "==" && says.into_iter().any(|says| *value == format!("{says}*"))
        }
        "ENV{ID_PATH}" | "ENV{ID_SERIAL_SHORT}" => *operator == "==",
        "ENV{ADOUBE_BOARD}" => matches!(*operator, "=" | "!=") && *value == "1",
        "ENV{ID_MM_DEVICE_IGNORE}" => *operator == "=" && *value == "1",
        // What others have set stays.
        "ENV{SYSTEMD_WANTS}" => *operator == "+=" && *value == "adoube.service",
        "TAG" => *operator == "+=" && matches!(*value, "uaccess" | "systemd"),
        "SYMLINK" => *operator == "+=" && value.starts_with("chessboard/"),
        "GOTO" | "LABEL" => *operator == "=" && *value == "adoube_end",
        _ => false,
    }
}

/// Vendor and product of each line that makes something a board; `marker` is what such a line begins with.
fn ids(marker: &str) -> Vec<(u16, Option<u16>)> {
    let lines = RULES.lines().filter_map(|line| line.strip_prefix(marker));
    let lines = lines.filter(|line| line.starts_with("ATTRS{idVendor}"));
    let number = |value: &str| u16::from_str_radix(value, 16).unwrap();
    lines
        .map(|line| {
            let parts = parts(line);
            let of = |key: &str| parts.iter().find(|part| part.key == key).map(|part| number(part.value));
            let last = parts.last().unwrap();
            assert_eq!((last.key, last.operator), ("ENV{ADOUBE_BOARD}", "="), "{line}");
            (of("ATTRS{idVendor}").unwrap(), of("ATTRS{idProduct}"))
        })
        .collect()
}

/// What the registry has, by vendor and product, with the words of the first protocol that knows it.
fn registered() -> BTreeMap<(u16, Option<u16>), &'static str> {
    let ids = PROTOCOLS.iter().rev().flat_map(|protocol| protocol.bridges);
    ids.map(|id| ((id.vendor, id.product), id.what)).collect()
}

/// The lines that the rules must have for these chips.
fn lines(ids: &BTreeMap<(u16, Option<u16>), &str>) -> String {
    let product = |product: &Option<u16>| {
        product.map_or_else(String::new, |product| format!(" ATTRS{{idProduct}}==\"{product:04x}\","))
    };
    let lines = ids.iter().map(|((vendor, of), what)| {
        let product = product(of);
        format!("# {what}.\n#ATTRS{{idVendor}}==\"{vendor:04x}\",{product} ENV{{ADOUBE_BOARD}}=\"1\"\n")
    });
    lines.collect()
}

#[test]
fn boards_of_the_registry_are_in_the_rules_and_no_others() {
    let expected = registered();
    // Each once, in the order of their numbers; no number alone makes something a board.
    let numbers: Vec<_> = expected.keys().copied().collect();
    assert!(
        ids("#") == numbers && ids("").is_empty(),
        "udev/70-adoube.rules must have these lines, and no others of their kind:\n{}",
        lines(&expected)
    );
    for says in PROTOCOLS.iter().flat_map(|protocol| protocol.says) {
        for name in ["manufacturer", "product"] {
            let line = format!("ATTRS{{{name}}}==\"{says}*\", ENV{{ADOUBE_BOARD}}=\"1\"\n");
            assert_eq!(RULES.matches(&format!("\n{line}")).count(), 1, "{line}");
        }
    }
}

#[test]
fn every_line_is_guarded_and_takes_nothing_from_others() {
    let lines: Vec<&str> = RULES.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect();
    // What is commented out must work once somebody takes the # away.
    for line in lines.iter().map(|line| line.trim_start_matches('#')).filter(|line| !line.is_empty()) {
        for part in parts(line) {
            assert!(is_ours(&part), "{part:?} in {line}");
        }
    }
    let active: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(active[0], "ACTION==\"remove\", GOTO=\"adoube_end\"");
    assert_eq!(active[1], "SUBSYSTEM!=\"tty\", GOTO=\"adoube_end\"");
    assert_eq!(active.last(), Some(&"LABEL=\"adoube_end\""));
    let guard = "ENV{ADOUBE_BOARD}!=\"1\", GOTO=\"adoube_end\"";
    let guard = active.iter().position(|line| *line == guard).expect("what is no board is left alone");
    for (number, line) in active.iter().enumerate().take(active.len() - 1).skip(2) {
        assert_eq!(line.starts_with("ATTRS"), number < guard, "{line}");
        if line.contains("SYMLINK") {
            assert!(line.starts_with("ENV{ID_") && line.contains("==\"?*\""), "a name of nothing: {line}");
        }
    }
    // Systemd looks only at devices with the tag.
    let wants = active.iter().find(|line| line.contains("SYSTEMD_WANTS")).expect("the daemon is started");
    assert!(wants.starts_with("TAG+=\"systemd\", "), "{wants}");
}
