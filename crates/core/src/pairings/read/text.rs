//! From bytes to text, and which format the text is.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::Fault;

/// A format of pairings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Pgn,
    Trf,
    /// With what stands between its cells.
    Csv(u8),
}

/// How a line begins that says what stands between the cells of a table.
pub(super) const SAYS_DELIMITER: &str = "sep=";

/// The text with `\n` at the end of each line, whatever ended them, and what has to be said of it. It is UTF-8,
/// or what its byte order mark says, or Windows-1252: pairing programs on Windows still write that.
pub(super) fn decode(bytes: &[u8]) -> Result<(String, Option<String>), Fault> {
    refuse_others(bytes)?;
    let (text, remark) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding.decode_without_bom_handling(&bytes[mark..]).0, None),
        None => match std::str::from_utf8(bytes) {
            Ok(text) => (text.into(), None),
            Err(_) => {
                let remark = "the file is not UTF-8 and was read as Windows-1252: look at the names";
                (WINDOWS_1252.decode_without_bom_handling(bytes).0, Some(remark.to_owned()))
            }
        },
    };
    Ok((text.replace("\r\n", "\n").replace('\r', "\n"), remark))
}

/// The bytes of `text` as those were written from which it was decoded: their line ends, their byte order mark, UTF-8 or
/// Windows-1252. UTF-16, which no report is written in, becomes UTF-8.
pub(super) fn encode_as(bytes: &[u8], text: &str) -> Vec<u8> {
    let text =
        if bytes.windows(2).any(|two| two == b"\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() };
    match Encoding::for_bom(bytes) {
        Some((_, 3)) => [&bytes[..3], text.as_bytes()].concat(),
        None if std::str::from_utf8(bytes).is_err() => WINDOWS_1252.encode(&text).0.into_owned(),
        _ => text.into_bytes(),
    }
}

/// What people send by mistake.
fn refuse_others(bytes: &[u8]) -> Result<(), Fault> {
    let start = bytes.trim_ascii_start();
    let begins = |with: &[u8]| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let what = if start.is_empty() {
        "the file is empty"
    } else if begins(b"PK\x03\x04") || begins(b"\xd0\xcf\x11\xe0") {
        "this is a spreadsheet or an archive; save it as CSV"
    } else if begins(b"%PDF") {
        "this is a PDF; export PGN, TRF or CSV from the pairing program"
    } else if begins(b"<!doctype") || begins(b"<html") || begins(b"<?xml") {
        "this is a web page; export PGN, TRF or CSV from the pairing program"
    } else {
        return Ok(());
    };
    Err(Fault::new(1, what))
}

/// Which format it is, by the first line that says something.
pub(super) fn format(text: &str) -> Result<Format, Fault> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((at, first)) = lines.next() else {
        return Err(Fault::new(1, "the file is empty"));
    };
    let first = first.trim();
    if first.starts_with(['[', '%']) {
        return Ok(Format::Pgn);
    }
    // Some programs put lines of their own first.
    if is_of_report(first) || text.lines().any(|line| line.starts_with("001 ")) {
        return Ok(Format::Trf);
    }
    // Spreadsheets may say it.
    if let Some(&[delimiter]) = first.strip_prefix(SAYS_DELIMITER).map(str::as_bytes) {
        return Ok(Format::Csv(delimiter));
    }
    let delimiters = [b',', b';', b'\t']
        .map(|delimiter| (first.bytes().filter(|byte| *byte == delimiter).count(), delimiter));
    match delimiters.into_iter().max_by_key(|(count, _)| *count) {
        Some((count, delimiter)) if count > 0 => Ok(Format::Csv(delimiter)),
        _ => Err(Fault::new(
            line_number(at),
            "this is neither PGN (tags like [Round \"5.12\"]) nor TRF (lines like \"001 …\") nor CSV (a line with \
             the names of columns)",
        )),
    }
}

/// Three digits and a space, or a comment: a line of a tournament report.
fn is_of_report(line: &str) -> bool {
    let bytes = line.as_bytes();
    line.starts_with("###")
        || bytes.len() >= 3
            && bytes[..3].iter().all(u8::is_ascii_digit)
            && bytes.get(3).is_none_or(|byte| *byte == b' ')
}

/// The number of the line at a place, from 1. A file has fewer lines than bytes.
pub(super) fn line_number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}
