//! The values that all formats have: names, ratings, results, days.

use crate::event::Player;
use crate::pairings::BYE;
use adoube_rules::GameResult;

/// The longest value, characters: nobody's name is longer, and a page has to show it.
const LONGEST: usize = 200;
/// The highest rating; more is a slip of the pen.
const HIGHEST_ELO: u32 = 4000;
/// The highest number of a round, a match or a board.
const HIGHEST_NUMBER: u32 = 9_999;

/// A value that is there: without white space around it, and not one of the signs for "nothing".
pub(super) fn known(value: &str) -> Option<&str> {
    let value = value.trim();
    (!["", "?", "-", "*"].contains(&value)).then_some(value)
}

/// A text in one line.
pub(super) fn text(value: &str) -> Result<Option<String>, String> {
    let value: String = value.chars().filter(|&letter| !is_unseen(letter)).collect();
    let Some(value) = known(&value) else {
        return Ok(None);
    };
    if value.chars().count() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    let words: Vec<&str> =
        value.split(|letter: char| letter.is_whitespace() || letter.is_control()).collect();
    Ok(Some(words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")))
}

/// Marks that nobody sees and that make a name look like another one, or turn a line round: of no width, of direction
/// (Unicode's UAX 9), the soft hyphen.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A number from 1, of a round, a match or a board.
pub(super) fn number(value: &str) -> Result<Option<u32>, String> {
    let Some(value) = known(value) else {
        return Ok(None);
    };
    let number = value.parse().ok().filter(|number| (1..=HIGHEST_NUMBER).contains(number));
    number.map(Some).ok_or_else(|| format!("\"{value}\" is no number from 1 to {HIGHEST_NUMBER}"))
}

/// Fields of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Name,
    Title,
    Elo,
    FideId,
    Federation,
    Team,
}

impl Field {
    /// Puts `value` into `player`.
    pub(super) fn put(self, player: &mut Player, value: &str) -> Result<(), String> {
        match self {
            Self::Name => player.name = text(value)?,
            Self::Title => player.title = title(value)?,
            Self::Elo => player.elo = elo(value)?,
            Self::FideId => player.fide_id = fide_id(value)?,
            Self::Federation => player.federation = federation(value)?,
            Self::Team => player.team = text(value)?,
        }
        Ok(())
    }
}

/// Titles as older reports write them.
const SHORT_TITLES: [(&str, &str); 8] = [
    ("g", "GM"),
    ("m", "IM"),
    ("f", "FM"),
    ("c", "CM"),
    ("wg", "WGM"),
    ("wm", "WIM"),
    ("wf", "WFM"),
    ("wc", "WCM"),
];

fn title(value: &str) -> Result<Option<String>, String> {
    let Some(value) = known(value) else {
        return Ok(None);
    };
    if let Some((_, title)) = SHORT_TITLES.iter().find(|(short, _)| short.eq_ignore_ascii_case(value)) {
        return Ok(Some((*title).to_owned()));
    }
    // National and correspondence titles are titles, too.
    let is_title = value.len() <= 4 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_title {
        Ok(Some(value.to_ascii_uppercase()))
    } else {
        Err(format!("\"{value}\" is no title; write GM, WIM, …"))
    }
}

fn elo(value: &str) -> Result<Option<u32>, String> {
    let Some(value) = known(value) else {
        return Ok(None);
    };
    match value.parse() {
        Ok(0) => Ok(None),
        Ok(elo) if elo <= HIGHEST_ELO => Ok(Some(elo)),
        _ => Err(format!("\"{value}\" is no rating; write a number up to {HIGHEST_ELO}, or nothing")),
    }
}

fn fide_id(value: &str) -> Result<Option<u64>, String> {
    let Some(value) = known(value) else {
        return Ok(None);
    };
    match value.parse() {
        Ok(0) => Ok(None),
        // Eleven places in a report.
        Ok(id) if value.len() <= 11 => Ok(Some(id)),
        _ => Err(format!("\"{value}\" is no FIDE number; write its digits, or nothing")),
    }
}

fn federation(value: &str) -> Result<Option<String>, String> {
    let Some(value) = known(value.trim_matches([' ', '-'])) else {
        return Ok(None);
    };
    let is_code = value.len() == 3 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_code {
        Ok(Some(value.to_ascii_uppercase()))
    } else {
        Err(format!("\"{value}\" is no federation; write its three letters, e.g. GRE"))
    }
}

/// What stands in the place of an opponent where there is none; `not paired` who is not there.
const BYES: [&str; 10] = [
    "bye",
    "free",
    "not paired",
    "spielfrei",
    "nicht ausgelost",
    "εξαιρείται",
    "vapaa",
    "ei paritettu",
    "descansa",
    "no emparejado",
];

/// A name that says that there is nobody to play.
pub(super) fn is_bye(name: Option<&str>) -> bool {
    name.is_some_and(|name| BYES.contains(&name.to_lowercase().as_str()))
}

/// Results as people write them beside those that [`GameResult`] knows.
const RESULTS: [(&str, &str); 16] = [
    ("1/2", "1/2-1/2"),
    ("=", "1/2-1/2"),
    ("=-=", "1/2-1/2"),
    ("+-", "+/-"),
    ("+--", "+/-"),
    ("1-0f", "+/-"),
    ("1-0k", "+/-"),
    ("-+", "-/+"),
    ("--+", "-/+"),
    ("0-1f", "-/+"),
    ("0-1k", "-/+"),
    ("--", "-/-"),
    ("---", "-/-"),
    ("0-0f", "-/-"),
    ("0-0k", "-/-"),
    (BYE, BYE),
];

/// The result, if there is one yet.
pub(super) fn result(value: &str) -> Result<Option<String>, String> {
    let plain: String = value
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .map(|letter| match letter {
            ':' | '–' | '−' => '-',
            other => other.to_ascii_lowercase(),
        })
        .collect();
    let plain = plain.replace('½', "1/2").replace("0.5", "1/2").replace("0,5", "1/2");
    if known(&plain).is_none() {
        return Ok(None);
    }
    let name = RESULTS.iter().find(|(written, _)| *written == plain).map_or(plain.as_str(), |(_, name)| name);
    match name.parse::<GameResult>() {
        Ok(result) => Ok(Some(result.name().to_owned())),
        Err(_) if name == BYE => Ok(Some(BYE.to_owned())),
        Err(error) => Err(format!("\"{}\" is {error}, or * as long as there is none", value.trim())),
    }
}

/// A day: `2026-05-31`, `2026.05.31`, `2026/05/31`, `26/05/31` or `31.05.2026`; none if parts are unknown.
pub(super) fn date(value: &str) -> Result<Option<String>, String> {
    let Some(value) = known(value).filter(|value| !value.contains('?')) else {
        return Ok(None);
    };
    let wrong = || format!("\"{value}\" is no day; write it as 2026-05-31");
    let parts: Vec<&str> = value.split(['-', '.', '/']).collect();
    let &[one, two, three] = parts.as_slice() else {
        return Err(wrong());
    };
    let (year, month, day) = if three.len() == 4 { (three, two, one) } else { (one, two, three) };
    let year: i16 = year.parse().map_err(|_| wrong())?;
    let year = if (0..100).contains(&year) { year + 2000 } else { year };
    let (month, day) = (month.parse().map_err(|_| wrong())?, day.parse().map_err(|_| wrong())?);
    let date = jiff::civil::Date::new(year, month, day).map_err(|_| wrong())?;
    Ok(Some(date.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_what_is_seen_of_it() {
        let read = |value: &str| text(value).unwrap();
        assert_eq!(read("  Ann\tB.  C "), Some("Ann B. C".into()));
        assert_eq!(read("\u{202e}nnA\u{202c}, B\u{200b}ob\u{feff}"), Some("nnA, Bob".into()));
        assert_eq!((read("\u{200b}"), read("?")), (None, None));
        assert!(text(&"a".repeat(LONGEST + 1)).is_err());
    }
}
