//! Times as scenarios write them: `2s`, `800ms`, `5 min`, `+2:00`, `0:33:10`.

/// A time and how exactly it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Milliseconds, signed.
    pub(super) ms: i64,
    /// What the last written digit stands for: `12 s` is any time from 12 s to below 13 s.
    pub(super) precision_ms: i64,
    /// A sign was written.
    pub(super) is_signed: bool,
}

/// Reads a time. A plain number is none: its unit would be a guess.
pub(super) fn parse(text: &str) -> Option<Span> {
    let text = text.trim();
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => (1, text),
    };
    let digits = digits.trim_start();
    let (ms, precision_ms) = if digits.contains(':') { (clock(digits)?, 1) } else { with_unit(digits)? };
    Some(Span { ms: sign * ms, precision_ms, is_signed: text.starts_with(['+', '-']) })
}

/// `M:SS` or `H:MM:SS`.
fn clock(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split(':').collect();
    if !(2..=3).contains(&parts.len()) || parts[1..].iter().any(|part| part.len() != 2) {
        return None;
    }
    let seconds = parts.iter().try_fold(0_i64, |sum, part| Some(sum * 60 + number(part)?))?;
    Some(seconds * 1_000)
}

fn with_unit(text: &str) -> Option<(i64, i64)> {
    let split = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (amount, unit) = (text[..split].trim_end(), &text[split..]);
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let (whole, decimals) = amount.split_once('.').unwrap_or((amount, ""));
    let mut ms = number(whole)?.checked_mul(unit_ms)?;
    let mut precision_ms = unit_ms;
    for decimal in decimals.chars() {
        precision_ms /= 10;
        ms += i64::from(decimal.to_digit(10)?) * precision_ms;
    }
    // Whole minutes and hours are meant exactly; a measured time is written in seconds.
    let precision_ms = if unit_ms > 1_000 { 1 } else { precision_ms.max(1) };
    Some((ms, precision_ms))
}

/// Digits only: `parse` alone would take a second sign.
fn number(digits: &str) -> Option<i64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

impl Span {
    /// Is `ms` this time, as exactly as it was written?
    pub(super) fn is(self, ms: i64) -> bool {
        let late = if self.ms < 0 { self.ms - ms } else { ms - self.ms };
        (0..self.precision_ms).contains(&late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        let ms = |text| parse(text).map(|span| span.ms);
        assert_eq!(ms("800ms"), Some(800));
        assert_eq!(ms("2s"), Some(2_000));
        assert_eq!(ms("0.8 s"), Some(800));
        assert_eq!(ms("5 min"), Some(300_000));
        assert_eq!(ms("+2:00"), Some(120_000));
        assert_eq!(ms("-10:00"), Some(-600_000));
        assert_eq!(ms("0:33:10"), Some(1_990_000));
        for text in ["", "5", "5x", "1:2", "s", "--2:00", "1:00:00:00", "+"] {
            assert_eq!(ms(text), None, "{text}");
        }
    }

    #[test]
    fn a_measured_time_is_as_exact_as_it_was_written() {
        let is = |text, ms| parse(text).unwrap().is(ms);
        assert!(is("12 s", 12_999) && !is("12 s", 13_000) && !is("12 s", 11_999));
        assert!(is("0.8 s", 850) && !is("0.8 s", 900));
        assert!(is("+2:00", 120_000) && !is("+2:00", 120_001));
        assert!(is("-10:00", -600_000));
    }
}
