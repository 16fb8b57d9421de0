//! A game of four players as its record: tags and words as PGN has them, which no reader of chess PGN takes.

use super::{EventTags, clock_tags, comment, date, last_remark, place, player_tags, result, termination};
use crate::feed::parts::Part;
use crate::feed::view::GameView;
use adoube_rules::four::record::{Half, Text};
use adoube_rules::four::{FourPosition, FourRules};

/// The two teams, as tags call them.
const TEAM_CLOCKS: [&str; 2] = ["RedBlueClock", "WhiteBlackClock"];
/// The same where one is named whose time runs.
const TEAMS: [&str; 2] = ["RB", "WK"];

/// A part of a game.
pub(super) fn text(
    game: &GameView,
    part: &Part<'_>,
    is_last: bool,
    (tags, id): (&EventTags, &str),
) -> String {
    let rules = FourRules::default();
    let tags = self::tags(game, part, is_last, (tags, id));
    let mut before = part.before;
    let halves = part.moves.iter().map(|mv| {
        let comment = comment(mv, before.replace(mv));
        Half { text: mv.san.clone(), comment }
    });
    let remark = last_remark(game).filter(|_| is_last).map(str::to_owned);
    Text {
        tags: &tags,
        // What the table wrote can be read.
        start: &FourPosition::read(part.start, rules).unwrap_or_else(|_| FourPosition::start(rules)),
        halves: halves.collect(),
        end: part.end.clone().into_iter().chain(remark).collect(),
        result: result(game),
    }
    .write()
}

fn tags(
    game: &GameView,
    part: &Part<'_>,
    is_last: bool,
    (tags, id): (&EventTags, &str),
) -> Vec<(String, String)> {
    let players = [
        ("Red", game.red.as_ref()),
        ("White", Some(&game.white)),
        ("Blue", game.blue.as_ref()),
        ("Black", Some(&game.black)),
    ];
    let (round, table) = place(game, part);
    let mut all: Vec<(String, String)> = Vec::new();
    let mut tag = |name: &str, value: &str| all.push((name.to_owned(), value.to_owned()));
    tag("Event", tags.event.as_deref().unwrap_or("?"));
    tag("Site", tags.site.as_deref().unwrap_or("?"));
    tag("Date", &date(game));
    tag("Round", &round);
    for (army, player) in players {
        tag(army, player.and_then(|player| player.name.as_deref()).unwrap_or("?"));
    }
    // `Board` says how many squares there are.
    tag("Table", &table);
    if let Some(time_control) = &game.time_control {
        tag("TimeControl", time_control);
    }
    for (name, value) in clock_tags(game, TEAM_CLOCKS, TEAMS).filter(|_| is_last) {
        tag(name, &value);
    }
    for (army, player) in players {
        for (name, value) in player.into_iter().flat_map(player_tags) {
            tag(&format!("{army}{name}"), &value);
        }
    }
    if let Some(termination) = termination(game) {
        tag("Termination", termination);
    }
    tag("GameId", id);
    all
}

#[cfg(test)]
mod tests;
