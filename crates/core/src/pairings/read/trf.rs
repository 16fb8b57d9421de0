//! Pairings in a tournament report: TRF16 and TRF26, lines with fixed columns.
//!
//! A report has no numbers of boards; [`super::trf_order`] puts the games of a round into the order of pairing
//! programs.

use std::collections::BTreeMap;

use super::field::{self, Field};
use super::rows::{Found, Row};
use super::text::line_number;
use super::{Fault, trf_order};
use crate::event::Player;
use crate::pairings::merge::is_same_person;
use crate::pairings::{BYE, Pairing, Pairings};
use adoube_rules::GameResult;
use adoube_rules::sensor::Side;

/// A report, as far as pairings need it.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// By starting number.
    pub(super) players: BTreeMap<u32, Entry>,
    /// By team number.
    pub(super) teams: BTreeMap<u32, Team>,
    /// Who sat where, if not in the order of the team: by round and team number; 0 is nobody.
    pub(super) orders: BTreeMap<(u32, u32), Vec<u32>>,
}

/// A player in the report.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) line: u32,
    pub(super) player: Player,
    /// Round by round.
    pub(super) cells: Vec<Cell>,
}

/// What a player did in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cell {
    /// Starting number of the opponent; 0: none.
    pub(super) opponent: u32,
    colour: Option<Side>,
    /// The code of the result, in capitals; a blank if there is none.
    pub(super) result: char,
}

/// A team in the report.
#[derive(Debug)]
pub(super) struct Team {
    line: u32,
    name: Option<String>,
    /// Starting numbers, in the order of boards.
    pub(super) players: Vec<u32>,
}

/// Columns of a round, and where those of the first one are.
const ROUND_COLUMNS: usize = 10;
const FIRST_ROUND: usize = 92;
/// More rounds than any report has.
const ROUNDS: usize = 999;

/// Reads a report.
pub(super) fn read(text: &str) -> Result<Found, Fault> {
    let mut found = Found { numbers_guessed: true, ..Found::default() };
    let mut report = Report::default();
    let (mut city, mut federation, mut control, mut exact_control) = (None, None, None, None);
    for (at, line) in text.split('\n').enumerate() {
        let number = line_number(at);
        let wrong = |what: String| Fault::new(number, what);
        let rest = || field::text(line.get(3..).unwrap_or_default()).map_err(wrong);
        match line.get(..3).unwrap_or_default() {
            "001" => {
                let (start, entry) = entry(number, line)?;
                if let Some(first) = report.players.insert(start, entry) {
                    return Err(again(number, "starting number", start, first.line));
                }
            }
            id @ ("013" | "310") => {
                let next = u32::try_from(report.teams.len()).unwrap_or(u32::MAX).saturating_add(1);
                let (start, team) = team(number, line, (id == "013").then_some(next))?;
                if let Some(first) = report.teams.insert(start, team) {
                    return Err(again(number, "team number", start, first.line));
                }
            }
            "300" => order(number, line, &mut report)?,
            "012" => found.event = rest()?,
            "022" => city = rest()?,
            "032" => federation = rest()?,
            "122" => control = rest()?,
            "222" => exact_control = rest()?,
            "132" => dates(number, line, &mut found)?,
            _ => {}
        }
    }
    found.site = match (city, federation) {
        (Some(city), Some(federation)) => Some(format!("{city} {federation}")),
        (city, federation) => city.or(federation),
    };
    // One for each side is nothing that PGN can say.
    found.time_control = exact_control.filter(|control| !control.starts_with('W')).or(control);
    name_teams(&mut report)?;
    let rounds = report.players.values().map(|entry| entry.cells.len()).max().unwrap_or_default();
    for round in 1..=rounds {
        found.rows.extend(trf_order::in_order(&report, round, games(&report, round)?));
    }
    let guess = "a tournament report has no numbers of boards: they follow the points before the round and the \
                 starting numbers; reorder the boards if your pairing program has them otherwise";
    found.remarks.push(guess.to_owned());
    Ok(found)
}

fn again(line: u32, what: &str, number: u32, first: u32) -> Fault {
    Fault::new(line, format!("{what} {number} is here and in line {first}; each has its own"))
}

/// A line cut into columns, counted from 1.
struct Columns(Vec<char>);

/// Stands where a letter takes more than one byte; no text has it.
const FILLER: char = '\u{ffff}';

impl Columns {
    /// Columns are letters.
    fn letters(line: &str) -> Self {
        Self(line.chars().collect())
    }

    /// Columns are bytes: so do some programs write UTF-8.
    fn bytes(line: &str) -> Self {
        let bytes =
            |letter: char| std::iter::once(letter).chain(std::iter::repeat_n(FILLER, letter.len_utf8() - 1));
        Self(line.chars().flat_map(bytes).collect())
    }

    fn get(&self, from: usize, to: usize) -> String {
        let to = to.min(self.0.len());
        self.0.get(from - 1..to).unwrap_or_default().iter().filter(|letter| **letter != FILLER).collect()
    }

    /// Puts a letter into a column.
    fn put(&mut self, at: usize, letter: char) {
        if self.0.len() < at {
            self.0.resize(at, ' ');
        }
        self.0[at - 1] = letter;
    }

    /// Adds so many halves to the points that stand there.
    fn add_points(&mut self, halves: i32) {
        let text = self.get(POINTS.0, POINTS.1);
        let Some((whole, half)) = text.trim().split_once('.') else { return };
        let (Ok(whole), half) = (whole.parse::<i32>(), i32::from(half == "5")) else { return };
        let halves = (2 * whole + half + halves).max(0);
        let points = format!("{:>2}.{}", halves / 2, if halves % 2 == 1 { 5 } else { 0 });
        for (at, letter) in (POINTS.0..=POINTS.1).zip(points.chars()) {
            self.put(at, letter);
        }
    }

    fn text(&self) -> String {
        self.0.iter().filter(|letter| **letter != FILLER).collect()
    }

    /// A number, if one stands there; 0 is none.
    fn number(&self, from: usize, to: usize) -> Result<Option<u32>, String> {
        let text = self.get(from, to);
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let number: u32 =
            text.parse().map_err(|_| format!("columns {from}–{to}: \"{text}\" is no number"))?;
        Ok((number > 0).then_some(number))
    }
}

fn entry(line: u32, text: &str) -> Result<(u32, Entry), Fault> {
    let read = |columns: &Columns| entry_of(line, columns);
    let wrong = |what: String| Fault::new(line, what);
    match read(&Columns::letters(text)) {
        Err(_) if !text.is_ascii() && read(&Columns::bytes(text)).is_ok() => {
            read(&Columns::bytes(text)).map_err(wrong)
        }
        entry => entry.map_err(wrong),
    }
}

/// Where the fields of a player are.
const FIELDS: [(usize, usize, Field); 5] = [
    (11, 13, Field::Title),
    (15, 47, Field::Name),
    (49, 52, Field::Elo),
    (54, 56, Field::Federation),
    (58, 68, Field::FideId),
];

/// The report with the results of `games` in it where it has others or none, and the points that follow; everything else
/// stays as it is. And of how many games that was.
pub(super) fn with_results(text: &str, games: &Pairings) -> Result<(String, usize), Fault> {
    let mut players: BTreeMap<u32, Entry> = BTreeMap::new();
    for (at, line) in text.split('\n').enumerate().filter(|(_, line)| line.starts_with("001")) {
        let (start, entry) = entry(line_number(at), line)?;
        players.insert(start, entry);
    }
    // Where the event has points of its own, the program knows them.
    let is_usual = !text.split('\n').any(|line| line.starts_with("162"));
    let mut changed = std::collections::BTreeSet::new();
    let mut lines = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        if !line.starts_with("001") {
            lines.push(line.to_owned());
            continue;
        }
        let (_, own) = entry(line_number(at), line)?;
        let mut columns = columns_of(line_number(at), line);
        let mut more_halves = 0;
        for (round, cell) in (1..).zip(&own.cells) {
            let opponent = players.get(&cell.opponent);
            let Some((number, code)) =
                opponent.and_then(|opponent| code(games, round, &own.player, &opponent.player))
            else {
                continue;
            };
            // An unrated result that says the same stays unrated.
            if of_play(cell.result) != code {
                columns.put(FIRST_ROUND + (round as usize - 1) * ROUND_COLUMNS + 7, code);
                more_halves += halves_of(code) - halves_of(cell.result);
                changed.insert((round, number));
            }
        }
        if is_usual && more_halves != 0 {
            columns.add_points(more_halves);
        }
        lines.push(columns.text());
    }
    Ok((lines.join("\n"), changed.len()))
}

/// A code of a game that was played, as a rated one.
fn of_play(code: char) -> char {
    match code {
        'W' => '1',
        'D' => '=',
        'L' => '0',
        other => other,
    }
}

/// The halves of a point that a code stands for.
fn halves_of(code: char) -> i32 {
    match code {
        '1' | '+' | 'W' | 'F' | 'U' => 2,
        '=' | 'D' | 'H' => 1,
        _ => 0,
    }
}

/// The number of the game of `player` and `opponent` in a round, and the code of what `player` has from it, if it has a result.
fn code(games: &Pairings, round: u32, player: &Player, opponent: &Player) -> Option<(u32, char)> {
    let is_theirs = |pairing: &&Pairing| {
        let [one, other] = [&pairing.white, &pairing.black].map(|of| is_same_person(of, player));
        let against = if one { &pairing.black } else { &pairing.white };
        (one || other) && is_same_person(against, opponent)
    };
    let pairing = games.rounds.get(&round)?.iter().find(is_theirs)?;
    let result: GameResult = pairing.result.as_deref()?.parse().ok()?;
    let side = if is_same_person(&pairing.white, player) { Side::White } else { Side::Black };
    let code = match (result.halves()[side.index()], result.is_forfeit()) {
        (2.., true) => '+',
        (_, true) => '-',
        (2.., false) => '1',
        (1, false) => '=',
        (0, false) => '0',
    };
    Some((pairing.number, code))
}

/// A player's line in the columns in which it can be read.
fn columns_of(line: u32, text: &str) -> Columns {
    let letters = Columns::letters(text);
    if entry_of(line, &letters).is_ok() { letters } else { Columns::bytes(text) }
}

/// Where a player's points are.
const POINTS: (usize, usize) = (81, 84);

fn entry_of(line: u32, columns: &Columns) -> Result<(u32, Entry), String> {
    let Some(start) = columns.number(5, 8)? else {
        return Err("columns 5–8: a player needs a starting number".to_owned());
    };
    let mut player = Player::default();
    for (from, to, field) in FIELDS {
        field
            .put(&mut player, &columns.get(from, to))
            .map_err(|error| format!("columns {from}–{to}: {error}"))?;
    }
    let mut cells = Vec::new();
    for round in 0..ROUNDS {
        let from = FIRST_ROUND + round * ROUND_COLUMNS;
        if from > columns.0.len() {
            break;
        }
        cells.push(cell(columns, from).map_err(|error| format!("round {}: {error}", round + 1))?);
    }
    while cells.last().is_some_and(|cell: &Cell| cell.opponent == 0 && cell.result == ' ') {
        cells.pop();
    }
    Ok((start, Entry { line, player, cells }))
}

fn cell(columns: &Columns, from: usize) -> Result<Cell, String> {
    // What is in a wrong column would be overlooked.
    if let Some(at) =
        [from - 1, from + 4, from + 6].into_iter().find(|at| !columns.get(*at, *at).trim().is_empty())
    {
        return Err(format!(
            "column {at} must be blank; the opponent is in columns {from}–{}, the colour in {}, the result in {}",
            from + 3,
            from + 5,
            from + 7
        ));
    }
    let opponent = columns.number(from, from + 3)?.unwrap_or_default();
    let one = |at: usize| columns.get(at, at).chars().next().unwrap_or(' ').to_ascii_uppercase();
    let colour = match one(from + 5) {
        'W' => Some(Side::White),
        'B' => Some(Side::Black),
        ' ' | '-' => None,
        other => return Err(format!("column {}: \"{other}\" is no colour; write w, b or -", from + 5)),
    };
    let result = one(from + 7);
    if !" 1=0+-WDLHFUZ".contains(result) {
        return Err(format!(
            "column {}: \"{result}\" is no result; write 1, =, 0, +, -, W, D, L, H, F, U or Z",
            from + 7
        ));
    }
    Ok(Cell { opponent, colour, result })
}

/// Where the name and the first player of a team are: in TRF16, in TRF26.
fn team(line: u32, text: &str, number: Option<u32>) -> Result<(u32, Team), Fault> {
    let columns = Columns::letters(text);
    let wrong = |what: String| Fault::new(line, what);
    let (from, to, first) = if number.is_some() { (5, 36, 37) } else { (9, 40, 74) };
    let number = match number {
        Some(number) => number,
        None => columns
            .number(5, 7)
            .map_err(wrong)?
            .ok_or_else(|| Fault::new(line, "columns 5–7: a team needs its number"))?,
    };
    let name = field::text(&columns.get(from, to)).map_err(wrong)?;
    let players = numbers(&columns, first).map_err(wrong)?.into_iter().filter(|player| *player > 0).collect();
    Ok((number, Team { line, name, players }))
}

/// Numbers of players, five columns each.
fn numbers(columns: &Columns, first: usize) -> Result<Vec<u32>, String> {
    (first..=columns.0.len())
        .step_by(5)
        .map(|from| columns.number(from, from + 3).map(Option::unwrap_or_default))
        .collect()
}

fn order(line: u32, text: &str, report: &mut Report) -> Result<(), Fault> {
    let columns = Columns::letters(text);
    let wrong = |what: String| Fault::new(line, what);
    let (round, team) = (columns.number(5, 7).map_err(wrong)?, columns.number(9, 11).map_err(wrong)?);
    if let (Some(round), Some(team)) = (round, team) {
        report.orders.insert((round, team), numbers(&columns, 17).map_err(wrong)?);
    }
    Ok(())
}

fn dates(line: u32, text: &str, found: &mut Found) -> Result<(), Fault> {
    let columns = Columns::letters(text);
    let starts = (FIRST_ROUND..=columns.0.len()).step_by(ROUND_COLUMNS).take(ROUNDS);
    for (round, from) in (1..).zip(starts) {
        let date = field::date(&columns.get(from, from + ROUND_COLUMNS - 1));
        if let Some(date) = date.map_err(|error| Fault::new(line, format!("round {round}: {error}")))? {
            found.dates.insert(round, date);
        }
    }
    Ok(())
}

/// Tells the players which team is theirs.
fn name_teams(report: &mut Report) -> Result<(), Fault> {
    for team in report.teams.values() {
        for player in &team.players {
            let Some(entry) = report.players.get_mut(player) else {
                return Err(Fault::new(team.line, format!("there is no player {player} in the report")));
            };
            entry.player.team.clone_from(&team.name);
        }
    }
    Ok(())
}

/// A game of a round, by starting numbers; Black's is 0 if White has a bye.
#[derive(Debug, Clone)]
pub(super) struct Game {
    pub(super) players: [u32; 2],
    pub(super) row: Row,
}

/// The games of a round, by White's starting number.
fn games(report: &Report, round: usize) -> Result<Vec<Game>, Fault> {
    let mut games = Vec::new();
    for (&start, entry) in &report.players {
        let Some(cell) = entry.cells.get(round - 1) else { continue };
        let row = |black: &Player, result| Row {
            line: entry.line,
            round: line_number(round - 1),
            white: entry.player.clone(),
            black: black.clone(),
            result,
            ..Row::default()
        };
        if cell.opponent == 0 {
            // Who is absent plays nobody, and has no bye.
            if "UFH+1=WD".contains(cell.result) {
                let row = row(&Player::default(), Some(BYE.to_owned()));
                games.push(Game { players: [start, 0], row });
            }
            continue;
        }
        let (other, answer) = opponent(report, round, start, cell)?;
        let is_white = match (cell.colour, answer.colour) {
            (Some(Side::White), Some(Side::White)) | (Some(Side::Black), Some(Side::Black)) => {
                let what = format!("round {round}: {start} and {} have the same colour", cell.opponent);
                return Err(Fault::new(entry.line, what));
            }
            (Some(side), _) => side == Side::White,
            (None, Some(side)) => side == Side::Black,
            (None, None) => start < cell.opponent,
        };
        if is_white {
            let result = result(cell.result, answer.result).ok_or_else(|| {
                let (one, two) = (cell.result, answer.result);
                let what =
                    format!("round {round}: {one} against {}, who has {two}; both cannot be", cell.opponent);
                Fault::new(entry.line, what)
            })?;
            games.push(Game { players: [start, cell.opponent], row: row(&other.player, result) });
        }
    }
    Ok(games)
}

/// The opponent of `start`, who must say the same.
fn opponent<'a>(
    report: &'a Report,
    round: usize,
    start: u32,
    cell: &Cell,
) -> Result<(&'a Entry, Cell), Fault> {
    let line = report.players.get(&start).map_or(1, |entry| entry.line);
    let whom = cell.opponent;
    let Some(other) = report.players.get(&whom).filter(|_| whom != start) else {
        return Err(Fault::new(
            line,
            format!("round {round} is against {whom}, whom the report does not have"),
        ));
    };
    let answer = other.cells.get(round - 1).copied().unwrap_or_default();
    if answer.opponent == start {
        return Ok((other, answer));
    }
    let says = if answer.opponent == 0 { "nobody".to_owned() } else { answer.opponent.to_string() };
    let what = format!("round {round} is against {whom}, but {whom} (line {}) has {says} there", other.line);
    Err(Fault::new(line, what))
}

/// The result of both codes; nothing inside: not played yet. Nothing at all: they cannot both be.
fn result(white: char, black: char) -> Option<Option<String>> {
    let halves = |code: char| match code {
        '1' | 'W' | '+' | 'F' => Some(2),
        '=' | 'D' | 'H' => Some(1),
        '0' | 'L' | '-' | 'Z' => Some(0),
        _ => None,
    };
    let (one, two) = match (halves(white), halves(black)) {
        (None, None) => return Some(None),
        (Some(one), Some(two)) => (one, two),
        // Only one of them is entered yet.
        (Some(one), None) => (one, 2 - one),
        (None, Some(two)) => (2 - two, two),
    };
    let is_forfeit = "+-".contains(white) || "+-".contains(black);
    let name = match (one, two, is_forfeit) {
        (2, 0, false) => "1-0",
        (0, 2, false) => "0-1",
        (1, 1, _) => "1/2-1/2",
        (2, 0, true) => "+/-",
        (0, 2, true) => "-/+",
        (0, 0, true) => "-/-",
        (0, 0, false) => "0-0",
        (1, 0, _) => "1/2-0",
        (0, 1, _) => "0-1/2",
        _ => return None,
    };
    Some(Some(name.to_owned()))
}
