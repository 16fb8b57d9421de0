//! Pairings as a table: a line with the names of its columns, in any order, then a game a line.

use csv::{ReaderBuilder, StringRecord, Trim};

use super::Fault;
use super::field::{self, Field};
use super::rows::{Found, Row, place};
use super::text::SAYS_DELIMITER;
use super::twice::{self, Title};
use crate::event::Player;
use adoube_rules::spelling::nearest;

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Round,
    Match,
    Board,
    AtBoard,
    Result,
    Date,
    Event,
    Site,
    TimeControl,
    /// Of White (0), Black (1), and in a game of four players Red (2) and Blue (3).
    Player(usize, Field),
    /// Nothing that a pairing has.
    Other,
}

/// The columns by name, and how others call them; the first one is ours.
const COLUMNS: [(Column, &[&str]); 10] = [
    (Column::Round, &["round", "rd", "rnd"]),
    (Column::Match, &["match", "matchnumber", "teammatch"]),
    (
        Column::Board,
        &["board", "bo", "brd", "bd", "no", "nr", "number", "table", "boardno", "boardnumber", "boardnr"],
    ),
    (Column::AtBoard, &["at_board", "playedat", "eboard", "electronicboard"]),
    (Column::Result, &["result", "res"]),
    (Column::Date, &["date", "day"]),
    (Column::Event, &["event", "tournament"]),
    (Column::Site, &["site", "place", "city"]),
    (Column::TimeControl, &["time_control", "tc"]),
    (
        Column::Other,
        &["points", "pts", "group", "section", "whitepoints", "whitepts", "blackpoints", "blackpts"],
    ),
];

/// What stands behind the colour of a player; the first one is ours.
const PLAYER_COLUMNS: [(Field, &[&str]); 6] = [
    (Field::Name, &["", "name", "player"]),
    (Field::Title, &["title"]),
    (Field::Elo, &["elo", "rating", "rtg", "fideelo", "fiderating"]),
    (Field::FideId, &["fide_id", "fide", "fidenumber", "fideno", "id"]),
    (Field::Federation, &["federation", "fed", "country", "nation"]),
    (Field::Team, &["team"]),
];

/// The colours of the players, the first name is ours; who plays in every game, and who in one of four players.
const SIDES: [&[&str]; 4] = [&["white", "w"], &["black", "b"], &["red"], &["blue"]];
/// So many of them play in every game.
const TWO: usize = 2;

/// The names of the columns stand among so many lines; above them titles.
const HEADER_WITHIN: usize = 40;

/// Reads the rows of `text`; those that have no round are of `round`.
pub(super) fn read(text: &str, delimiter: u8, round: Option<u32>) -> Result<Found, Fault> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    if let Some(line) = unclosed_quote(text, delimiter) {
        return Err(Fault::new(line, "a quote (\") opens here and is not closed; close it, or leave it out"));
    }
    let mut found = Found::default();
    let mut columns: Option<(Vec<Column>, StringRecord)> = None;
    let mut above = Above { round, fault: None, is_twice: false };
    let mut record = StringRecord::new();
    loop {
        let last = line(reader.position().line());
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(Fault::new(last, format!("this cannot be read as a table: {error}"))),
        }
        let line = record.position().map_or(1, |position| {
            // The record says where the empty lines before it began.
            let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let empty = rest.iter().take_while(|byte| **byte == b'\n').count();
            line(position.line() + empty as u64)
        });
        let says_delimiter = columns.is_none() && record.get(0) == Some(SAYS_DELIMITER);
        if says_delimiter || record.iter().all(str::is_empty) {
            continue;
        }
        // A table of each round may follow that of the one before it.
        if let Some(twice) = twice::columns(record.iter()) {
            columns = Some((twice, record.clone()));
            above.is_twice = true;
            continue;
        }
        match &columns {
            None => match header(line, &record) {
                Ok(header) => columns = Some((header, record.clone())),
                Err(fault) => above.take(&record, fault, &mut found)?,
            },
            Some(_) if above.goes_on(&record, &mut found) => {}
            Some((columns, names)) => {
                let row = row((line, delimiter), (columns, names), &record, above.round, &mut found)?;
                found.rows.push(row);
            }
        }
    }
    match (columns, above.fault) {
        (None, Some(fault)) => Err(fault),
        _ => Ok(found),
    }
}

/// What stands above a table.
struct Above {
    /// The round of the rows that do not say theirs.
    round: Option<u32>,
    /// Why the first line is no names of columns, should there be none in the whole file.
    fault: Option<Fault>,
    /// The columns of a player stand there twice: the table is a program's, which writes lines of its own.
    is_twice: bool,
}

impl Above {
    /// A line before the names of the columns; it is their line, and wrong, if it names one.
    fn take(&mut self, record: &StringRecord, fault: Fault, found: &mut Found) -> Result<(), Fault> {
        let known = record.iter().filter(|name| !name.is_empty() && column(name).is_some()).count();
        if known > 1 || known == 1 && self.fault.is_none() {
            return Err(fault);
        }
        self.fault.get_or_insert(fault);
        if let Some(title) = twice::title(record) {
            self.says(title, found);
        }
        Ok(())
    }

    /// Is the line none of a game, but the title of the next table, or what a program writes below it?
    fn goes_on(&mut self, record: &StringRecord, found: &mut Found) -> bool {
        let title = twice::title(record).filter(|_| self.is_twice);
        let is_title = title.is_some();
        title.into_iter().for_each(|title| self.says(Title { event: None, ..title }, found));
        is_title
    }

    fn says(&mut self, title: Title, found: &mut Found) {
        self.round = title.round.or(self.round);
        if let Some((round, date)) = title.round.zip(title.date) {
            found.dates.entry(round).or_insert(date);
        }
        found.event = found.event.take().or(title.event);
    }
}

/// By what the cells are parted, if a line among the first names columns.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let lines = text.lines().take(HEADER_WITHIN);
    lines.flat_map(|line| [b',', b';', b'\t'].map(|delimiter| (line, delimiter))).find_map(
        |(line, delimiter)| {
            let cells = || line.split(char::from(delimiter)).map(|cell| cell.trim().trim_matches('"').trim());
            let known = cells().filter(|cell| !cell.is_empty() && column(cell).is_some()).count();
            (known > 1 || twice::columns(cells()).is_some()).then_some(delimiter)
        },
    )
}

/// The line in which a cell begins with a quote that nothing closes: all that follows would be in it.
fn unclosed_quote(text: &str, delimiter: u8) -> Option<u32> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match (opened, byte) {
            // Two of them are one inside.
            (Some(_), b'"') if bytes.next_if_eq(&b'"').is_some() => {}
            (Some(_), b'"') => opened = None,
            (None, b'"') if begins => opened = Some(line),
            _ => {}
        }
        begins = opened.is_none() && (byte == delimiter || byte == b'\n');
        line += u32::from(byte == b'\n');
    }
    opened
}

fn line(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

fn header(line: u32, record: &StringRecord) -> Result<Vec<Column>, Fault> {
    let mut columns: Vec<Column> = Vec::new();
    for (at, name) in record.iter().enumerate() {
        let column = column(name).ok_or_else(|| unknown(line, at, name))?;
        if column != Column::Other
            && let Some(first) = columns.iter().position(|other| *other == column)
        {
            let (first, other) = (&record[first], at + 1);
            let what =
                format!("column {other} \"{name}\" says the same as \"{first}\"; leave one of them out");
            return Err(Fault::new(line, what));
        }
        columns.push(column);
    }
    let is_of_four = columns.iter().any(|column| matches!(column, Column::Player(TWO.., _)));
    for (side, names) in SIDES.iter().enumerate().take(if is_of_four { SIDES.len() } else { TWO }) {
        let name = names[0];
        if !columns.contains(&Column::Player(side, Field::Name)) {
            let what = format!(
                "there is no column \"{name}\"; the first line names the columns: {}",
                known_columns()
            );
            return Err(Fault::new(line, what));
        }
    }
    Ok(columns)
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn column(name: &str) -> Option<Column> {
    let name = plain(name);
    // A spreadsheet's empty column.
    if name.is_empty() {
        return Some(Column::Other);
    }
    let is = |known: &str| plain(known) == name;
    if let Some((column, _)) = COLUMNS.iter().find(|(_, names)| names.iter().any(|known| is(known))) {
        return Some(*column);
    }
    SIDES.iter().enumerate().find_map(|(side, names)| {
        let rest = names.iter().filter_map(|side| name.strip_prefix(side));
        let mut fields = rest.flat_map(|rest| {
            PLAYER_COLUMNS.iter().filter(move |(_, names)| names.iter().any(|known| plain(known) == rest))
        });
        fields.next().map(|(field, _)| Column::Player(side, *field))
    })
}

/// Our names of all columns.
fn names() -> impl Iterator<Item = String> {
    let common = COLUMNS.iter().filter(|(column, _)| *column != Column::Other);
    let common = common.map(|(_, names)| names[0].to_owned());
    let players = SIDES.iter().flat_map(|colours| {
        PLAYER_COLUMNS.iter().map(move |(_, names)| match names[0] {
            "" => colours[0].to_owned(),
            field => format!("{}_{field}", colours[0]),
        })
    });
    common.chain(players)
}

fn known_columns() -> String {
    let is_of_two = |name: &String| SIDES[TWO..].iter().all(|colours| !name.starts_with(colours[0]));
    let of_two: Vec<String> = names().filter(is_of_two).collect();
    format!("{}; for four players also red and blue, with the same behind them", of_two.join(", "))
}

fn unknown(line: u32, at: usize, name: &str) -> Fault {
    let names: Vec<String> = names().collect();
    let nearest = nearest(&name.to_lowercase(), names.iter().map(String::as_str));
    let what = format!(
        "column {} is called \"{}\": did you mean \"{nearest}\"? The columns are {}",
        at + 1,
        name.chars().take(60).collect::<String>(),
        known_columns()
    );
    Fault::new(line, what)
}

fn row(
    (line, delimiter): (u32, u8),
    (columns, names): (&[Column], &StringRecord),
    record: &StringRecord,
    round: Option<u32>,
    found: &mut Found,
) -> Result<Row, Fault> {
    if record.len() > columns.len() {
        let (has, of) = (record.len(), columns.len());
        let what = format!("{has} cells, but {of} columns; put a text with a comma in it in quotes");
        return Err(Fault::new(line, what));
    }
    let mut row = Row { line, ..Row::default() };
    let (mut number, mut day, mut points) = (None, None, None);
    for (at, (column, value)) in columns.iter().zip(record).enumerate() {
        // A name may be in two lines; with other cells in it, it is another line of the table.
        if value.contains('\n') && value.contains(char::from(delimiter)) {
            let name = &names[at];
            let what =
                format!("column {} ({name}) goes over several lines; is a quote (\") not closed?", at + 1);
            return Err(Fault::new(line, what));
        }
        let put = match column {
            Column::Round => place(value).map(|place| {
                if let Some([round, second, third]) = place {
                    number = round;
                    (row.second, row.team_match) = (second, second.filter(|_| third.is_some()));
                    row.board = row.board.or(third);
                }
            }),
            Column::Match => field::number(value).map(|number| row.team_match = number.or(row.team_match)),
            Column::Board => field::number(value).map(|board| row.board = board.or(row.board)),
            Column::AtBoard => field::text(value).map(|board| row.at_board = board),
            // What a bye is worth stands in the place of a result.
            Column::Result => match field::result(value) {
                Err(_) if ["1", "0"].contains(&value) => {
                    points = Some(at);
                    Ok(())
                }
                result => result.map(|result| row.result = result),
            },
            Column::Date => field::date(value).map(|date| day = date),
            Column::Event => {
                field::text(value).map(|event| found.event = event.or_else(|| found.event.take()))
            }
            Column::Site => field::text(value).map(|site| found.site = site.or_else(|| found.site.take())),
            Column::TimeControl => field::text(value)
                .map(|control| found.time_control = control.or_else(|| found.time_control.take())),
            Column::Player(side, field) => {
                let player = match side {
                    0 => &mut row.white,
                    1 => &mut row.black,
                    2 => row.red.get_or_insert_default(),
                    _ => row.blue.get_or_insert_default(),
                };
                field.put(player, value)
            }
            Column::Other => Ok(()),
        };
        put.map_err(|error| Fault::new(line, format!("column {} ({}): {error}", at + 1, &names[at])))?;
    }
    let is_bye = [&row.white, &row.black].into_iter().any(|player| field::is_bye(player.name.as_deref()));
    if let Some(at) = points.filter(|_| !is_bye) {
        let error = field::result(&record[at]).err().unwrap_or_default();
        return Err(Fault::new(line, format!("column {} ({}): {error}", at + 1, &names[at])));
    }
    if is_bye && row.result.as_deref() == Some("1/2-1/2") {
        row.result = None;
    }
    // Columns of four players, and a row of two.
    if [&row.red, &row.blue].into_iter().flatten().all(|player| *player == Player::default()) {
        (row.red, row.blue) = (None, None);
    }
    let no_round = "this pairing has no round; add a column \"round\", or say which round it is (--round 5)";
    row.round = number.or(round).ok_or_else(|| Fault::new(line, no_round))?;
    if let Some(day) = day {
        found.dates.entry(row.round).or_insert(day);
    }
    Ok(row)
}
