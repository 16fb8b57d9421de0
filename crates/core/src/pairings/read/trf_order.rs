//! The order of the games of a round, as pairing programs have it: those who have most points first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::rows::Row;
use super::trf::{Game, Report};

/// The rows of a round's games in order, numbered, with boards of matches if teams play; byes are last.
pub(super) fn in_order(report: &Report, round: usize, games: Vec<Game>) -> Vec<Row> {
    let (byes, games): (Vec<Game>, Vec<Game>) = games.into_iter().partition(|game| game.players[1] == 0);
    let games = match by_teams(report, round, &games) {
        Some(rows) => rows,
        None => numbered(sorted(games, |player| points(report, player, round))),
    };
    games.into_iter().chain(byes.into_iter().map(|game| game.row)).collect()
}

/// The pair with the better player first, then with more points together, then with the lower starting number
/// of the better one.
fn sorted(mut games: Vec<Game>, points: impl Fn(u32) -> u32) -> Vec<Game> {
    games.sort_by_cached_key(|game| rank(game.players, &points));
    games
}

fn rank(pair: [u32; 2], points: impl Fn(u32) -> u32) -> [(Reverse<u32>, Reverse<u32>, u32); 1] {
    let of = pair.map(&points);
    // Of two with as many points the lower number is the better one.
    let better = if (Reverse(of[0]), pair[0]) <= (Reverse(of[1]), pair[1]) { 0 } else { 1 };
    [(Reverse(of[better]), Reverse(of[0] + of[1]), pair[better])]
}

fn numbered(games: Vec<Game>) -> Vec<Row> {
    (1..).zip(games).map(|(number, game)| Row { board: Some(number), ..game.row }).collect()
}

/// Half points of a player before `round`.
fn points(report: &Report, player: u32, round: usize) -> u32 {
    let cells = report.players.get(&player).map(|entry| &entry.cells[..entry.cells.len().min(round - 1)]);
    cells.into_iter().flatten().map(|cell| halves(cell.result)).sum()
}

fn halves(code: char) -> u32 {
    match code {
        '1' | 'W' | '+' | 'F' | 'U' => 2,
        '=' | 'D' | 'H' => 1,
        _ => 0,
    }
}

/// The rows of a round of matches; nothing if this is none.
fn by_teams(report: &Report, round: usize, games: &[Game]) -> Option<Vec<Row>> {
    let of_player: BTreeMap<u32, u32> =
        report.teams.iter().flat_map(|(team, of)| of.players.iter().map(|player| (*player, *team))).collect();
    let mut matches: BTreeMap<[u32; 2], Vec<&Game>> = BTreeMap::new();
    for game in games {
        let [white, black] = game.players.map(|player| of_player.get(&player).copied());
        let mut teams = [white?, black?];
        teams.sort_unstable();
        matches.entry(teams).or_default().push(game);
    }
    let mut met: Vec<u32> = matches.keys().flatten().copied().collect();
    met.sort_unstable();
    // A team meets one other, and not itself.
    if met.is_empty() || met.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let mut in_order: Vec<([u32; 2], Vec<&Game>)> = matches.into_iter().collect();
    in_order
        .sort_by_cached_key(|(teams, _)| rank(*teams, |team| match_points(report, &of_player, team, round)));
    let rows = (1..).zip(in_order).flat_map(|(number, ([team, _], games))| {
        let mut games: Vec<(usize, &Game)> =
            games.into_iter().map(|game| (seat(report, round, team, game), game)).collect();
        games.sort_by_key(|(seat, _)| *seat);
        let is_stated = report.orders.contains_key(&(super::text::line_number(round - 1), team));
        (1..).zip(games).map(move |(board, (seat, game))| {
            // Where an order is stated, a board that nobody sits at counts.
            let board = if is_stated { u32::try_from(seat + 1).unwrap_or(board) } else { board };
            Row { team_match: Some(number), board: Some(board), ..game.row.clone() }
        })
    });
    Some(rows.collect())
}

/// The place of a game's player of `team` in its order, from 0.
fn seat(report: &Report, round: usize, team: u32, game: &Game) -> usize {
    let stated = report.orders.get(&(super::text::line_number(round - 1), team));
    let order = stated.or_else(|| report.teams.get(&team).map(|team| &team.players));
    let place = order.and_then(|order| order.iter().position(|player| game.players.contains(player)));
    place.unwrap_or(usize::MAX - 1)
}

/// Match points of a team before `round`: two for a match in which it has more points, one if both have as many.
fn match_points(report: &Report, of_player: &BTreeMap<u32, u32>, team: u32, round: usize) -> u32 {
    (0..round - 1).map(|at| match_points_in(report, of_player, team, at)).sum()
}

fn match_points_in(report: &Report, of_player: &BTreeMap<u32, u32>, team: u32, at: usize) -> u32 {
    let (mut own, mut others) = (0, 0);
    for player in report.teams.get(&team).into_iter().flat_map(|team| &team.players) {
        let cell = |player: u32| Some(*report.players.get(&player)?.cells.get(at)?);
        let Some(cell_of) = cell(*player) else { continue };
        own += halves(cell_of.result);
        if of_player.contains_key(&cell_of.opponent) {
            others += cell(cell_of.opponent).map_or(0, |other| halves(other.result));
        }
    }
    match own.cmp(&others) {
        std::cmp::Ordering::Greater => 2,
        std::cmp::Ordering::Equal if own > 0 => 1,
        _ => 0,
    }
}
