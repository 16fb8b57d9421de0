//! Matches of teams: which board of which match a game is.

use std::collections::BTreeMap;

use super::rows::Row;
use crate::event::TeamMatch;
use crate::pairings::Pairing;

/// The places of all games of a round, if the file says or means that they are boards of matches.
///
/// `5.3` with `Board "2"` is board 2 of match 3, unless the second number and the board are the same all
/// along; boards that repeat with no match beside them are counted by the teams that meet.
pub(super) fn places(rows: &[Row]) -> Option<Vec<TeamMatch>> {
    let stated = |row: &Row| Some(TeamMatch { number: row.team_match?, board: row.board.or(row.second)? });
    if rows.iter().any(|row| row.team_match.is_some()) {
        return rows.iter().map(stated).collect();
    }
    if rows.iter().all(|row| row.second.is_some() && row.board.is_some()) {
        if rows.iter().all(|row| row.second == row.board) {
            return None;
        }
        return rows.iter().map(|row| Some(TeamMatch { number: row.second?, board: row.board? })).collect();
    }
    let mut boards: Vec<u32> =
        rows.iter().map(|row| row.board.filter(|_| row.second.is_none())).collect::<Option<_>>()?;
    boards.sort_unstable();
    if boards.windows(2).all(|pair| pair[0] != pair[1]) {
        return None;
    }
    let mut matches: BTreeMap<[&str; 2], u32> = BTreeMap::new();
    rows.iter()
        .map(|row| {
            let next = u32::try_from(matches.len()).ok()? + 1;
            let number = *matches.entry(meeting(row.teams())?).or_insert(next);
            Some(TeamMatch { number, board: row.board? })
        })
        .collect()
}

/// The two teams, whoever has White.
fn meeting([one, other]: [Option<&str>; 2]) -> Option<[&str; 2]> {
    let mut teams = [one?, other?];
    teams.sort_unstable();
    (teams[0] != teams[1]).then_some(teams)
}

/// Games that are numbered through the round: they are matches if every game has two teams, every team meets
/// one other, and some match has two boards or more. What is only a club beside a name makes no matches.
pub(super) fn find(pairings: &mut [Pairing]) {
    if pairings.iter().any(|pairing| pairing.team_match.is_some()) {
        return;
    }
    let mut matches: Vec<([String; 2], u32)> = Vec::new();
    let mut places = Vec::new();
    for pairing in pairings.iter().filter(|pairing| !pairing.is_bye()) {
        let Some(teams) = meeting(pairing.teams()) else {
            return;
        };
        let at = match matches.iter().position(|(met, _)| met.each_ref() == teams) {
            Some(at) => at,
            None if matches
                .iter()
                .any(|(met, _)| teams.iter().any(|team| met.iter().any(|one| one == team))) =>
            {
                return;
            }
            None => {
                matches.push((teams.map(str::to_owned), 0));
                matches.len() - 1
            }
        };
        matches[at].1 += 1;
        places.push(u32::try_from(at + 1).ok().map(|number| TeamMatch { number, board: matches[at].1 }));
    }
    if matches.iter().all(|(_, boards)| *boards < 2) {
        return;
    }
    for (pairing, place) in pairings.iter_mut().filter(|pairing| !pairing.is_bye()).zip(places) {
        pairing.team_match = place;
    }
}
