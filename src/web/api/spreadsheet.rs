//! A table out of a spreadsheet (XLSX): what stands in its first sheet that is not empty, as a table of text.

use std::collections::BTreeMap;
use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use csv::{QuoteStyle, WriterBuilder};

/// Cells that are read at most: a round of a thousand boards has twenty thousand.
const CELLS: u64 = 1_000_000;

/// So many bytes at most once it is unpacked: eight times the largest file that is imported.
const UNPACKED: u64 = 64 << 20;

/// How large the files of an archive say they are (the central directory of ZIP, APPNOTE 4.3.12).
fn unpacked(archive: &[u8]) -> u64 {
    let entries = archive.windows(28).filter(|entry| entry.starts_with(b"PK\x01\x02"));
    entries.map(|entry| entry[24..28].iter().rev().fold(0, |size, byte| size << 8 | u64::from(*byte))).sum()
}

/// The sheet as text, if that is a spreadsheet (they are ZIP archives); a row of it is a line, and so its line is told in
/// errors.
///
/// # Errors
/// What is wrong with it, and what to do.
pub(super) fn text(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return Ok(None);
    }
    let unreadable = |error: &dyn std::fmt::Display| {
        format!("this cannot be read as a spreadsheet (XLSX): {error}; export it as CSV")
    };
    if unpacked(bytes) > UNPACKED {
        return Err("the spreadsheet is larger than 64 MiB once it is unpacked; export one round".to_owned());
    }
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    for name in book.sheet_names() {
        let mut cells = book.worksheet_cells_reader(&name).map_err(|error| unreadable(&error))?;
        let mut rows: BTreeMap<u32, BTreeMap<u32, String>> = BTreeMap::new();
        let mut width = 0;
        while let Some(found) = cells.next_cell().map_err(|error| unreadable(&error))? {
            let ((row, column), text) = (found.get_position(), cell(&Data::from(found.get_value().clone())));
            if text.is_empty() {
                continue;
            }
            width = width.max(column + 1);
            rows.entry(row).or_default().insert(column, text);
            // Rows above the first that says something, and cells between, count as well.
            let height = rows.keys().next_back().map_or(0, |last| u64::from(*last) + 1);
            if height * u64::from(width) > CELLS {
                return Err(format!("sheet \"{name}\" has more than {CELLS} cells; export one round"));
            }
        }
        let Some(last) = rows.keys().next_back().copied() else { continue };
        let mut table =
            WriterBuilder::new().delimiter(b';').quote_style(QuoteStyle::Necessary).from_writer(Vec::new());
        for row in 0..=last {
            let row = rows.remove(&row).unwrap_or_default();
            let cells = (0..width).map(|column| row.get(&column).map_or("", String::as_str));
            table.write_record(cells).map_err(|error| unreadable(&error))?;
        }
        return table.into_inner().map(Some).map_err(|error| unreadable(&error));
    }
    Err("there is nothing in the spreadsheet".to_owned())
}

/// What stands in a cell: whole numbers without a decimal point, whatever they are to the spreadsheet.
fn cell(data: &Data) -> String {
    match data {
        // In one line: a row is one.
        Data::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Data::DateTime(at) if at.is_datetime() => {
            let (year, month, day, ..) = at.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02}")
        }
        Data::DateTimeIso(at) => at.split('T').next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use adoube_core::pairings::read;

    /// A round as it is exported in Greek, on the second sheet: the first one is empty.
    const ROUND: &[u8] = include_bytes!("fixtures/round-3.xlsx");

    #[test]
    fn the_table_of_a_spreadsheet_is_read() {
        let pairings = read("round-3.xlsx", &text(ROUND).unwrap().unwrap()).unwrap();
        let games: Vec<String> =
            pairings.iter().map(|pairing| format!("{} {}", pairing.game(), pairing.title())).collect();
        assert_eq!(games, ["3-1 Παπαδόπουλος, Γιάννης – Zwart, Bert", "3-2 Weiss, Carl – Schwarz; Dora"]);
        assert_eq!(
            (pairings.event.as_deref(), pairings.dates[&3].as_str()),
            (Some("City Open, Athens 2026"), "2026-11-30")
        );
        let [first, second] = &pairings.rounds[&3][..] else { panic!("two games") };
        assert_eq!((first.white.elo, first.white.title.as_deref()), (Some(2501), Some("GM")));
        assert_eq!((first.result.as_deref(), second.result.as_deref()), (Some("1/2-1/2"), None));
    }

    #[test]
    fn what_is_no_spreadsheet_or_is_broken_off_is_said() {
        for bytes in [&ROUND[..100], &ROUND[..ROUND.len() - 30], b"PK\x03\x04"] {
            let error = text(bytes).unwrap_err();
            assert!(error.starts_with("this cannot be read as a spreadsheet (XLSX): "), "{error}");
        }
        assert_eq!(text(b"round,board,white,black"), Ok(None));
        // What says that it would be a gigabyte is not unpacked.
        let mut large = ROUND.to_vec();
        let entry = large.windows(4).position(|at| at == b"PK\x01\x02").unwrap();
        large[entry + 24..entry + 28].copy_from_slice(&(1_u32 << 30).to_le_bytes());
        assert!(text(&large).unwrap_err().contains("64 MiB"));
    }
}
