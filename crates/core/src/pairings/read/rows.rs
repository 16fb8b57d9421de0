//! From the rows of a file to rounds: numbers, matches, and what fits together.

use std::collections::BTreeMap;

use super::{Fault, field, teams};
use crate::event::Player;
use crate::event::TeamMatch;
use crate::pairings::{BYE, Pairing, Pairings};

/// What a file says of one game.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// Where it begins, from 1.
    pub(super) line: u32,
    pub(super) round: u32,
    /// The second number of `5.12`: a board or a match.
    pub(super) second: Option<u32>,
    /// The number of a board: in the round, or in the match.
    pub(super) board: Option<u32>,
    /// The match, if the file says that it is one.
    pub(super) team_match: Option<u32>,
    /// The name of the board at which it is played.
    pub(super) at_board: Option<String>,
    pub(super) white: Player,
    pub(super) black: Player,
    /// In a game of four players.
    pub(super) red: Option<Player>,
    pub(super) blue: Option<Player>,
    pub(super) result: Option<String>,
}

impl Row {
    /// The teams that meet.
    pub(super) fn teams(&self) -> [Option<&str>; 2] {
        crate::pairings::teams([&self.white, &self.black], [self.red.as_ref(), self.blue.as_ref()])
    }

    fn is_of_four(&self) -> bool {
        self.red.is_some() || self.blue.is_some()
    }
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    pub(super) event: Option<String>,
    pub(super) site: Option<String>,
    pub(super) time_control: Option<String>,
    pub(super) dates: BTreeMap<u32, String>,
    pub(super) remarks: Vec<String>,
    /// The numbers of the boards are a guess.
    pub(super) numbers_guessed: bool,
}

/// `5`, `5.12` or `5.3.2`: the round, a board or a match, the board of a match.
pub(super) fn place(value: &str) -> Result<Option<[Option<u32>; 3]>, String> {
    let Some(value) = field::known(value) else {
        return Ok(None);
    };
    let mut place = [None; 3];
    let parts: Vec<&str> = value.split('.').collect();
    let wrong = || format!("\"{value}\" is no round and board; write 5.12, or 5.3.2 for board 2 of match 3");
    if parts.len() > place.len() {
        return Err(wrong());
    }
    for (part, number) in parts.iter().zip(&mut place) {
        *number = field::number(part).map_err(|_| wrong())?;
    }
    Ok(place[0].is_some().then_some(place))
}

/// Makes rounds of what was found; only `round`, if it is given.
pub(super) fn assemble(found: Found, round: Option<u32>) -> Result<Pairings, Fault> {
    let mut pairings = Pairings {
        event: found.event,
        site: found.site,
        time_control: found.time_control,
        dates: found.dates,
        rounds: BTreeMap::new(),
        remarks: found.remarks,
        numbers_guessed: found.numbers_guessed,
    };
    let mut rounds: BTreeMap<u32, Vec<Row>> = BTreeMap::new();
    for row in found.rows {
        rounds.entry(row.round).or_default().push(row);
    }
    if let Some(round) = round {
        if !rounds.contains_key(&round) {
            let known: Vec<String> = rounds.keys().map(u32::to_string).collect();
            let what = format!("the file has no pairing of round {round}; it has {}", known.join(", "));
            return Err(Fault::new(1, what));
        }
        rounds.retain(|number, _| *number == round);
        pairings.dates.retain(|number, _| *number == round);
    }
    if rounds.is_empty() {
        return Err(Fault::new(1, "there is no pairing in the file"));
    }
    for (round, rows) in rounds {
        let of_round = self::round(round, rows, &mut pairings.remarks)?;
        pairings.rounds.insert(round, of_round);
    }
    Ok(pairings)
}

fn round(round: u32, mut rows: Vec<Row>, remarks: &mut Vec<String>) -> Result<Vec<Pairing>, Fault> {
    for row in &mut rows {
        if row.is_of_four() { check_four(row)? } else { settle_bye(row)? }
    }
    // A bye is played nowhere: its number comes after all others.
    let (byes, games): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.result.as_deref() == Some(BYE));
    let numbers = numbers(round, &games, remarks)?;
    unique(round, &games, &numbers)?;
    let mut pairings: Vec<Pairing> = games
        .into_iter()
        .zip(numbers)
        .map(|(row, (number, team_match))| Pairing { number, team_match, ..pairing(row) })
        .collect();
    let last = pairings.iter().map(|pairing| pairing.number).max().unwrap_or_default();
    pairings.extend((last + 1..).zip(byes).map(|(number, row)| Pairing { number, ..pairing(row) }));
    pairings.sort_by_key(|pairing| pairing.number);
    teams::find(&mut pairings);
    remark_of_players(round, &pairings, remarks);
    Ok(pairings)
}

fn pairing(row: Row) -> Pairing {
    Pairing {
        round: row.round,
        board: row.at_board,
        white: row.white,
        black: row.black,
        red: row.red,
        blue: row.blue,
        result: row.result,
        ..Pairing::default()
    }
}

/// Four players are two teams; partners are of one, and nobody plays against nobody.
fn check_four(row: &Row) -> Result<(), Fault> {
    if row.result.as_deref() == Some(BYE) {
        return Err(Fault::new(row.line, "a game of four players is no bye; leave it out"));
    }
    let is_somebody = |player: &Player| player.name.is_some() || player.fide_id.is_some();
    let are_two = [&row.red, &row.blue].into_iter().flatten().all(|player| !is_somebody(player));
    if are_two && (is_somebody(&row.white) || is_somebody(&row.black)) {
        let what = "Red and Blue have no name; name all four players, or leave every column of Red and Blue \
                    empty in a game of two";
        return Err(Fault::new(row.line, what));
    }
    let [red, blue] =
        [&row.red, &row.blue].map(|player| player.as_ref().and_then(|player| player.team.as_ref()));
    let pairs =
        [("Red", red, "Blue", blue), ("White", row.white.team.as_ref(), "Black", row.black.team.as_ref())];
    for (one, its, other, others) in pairs {
        if let (Some(its), Some(others)) = (its, others)
            && its != others
        {
            let what = format!(
                "{one} and {other} are partners, but one is of \"{its}\" and the other of \"{others}\""
            );
            return Err(Fault::new(row.line, what));
        }
    }
    Ok(())
}

/// A bye is White's, whichever side the file puts it on.
fn settle_bye(row: &mut Row) -> Result<(), Fault> {
    let is_bye = |player: &Player| field::is_bye(player.name.as_deref());
    let is_nobody = |player: &Player| player.name.is_none() && player.fide_id.is_none();
    let says_bye = row.result.as_deref() == Some(BYE);
    if is_bye(&row.white) || says_bye && is_nobody(&row.white) {
        std::mem::swap(&mut row.white, &mut row.black);
    }
    if is_bye(&row.black) || says_bye && is_nobody(&row.black) {
        row.black = Player::default();
        row.result = Some(BYE.to_owned());
    }
    if is_bye(&row.white) || is_nobody(&row.white) && is_nobody(&row.black) {
        return Err(Fault::new(row.line, "nobody plays here; name White and Black"));
    }
    Ok(())
}

/// Each game's number in the round, and its place in a match.
fn numbers(
    round: u32,
    rows: &[Row],
    remarks: &mut Vec<String>,
) -> Result<Vec<(u32, Option<TeamMatch>)>, Fault> {
    if let Some(places) = teams::places(rows) {
        let boards = places.iter().map(|place| place.board).max().unwrap_or(1);
        return Ok(places
            .into_iter()
            .map(|place| ((place.number - 1).saturating_mul(boards).saturating_add(place.board), Some(place)))
            .collect());
    }
    let numbers: Vec<Option<u32>> = rows.iter().map(|row| row.second.or(row.board)).collect();
    let unnumbered = rows.iter().zip(&numbers).find(|(_, number)| number.is_none());
    let Some((first, _)) = unnumbered else {
        return Ok(numbers.into_iter().flatten().map(|number| (number, None)).collect());
    };
    if numbers.iter().any(Option::is_some) {
        let what =
            format!("no board, but others of round {round} have one; write ROUND.BOARD, e.g. {round}.12");
        return Err(Fault::new(first.line, what));
    }
    remarks.push(format!("round {round} has no numbers of boards: numbered in the order of the file"));
    Ok((1..).zip(rows).map(|(number, _)| (number, None)).collect())
}

fn unique(round: u32, rows: &[Row], numbers: &[(u32, Option<TeamMatch>)]) -> Result<(), Fault> {
    let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
    let mut boards: BTreeMap<&str, u32> = BTreeMap::new();
    for (row, (number, place)) in rows.iter().zip(numbers) {
        let twice = |first: u32, what: String| {
            let what = format!(
                "{what} of round {round} is here and in line {first}; number the boards of a round 1, 2, 3 …"
            );
            Err(Fault::new(row.line, what))
        };
        if let Some(first) = lines.insert(*number, row.line) {
            return match place {
                Some(place) => twice(first, format!("board {} of match {}", place.board, place.number)),
                None => twice(first, format!("board {number}")),
            };
        }
        if let Some(board) = row.at_board.as_deref()
            && let Some(first) = boards.insert(board, row.line)
        {
            return twice(first, format!("the board called \"{board}\""));
        }
    }
    Ok(())
}

/// Says who is in a round twice, and how many have no name.
fn remark_of_players(round: u32, pairings: &[Pairing], remarks: &mut Vec<String>) {
    let mut games: BTreeMap<(u64, &str), Vec<String>> = BTreeMap::new();
    let mut unnamed = Vec::new();
    for pairing in pairings {
        // Of four players nobody guesses which one is meant.
        let is_of_four = pairing.red.is_some() || pairing.blue.is_some();
        let mut colours = Vec::new();
        for (colour, player) in pairing.players() {
            match player.name.as_deref() {
                Some(name) => {
                    let of = if is_of_four { format!(" ({colour})") } else { String::new() };
                    let game = format!("{}{of}", pairing.number);
                    games.entry((player.fide_id.unwrap_or(0), name)).or_default().push(game);
                }
                None if pairing.is_bye() => {}
                None if is_of_four => colours.push(colour),
                None => unnamed.push(pairing.game()),
            }
        }
        if !colours.is_empty() {
            unnamed.push(format!("{} ({})", pairing.game(), colours.join(", ")));
        }
    }
    for ((_, name), numbers) in games.into_iter().filter(|(_, numbers)| numbers.len() > 1) {
        remarks.push(format!("{name} is in round {round} more than once: boards {}", numbers.join(", ")));
    }
    if !unnamed.is_empty() {
        remarks.push(format!("a player has no name in {}", unnamed.join(", ")));
    }
}
