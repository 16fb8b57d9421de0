//! Results as a table: what pairing programs, and [`super::read()`], read back.

use super::{Pairing, Pairings};

/// A line a game (CSV): who played, and the result if there is one.
#[must_use]
pub fn table(pairings: &Pairings) -> String {
    let has_four = pairings.iter().any(Pairing::is_of_four);
    let sides: &[&str] = if has_four { &["white", "black", "red", "blue"] } else { &["white", "black"] };
    let mut lines = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["round".to_owned(), "board".to_owned()];
    header.extend(sides.iter().flat_map(|side| [(*side).to_owned(), format!("{side}_fide_id")]));
    header.push("result".to_owned());
    let row = |pairing: &Pairing| {
        let players =
            [Some(&pairing.white), Some(&pairing.black), pairing.red.as_ref(), pairing.blue.as_ref()];
        let mut row = vec![pairing.round.to_string(), pairing.number.to_string()];
        row.extend(players.into_iter().take(sides.len()).flat_map(|player| {
            let name = player.and_then(|player| player.name.clone()).unwrap_or_default();
            let id = player.and_then(|player| player.fide_id).map(|id| id.to_string()).unwrap_or_default();
            [name, id]
        }));
        row.push(pairing.result.clone().unwrap_or_default());
        row
    };
    // Written to memory, whole rows of texts: that cannot fail.
    for row in std::iter::once(header).chain(pairings.iter().map(row)) {
        lines.write_record(row).unwrap_or_default();
    }
    String::from_utf8(lines.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairings::{read, report_with_results};

    const REPORT: &str = "\
012 Spring Open
001    1 mg   Player, One                       2500 GRE     1200    1990/01/01  1.0    1     3 w 1     2 b  
001    2 wIM  Player, Two                       2400 FIN     1300    1991/01/01  0.0    2     4 b 0     1 w  
001    3 m    Pläyer, Three                     2300 GRE               1992/01   0.0    4     1 b 0     4 w  
001    4      Player, Four                         0                             1.0    5     2 w 1     3 b  
";

    fn played() -> Pairings {
        let mut pairings = read("report", REPORT.as_bytes()).unwrap();
        let round = pairings.rounds.get_mut(&2).unwrap();
        for pairing in round {
            let result = if pairing.white.name.as_deref() == Some("Player, Two") { "1/2-1/2" } else { "+/-" };
            pairing.result = Some(result.to_owned());
        }
        pairings
    }

    #[test]
    fn a_table_of_results_reads_back() {
        let pairings = played();
        let text = table(&pairings);
        assert!(text.starts_with("round,board,white,white_fide_id,black,black_fide_id,result\n"), "{text}");
        let again = read("table", text.as_bytes()).unwrap();
        let results = |pairings: &Pairings| {
            let of = |pairing: &Pairing| (pairing.game(), pairing.title(), pairing.result.clone());
            pairings.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(results(&again), results(&pairings));
    }

    #[test]
    fn a_report_gets_the_results_and_keeps_everything_else() {
        let (report, written) = report_with_results("report", REPORT.as_bytes(), &played()).unwrap();
        assert_eq!(written, 2, "the other two stood there");
        let expected = REPORT
            .replace("1.0    1     3 w 1     2 b  ", "1.5    1     3 w 1     2 b =")
            .replace("0.0    2     4 b 0     1 w  ", "0.5    2     4 b 0     1 w =")
            .replace("0.0    4     1 b 0     4 w  ", "1.0    4     1 b 0     4 w +")
            .replace("1.0    5     2 w 1     3 b  ", "1.0    5     2 w 1     3 b -");
        assert_eq!(String::from_utf8(report).unwrap(), expected);
        // As the program wrote it: Windows-1252, lines as Windows ends them, a win that is not rated.
        let windows = |text: &str| -> Vec<u8> {
            let text = text.replace('\n', "\r\n").replace("3 w 1  ", "3 w W  ").replace("1 b 0  ", "1 b L  ");
            text.chars().map(|letter| u8::try_from(letter).unwrap()).collect()
        };
        let (report, written) = report_with_results("report", &windows(REPORT), &played()).unwrap();
        assert_eq!((written, report), (2, windows(&expected)));
        let error = report_with_results("list", b"round,board,white,black\n", &played()).unwrap_err();
        assert_eq!(error.to_string(), "list:1: this is no tournament report (lines like \"001 \u{2026}\")");
    }
}
