//! Who may do what: roles, tokens, sessions, and the log of what was done.
//!
//! Somebody is let in by a token, which the command line makes and which programs send with each request, or
//! by the one-time link that the daemon prints. A browser exchanges either for a session. All secrets have
//! 128 random bits and only their digests are kept.

mod audit;
mod link;
mod role;
mod secret;
mod session;
mod throttle;
mod token;
mod visitor;

pub(crate) use audit::{Audit, Entry};
pub use role::Role;
pub(crate) use secret::{digest, secret as new_secret};
pub(crate) use token::{Token, TokenError, Tokens};
pub use visitor::Visitor;
pub(crate) use visitor::{COOKIE_NAME, Credential};

use crate::world;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::HeaderValue;
use jiff::Timestamp;

use self::link::{Link, Tried};
use self::session::{SESSION, Session, Sessions};
use self::throttle::Throttle;

/// Who is let in by the one-time link.
const AT_THE_MACHINE: &str = "arbiter";

/// As RFC 3339 in milliseconds.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// Gives a file of the state directory to whom the directory belongs: root may run the command line, and the
/// daemon that reads the file is somebody else.
pub(crate) fn hand_over(file: &File, folder: &Path) -> io::Result<()> {
    let (owner, folder) = (file.metadata()?, fs::metadata(folder)?);
    if owner.uid() == folder.uid() {
        return Ok(());
    }
    fchown(file, Some(folder.uid()), Some(folder.gid()))
}

/// What decides who may do what at a desk.
#[derive(Debug)]
pub(crate) struct Auth {
    pub(crate) tokens: Tokens,
    pub(crate) audit: Audit,
    /// Do operators enter results?
    pub(crate) operator_results: bool,
    is_secure: bool,
    link: Mutex<Link>,
    sessions: Mutex<Sessions>,
    throttle: Mutex<Throttle>,
    /// When each token was last used, in this life of the daemon.
    used: Mutex<BTreeMap<String, Timestamp>>,
}

/// Why somebody was not let in.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What was shown is not good, in words.
    Wrong(&'static str),
    /// He has to wait so many seconds.
    Wait(i64),
    /// The system gives no random bits.
    Random(getrandom::Error),
}

impl Auth {
    /// For the desk whose state lies in `folder`, and the secret of its one-time link: `link`, or a new one.
    /// `is_secure`: its pages go over TLS.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub(crate) fn new(
        folder: &Path,
        operator_results: bool,
        is_secure: bool,
        link: Option<String>,
    ) -> Result<(Self, String), getrandom::Error> {
        let secret = link.map_or_else(new_secret, Ok)?;
        let link = Link::new(&secret, world::now());
        let auth = Self {
            tokens: Tokens::new(folder),
            audit: Audit::new(folder),
            operator_results,
            is_secure,
            link: Mutex::new(link),
            sessions: Mutex::default(),
            throttle: Mutex::default(),
            used: Mutex::default(),
        };
        Ok((auth, secret))
    }

    /// Opens a session for a part of this process, or for a test; gives the `Cookie` header of whoever holds it.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub(crate) fn admit(&self, role: Role, name: &str) -> Result<String, getrandom::Error> {
        let visitor = Visitor { role, name: Some(name.to_owned()) };
        let (key, _) = lock(&self.sessions).open(visitor, None, world::now())?;
        Ok(format!("{COOKIE_NAME}={key}"))
    }

    /// Lets somebody in by the secret of the link or of a token. One that is good is never kept waiting: who knows 128 bits
    /// does not guess, and behind a proxy all have one address.
    pub(crate) fn log_in(
        &self,
        secret: &str,
        address: IpAddr,
    ) -> Result<(Visitor, String, Timestamp), Refusal> {
        let now = world::now();
        let tried = lock(&self.link).try_secret(secret, now);
        let (visitor, token) = match tried {
            Tried::Good => {
                let name = Some(AT_THE_MACHINE.to_owned());
                (Visitor { role: Role::Arbiter, name }, None)
            }
            Tried::Used => return Err(self.refused("login", address, USED)),
            Tried::Expired => return Err(self.refused("login", address, EXPIRED)),
            Tried::Other => {
                let token =
                    self.tokens.find(secret).ok_or_else(|| self.refused("login", address, UNKNOWN))?;
                self.used(&token.id);
                (Visitor { role: token.role, name: Some(token.name) }, Some(token.id))
            }
        };
        let by = token.as_ref().map_or_else(|| "the one-time link".to_owned(), |id| format!("token {id}"));
        let opened = lock(&self.sessions).open(visitor.clone(), token, now).map_err(Refusal::Random)?;
        self.audit
            .write(&Entry::new("login", visitor.name.as_deref(), visitor.role, Some(address)).detail(by));
        Ok((visitor, opened.0, opened.1))
    }

    /// Who sends this token.
    pub(crate) fn bearer(&self, secret: &str, address: IpAddr) -> Result<(Visitor, Credential), Refusal> {
        if let Some(token) = self.tokens.find(secret) {
            self.used(&token.id);
            return Ok((Visitor { role: token.role, name: Some(token.name) }, Credential::Token(token.id)));
        }
        Err(self.refused("bearer", address, UNKNOWN))
    }

    /// The session of this digest, as long as it and its token are good.
    pub(crate) fn session(&self, digest: &str) -> Option<Session> {
        let session = lock(&self.sessions).find(digest, world::now())?.clone();
        let is_live = session.token.as_ref().is_none_or(|id| self.tokens.is_live(id));
        if !is_live {
            lock(&self.sessions).close(digest);
        }
        is_live.then_some(session)
    }

    /// Ends the session of this digest.
    pub(crate) fn close(&self, digest: &str) {
        lock(&self.sessions).close(digest);
    }

    /// Is what somebody came in with still good?
    pub(crate) fn is_good(&self, credential: &Credential) -> bool {
        match credential {
            Credential::Session(digest) => self.session(digest).is_some(),
            Credential::Token(id) => self.tokens.is_live(id),
            // Who is connected stays who he is.
            Credential::Local => true,
        }
    }

    /// The scheme of the desk's own pages.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_secure { "https" } else { "http" }
    }

    /// What somebody brings is not good; whoever has tried too often has to wait, and is not written down again.
    fn refused(&self, action: &str, address: IpAddr, why: &'static str) -> Refusal {
        let (mut throttle, now_s) = (lock(&self.throttle), world::now().as_second());
        if let Some(wait_s) = throttle.wait_s(address, now_s) {
            return Refusal::Wait(wait_s);
        }
        throttle.failed(address, now_s);
        drop(throttle);
        self.audit.write(&Entry::new(action, None, Role::Spectator, Some(address)).refused().detail(why));
        Refusal::Wrong(why)
    }

    fn used(&self, id: &str) {
        lock(&self.used).insert(id.to_owned(), world::now());
    }

    /// When a token was last used, RFC 3339.
    pub(crate) fn last_used_at(&self, id: &str) -> Option<String> {
        lock(&self.used).get(id).copied().map(rfc3339)
    }

    /// The cookie of a session.
    pub(crate) fn cookie(&self, key: &str) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let age_s = SESSION.as_secs();
        format!("{COOKIE_NAME}={key}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age_s}{secure}")
    }

    /// The cookie that takes a session away from the browser.
    pub(crate) fn no_cookie(&self) -> HeaderValue {
        HeaderValue::from_static("adoube_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }
}

const UNKNOWN: &str = "no such token; \"adoube token add arbiter NAME\" on the machine makes one";
const USED: &str = "this link was used before, and is good once; \"adoube token add arbiter NAME\" on the machine \
                    makes a token to log in with, and adoube prints a new link when it starts";
const EXPIRED: &str = "this link is older than an hour; \"adoube token add arbiter NAME\" on the machine makes a \
                       token to log in with, and adoube prints a new link when it starts";

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
