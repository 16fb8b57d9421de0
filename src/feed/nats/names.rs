//! How streams and subjects are called.

use std::fmt::Write as _;

/// What stands in a subject where there is no game or board.
const NOBODY: &str = "-";

/// Which events a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What spectators see, when they see it.
    Public,
    /// What the arbiter sees.
    Private,
}

/// The names of one stream of one hall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// Of the stream: `ADOUBE_PUBLIC`, or `ADOUBE_PUBLIC_HALL2` for the site `hall2`.
    pub stream: String,
    /// What its subjects begin with: `adoube.public`, or `adoube.hall2.public`.
    prefix: String,
}

impl Names {
    /// The names for a site; most tournaments have one hall and none.
    #[must_use]
    pub fn new(side: Side, site: Option<&str>) -> Self {
        let side = match side {
            Side::Public => "public",
            Side::Private => "private",
        };
        Self::called(side, site)
    }

    fn called(what: &str, site: Option<&str>) -> Self {
        let (upper, dotted) = site.map_or_else(Default::default, |site| {
            (format!("_{}", site.to_ascii_uppercase()), format!("{site}."))
        });
        let stream = format!("ADOUBE_{}{upper}", what.to_ascii_uppercase());
        Self { stream, prefix: format!("adoube.{dotted}{what}") }
    }

    /// Those of the stream that says who plays: `ADOUBE_PAIRINGS` and `adoube.pairings`.
    #[must_use]
    pub fn of_pairings(site: Option<&str>) -> Self {
        Self::called("pairings", site)
    }

    /// All subjects of the stream.
    #[must_use]
    pub fn subjects(&self) -> String {
        format!("{}.>", self.prefix)
    }

    /// Is that subject, or all that a pattern of subjects stands for, one of the stream's?
    #[must_use]
    pub fn has(&self, subject: &str) -> bool {
        subject.strip_prefix(&self.prefix).is_some_and(|rest| rest.starts_with('.'))
    }

    /// The subject of a round's pairings.
    #[must_use]
    pub fn subject_of_round(&self, round: u32) -> String {
        format!("{}.{round}", self.prefix)
    }

    /// The subject of an event of `whom`, a game or a board.
    #[must_use]
    pub fn subject(&self, event: &str, whom: Option<&str>) -> String {
        let whom = whom.filter(|whom| !whom.is_empty()).map_or_else(|| NOBODY.to_owned(), token);
        format!("{}.{}.{whom}", self.prefix, token(event))
    }
}

/// Can a hall be called so? Two that differ must not have one stream, nor a stream the subjects of another.
#[must_use]
pub fn is_site(site: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_';
    (1..=32).contains(&site.len())
        && site.bytes().all(is_letter)
        && !["public", "private", "pairings"].contains(&site)
}

/// A name as one token of a subject: ASCII letters, digits, `-` and `_` as they are, every other byte as in
/// addresses (`%20`). A name that is nothing but `-` becomes `%2D`: that token stands for nobody.
fn token(name: &str) -> String {
    if name == NOBODY {
        return "%2D".to_owned();
    }
    let mut token = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            token.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _written = write!(token, "%{byte:02X}");
        }
    }
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_in_every_name() {
        let names = Names::new(Side::Public, None);
        assert_eq!((names.stream.as_str(), names.subjects().as_str()), ("ADOUBE_PUBLIC", "adoube.public.>"));
        let names = Names::new(Side::Private, Some("hall2"));
        assert_eq!(names.stream, "ADOUBE_PRIVATE_HALL2");
        assert_eq!(names.subject("move-made", Some("12")), "adoube.hall2.private.move-made.12");
    }

    #[test]
    fn whatever_a_game_is_called_it_is_one_token() {
        let names = Names::new(Side::Public, None);
        let last = |whom| names.subject("x", whom).strip_prefix("adoube.public.x.").unwrap().to_owned();
        assert_eq!(last(Some("5-12-2")), "5-12-2");
        assert_eq!(last(Some("a.b *>\t%")), "a%2Eb%20%2A%3E%09%25");
        assert_eq!(last(Some("Þing")), "%C3%9Eing");
        assert_eq!([last(None), last(Some("")), last(Some("-"))], ["-", "-", "%2D"]);
    }

    #[test]
    fn sites_cannot_be_taken_for_each_other() {
        assert!(["hall2", "a", "north_hall"].iter().all(|site| is_site(site)));
        let long = "x".repeat(33);
        for site in ["", "Hall2", "public", "private", "pairings", "a.b", "a b", "a-b*", "þ", long.as_str()]
        {
            assert!(!is_site(site), "{site}");
        }
    }
}
