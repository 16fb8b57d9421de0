//! A table for people.

/// Each row on a line, its cells under those of the first; the last cell is as long as it is.
pub(super) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}", width = *width)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_under_each_other() {
        let rows = [["PORT", "BOARD"], ["tcp://a:1", "Tisch-Ä"], ["x", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(&rows), "PORT       BOARD\ntcp://a:1  Tisch-Ä\nx\n");
    }
}
