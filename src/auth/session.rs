//! Sessions of browsers: in memory, so that a restart of the daemon asks everybody to log in again.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::Visitor;
use super::secret::{digest, secret};

/// A playing day, from the set-up before the first round to the last report: who logs in in the morning is
/// not thrown out in time trouble, and a tablet left behind is worth nothing the next day.
pub(super) const SESSION: SignedDuration = SignedDuration::from_hours(12);

/// More than a hall has people at the desk; the session that would end first gives way.
const MOST: usize = 256;

/// Somebody who logged in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// Who.
    pub(crate) visitor: Visitor,
    /// With which token; `None`: with the one-time link.
    pub(crate) token: Option<String>,
    /// Until when.
    pub(crate) expires_at: Timestamp,
}

/// All sessions, by the digest of what the browser holds.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: BTreeMap<String, Session>,
}

impl Sessions {
    /// Opens one; gives what the browser is to hold.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub(super) fn open(
        &mut self,
        visitor: Visitor,
        token: Option<String>,
        now: Timestamp,
    ) -> Result<(String, Timestamp), getrandom::Error> {
        self.open.retain(|_, session| now < session.expires_at);
        while self.open.len() >= MOST {
            let first = self.open.iter().min_by_key(|(_, session)| session.expires_at);
            let Some(first) = first.map(|(key, _)| key.clone()) else { break };
            self.open.remove(&first);
        }
        let key = secret()?;
        let expires_at = now.saturating_add(SESSION).unwrap_or(now);
        self.open.insert(digest(&key), Session { visitor, token, expires_at });
        Ok((key, expires_at))
    }

    /// The session of a digest, unless it is over.
    pub(super) fn find(&self, digest: &str, now: Timestamp) -> Option<&Session> {
        self.open.get(digest).filter(|session| now < session.expires_at)
    }

    /// Closes one.
    pub(super) fn close(&mut self, digest: &str) {
        self.open.remove(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Role;

    fn visitor() -> Visitor {
        Visitor { role: Role::Arbiter, name: Some("Ann".to_owned()) }
    }

    #[test]
    fn a_session_ends_after_a_playing_day() {
        let mut sessions = Sessions::default();
        let (key, expires_at) = sessions.open(visitor(), None, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(expires_at.as_second(), 12 * 3_600);
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(sessions.find(&digest(&key), at(43_199)).unwrap().visitor, visitor());
        assert!(sessions.find(&digest(&key), at(43_200)).is_none());
        assert!(sessions.find(&key, at(0)).is_none(), "the key itself is not kept");
        sessions.close(&digest(&key));
        assert!(sessions.find(&digest(&key), at(0)).is_none());
    }

    #[test]
    fn there_are_only_so_many_and_the_oldest_gives_way() {
        let mut sessions = Sessions::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let keys: Vec<String> =
            (0..300).map(|second| sessions.open(visitor(), None, at(second)).unwrap().0).collect();
        assert_eq!(sessions.open.len(), MOST);
        assert!(sessions.find(&digest(&keys[43]), at(300)).is_none());
        assert!(sessions.find(&digest(&keys[44]), at(300)).is_some());
    }
}
