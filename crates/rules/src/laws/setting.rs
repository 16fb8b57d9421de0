//! One parameter set by hand: which one is meant, and what its value says.

use toml::{Table, Value};

use super::parameter::{NONE, NUMBER_OR_NONE};
use super::{Class, ProfileError, Supervision};
use crate::spelling::nearest;

/// Parameters by the names of the Laws' own table, where a field says more.
const ALIASES: [(&str, &str); 4] = [
    ("flag_call", "flag_called_by"),
    ("time_handicap", "time_handicap_s"),
    ("wrong_claim_claimant", "wrong_claim_cuts_claimant"),
    ("completed_by", "retro_completion"),
];

/// Parameters that no profile holds, and what does it instead.
const ELSEWHERE: [(&str, &str); 59] = [
    ("laws_edition", BY_NAME),
    ("rapid_supervision", BY_NAME),
    ("blitz_supervision", BY_NAME),
    ("time_class_std", BY_EDITION),
    ("time_class_rapid", BY_EDITION),
    ("time_class_blitz", BY_EDITION),
    ("periods", BY_CONTROL),
    ("clock_mode", BY_CONTROL),
    ("touch_means", "a board tells no intention: strike-touch takes an accidental touch out"),
    ("touch_pair", ALIKE),
    ("castling_touch_illegal", ALIKE),
    ("king_released_illegal_castling", ALIKE),
    ("illegal_position_defined", "a record cites an article where the edition has one"),
    ("illegal_same_move_counts_once", "one move counts once in every edition"),
    ("illegal_after_window_by_agreement", "the players agree without the arbiter: enter what they set up"),
    ("king_capture_is_illegal", "every edition has it so"),
    ("both_absent_white_loses_time", "White's clock runs from the start of the round in every edition"),
    ("max_games_per_arbiter", "who watches how many games is not known here"),
    ("score_views_per_game", "nobody enters that a player asks for the score"),
    ("score_view_stops_clock", "nobody enters that a player asks for the score"),
    ("qpf_without_arbiter", "the arbiter enters a claim, and export gives the record of the game"),
    ("claim_stop", BY_ARBITER),
    ("claim_move_fixed", "the written move of a claim that failed must be played in every edition"),
    ("electronic_scoresheet", "claims are entered by the arbiter, whatever the moves are written on"),
    ("device_penalty", "the arbiter enters the result, with basis=device-forfeit"),
    ("rep_claim", "three occurrences may be claimed in every edition"),
    ("moves_claim", "fifty moves may be claimed in every edition"),
    ("castling_rook", ALIKE),
    ("en_passant_test", ALIKE),
    ("castling_in_key", ALIKE),
    ("setup_error_std", "set setup_claim_deadline_moves"),
    ("setup_error", "set setup_claim_deadline_moves"),
    ("qpf_excluded", "set qpf_excluded_blitz or qpf_excluded_increment"),
    ("guidelines_binding", "announce each guideline: qpf_enabled, adjournment"),
    ("wrong_hand_press", BY_ARBITER),
    ("press_before_move", BY_ARBITER),
    ("player_pause", BY_ARBITER),
    ("claim_checked_by", BY_ARBITER),
    ("report_irregularity", "irregularities go to the arbiter only"),
    ("irregularity_visibility", "irregularities go to the arbiter only"),
    ("auto_apply_results", "results are the arbiter's"),
    ("opponent_reports_leaving", BY_ARBITER),
    ("appeal_after_signing", "evidence is kept in any case"),
    ("points", "points are not counted here"),
    ("notation_capture_sign", "any notation is read"),
    ("notation_ep", "any notation is read"),
    ("variant_chess960", "set variant of the board"),
    ("variant", "set variant of the board"),
    ("two_boards", "set pair of the board"),
    ("lever_map", "set it for the board"),
    ("linked_boards", "set linked of the board"),
    ("publish_at", "set it for the tournament"),
    ("feed_delay_s", "set it for the tournament"),
    ("feed_delay_moves", FEED_DELAY),
    ("name", BY_NAME),
    ("edition", BY_NAME),
    ("class", BY_NAME),
    ("supervision", BY_NAME),
    ("is_national", BY_NAME),
];

const BY_NAME: &str = "it is part of the profile's name";
const BY_EDITION: &str = "the edition fixes it";
const BY_CONTROL: &str = "set time_control of the tournament";
const BY_ARBITER: &str = "the arbiter decides each case";
const ALIKE: &str = "every edition allows the same moves";
const FEED_DELAY: &str = "set feed_delay_s of the tournament";

/// What of a parameter is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// Of one player: his name, and his place in the array.
    Side(&'static str, usize),
    /// For one class, one supervision, or both.
    In(&'static str, Option<Class>, Option<Supervision>),
}

impl Part {
    /// Does it hold in a game of that class and supervision?
    pub(super) fn holds_in(self, class: Class, supervision: Supervision) -> bool {
        let Self::In(_, of_class, of_supervision) = self else { return true };
        of_class.is_none_or(|of| of == class) && of_supervision.is_none_or(|of| of == supervision)
    }
}

const SIDES: [Part; 2] = [Part::Side("white", 0), Part::Side("black", 1)];

const CLASSES: [Part; 10] = [
    Part::In("std", Some(Class::Standard), None),
    Part::In("standard", Some(Class::Standard), None),
    Part::In("rapid", Some(Class::Rapid), None),
    Part::In("blitz", Some(Class::Blitz), None),
    Part::In("full", None, Some(Supervision::Full)),
    Part::In("reduced", None, Some(Supervision::Reduced)),
    Part::In("rapid_full", Some(Class::Rapid), Some(Supervision::Full)),
    Part::In("rapid_reduced", Some(Class::Rapid), Some(Supervision::Reduced)),
    Part::In("blitz_full", Some(Class::Blitz), Some(Supervision::Full)),
    Part::In("blitz_reduced", Some(Class::Blitz), Some(Supervision::Reduced)),
];

/// The parameter, and the part of it, that `given` means.
pub(super) fn find(table: &Table, given: &str) -> Result<(String, Part), ProfileError> {
    let field = |name: &str| {
        let name = name.replace('.', "_");
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, of)| (*of).to_owned());
        table.contains_key(&name).then_some(name)
    };
    if let Some(name) = field(given) {
        return Ok((name, Part::Whole));
    }
    let whole = given.replace('.', "_");
    let is_it = |name: &str| name == whole || given.split_once('.').is_some_and(|(head, _)| name == head);
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(name, _)| is_it(name)) {
        return Err(ProfileError::Elsewhere { given: given.to_owned(), instead });
    }
    if let Some((head, tail)) = given.rsplit_once('.')
        && let Some(name) = field(head)
    {
        let is_of_sides = pair(&table[&name]).is_some();
        let parts = if is_of_sides { &SIDES[..] } else { &CLASSES[..] };
        if let Some(part) = parts.iter().find(|part| part.name() == tail) {
            return Ok((name, *part));
        }
        let nearest = nearest(tail, parts.iter().map(|part| part.name()));
        return Err(ProfileError::UnknownParameter {
            given: given.to_owned(),
            nearest: format!("{head}.{nearest}"),
        });
    }
    let nearest = nearest(&whole, table.keys().map(String::as_str)).to_owned();
    Err(ProfileError::UnknownParameter { given: given.to_owned(), nearest })
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Side(name, _) | Self::In(name, ..) => name,
        }
    }
}

/// How [`find`] finds it again.
pub(super) fn written(parameter: &str, part: Part) -> String {
    if part == Part::Whole { parameter.to_owned() } else { format!("{parameter}.{}", part.name()) }
}

/// The parameter of what [`written`] gave.
pub(super) fn parameter(written: &str) -> &str {
    written.split('.').next().unwrap_or(written)
}

/// The values of both sides, if it has two: not a set of names.
fn pair(value: &Value) -> Option<&Vec<Value>> {
    value.as_array().filter(|values| values.first().is_some_and(|value| !value.is_str()))
}

/// Sets it in `table`.
///
/// # Errors
/// What the value can be.
pub(super) fn apply(table: &mut Table, parameter: &str, part: Part, text: &str) -> Result<(), String> {
    let current = &table[parameter];
    let items = || text.trim().trim_start_matches('[').trim_end_matches(']').split(',').map(str::trim);
    let value = match (pair(current), part) {
        (Some(values), Part::Side(_, side)) => {
            let mut values = values.clone();
            values[side] = single(&values[side], parameter, text)?;
            Value::Array(values)
        }
        (Some(values), _) => {
            let given: Vec<Value> =
                items().map(|item| single(&values[0], parameter, item)).collect::<Result<_, _>>()?;
            match given.len() {
                1 => Value::Array(vec![given[0].clone(), given[0].clone()]),
                2 => Value::Array(given),
                _ => return Err("give one value for both players, or White's and Black's".to_owned()),
            }
        }
        (None, _) if current.is_array() => {
            let names = items().filter(|item| !item.is_empty() && *item != NONE);
            Value::Array(names.map(|name| Value::String(unquoted(name).to_owned())).collect())
        }
        (None, _) => single(current, parameter, text)?,
    };
    table.insert(parameter.to_owned(), value);
    Ok(())
}

/// One value, of the kind that `current` has.
fn single(current: &Value, parameter: &str, text: &str) -> Result<Value, String> {
    let text = unquoted(text);
    if current.is_bool() {
        return yes_or_no(text).map(Value::Boolean).ok_or_else(|| "give yes or no".to_owned());
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return whole_number(parameter, text).map(Value::Integer);
    }
    Ok(Value::String(text.to_owned()))
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches('"')
}

pub(super) fn yes_or_no(text: &str) -> Option<bool> {
    match unquoted(text) {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Units of time, and their milliseconds.
const UNITS: [(&str, &str, i64); 4] = [
    ("ms", "milliseconds", 1),
    ("s", "seconds", 1_000),
    ("min", "minutes", 60_000),
    ("h", "hours", 3_600_000),
];

/// The unit with which the parameter's name ends.
fn unit_of(parameter: &str) -> Option<(&'static str, i64)> {
    let last = parameter.rsplit('_').next()?;
    UNITS.iter().find(|(unit, ..)| *unit == last).map(|(_, name, ms)| (*name, *ms))
}

/// A number in the parameter's unit, or a time with a unit of its own: `10 min`.
fn whole_number(parameter: &str, text: &str) -> Result<i64, String> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let wrong = || possible_values(parameter, "");
    let number: i64 = digits.replace('_', "").parse().map_err(|_| wrong())?;
    if unit.trim().is_empty() {
        return Ok(number);
    }
    let (_, own_ms) = unit_of(parameter).ok_or_else(wrong)?;
    let (_, _, ms) = UNITS.iter().find(|(name, ..)| *name == unit.trim()).ok_or_else(wrong)?;
    let total_ms = number.checked_mul(*ms).ok_or_else(wrong)?;
    if total_ms % own_ms == 0 { Ok(total_ms / own_ms) } else { Err(wrong()) }
}

/// What the parameter can be, from what the TOML reader found wrong with it. It puts names between
/// backticks: first the one that it found, then those that it knows.
pub(super) fn possible_values(parameter: &str, message: &str) -> String {
    // Names with underscores are second names of the same values.
    let is_second =
        |name: &&str| name.contains('_') && message.contains(&format!("`{}`", name.replace('_', "-")));
    let names = message.split('`').skip(3).step_by(2).filter(|name| !is_second(name));
    let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    if message.starts_with("unknown variant") {
        return format!("use one of {}", known.join(", "));
    }
    let unit = unit_of(parameter).map_or_else(String::new, |(name, _)| format!(" of {name}"));
    let or_none = if message == NUMBER_OR_NONE { ", or \"none\"" } else { "" };
    format!("give a whole number{unit}{or_none}")
}
