//! The file: its keys, their defaults, and what is wrong with them.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::clock::Control;
use super::duration;
use super::fault::{Fault, ScenarioError, unknown};
use super::pattern::Pattern;
use super::plan::{self, Plan};
use super::run::TURNED;
use super::script::{self, Placed};
use super::standing::Standing;
use adoube_core::station::{FRAMES, Open};
use adoube_rules::laws::Profile;
use adoube_rules::sensor::{Army, Side};
use adoube_rules::words::UnknownWord;
use adoube_rules::{Family, GameKind, GameResult};

/// The editions that a scenario without `editions` runs with.
const EDITIONS: [&str; 4] = ["2005", "2017", "2018", "2023"];

const KEYS: [&str; 26] = [
    "id",
    "title",
    "article",
    "editions",
    "profile",
    "board",
    "variant",
    "agreed",
    "start",
    "before",
    "control",
    "clock",
    "illegal",
    "warnings",
    "regulations",
    "config",
    "boards",
    "relation",
    "events",
    "expect",
    "forbid",
    "forbid_public",
    "quiet",
    "moves",
    "result",
    "note",
];

/// What a board can tell in one run of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sensor {
    /// Which man stands where.
    Identity,
    /// Whether a square is occupied.
    Occupancy,
}

impl Sensor {
    /// As `board` names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Occupancy => "occupancy",
        }
    }
}

/// How the boards of a scenario belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// Neighbours.
    Linked,
    /// Two boards of one game.
    Pair,
}

/// The key `clock`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ClockKey {
    pub(super) left_ms: [Option<u64>; 2],
    /// Whose time runs; `Some(None)`: nobody's.
    pub(super) running: Option<Option<Side>>,
    pub(super) control: Option<Control>,
    pub(super) counter: bool,
    pub(super) absent: bool,
    pub(super) reports: Reports,
}

/// What a clock reports, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Reports {
    /// Once a second, and when it is pressed, started or stopped: as a DGT clock does.
    #[default]
    Seconds,
    /// When it is pressed, started or stopped, and at no other time.
    Presses,
    /// As often as a DGT clock, but never whose time runs.
    Times,
}

/// A scenario file.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name.
    pub id: String,
    /// What it shows.
    pub title: String,
    pub(super) profiles: Vec<(String, String)>,
    pub(super) sensors: Vec<Sensor>,
    pub(super) variant: GameKind,
    pub(super) agreed: Standing,
    pub(super) start: Standing,
    pub(super) before: Vec<super::hands::Written>,
    pub(super) control: Option<String>,
    pub(super) clock: ClockKey,
    pub(super) illegal: [u32; 2],
    pub(super) illegal_red_blue: [u32; 2],
    pub(super) warnings: [u32; 2],
    pub(super) regulations: Vec<String>,
    /// Parameters, with the place where each is set.
    pub(super) config: Vec<(usize, String, String)>,
    pub(super) boards: Vec<String>,
    pub(super) relation: Option<Relation>,
    pub(super) events: Vec<Placed>,
    pub(super) expect: Vec<Pattern>,
    pub(super) forbid: Vec<Pattern>,
    pub(super) forbid_public: Vec<Pattern>,
    pub(super) quiet: bool,
    pub(super) moves: Option<String>,
    pub(super) result: Option<String>,
    /// Where `events` and `before` stand, for what can only be said when they are carried out.
    pub(super) places: [usize; 2],
    /// What all that makes happen.
    pub(super) plan: Plan,
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// [`ScenarioError`]: the place, what is wrong there, and the nearest valid choice.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Fault::new(at, error.message().lines().next().unwrap_or_default()).in_text(text)
        })?;
        Keys { text, table: table.get_ref() }.scenario().map_err(|fault| fault.in_text(text))
    }
}

impl Scenario {
    /// The board and the men of its game.
    pub(super) fn family(&self) -> Family {
        self.variant.family()
    }

    /// The army that moves after `army`.
    pub(super) fn next_army(&self, army: Army) -> Army {
        self.start.next_army(army)
    }

    /// The army to move when `side` has pressed: a press that no player of that side was to make changes nothing,
    /// where a side has several.
    pub(super) fn turn_after_press(&self, turn: Army, side: Side) -> Army {
        match self.family() {
            Family::Chess => side.other().into(),
            Family::FourPlayer if turn.side() == side => self.next_army(turn),
            Family::FourPlayer => turn,
        }
    }
}

/// The keys of a file, and its text for the places of what is wrong.
struct Keys<'a> {
    text: &'a str,
    table: &'a DeTable<'a>,
}

/// A text of the file and where its first letter stands.
#[derive(Clone, Copy)]
struct Text<'a> {
    at: usize,
    text: &'a str,
}

impl<'a> Keys<'a> {
    fn scenario(&self) -> Result<Scenario, Fault> {
        self.only(self.table, "key", &KEYS)?;
        let variant = self.variant()?;
        let family = variant.family();
        let config = self.config()?;
        let usual = Standing::usual(family, &config);
        let start = self.standing("start", &usual)?.unwrap_or_else(|| usual.clone());
        let agreed = self.standing("agreed", &usual)?.unwrap_or_else(|| start.clone());
        let (profiles, is_blank) = self.profiles()?;
        let sensors = match self.choice("board", &["both", "identity", "occupancy"])? {
            Some("identity") => vec![Sensor::Identity],
            Some("occupancy") => vec![Sensor::Occupancy],
            _ => vec![Sensor::Identity, Sensor::Occupancy],
        };
        let before = self.text("before")?;
        let events = self.text("events")?;
        let control = self.text("control")?;
        if let Some(control) = control {
            parse_control(control)?;
        }
        debug_assert!(!is_blank || !profiles.is_empty());
        let mut scenario = Scenario {
            id: self.required("id")?.text.to_owned(),
            title: self.required("title")?.text.to_owned(),
            profiles,
            sensors,
            variant,
            agreed,
            start,
            before: before
                .map(|before| script::play(before.text, family).map_err(|fault| fault.inside(before.at)))
                .transpose()?
                .unwrap_or_default(),
            control: control.map(|control| control.text.to_owned()),
            clock: self.clock()?,
            illegal: self.counts("illegal", ["white", "black"])?,
            illegal_red_blue: self.counts("illegal", ["red", "blue"])?,
            warnings: self.counts("warnings", ["white", "black"])?,
            regulations: self.texts("regulations")?.iter().map(|text| text.text.to_owned()).collect(),
            config,
            boards: self.boards()?,
            relation: self.choice("relation", &["linked", "pair"])?.map(|relation| match relation {
                "pair" => Relation::Pair,
                _ => Relation::Linked,
            }),
            events: events
                .map(|events| script::parse(events.text, family).map_err(|fault| fault.inside(events.at)))
                .transpose()?
                .unwrap_or_default(),
            expect: self.patterns("expect")?,
            forbid: self.patterns("forbid")?,
            forbid_public: self.patterns("forbid_public")?,
            quiet: self.boolean(self.table, "quiet")?.unwrap_or(false),
            moves: self.moves(family)?,
            result: self.result()?,
            places: [events, before].map(|text| text.map_or(0, |text| text.at)),
            plan: Plan::default(),
        };
        self.says_something(&scenario)?;
        scenario.plan = plan::plan(&scenario)?;
        self.parameters_exist(&scenario)?;
        Ok(scenario)
    }

    /// A file that expects nothing would always pass.
    fn says_something(&self, scenario: &Scenario) -> Result<(), Fault> {
        let asks = [&scenario.expect, &scenario.forbid, &scenario.forbid_public];
        let is_mute = asks.iter().all(|asked| asked.is_empty())
            && !scenario.quiet
            && scenario.moves.is_none()
            && scenario.result.is_none();
        if is_mute {
            return Err(Fault::new(
                0,
                "nothing is expected; give expect, forbid, forbid_public, quiet, moves or result",
            ));
        }
        if scenario.events.is_empty() && scenario.before.is_empty() {
            return Err(Fault::new(0, "the key \"events\" is missing"));
        }
        Ok(())
    }

    /// Each parameter and regulation can be set in each profile.
    fn parameters_exist(&self, scenario: &Scenario) -> Result<(), Fault> {
        let regulations = self.texts("regulations")?;
        for (_, profile) in &scenario.profiles {
            let mut open = Open::new("", FRAMES, "");
            open.variant = scenario.variant;
            open.profile.clone_from(profile);
            let tokens =
                scenario.plan.settings.iter().map(|(at, key, value)| (at + scenario.places[0], key, value));
            let own = scenario.config.iter().map(|(at, key, value)| (*at, key, value));
            for (at, key, value) in own.chain(tokens).filter(|(_, key, _)| *key != TURNED) {
                open.set(key, value).map_err(|what| Fault::new(at, what))?;
            }
            open.check().map_err(|error| Fault::new(0, error.to_string()))?;
            for regulation in &regulations {
                open.regulations = vec![regulation.text.to_owned()];
                open.laws().map_err(|error| Fault::new(regulation.at, error.to_string()))?;
            }
        }
        Ok(())
    }

    fn only(&self, table: &DeTable<'_>, kind: &str, known: &[&str]) -> Result<(), Fault> {
        match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
            Some(key) => Err(unknown(key.span().start, kind, key.get_ref(), known.iter().copied())),
            None => Ok(()),
        }
    }

    fn find(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        get(self.table, key)
    }

    fn required(&self, key: &str) -> Result<Text<'a>, Fault> {
        self.text(key)?.ok_or_else(|| Fault::new(0, format!("the key \"{key}\" is missing")))
    }

    fn text(&self, key: &str) -> Result<Option<Text<'a>>, Fault> {
        self.find(key).map(|value| self.as_text(key, value)).transpose()
    }

    fn as_text(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Result<Text<'a>, Fault> {
        let at = value.span().start;
        let text =
            value.get_ref().as_str().ok_or_else(|| Fault::new(at, format!("\"{key}\" must be a text")))?;
        Ok(Text { at: at + quote(&self.text[at..]), text })
    }

    fn texts(&self, key: &str) -> Result<Vec<Text<'a>>, Fault> {
        let Some(value) = self.find(key) else { return Ok(Vec::new()) };
        let Some(list) = value.get_ref().as_array() else {
            return Err(Fault::new(value.span().start, format!("\"{key}\" must be a list of texts")));
        };
        list.iter().map(|value| self.as_text(key, value)).collect()
    }

    fn boolean(&self, table: &'a DeTable<'a>, key: &str) -> Result<Option<bool>, Fault> {
        let Some(value) = get(table, key) else { return Ok(None) };
        let fault = || Fault::new(value.span().start, format!("\"{key}\" must be true or false"));
        value.get_ref().as_bool().ok_or_else(fault).map(Some)
    }

    fn variant(&self) -> Result<GameKind, Fault> {
        let Some(given) = self.text("variant")? else { return Ok(GameKind::default()) };
        given.text.parse().map_err(|error: UnknownWord| Fault::new(given.at, error.to_string()))
    }

    fn choice<'k>(&self, key: &str, known: &[&'k str]) -> Result<Option<&'k str>, Fault> {
        let Some(given) = self.text(key)? else { return Ok(None) };
        let found = known.iter().find(|known| **known == given.text).copied();
        found.map(Some).ok_or_else(|| {
            Fault::new(given.at, format!("{key} \"{}\" is not known; use {}", given.text, known.join(", ")))
        })
    }

    fn table(&self, key: &str, known: &[&str]) -> Result<Option<&'a DeTable<'a>>, Fault> {
        let Some(value) = self.find(key) else { return Ok(None) };
        let Some(table) = value.get_ref().as_table() else {
            return Err(Fault::new(
                value.span().start,
                format!("\"{key}\" must be a table, like {{ {} = … }}", known[0]),
            ));
        };
        self.only(table, &format!("key of \"{key}\""), known)?;
        Ok(Some(table))
    }

    fn standing(&self, key: &str, usual: &Standing) -> Result<Option<Standing>, Fault> {
        let Some(given) = self.text(key)? else { return Ok(None) };
        if given.text == "start" {
            return Ok(Some(usual.clone()));
        }
        usual.read(given.text).map(Some).map_err(|what| Fault::new(given.at, what))
    }

    /// Each edition with the full name of its profile, and whether the file left the editions open.
    fn profiles(&self) -> Result<(Vec<(String, String)>, bool), Fault> {
        const CLASSES: [&str; 5] = ["standard", "rapid", "blitz", "rapid-reduced", "blitz-reduced"];
        let editions = self.texts("editions")?;
        for edition in &editions {
            if !EDITIONS.contains(&edition.text) {
                let known = EDITIONS.join(", ");
                return Err(Fault::new(
                    edition.at,
                    format!("no edition is called \"{}\"; editions are {known}", edition.text),
                ));
            }
        }
        let is_blank = editions.is_empty();
        let profile = self.text("profile")?;
        let name = profile.map_or("standard", |profile| profile.text);
        let at = profile.map_or(0, |profile| profile.at);
        if !CLASSES.contains(&name) {
            if !Profile::names().any(|known| known == name) {
                return Err(unknown(at, "profile", name, CLASSES.into_iter().chain(Profile::names())));
            }
            if !is_blank {
                return Err(Fault::new(
                    at,
                    format!("profile \"{name}\" fixes its edition; leave \"editions\" out"),
                ));
            }
            return Ok((vec![(name.to_owned(), name.to_owned())], false));
        }
        let given =
            if is_blank { EDITIONS.to_vec() } else { editions.iter().map(|edition| edition.text).collect() };
        let is_reduced = name.ends_with("-reduced");
        if let Some(edition) = editions.iter().find(|edition| is_reduced && edition.text == "2005") {
            return Err(Fault::new(
                edition.at,
                format!("\"{name}\" is not in the edition of 2005; use rapid or blitz"),
            ));
        }
        let known = given.into_iter().filter(|edition| !(is_reduced && *edition == "2005"));
        Ok((known.map(|edition| (edition.to_owned(), format!("fide-{edition}-{name}"))).collect(), is_blank))
    }

    fn clock(&self) -> Result<ClockKey, Fault> {
        const KEYS: [&str; 7] = ["white", "black", "running", "control", "counter", "present", "reports"];
        let Some(table) = self.table("clock", &KEYS)? else { return Ok(ClockKey::default()) };
        let text = |key: &str| get(table, key).map(|value| self.as_text(key, value)).transpose();
        let left_ms = |side: Side| -> Result<Option<u64>, Fault> {
            let Some(given) = text(side.name())? else { return Ok(None) };
            let ms = duration::parse(given.text).and_then(|span| u64::try_from(span.ms).ok());
            let fault =
                || Fault::new(given.at, format!("\"{}\" is no time; write it as H:MM:SS", given.text));
            ms.ok_or_else(fault).map(Some)
        };
        let running = match text("running")? {
            None => None,
            Some(Text { text: "white", .. }) => Some(Some(Side::White)),
            Some(Text { text: "black", .. }) => Some(Some(Side::Black)),
            Some(Text { text: "none", .. }) => Some(None),
            Some(other) => {
                let what = format!("running \"{}\" is not known; use white, black, none", other.text);
                return Err(Fault::new(other.at, what));
            }
        };
        let reports = match text("reports")? {
            None | Some(Text { text: "seconds", .. }) => Reports::Seconds,
            Some(Text { text: "presses", .. }) => Reports::Presses,
            Some(Text { text: "times", .. }) => Reports::Times,
            Some(other) => {
                let what = format!("reports \"{}\" is not known; use seconds, presses, times", other.text);
                return Err(Fault::new(other.at, what));
            }
        };
        Ok(ClockKey {
            left_ms: [left_ms(Side::White)?, left_ms(Side::Black)?],
            running,
            control: text("control")?.map(parse_control).transpose()?,
            counter: self.boolean(table, "counter")?.unwrap_or(false),
            absent: self.boolean(table, "present")? == Some(false),
            reports,
        })
    }

    /// What two players have behind them; the other two of a four-player game are asked for apart.
    fn counts(&self, key: &str, players: [&str; 2]) -> Result<[u32; 2], Fault> {
        let mut counts = [0; 2];
        let Some(table) = self.table(key, &["white", "black", "red", "blue"])? else { return Ok(counts) };
        for (count, player) in counts.iter_mut().zip(players) {
            let Some(value) = get(table, player) else { continue };
            let given = value.get_ref().as_integer().and_then(|count| count.as_str().parse().ok());
            let fault = || Fault::new(value.span().start, format!("\"{player}\" must be a count"));
            *count = given.ok_or_else(fault)?;
        }
        Ok(counts)
    }

    /// Parameters by their dotted names, however the file nests them.
    fn config(&self) -> Result<Vec<(usize, String, String)>, Fault> {
        let Some(value) = self.find("config") else { return Ok(Vec::new()) };
        let Some(table) = value.get_ref().as_table() else {
            return Err(Fault::new(
                value.span().start,
                "\"config\" must be a table, like { two_hand_ms = 150 }",
            ));
        };
        let mut settings = Vec::new();
        flatten("", table, &mut settings)?;
        Ok(settings)
    }

    fn boards(&self) -> Result<Vec<String>, Fault> {
        let boards: Vec<String> = self.texts("boards")?.iter().map(|board| board.text.to_owned()).collect();
        Ok(if boards.is_empty() { vec!["1".to_owned()] } else { boards })
    }

    fn patterns(&self, key: &str) -> Result<Vec<Pattern>, Fault> {
        let parse = |text: &Text<'_>| Pattern::parse(text.text).map_err(|fault| fault.inside(text.at));
        self.texts(key)?.iter().map(parse).collect()
    }

    fn moves(&self, family: Family) -> Result<Option<String>, Fault> {
        let Some(moves) = self.text("moves")? else { return Ok(None) };
        let movetext = super::outcome::without_result(moves.text);
        script::play(&movetext, family).map_err(|fault| fault.inside(moves.at))?;
        Ok(Some(movetext))
    }

    fn result(&self) -> Result<Option<String>, Fault> {
        let Some(given) = self.text("result")? else { return Ok(None) };
        if given.text != "*" && given.text.parse::<GameResult>().is_err() {
            return Err(Fault::new(
                given.at,
                format!("\"{}\" is no result; results are *, {}", given.text, GameResult::NAMES.join(", ")),
            ));
        }
        Ok(Some(given.text.to_owned()))
    }
}

fn get<'a>(table: &'a DeTable<'a>, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
    table.iter().find(|(known, _)| known.get_ref().as_ref() == key).map(|(_, value)| value)
}

/// How many letters stand before the first one of a text that is written like this.
fn quote(raw: &str) -> usize {
    let marks = if raw.starts_with("\"\"\"") || raw.starts_with("'''") { 3 } else { 1 };
    let Range { end, .. } = 0..marks;
    end + if marks == 3 { raw[3..].len() - raw[3..].trim_start_matches(['\r', '\n']).len() } else { 0 }
}

fn parse_control(text: Text<'_>) -> Result<Control, Fault> {
    let what =
        || format!("\"{}\" is no time control; write it like 5400+30 or 40/7200:20/3600:900+30", text.text);
    Control::parse(text.text).ok_or_else(|| Fault::new(text.at, what()))
}

fn flatten(
    prefix: &str,
    table: &DeTable<'_>,
    settings: &mut Vec<(usize, String, String)>,
) -> Result<(), Fault> {
    for (key, value) in table {
        let at = key.span().start;
        let key = format!("{prefix}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => flatten(&format!("{key}."), inner, settings)?,
            DeValue::String(text) => settings.push((at, key, text.to_string())),
            DeValue::Integer(number) => settings.push((at, key, number.to_string())),
            DeValue::Boolean(flag) => settings.push((at, key, flag.to_string())),
            DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) => {
                return Err(Fault::new(
                    value.span().start,
                    format!("\"{key}\" must be a text, a number, true or false"),
                ));
            }
        }
    }
    Ok(())
}
