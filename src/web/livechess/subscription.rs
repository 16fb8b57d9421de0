//! A subscription to one board: what it was shown last, and what is new.

use serde::Serialize;

use super::eboard::{Clock, clock, men};
use super::own_game::OwnGame;
use crate::feed::parts::parts;
use crate::feed::view::GameView;
use adoube_core::station::Seen;
use adoube_rules::placement;
use adoube_rules::sensor::Content;

/// The moves that are shown, and what they rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// FEN of the position from which they start.
    pub(super) start: String,
    /// All of them.
    pub(super) san: Vec<String>,
    /// FEN of the position to which they lead.
    pub(super) end: String,
}

impl Line {
    /// The moves of `game` as far as they are a line of legal ones: the last such line, which is what goes on.
    pub(super) fn of(game: &GameView) -> Option<Self> {
        if game.is_of_four() {
            return None;
        }
        let moves = game.moves.all();
        let last = parts(game, &moves).pop()?;
        let end = last.moves.last().map_or(last.start, |mv| &mv.fen);
        Some(Self {
            start: last.start.to_owned(),
            san: last.moves.iter().map(|mv| mv.san.clone()).collect(),
            end: end.to_owned(),
        })
    }
}

/// What is new; what is not is left out. The order of the fields is that of LiveChess.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Event {
    serialnr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    flipped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<Option<Clock>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<Vec<String>>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    is_match: Option<bool>,
}

/// What the program knows.
#[derive(Debug, Default)]
struct Told {
    flipped: Option<bool>,
    board: Option<String>,
    clock: Option<Clock>,
    start: Option<String>,
    san: Vec<String>,
    is_match: Option<bool>,
}

/// A subscription.
#[derive(Debug)]
pub(super) struct Subscription {
    /// The hall's name of its board.
    pub(super) board: String,
    serialnr: String,
    flipped: bool,
    /// The game that the program set up, if it did.
    pub(super) own: Option<OwnGame>,
    told: Told,
    /// The moves that were there before it came: they are no news. `None` once others are told.
    before: Option<Option<Line>>,
}

impl Subscription {
    /// A subscription that knows of nothing; the moves of `before` are no news for it.
    pub(super) fn new(board: String, serialnr: String, before: Option<Line>) -> Self {
        let told = Told::default();
        Self { board, serialnr, flipped: false, own: None, told, before: Some(before) }
    }

    /// From now on the board is shown with White above, or no more.
    pub(super) fn flip(&mut self, flip: bool) {
        self.flipped = flip;
    }

    /// From now on its moves are those of a game of its own.
    pub(super) fn set_up(&mut self, own: OwnGame) {
        self.own = Some(own);
        self.before = None;
        (self.told.start, self.told.is_match) = (None, None);
    }

    /// What is new, now that the board shows `seen` and the hall's game on it is `hall`. One ply comes in one
    /// event: programs distrust two, and one that is withdrawn is gone from a list of its own before another
    /// takes its place.
    pub(super) fn news(&mut self, seen: Option<&Seen>, hall: Option<Line>) -> Vec<Event> {
        let own_men = self.own.as_ref().and_then(OwnGame::men);
        let men = own_men.as_deref().or_else(|| seen.and_then(men));
        let line = self.own.as_ref().map_or(hall, |own| Some(own.line()));
        let is_match = line.as_ref().zip(men).map(|(line, men)| is_shown(&line.end, men));
        let mut events = match line {
            Some(line) if !matches!(&self.before, Some(Some(before)) if *before == line) => self.moves(line),
            _ => Vec::new(),
        };
        let mut last = events.pop().unwrap_or_default();
        last.flipped = news_of(&mut self.told.flipped, self.flipped);
        if let Some(men) = men {
            last.board = news_of(&mut self.told.board, shown(men, self.flipped));
        }
        let clock = seen.and_then(clock);
        // That it was read again is no news.
        if clock.map(Clock::shows) != self.told.clock.map(Clock::shows) {
            self.told.clock = clock;
            last.clock = Some(clock);
        }
        // It says something of moves only, and only to who knows them.
        if let Some(is_match) = is_match.filter(|_| self.told.start.is_some()) {
            last.is_match = news_of(&mut self.told.is_match, is_match);
        }
        if last != Event::default() {
            events.push(last);
        }
        events.iter_mut().for_each(|event| event.serialnr.clone_from(&self.serialnr));
        events
    }

    /// From the moves that the program knows to those of `line`, a ply in each event.
    fn moves(&mut self, line: Line) -> Vec<Event> {
        let before = self.before.take().flatten();
        let known = match before {
            Some(before) => (before.start == line.start).then_some(before.san),
            None => (self.told.start.as_ref() == Some(&line.start)).then(|| self.told.san.clone()),
        };
        let lengths: Vec<usize> = match &known {
            // Another game, or the first that it hears of.
            None => vec![line.san.len()],
            Some(known) => {
                let common = known.iter().zip(&line.san).take_while(|(before, now)| before == now).count();
                let withdrawn = (common < known.len()).then_some(common);
                withdrawn.into_iter().chain(common + 1..=line.san.len()).collect()
            }
        };
        let mut events: Vec<Event> = lengths
            .into_iter()
            .map(|length| Event { san: Some(line.san[..length].to_vec()), ..Event::default() })
            .collect();
        if let Some(first) = events.first_mut() {
            first.start = news_of(&mut self.told.start, line.start);
        }
        self.told.san = line.san;
        events
    }
}

/// `now`, if it is not what was told.
fn news_of<T: Clone + PartialEq>(told: &mut Option<T>, now: T) -> Option<T> {
    (told.as_ref() != Some(&now)).then(|| told.insert(now).clone())
}

/// The men as White sees them, or as Black does.
fn shown(men: &[Content], flipped: bool) -> String {
    if flipped { placement(&men.iter().rev().copied().collect::<Vec<_>>()) } else { placement(men) }
}

fn is_shown(fen: &str, men: &[Content]) -> bool {
    fen.split(' ').next().is_some_and(|expected| expected == placement(men))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use adoube_core::station::SeenKind;
    use adoube_core::table::Picture;
    use adoube_rules::sensor::ClockReading;
    use adoube_rules::stamp::{SECOND, Stamp};

    const START: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    fn line(start: &str, san: &str) -> Option<Line> {
        let san = san.split_whitespace().map(str::to_owned).collect();
        Some(Line { start: start.to_owned(), san, end: start.to_owned() })
    }

    fn subscription(before: Option<Line>) -> Subscription {
        let mut subscription = Subscription::new("1".to_owned(), "7425".to_owned(), before.clone());
        assert_eq!(news(&mut subscription, before), [json!({ "serialnr": "7425", "flipped": false })]);
        subscription
    }

    fn news(subscription: &mut Subscription, line: Option<Line>) -> Vec<Value> {
        subscription.news(None, line).iter().map(|event| serde_json::to_value(event).unwrap()).collect()
    }

    /// The lists of moves that come out.
    fn lists(subscription: &mut Subscription, line: Option<Line>) -> Vec<String> {
        let joined = |san: &Value| {
            san.as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        news(subscription, line).iter().map(|event| joined(&event["san"])).collect()
    }

    #[test]
    fn each_ply_comes_once_and_alone() {
        let mut subscription = subscription(line(START, "Ke2"));
        let first = json!({ "serialnr": "7425", "start": START, "san": ["Ke2", "Ke7"] });
        assert_eq!(news(&mut subscription, line(START, "Ke2 Ke7")), [first]);
        assert_eq!(news(&mut subscription, line(START, "Ke2 Ke7")), Vec::<Value>::new());
        let two = lists(&mut subscription, line(START, "Ke2 Ke7 Ke3 Ke6"));
        assert_eq!(two, ["Ke2 Ke7 Ke3", "Ke2 Ke7 Ke3 Ke6"]);
    }

    #[test]
    fn a_clock_that_is_read_again_is_no_news() {
        let seen = |left_ms: u64, second: u64| Seen {
            kind: SeenKind::Reading,
            at: Stamp { mono_ns: second * SECOND, utc_ns: 0 },
            picture: Picture {
                input: second,
                contents: Vec::new(),
                is_named: true,
                clock: Some(ClockReading {
                    left_ms: [left_ms; 2],
                    running: None,
                    lever: None,
                    flags: [false; 2],
                    counter: None,
                    by_end: false,
                }),
                clock_ns: Some(second * SECOND),
            },
            events_before: 0,
        };
        let mut subscription = subscription(None);
        assert_eq!(subscription.news(Some(&seen(60_000, 1)), None).len(), 1);
        assert_eq!(subscription.news(Some(&seen(60_000, 2)), None), []);
        let event = serde_json::to_value(&subscription.news(Some(&seen(59_999, 3)), None)[0]).unwrap();
        assert_eq!(event["clock"], json!({ "white": 59, "black": 59, "run": null, "time": 0 }));
        assert_eq!(subscription.news(None, None).len(), 1, "a clock that is taken away");
    }

    #[test]
    fn what_is_withdrawn_is_gone_before_other_moves_come() {
        let mut subscription = subscription(line(START, "Ke2 Ke7 Ke3"));
        assert_eq!(lists(&mut subscription, line(START, "Ke2 Kd7 Kd3")), ["Ke2", "Ke2 Kd7", "Ke2 Kd7 Kd3"]);
        assert_eq!(lists(&mut subscription, line(START, "Ke2")), ["Ke2"]);
        // The next game from the same position.
        assert_eq!(lists(&mut subscription, line(START, "")), [""]);
    }

    #[test]
    fn another_position_to_start_from_is_said_with_all_its_moves() {
        let mut subscription = subscription(None);
        assert_eq!(lists(&mut subscription, line(START, "")), [""]);
        let other = START.replace(" w ", " b ");
        let all = json!({ "serialnr": "7425", "start": other, "san": ["Ke7", "Ke2"] });
        assert_eq!(news(&mut subscription, line(&other, "Ke7 Ke2")), [all]);
    }
}
