//! A table out of a spreadsheet (XLSX): what stands in its first sheet that is not empty, as a table of text.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use csv::{QuoteStyle, WriterBuilder};

use super::Fault;

/// The delimiter of the text that is made.
pub(super) const DELIMITER: u8 = b';';

/// Cells that are read at most: a round of a thousand boards has twenty thousand.
const CELLS: usize = 1_000_000;

/// Is that a spreadsheet? They are ZIP archives.
pub(super) fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The sheet as text; a row of it is a line, and so its line is told in errors.
pub(super) fn text(bytes: &[u8]) -> Result<String, Fault> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Fault::new(1, format!("this cannot be read as a spreadsheet (XLSX): {error}; export it as CSV"))
    };
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    for name in book.sheet_names() {
        let sheet = book.worksheet_range(&name).map_err(|error| unreadable(&error))?;
        let (height, width) = sheet.get_size();
        if height.saturating_mul(width) > CELLS {
            return Err(Fault::new(
                1,
                format!("sheet \"{name}\" has more than {CELLS} cells; export one round"),
            ));
        }
        if sheet.is_empty() {
            continue;
        }
        let mut table = WriterBuilder::new()
            .delimiter(DELIMITER)
            .quote_style(QuoteStyle::Necessary)
            .from_writer(Vec::new());
        // Rows above the first that says something count as well.
        let above = sheet.start().map_or(0, |(row, _)| row);
        let empty = vec![String::new(); width];
        let rows = (0..above).map(|_| empty.clone());
        let rows = rows.chain(sheet.rows().map(|row| row.iter().map(cell).collect()));
        for row in rows {
            // One cell that is empty would be no line at all.
            table.write_record(&row).map_err(|error| unreadable(&error))?;
        }
        let bytes = table.into_inner().map_err(|error| unreadable(&error))?;
        return String::from_utf8(bytes).map_err(|error| unreadable(&error));
    }
    Err(Fault::new(1, "there is nothing in the spreadsheet"))
}

/// What stands in a cell: whole numbers without a decimal point, whatever they are to the spreadsheet.
fn cell(data: &Data) -> String {
    match data {
        // In one line: a row is one.
        Data::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::pairings::read;

    /// A round as it is exported in Greek, on the second sheet: the first one is empty.
    const ROUND: &[u8] = include_bytes!("fixtures/round-3.xlsx");

    #[test]
    fn the_table_of_a_spreadsheet_is_read() {
        let pairings = read("round-3.xlsx", ROUND).unwrap();
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
            let error = read("round.xlsx", bytes).unwrap_err().to_string();
            assert!(
                error.starts_with("round.xlsx:1: this cannot be read as a spreadsheet (XLSX): "),
                "{error}"
            );
        }
    }
}
