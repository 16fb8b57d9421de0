//! The figures as people and programs read them.

use serde_json::{Value, json};

use super::score::{Figures, Missed, percentile};
use super::speed::{Rate, Speed};
use adoube_core::station::{Announce, PublishAt};
use adoube_rules::stamp::MS;
use adoube_rules::words;

/// A row of the table: what was read, and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// How the hands behave, or the folder of the recordings.
    pub(super) hands: String,
    pub(super) is_occupancy: bool,
    pub(super) has_clock: bool,
    /// One square of each board is sick.
    pub(super) is_sick: bool,
    pub(super) announce: Announce,
    pub(super) publish_at: PublishAt,
    pub(super) figures: Figures,
}

impl Row {
    /// What was read, and how many games of it came out right.
    fn kind(&self) -> Vec<String> {
        vec![
            self.hands.clone(),
            board(self.is_occupancy).to_owned(),
            if self.has_clock { "with" } else { "without" }.to_owned(),
            words::written(&self.announce),
            format!("{}/{}", self.figures.games_right, self.figures.games),
        ]
    }
}

/// Rows of texts under a head.
#[derive(Debug, Default)]
pub(super) struct Grid(Vec<Vec<String>>);

impl Grid {
    fn new(head: &[&str]) -> Self {
        Self(vec![head.iter().map(|&text| text.to_owned()).collect()])
    }

    /// As a terminal shows it: columns aligned, words to the left, figures to the right.
    pub(super) fn text(&self) -> String {
        let columns = self.0.first().map_or(0, Vec::len);
        let width = |column: usize| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let is_word = |column: usize| {
            self.0.get(1).is_some_and(|row| row[column].starts_with(|first: char| first.is_alphabetic()))
        };
        let shapes: Vec<(usize, bool)> =
            (0..columns).map(|column| (width(column), is_word(column))).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&shapes).map(|(cell, &(width, is_word))| {
                if is_word { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<String>>().join("  ").trim_end().to_owned() + "\n"
        };
        self.0.iter().map(line).collect()
    }

    /// As documents hold it.
    pub(super) fn markdown(&self) -> String {
        let mut lines: Vec<String> = self.0.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
        lines.insert(1, format!("|{}\n", "---|".repeat(self.0[0].len())));
        lines.concat()
    }
}

/// What one core takes, a row a kind of board.
pub(super) fn speed_grid(speeds: &[(&str, Speed)]) -> Grid {
    let mut grid = Grid::new(&["board", "changes/s", "frames/s"]);
    for (board, speed) in speeds {
        let [changes, frames] = [speed.changes, speed.frames].map(|rate| grouped(rate.per_second()));
        grid.0.push(vec![(*board).to_owned(), changes, frames]);
    }
    grid
}

/// The same as an object.
pub(super) fn speed_json(board: &str, speed: Speed) -> Value {
    let rate =
        |rate: Rate| json!({ "count": rate.count, "seconds": rate.seconds, "cpu_seconds": rate.cpu_seconds });
    json!({
        "board": board,
        "changes_per_s": speed.changes.per_second(),
        "frames_per_s": speed.frames.per_second(),
        "changes": rate(speed.changes),
        "frames": rate(speed.frames),
    })
}

/// How right and how soon, a row a cell.
pub(super) fn accuracy_grid(rows: &[Row]) -> Grid {
    let mut grid = Grid::new(&[
        "hands",
        "board",
        "clock",
        "announce",
        "games",
        "plies %",
        "wrong ‰",
        "withdrawn ‰",
        "undone",
        "made p50/95/99 ms",
        "kings p50/95 ms",
        "completed p50/95/99 ms",
    ]);
    for row in rows {
        let figures = &row.figures;
        let mut cells = row.kind();
        cells.extend([
            percent(figures.plies_right, figures.plies),
            format!("{:.1}", figures.per_thousand(figures.wrong)),
            format!("{:.1}", figures.per_thousand(figures.retracted)),
            if row.has_clock { figures.undone.to_string() } else { "–".to_owned() },
            latencies(&figures.made_ns, &[50, 95, 99]),
            latencies(&figures.kings_ns, &[50, 95]),
            latencies(&figures.completed_ns, &[50, 95, 99]),
        ]);
        grid.0.push(cells);
    }
    grid
}

/// What boards with a sick square come to, a row a cell.
pub(super) fn sick_grid(rows: &[Row]) -> Grid {
    let mut grid = Grid::new(&[
        "square",
        "board",
        "clock",
        "announce",
        "games",
        "begun",
        "named",
        "others named",
        "wrong ‰",
        "withdrawn ‰",
        "touches",
    ]);
    for row in rows {
        let figures = &row.figures;
        let mut cells = row.kind();
        cells.extend([
            figures.games_begun.to_string(),
            format!("{}/{}", figures.sick_named, figures.sick),
            figures.healthy_named.to_string(),
            format!("{:.1}", figures.per_thousand(figures.wrong)),
            format!("{:.1}", figures.per_thousand(figures.retracted)),
            figures.touches.to_string(),
        ]);
        grid.0.push(cells);
    }
    grid
}

/// The games of `row` that did not come out right, whose sick square was not named, of which a healthy one was, or of
/// which right moves were withdrawn after the press, a line a game.
pub(super) fn missed(row: &Row) -> String {
    let what = |uci: &Option<String>| uci.clone().unwrap_or_else(|| "nothing".to_owned());
    let line = |missed: &Missed| {
        let sick = missed.sick.as_ref().map_or_else(String::new, |(square, is_named)| {
            format!(", {square} {}", if *is_named { "named" } else { "not named" })
        });
        let counted = [(missed.healthy_named, "others named"), (missed.undone, "undone")];
        let counted = counted.iter().filter(|(count, _)| *count > 0);
        let counted: String = counted.map(|(count, what)| format!(", {count} {what}")).collect();
        let kind = row.kind()[..4].join(" ");
        let (number, ply) = (missed.number, missed.ply);
        let (played, read) = (what(&missed.played), what(&missed.read));
        if played == read {
            return format!("{kind}, game {number}{sick}{counted}: every ply is right\n");
        }
        format!("{kind}, game {number}{sick}{counted}: ply {ply} was {played}, read as {read}\n")
    };
    row.figures.missed.iter().map(line).collect()
}

/// The same as an object.
pub(super) fn accuracy_json(row: &Row) -> Value {
    let figures = &row.figures;
    let latency = |ns: &[u64]| {
        let ms = |percent| percentile(ns, percent).map(|ns| ns / MS);
        json!({ "count": ns.len(), "p50": ms(50), "p95": ms(95), "p99": ms(99) })
    };
    json!({
        "hands": row.hands,
        "board": board(row.is_occupancy),
        "clock": row.has_clock,
        "announce": row.announce,
        "publish_at": row.publish_at,
        "games": figures.games,
        "games_right": figures.games_right,
        "plies": figures.plies,
        "plies_right": figures.plies_right,
        "wrong": figures.wrong,
        "retracted": figures.retracted,
        "undone": figures.undone,
        "games_begun": figures.games_begun,
        "sick": figures.sick,
        "sick_named": figures.sick_named,
        "healthy_named": figures.healthy_named,
        "touches": figures.touches,
        "made_ms": latency(&figures.made_ns),
        "kings_ms": latency(&figures.kings_ns),
        "completed_ms": latency(&figures.completed_ns),
        "missed": figures.missed,
    })
}

/// A kind of board, as the options call it.
pub(super) fn board(is_occupancy: bool) -> &'static str {
    if is_occupancy { "occupancy" } else { "identity" }
}

/// A share that is not whole is never written as `100.0`.
fn percent(part: usize, whole: usize) -> String {
    let per_mille = (part * 1_000).checked_div(whole).unwrap_or(1_000);
    format!("{}.{}", per_mille / 10, per_mille % 10)
}

fn latencies(ns: &[u64], percents: &[usize]) -> String {
    let all: Option<Vec<String>> =
        percents.iter().map(|&percent| Some((percentile(ns, percent)? / MS).to_string())).collect();
    all.map_or_else(|| "–".to_owned(), |all| all.join(" / "))
}

/// `223,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let figures = Figures {
            games: 2,
            games_right: 1,
            plies: 2_000,
            plies_right: 1_999,
            wrong: 3,
            retracted: 1,
            undone: 0,
            made_ns: vec![100 * MS, 220 * MS],
            kings_ns: Vec::new(),
            completed_ns: vec![50 * MS],
            games_begun: 2,
            sick: 2,
            sick_named: 1,
            healthy_named: 0,
            touches: 3,
            missed: vec![Missed {
                number: 2,
                sick: Some(("f3".to_owned(), false)),
                healthy_named: 2,
                undone: 0,
                ply: 7,
                played: Some("g1f3".to_owned()),
                read: None,
            }],
        };
        let announce = Announce::Balanced;
        Row {
            hands: "heavy".into(),
            is_occupancy: true,
            has_clock: false,
            is_sick: true,
            announce,
            publish_at: PublishAt::Made,
            figures,
        }
    }

    #[test]
    fn a_row_of_sick_squares_is_read_by_people() {
        insta::assert_snapshot!(sick_grid(&[row()]).text(), @r"
        square  board      clock    announce  games  begun  named  others named  wrong ‰  withdrawn ‰  touches
        heavy   occupancy  without  balanced    1/2      2    1/2             0      1.5          0.5        3
        ");
    }

    #[test]
    fn a_row_is_read_by_people() {
        insta::assert_snapshot!(accuracy_grid(&[row()]).text(), @r"
        hands  board      clock    announce  games  plies %  wrong ‰  withdrawn ‰  undone  made p50/95/99 ms  kings p50/95 ms  completed p50/95/99 ms
        heavy  occupancy  without  balanced    1/2     99.9      1.5          0.5       –    100 / 220 / 220                –            50 / 50 / 50
        ");
    }

    #[test]
    fn a_game_that_did_not_come_out_right_is_named_with_the_ply_where_it_parts() {
        insta::assert_snapshot!(missed(&row()), @"heavy occupancy without balanced, game 2, f3 not named, 2 others named: ply 7 was g1f3, read as nothing");
    }

    #[test]
    fn a_row_stands_in_documents() {
        insta::assert_snapshot!(accuracy_grid(&[row()]).markdown(), @r"
        | hands | board | clock | announce | games | plies % | wrong ‰ | withdrawn ‰ | undone | made p50/95/99 ms | kings p50/95 ms | completed p50/95/99 ms |
        |---|---|---|---|---|---|---|---|---|---|---|---|
        | heavy | occupancy | without | balanced | 1/2 | 99.9 | 1.5 | 0.5 | – | 100 / 220 / 220 | – | 50 / 50 / 50 |
        ");
    }

    #[test]
    fn a_row_is_read_by_programs() {
        let object = accuracy_json(&row());
        assert_eq!(object["plies_right"], 1_999);
        assert_eq!(object["made_ms"], json!({ "count": 2, "p50": 100, "p95": 220, "p99": 220 }));
        assert_eq!(object["kings_ms"], json!({ "count": 0, "p50": null, "p95": null, "p99": null }));
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(1_999, 2_000), "99.9");
        assert_eq!((percent(5, 5), percent(0, 5)), ("100.0".to_owned(), "0.0".to_owned()));
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
