//! How much a penalty is (12.9; 2005: 13.4): a time, points, rounds or money, as the penalty asks for it.

use adoube_rules::laws::Penalty;

use super::Amount;

/// What a penalty takes or gives, with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// So much time.
    Time {
        /// Milliseconds.
        ms: u64,
    },
    /// So many halves of a point: a game has two.
    HalfPoints(u8),
    /// So many rounds.
    Rounds(u32),
    /// A sum, and its currency as whoever rules has written it.
    Money {
        /// A whole number, or one with cents.
        sum: String,
        /// `EUR`, `€`; empty if it was left out.
        currency: String,
    },
}

impl Measure {
    /// What `amount` says of `penalty`; `None` if nothing is said.
    ///
    /// # Errors
    /// What the penalty asks for, if this is something else.
    pub fn read(penalty: Penalty, amount: Option<&Amount>) -> Result<Option<Self>, String> {
        let Some(amount) = amount else { return Ok(None) };
        let text = match amount {
            Amount::Number(number) => number.to_string(),
            Amount::Text(text) => text.trim().to_owned(),
        };
        let (read, wanted): (Option<Self>, &str) = match penalty {
            Penalty::AddTimeOpponent | Penalty::ReduceTimeOffender => {
                let ms = match amount {
                    Amount::Number(ms) => u64::try_from(*ms).ok(),
                    Amount::Text(text) => time_ms(text),
                };
                (ms.filter(|&ms| ms > 0).map(|ms| Self::Time { ms }), "a time, such as 2:00 or 2 min")
            }
            Penalty::RaiseOpponentScore | Penalty::ReduceOffenderScore => {
                let halves = match without(&text, &["points", "point"]) {
                    "1/2" | "½" | "0.5" | "0,5" => Some(1),
                    "1" | "1.0" | "1,0" => Some(2),
                    _ => None,
                };
                (halves.map(Self::HalfPoints), "1/2 or 1: a game has one point")
            }
            Penalty::ExcludeRounds => {
                let rounds = without(&text, &["rounds", "round"]).parse().ok().filter(|&rounds| rounds > 0);
                (rounds.map(Self::Rounds), "a number of rounds, at least 1")
            }
            Penalty::Fine => (money(&text), "a sum, such as 50 EUR"),
            Penalty::Warning | Penalty::GameLost | Penalty::Expel => (None, "no amount"),
        };
        match read {
            Some(read) => Ok(Some(read)),
            None => Err(format!("the amount of \"{}\" cannot be \"{text}\": give {wanted}", penalty.name())),
        }
    }

    /// The milliseconds of a time.
    pub(crate) fn ms(&self) -> Option<u64> {
        match self {
            Self::Time { ms } => Some(*ms),
            _ => None,
        }
    }

    /// The amount as events write it, and its unit; a time has a field of its own.
    #[must_use]
    pub fn written(&self) -> (Amount, String) {
        match self {
            Self::Time { ms } => (Amount::Number(i64::try_from(*ms).unwrap_or(i64::MAX)), "ms".to_owned()),
            Self::HalfPoints(1) => (Amount::Text("1/2".to_owned()), "points".to_owned()),
            Self::HalfPoints(halves) => (Amount::Number(i64::from(*halves) / 2), "points".to_owned()),
            Self::Rounds(rounds) => (Amount::Number(i64::from(*rounds)), "rounds".to_owned()),
            Self::Money { sum, currency } => {
                let amount = sum.parse().map_or_else(|_| Amount::Text(sum.clone()), Amount::Number);
                (amount, currency.clone())
            }
        }
    }
}

/// `2:00`, `0:02:00`, `+2:00`, `2 min`, `90 s`, `120000 ms`.
fn time_ms(text: &str) -> Option<u64> {
    let text = text.trim().trim_start_matches('+');
    if text.contains(':') {
        let parts: Vec<u64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let [hours, minutes, seconds] = match parts[..] {
            [minutes, seconds] => [0, minutes, seconds],
            [hours, minutes, seconds] => [hours, minutes, seconds],
            _ => return None,
        };
        let is_time = seconds < 60 && (minutes < 60 || parts.len() == 2) && hours < 100 && minutes < 6_000;
        return is_time.then_some((hours * 3_600 + minutes * 60 + seconds) * 1_000);
    }
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let unit_ms = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];
    let (_, ms) = unit_ms.into_iter().find(|(name, _)| *name == unit.trim())?;
    number.parse::<u64>().ok()?.checked_mul(ms)
}

/// A text without the unit that may stand behind it.
fn without<'a>(text: &'a str, units: &[&str]) -> &'a str {
    units.iter().find_map(|unit| text.strip_suffix(unit)).map_or(text, str::trim_end)
}

/// A sum before or behind its currency.
fn money(text: &str) -> Option<Measure> {
    let is_of_sum = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
    let sum: String = text.chars().filter(|&letter| is_of_sum(letter)).collect();
    let currency: String =
        text.chars().filter(|&letter| !is_of_sum(letter) && !letter.is_whitespace()).collect();
    let is_one = text.trim().replace([' ', '\u{a0}'], "") == format!("{sum}{currency}")
        || text.trim().replace([' ', '\u{a0}'], "") == format!("{currency}{sum}");
    (sum.starts_with(|first: char| first.is_ascii_digit()) && is_one)
        .then_some(Measure::Money { sum, currency })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(penalty: Penalty, amount: &str) -> String {
        match Measure::read(penalty, Some(&Amount::Text(amount.to_owned()))) {
            Ok(Some(measure)) => {
                let (amount, unit) = measure.written();
                format!("{} {unit}", amount.to_json())
            }
            Ok(None) => "nothing".to_owned(),
            Err(error) => error,
        }
    }

    #[test]
    fn an_amount_has_the_unit_of_its_penalty() {
        let time = |amount| written(Penalty::AddTimeOpponent, amount);
        assert_eq!(["2:00", "+0:02:00", "2min", "120 s"].map(time), ["120000 ms"; 4].map(str::to_owned));
        let points = |amount| written(Penalty::ReduceOffenderScore, amount);
        assert_eq!(["1/2", "½", "0,5 points"].map(points), ["\"1/2\" points"; 3].map(str::to_owned));
        assert_eq!(points("1"), "1 points");
        assert_eq!(written(Penalty::ExcludeRounds, "2"), "2 rounds");
        assert_eq!(
            ["50 EUR", "EUR 50"].map(|sum| written(Penalty::Fine, sum)),
            ["50 EUR"; 2].map(str::to_owned)
        );
        let ms = Measure::read(Penalty::ReduceTimeOffender, Some(&Amount::Number(60_000)));
        assert_eq!(ms, Ok(Some(Measure::Time { ms: 60_000 })));
    }

    #[test]
    fn another_amount_is_refused_with_what_is_wanted() {
        let refused = |penalty, amount| written(penalty, amount);
        insta::assert_snapshot!(
            [
                refused(Penalty::AddTimeOpponent, "2"),
                refused(Penalty::AddTimeOpponent, "1:75"),
                refused(Penalty::RaiseOpponentScore, "2"),
                refused(Penalty::ExcludeRounds, "0"),
                refused(Penalty::Fine, "a lot"),
                refused(Penalty::Warning, "1"),
            ]
            .join("\n"),
            @r#"
        the amount of "add-time-opponent" cannot be "2": give a time, such as 2:00 or 2 min
        the amount of "add-time-opponent" cannot be "1:75": give a time, such as 2:00 or 2 min
        the amount of "raise-opponent-score" cannot be "2": give 1/2 or 1: a game has one point
        the amount of "exclude-rounds" cannot be "0": give a number of rounds, at least 1
        the amount of "fine" cannot be "a lot": give a sum, such as 50 EUR
        the amount of "warning" cannot be "1": give no amount
        "#
        );
    }
}
