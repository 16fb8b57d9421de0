//! One board's core: the conversation with it and the table behind it.
//!
//! [`Station::handle`] is the one contract (DESIGN 2): it takes an input and the time, and says what
//! to write to the board and what happened. Whoever calls it asks [`Station::wake_at_ns`] when it
//! wants to be called again. It reads no clock: the same inputs give the same events.

mod carrying;
mod lamps;
mod open;
mod presence;
mod table;

pub use crate::infer::Announce;
pub use crate::table::Pairing as OpenPairing;
pub use crate::table::{Exchange, HandedOver, Moved, Other};
pub use carrying::{Carried, Opening};
pub use open::{BoardResults, Open, OpenError, PublishAt};

use lamps::Lamps;
use presence::{News, Presence};
use table::{Table, of};

use crate::event::{Event, Numbered, Withholding};
use crate::infer::{Choice, SickSquare};
use crate::ply::Ply;
use crate::ruling::{Inapplicable, Ruled, RulingError};
use crate::table::{Explanation, LinkNews, Neighbour, Picture, Readiness};
use crate::wire::{self, Announcement, Identity, LostReason, Session, SessionInput, SessionOutput};
use adoube_rules::Family;
use adoube_rules::sensor::{Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{Stamp, ms};

/// Raised with every change that can change an event: what another number recorded need not replay
/// to the same events (DESIGN 2.1, rule 4).
pub const CORE: u32 = 37;

/// The name of the protocol of neutral frames, which has no bytes and no conversation.
pub const FRAMES: &str = "frames";

/// What happens to a station.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Bytes from the board, cut anywhere.
    Bytes(Vec<u8>),
    /// A reading of a neutral board.
    Reading(Reading),
    /// The link to the board was opened.
    LinkUp,
    /// The link to the board was lost.
    LinkDown,
    /// Whoever reads the board was away, and opens the link anew.
    Restarted,
    /// The board is there from now on, for people: its port.
    Placed(String),
    /// The board is taken away: the game on it is closed, whether or not it has a result.
    Removed,
    /// Somebody decided something.
    Ruling(Ruled),
    /// A linked board, or the other board of the game, has something new.
    Neighbour(Neighbour),
    /// Who plays here from now on; `None`: nobody in particular.
    Pairing(Option<OpenPairing>),
    /// The game goes on at another board, or one comes from there.
    Moved(Box<Moved>),
    /// Earlier games on this board found these squares sick, as the sensor counts them.
    Sick(Vec<SickSquare>),
    /// The players are to be shown this. It changes no event, and a journal holds it as a wake.
    Announce(Announcement),
    /// Nothing but the time.
    Wake,
}

/// What came of an input.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Bytes for the board, in order. A replay drops them.
    pub writes: Vec<Vec<u8>>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Nothing more can be expected of the link; close it and open it again.
    pub lost: Option<LostReason>,
    /// Bytes that belong to no message.
    pub skipped_bytes: u64,
    /// A ruling or a pairing was refused; nothing has changed.
    pub refused: Option<RulingError>,
    /// If it is there, each thing that was taken is added: for who looks back on what a board showed.
    pub seen: Option<Vec<Seen>>,
}

/// One thing that a board, its link or an arbiter said, and what the board shows then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What it was.
    pub kind: SeenKind,
    /// When.
    pub at: Stamp,
    /// What board and clock show then.
    pub picture: Picture,
    /// So many of [`Output::events`] were said before it.
    pub events_before: usize,
}

/// What was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenKind {
    /// The board or its clock.
    Reading,
    /// The link is back (true) or lost.
    Link(bool),
    /// A ruling was carried out.
    Ruling,
}

impl Output {
    /// Empties it for the next input.
    pub fn clear(&mut self) {
        self.writes.clear();
        self.events.clear();
        self.lost = None;
        self.skipped_bytes = 0;
        self.refused = None;
        if let Some(seen) = &mut self.seen {
            seen.clear();
        }
    }
}

/// One board's core.
#[derive(Debug)]
pub struct Station {
    open: Open,
    session: Option<Box<dyn Session>>,
    table: Table,
    now: Stamp,
    identity: Identity,
    said: Vec<SessionOutput>,
    withholding: Option<Withholding>,
    presence: Presence,
    lamps: Lamps,
}

impl Station {
    /// Opens a board.
    ///
    /// # Errors
    /// [`OpenError`] for a protocol, variant or position that cannot be.
    pub fn open(open: Open, at: Stamp) -> Result<Self, OpenError> {
        let session = open.protocol()?.map(|protocol| (protocol.session)());
        let (table, withholding) = (Table::open(&open, None, at)?, open.withholding());
        let (identity, said, lamps) = (Identity::default(), Vec::new(), Lamps::default());
        let presence = Presence::default();
        Ok(Self { open, session, table, now: at, identity, said, withholding, presence, lamps })
    }

    /// The board's name.
    #[must_use]
    pub fn board(&self) -> &str {
        &self.open.board
    }

    /// The board and the men of its game.
    #[must_use]
    pub fn family(&self) -> Family {
        self.table.family()
    }

    /// When it was opened first: times in events count from there.
    #[must_use]
    pub(crate) fn opened_ns(&self) -> u64 {
        of!(&self.table, table => table.opened_ns())
    }

    /// What it was told once.
    #[must_use]
    pub fn opened_with(&self) -> &Open {
        &self.open
    }

    /// The board's own number, once it told it.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The boards that are to be told what this one shows.
    pub fn neighbours(&self) -> impl Iterator<Item = &str> {
        self.open.linked.iter().chain(&self.open.pair).map(String::as_str)
    }

    /// What they are told: whoever runs the stations passes it on when it changes.
    #[must_use]
    pub fn as_neighbour(&self) -> Neighbour {
        of!(&self.table, table => table.as_neighbour())
    }

    /// When [`Station::handle`] wants an [`Input::Wake`], if nothing else happens before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        let session = self.session.as_ref().and_then(|session| session.wake_at_ns());
        [session, of!(&self.table, table => table.wake_at_ns()), self.presence.wake_at_ns()]
            .into_iter()
            .flatten()
            .min()
    }

    /// When the table alone has something to do: what a replay waits for at its end.
    #[must_use]
    pub(crate) fn table_wake_at_ns(&self) -> Option<u64> {
        of!(&self.table, table => table.wake_at_ns())
    }

    /// True if a game is open on the board and has no result.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        of!(&self.table, table => table.is_playing())
    }

    /// The squares that games on this board have found sick and none has disproved since, as the sensor counts them.
    #[must_use]
    pub fn sick_squares(&self) -> Vec<SickSquare> {
        of!(&self.table, table => table.sick_squares())
    }

    /// A game is being played, and is not over.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        of!(&self.table, table => table.is_under_way())
    }

    /// What goes on in the game if it is not being played: `sealing`, `adjourned`, `reconstruction`, `at-home` while its
    /// result is awaited, `moved` while it is set up here. `None` if it is, or if there is none.
    #[must_use]
    pub fn stage(&self) -> Option<&'static str> {
        of!(&self.table, table => table.stage())
    }

    /// How far the board is ready for its next game; `None` while a game is under way.
    #[must_use]
    pub fn readiness(&self) -> Option<Readiness> {
        of!(&self.table, table => table.readiness())
    }

    /// Has the board said anything since its link was opened?
    #[must_use]
    pub fn is_answering(&self) -> bool {
        self.presence.is_answering
    }

    /// How many readings there were since the board was opened.
    #[must_use]
    pub fn readings(&self) -> u64 {
        self.presence.readings
    }

    /// When the last of them came, on the line of stamps.
    #[must_use]
    pub fn heard_ns(&self) -> Option<u64> {
        self.presence.heard_ns()
    }

    /// Is the link up, and has the board been silent for a while all the same?
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.presence.is_stale
    }

    /// The squares that players are shown, as the sensor counts them; beside what is announced.
    #[must_use]
    pub fn lamps(&self) -> &[Square] {
        self.lamps.lit()
    }

    /// What board and clock show now.
    #[must_use]
    pub fn picture(&self) -> Picture {
        of!(&self.table, table => table.picture())
    }

    /// Why an announced ply is what it is; `None`: the last ply of the best explanation.
    #[must_use]
    pub fn explanation(&self, ply: Option<Ply>) -> Option<Explanation> {
        of!(&self.table, table => table.explanation(ply))
    }

    /// The ply that is in doubt, and what it may have been.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        of!(&self.table, table => table.choice())
    }

    /// The game as another board needs it to go on; `said` is all that was said of it, in order.
    ///
    /// # Errors
    /// A sentence that says why it cannot leave.
    pub fn hand_over(&self, said: &[Numbered]) -> Result<HandedOver, String> {
        of!(&self.table, table => table.hand_over(said)).map_err(|Inapplicable(reason)| reason)
    }

    /// The game's exchange for that of another board; `said` is all that was said of it, in order.
    ///
    /// # Errors
    /// A sentence that says why it cannot be.
    pub fn exchange(&self, said: &[Numbered], ruled: Ruled, other: Other) -> Result<Moved, String> {
        of!(&self.table, table => table.exchange(said, ruled, other)).map_err(|Inapplicable(reason)| reason)
    }

    /// Takes an input. First every timer due at or before `at` fires, each at its own time.
    pub fn handle(&mut self, input: &Input, at: Stamp, out: &mut Output) {
        let before = out.events.len();
        self.work(input, at, out);
        self.light(out);
        if let Some(withholding) = &mut self.withholding {
            out.events[before..].iter_mut().for_each(|event| withholding.mark(event));
        }
    }

    fn work(&mut self, input: &Input, at: Stamp, out: &mut Output) {
        let at = at.clamped(self.now);
        self.now = at;
        if !matches!(input, Input::Moved(moved) if moved.takes_what_stood()) {
            self.advance(at, out);
        }
        match input {
            Input::Bytes(bytes) => self.converse(SessionInput::Bytes(bytes), at, out),
            Input::Reading(reading) => self.read(reading, at, out),
            Input::LinkUp => {
                self.identity = Identity::default();
                self.presence.linked(Some(at.mono_ns));
                self.link(LinkNews::Back, at, out);
                self.converse(SessionInput::LinkUp, at, out);
            }
            Input::LinkDown => self.unlinked(LinkNews::Lost, at, out),
            Input::Restarted => self.unlinked(LinkNews::Restarted, at, out),
            Input::Removed => of!(&mut self.table, table => table.removed(at, &mut out.events)),
            Input::Placed(port) => port.clone_into(&mut self.open.port),
            Input::Ruling(ruling) => {
                let before = out.events.len();
                out.refused = of!(&mut self.table, table => table.ruling(ruling, at, &mut out.events)).err();
                if out.refused.is_none() {
                    self.see(SeenKind::Ruling, before, at, out);
                }
            }
            Input::Neighbour(neighbour) => {
                of!(&mut self.table, table => table.neighbour(neighbour, at, &mut out.events));
            }
            Input::Pairing(pairing) => {
                out.refused =
                    of!(&mut self.table, table => table.pair(pairing.as_ref(), at, &mut out.events)).err();
            }
            Input::Moved(moved) => {
                out.refused = of!(&mut self.table, table => table.moved(moved, at, &mut out.events)).err();
                if let Some(game) = moved.game.as_ref().filter(|_| out.refused.is_none()) {
                    self.withholding = self.withholding.as_ref().map(|_| Withholding::after(&game.said()));
                }
            }
            Input::Sick(sick) => of!(&mut self.table, table => table.sick(sick, at, &mut out.events)),
            Input::Announce(announcement) => self.announce(announcement, at, out),
            Input::Wake => {}
        }
    }

    fn unlinked(&mut self, news: LinkNews, at: Stamp, out: &mut Output) {
        self.converse(SessionInput::LinkDown, at, out);
        self.presence.linked(None);
        self.link(news, at, out);
    }

    fn link(&mut self, news: LinkNews, at: Stamp, out: &mut Output) {
        let before = out.events.len();
        of!(&mut self.table, table => table.link(news, at, &mut out.events));
        self.see(SeenKind::Link(news == LinkNews::Back), before, at, out);
    }

    /// Announces by the sensor's squares and the clock's ends what is said by those of the game.
    fn announce(&mut self, announcement: &Announcement, at: Stamp, out: &mut Output) {
        let turned = of!(&self.table, table => table.turned());
        let announcement = match announcement.clone() {
            Announcement::Move { squares, text } => {
                let squares =
                    squares.into_iter().map(|square| of!(&self.table, table => table.lying(square)));
                Announcement::Move { squares: squares.collect(), text }
            }
            Announcement::Times { left_ms: [white, black], running } if turned == 180 => {
                Announcement::Times { left_ms: [black, white], running: running.map(Side::other) }
            }
            other => other,
        };
        if announcement.lamps().is_some() {
            self.lamps.forget();
        }
        self.converse(SessionInput::Announce(&announcement), at, out);
    }

    /// Shows the players what they may be shown. It is no event, and a replay drops it.
    fn light(&mut self, out: &mut Output) {
        let Some(squares) =
            of!(&self.table, table => self.lamps.change(table.as_ref(), self.open.setup_lamps))
        else {
            return;
        };
        let announcement = Announcement::Squares(squares.to_vec());
        self.converse(SessionInput::Announce(&announcement), self.now, out);
    }

    fn read(&mut self, reading: &Reading, at: Stamp, out: &mut Output) {
        if self.presence.heard(at.mono_ns) {
            self.connected(at, out);
        }
        self.presence.read(at.mono_ns);
        let before = out.events.len();
        of!(&mut self.table, table => table.reading(reading, at, &mut out.events));
        self.see(SeenKind::Reading, before, at, out);
    }

    /// Keeps what the board shows now, if anybody wants to know.
    fn see(&self, kind: SeenKind, events_before: usize, at: Stamp, out: &mut Output) {
        if let Some(seen) = &mut out.seen {
            seen.push(Seen { kind, at, picture: of!(&self.table, table => table.picture()), events_before });
        }
    }

    /// Fires the timers of conversation and table in the order in which they are due.
    fn advance(&mut self, to: Stamp, out: &mut Output) {
        while let Some(at_ns) = self.wake_at_ns().filter(|&at_ns| at_ns <= to.mono_ns) {
            let at = to.at(at_ns);
            let session_wake = self.session.as_ref().and_then(|session| session.wake_at_ns());
            if session_wake.is_some_and(|due_ns| due_ns <= at_ns) {
                self.converse(SessionInput::Wake, at, out);
            }
            of!(&mut self.table, table => table.advance(at, &mut out.events));
            match self.presence.due(at_ns) {
                Some(News::Stale(silent_ns)) => {
                    of!(&self.table, table => table.stale(ms(silent_ns), &mut out.events));
                }
                Some(News::Unnumbered) => self.connected(at, out),
                None => {}
            }
        }
    }

    fn converse(&mut self, input: SessionInput<'_>, at: Stamp, out: &mut Output) {
        let Some(session) = &mut self.session else { return };
        let mut said = std::mem::take(&mut self.said);
        session.handle(input, at.mono_ns, &mut said);
        for output in said.drain(..) {
            match output {
                SessionOutput::Write(bytes) => out.writes.push(bytes),
                SessionOutput::Reading(reading) => self.read(&reading, at, out),
                SessionOutput::Identity(identity) => self.identified(identity, at, out),
                SessionOutput::Lost(reason) => out.lost = Some(reason),
                SessionOutput::Skipped { bytes } => out.skipped_bytes += bytes,
            }
        }
        self.said = said;
    }

    fn identified(&mut self, identity: Identity, at: Stamp, out: &mut Output) {
        let is_news = identity.serial.is_some() && identity.serial != self.identity.serial;
        self.identity = identity;
        if self.presence.heard(at.mono_ns) || is_news {
            self.connected(at, out);
        }
    }

    /// The board is there.
    fn connected(&mut self, at: Stamp, out: &mut Output) {
        self.presence.said();
        of!(&mut self.table, table => table.advance(at, &mut out.events));
        let protocol = wire::protocol(&self.open.protocol).map_or(FRAMES, |protocol| protocol.name);
        let serial = self.identity.serial.clone();
        of!(&mut self.table, table => table.identified(serial, protocol, self.open.port.clone(), &mut out.events));
    }
}
