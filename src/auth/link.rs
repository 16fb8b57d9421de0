//! The one-time link: whoever sits at the machine is arbiter.

use jiff::{SignedDuration, Timestamp};

use super::secret::digest;

/// A link that nobody used is forgotten after so long: it stands in terminals and logs.
pub(super) const LINK: SignedDuration = SignedDuration::from_hours(1);

/// The link that a daemon prints when it starts.
#[derive(Debug)]
pub(super) struct Link {
    digest: String,
    expires_at: Timestamp,
    is_used: bool,
}

/// What a secret is to the link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// Another secret.
    Other,
    /// The link's, in time and for the first time.
    Good,
    /// The link's, once more.
    Used,
    /// The link's, too late.
    Expired,
}

impl Link {
    /// The link of that secret.
    pub(super) fn new(secret: &str, now: Timestamp) -> Self {
        let expires_at = now.saturating_add(LINK).unwrap_or(now);
        Self { digest: digest(secret), expires_at, is_used: false }
    }

    /// Tries a secret; the first time that it is the link's uses the link up.
    pub(super) fn try_secret(&mut self, secret: &str, now: Timestamp) -> Tried {
        if digest(secret) != self.digest {
            Tried::Other
        } else if self.is_used {
            Tried::Used
        } else if now >= self.expires_at {
            Tried::Expired
        } else {
            self.is_used = true;
            Tried::Good
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::secret::secret;
    use super::*;

    #[test]
    fn a_link_is_good_once_and_for_an_hour() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let secret = secret().unwrap();
        let mut link = Link::new(&secret, at(0));
        assert_eq!(link.try_secret("0", at(1)), Tried::Other);
        assert_eq!(link.try_secret(&secret, at(3_600)), Tried::Expired);
        assert_eq!(link.try_secret(&secret, at(3_599)), Tried::Good);
        assert_eq!(link.try_secret(&secret, at(3_599)), Tried::Used);
    }
}
