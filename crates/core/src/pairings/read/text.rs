//! From bytes to text, and which format the text is.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

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

/// So many words are looked at to find out whether a guess is right: more than a large event has players.
const WORDS: usize = 5_000;

/// What a file says.
pub(super) struct Decoded {
    /// With `\n` at the end of each line, whatever ended them.
    pub(super) text: String,
    /// What it is written in.
    encoding: &'static Encoding,
    /// What has to be said of it.
    pub(super) remark: Option<String>,
}

/// The text of a file. It is what its byte order mark says, or what it is `named`, or UTF-8, or what its words look like:
/// pairing programs on Windows still write as their machine does.
pub(super) fn decode(bytes: &[u8], named: Option<&'static Encoding>) -> Result<Decoded, Fault> {
    refuse_others(bytes)?;
    let of = |encoding: &'static Encoding, bytes: &[u8], remark| {
        let text = encoding.decode_without_bom_handling(bytes).0;
        Decoded { text: text.replace("\r\n", "\n").replace('\r', "\n"), encoding, remark }
    };
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(of(encoding, &bytes[mark..], None));
    }
    if let Some(encoding) = named {
        let is_wrong = |line: &[u8]| encoding.decode_without_bom_handling(line).1;
        return match bytes.split(|byte| *byte == b'\n').position(is_wrong) {
            Some(at) => Err(Fault::new(line_number(at), format!("this is not {}", encoding.name()))),
            None => Ok(of(encoding, bytes, None)),
        };
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(of(UTF_8, bytes, None));
    }
    let encoding = guess(bytes);
    if let Some((line, word, other)) = doubt(bytes, encoding) {
        let [one, two] = [encoding, other].map(|it| {
            let word = it.decode_without_bom_handling(word).0.into_owned();
            format!("\"{word}\" in {}", it.name())
        });
        let what = format!(
            "the file is not UTF-8, and it is not clear what it is: {one}, {two}; say which (--encoding {}, or \"Encoding\" at \
             the desk)",
            other.name()
        );
        return Err(Fault::new(line, what));
    }
    let remark = format!("the file is not UTF-8 and was read as {}: look at the names", encoding.name());
    Ok(of(encoding, bytes, Some(remark)))
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// A word that looks like one of another encoding, its line, and that encoding, if a third of all words do: a few letters
/// are not enough to tell by.
fn doubt<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Option<(u32, &'a [u8], &'static Encoding)> {
    // The bytes of a letter may be those of others.
    if !encoding.is_single_byte() {
        return None;
    }
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let words = lines.flat_map(|(at, line)| {
        let words = line.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
        words.map(move |word| (line_number(at), word))
    });
    let (mut words_seen, mut others, mut first) = (0, 0, None);
    for (line, word) in words.filter(|(_, word)| !word.is_ascii()).take(WORDS) {
        words_seen += 1;
        let other = guess(word);
        let read = |encoding: &'static Encoding| encoding.decode_without_bom_handling(word).0;
        if read(other) != read(encoding) {
            others += 1;
            first = first.or(Some((line, word, other)));
        }
    }
    first.filter(|_| others * 3 >= words_seen)
}

/// What a report is written in that is not UTF-8 and has no mark: nothing of it is lost on the way there and back.
pub(super) fn lossless(bytes: &[u8]) -> Option<&'static Encoding> {
    if Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let encoding = guess(bytes);
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let is_same = !has_errors && *encoding.encode(&text).0 == *bytes;
    Some(if is_same { encoding } else { WINDOWS_1252 })
}

/// The bytes of `text` as those were written from which it was decoded: their line ends, their byte order mark, their
/// encoding. UTF-16, which no report is written in, becomes UTF-8.
pub(super) fn encode_as(bytes: &[u8], decoded: &Decoded, text: &str) -> Vec<u8> {
    let text =
        if bytes.windows(2).any(|two| two == b"\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() };
    match Encoding::for_bom(bytes) {
        Some((_, 3)) => [&bytes[..3], text.as_bytes()].concat(),
        Some(_) => text.into_bytes(),
        None => decoded.encoding.encode(&text).0.into_owned(),
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
    if let Some(delimiter) = super::csv::delimiter(text) {
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
