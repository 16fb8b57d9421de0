//! One board's core: the conversation with it and the table behind it.
//!
//! [`Station::handle`] is the one contract (DESIGN 2): it takes an input and the time, and says what
//! to write to the board and what happened. Whoever calls it asks [`Station::wake_at_ns`] when it
//! wants to be called again. It reads no clock: the same inputs give the same events.

use serde::{Deserialize, Serialize};

use crate::event::{Event, Player, Withholding};
use crate::infer::{Announce, Choice, Parameters};
use crate::rules::laws::{Profile, ProfileError};
use crate::rules::{Chess, ChessPosition};
use crate::ruling::{Ruling, RulingError};
use crate::sensor::{Reading, Side};
use crate::stamp::Stamp;
use crate::table::{Derived, Explanation, Neighbour, Pairing, Picture, Readiness, Setting};
use crate::wire::{Identity, LostReason, Session, SessionInput, SessionOutput, protocol};

/// Raised with every change that can change an event: what another number recorded need not replay
/// to the same events (DESIGN 2.1, rule 4).
pub const CORE: u32 = 4;

/// The name of the protocol of neutral frames, which has no bytes and no conversation.
pub const FRAMES: &str = "frames";

/// Everything that a station is told once: an input like any other, stored when the board is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The board's name.
    pub board: String,
    /// `dgt`, or [`FRAMES`].
    pub protocol: String,
    /// Where it is, for people.
    pub port: String,
    /// `chess` or `chess960`.
    #[serde(default = "chess")]
    pub variant: String,
    /// FEN of the position from which the game starts.
    #[serde(default)]
    pub start: Option<String>,
    /// The board stands turned by 0, 90, 180 or 270 degrees; unknown if absent.
    #[serde(default)]
    pub turned: Option<u32>,
    /// The side of the clock's left end, if it is not the usual one.
    #[serde(default)]
    pub clock_side: Option<Side>,
    /// As TRF-26 field 222 writes it.
    #[serde(default)]
    pub time_control: Option<String>,
    /// `fast`, `balanced`, `careful`.
    #[serde(default = "balanced")]
    pub announce: String,
    /// `made`, `completed`.
    #[serde(default = "made")]
    pub publish_at: String,
    /// `publish`, `propose`.
    #[serde(default = "publish")]
    pub board_results: String,
    /// The game paired to the board.
    #[serde(default)]
    pub pairing: Option<OpenPairing>,
    /// Full name of the profile of the Laws.
    #[serde(default = "usual_profile")]
    pub profile: String,
    /// Parameters of the Laws and of adoube that differ from the profile, in order.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// What the event's regulations announce: `qpf`, `default-time 30`.
    #[serde(default)]
    pub regulations: Vec<String>,
    /// FEN of the agreed start position, where something else stands on the board at first.
    #[serde(default)]
    pub agreed: Option<String>,
    /// The game has begun before the board is opened.
    #[serde(default)]
    pub in_progress: bool,
    /// Illegal moves counted before the board is opened, White's and Black's.
    #[serde(default)]
    pub illegal: [u32; 2],
    /// Warnings given before the board is opened, White's and Black's.
    #[serde(default)]
    pub warnings: [u32; 2],
    /// Boards beside this one, whose clocks may be pressed by mistake.
    #[serde(default)]
    pub linked: Vec<String>,
    /// The other board of this game.
    #[serde(default)]
    pub pair: Option<String>,
}

/// A pairing, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenPairing {
    /// Round.
    pub round: u32,
    /// Number in the round.
    pub number: u32,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
}

fn chess() -> String {
    "chess".to_owned()
}

fn balanced() -> String {
    "balanced".to_owned()
}

fn made() -> String {
    "made".to_owned()
}

fn publish() -> String {
    "publish".to_owned()
}

fn usual_profile() -> String {
    Profile::default().name.to_owned()
}

/// Why a station cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A protocol that adoube does not speak.
    #[error("protocol \"{0}\" is not known; this version speaks dgt and frames")]
    Protocol(String),
    /// A variant that adoube does not play.
    #[error("variant \"{0}\" is not known; this version plays chess and chess960")]
    Variant(String),
    /// A start position that cannot be.
    #[error("start position \"{fen}\": {error}")]
    Start {
        /// What was given.
        fen: String,
        /// What is wrong with it.
        error: String,
    },
    /// A profile, regulation or parameter of the Laws that cannot be.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A value outside its list.
    #[error("{key} \"{value}\" is not known; use {known}")]
    Value {
        /// Which parameter.
        key: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        known: &'static str,
    },
}

impl Open {
    /// A board of that name and protocol, with everything else as usual.
    #[must_use]
    pub fn new(board: &str, protocol: &str, port: &str) -> Self {
        Self {
            board: board.to_owned(),
            protocol: protocol.to_owned(),
            port: port.to_owned(),
            variant: chess(),
            start: None,
            turned: None,
            clock_side: None,
            time_control: None,
            announce: balanced(),
            publish_at: made(),
            board_results: publish(),
            pairing: None,
            profile: usual_profile(),
            set: Vec::new(),
            regulations: Vec::new(),
            agreed: None,
            in_progress: false,
            illegal: [0; 2],
            warnings: [0; 2],
            linked: Vec::new(),
            pair: None,
        }
    }

    /// Sets a parameter of this board: one of its own, or one of its profile.
    ///
    /// # Errors
    /// What is wrong with it, and the nearest parameter or value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "announce" => value.clone_into(&mut self.announce),
            "publish_at" => value.clone_into(&mut self.publish_at),
            "board_results" => value.clone_into(&mut self.board_results),
            "time_control" => self.time_control = Some(value.to_owned()),
            _ => {
                let mut profile = self.laws().map_err(|error| error.to_string())?;
                profile.set(key, value).map_err(|error| match &error {
                    ProfileError::UnknownParameter { nearest: of_profile, .. } => {
                        let known = ["announce", "publish_at", "board_results", "time_control", of_profile];
                        let nearest = crate::ruling::nearest(key, known.into_iter());
                        format!("no parameter is called \"{key}\"; did you mean \"{nearest}\"?")
                    }
                    _ => error.to_string(),
                })?;
                self.set.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    /// The Laws as they hold on this board.
    ///
    /// # Errors
    /// [`OpenError::Profile`] for a profile, regulation or parameter that cannot be.
    pub fn laws(&self) -> Result<Profile, OpenError> {
        let mut profile = Profile::named(&self.profile)?;
        for regulation in &self.regulations {
            profile.regulation(regulation)?;
        }
        for (key, value) in &self.set {
            profile.set(key, value)?;
        }
        Ok(profile)
    }

    /// What marks the events that wait for others; `None` if none does.
    fn withholding(&self) -> Result<Option<Withholding>, OpenError> {
        match self.publish_at.as_str() {
            "made" => Ok(None),
            "completed" => Ok(Some(Withholding::default())),
            other => Err(value("publish_at", other, "made or completed")),
        }
    }

    pub(crate) fn setting(&self) -> Result<Setting<Chess>, OpenError> {
        let (variant, is_chess960) = match self.variant.as_str() {
            "chess" => ("chess", false),
            "chess960" => ("chess960", true),
            other => return Err(OpenError::Variant(other.to_owned())),
        };
        let announce = match self.announce.as_str() {
            "fast" => Announce::Fast,
            "balanced" => Announce::Balanced,
            "careful" => Announce::Careful,
            other => return Err(value("announce", other, "fast, balanced or careful")),
        };
        let board_results = match self.board_results.as_str() {
            "publish" => true,
            "propose" => false,
            other => return Err(value("board_results", other, "publish or propose")),
        };
        if let Some(turned) = self.turned.filter(|turned| ![0, 90, 180, 270].contains(turned)) {
            return Err(value("turned", &turned.to_string(), "0, 90, 180 or 270"));
        }
        let read = |fen: &str| start_position(fen, is_chess960);
        Ok(Setting {
            board: self.board.clone(),
            profile: self.laws()?,
            agreed: self.agreed.as_deref().map(read).transpose()?,
            in_progress: self.in_progress,
            illegal: self.illegal,
            variant,
            start: self.start.as_deref().map(read).transpose()?,
            shuffled: is_chess960,
            turned: self.turned,
            clock_swapped: self.clock_side == Some(Side::Black),
            parameters: Parameters { announce },
            board_results,
            time_control: self.time_control.clone(),
            pairing: self.pairing.as_ref().map(OpenPairing::pairing),
            pair: self.pair.clone(),
        })
    }
}

/// A position to start from: any that can stand on a board, as long as both sides have a king.
fn start_position(fen: &str, is_chess960: bool) -> Result<ChessPosition, OpenError> {
    let wrong = |error: String| OpenError::Start { fen: fen.to_owned(), error };
    let position = ChessPosition::from_fen(fen, is_chess960).map_err(|error| wrong(error.to_string()))?;
    let has_kings = shakmaty::Color::ALL
        .into_iter()
        .all(|color| position.board().by_piece(shakmaty::Role::King.of(color)).any());
    if has_kings { Ok(position) } else { Err(wrong("a king is missing".to_owned())) }
}

impl OpenPairing {
    fn pairing(&self) -> Pairing {
        Pairing {
            game: format!("{}-{}", self.round, self.number).into(),
            round: self.round,
            number: self.number,
            players: [self.white.clone(), self.black.clone()],
        }
    }
}

fn value(key: &'static str, value: &str, known: &'static str) -> OpenError {
    OpenError::Value { key, value: value.to_owned(), known }
}

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
    /// Somebody decided something.
    Ruling(Ruling),
    /// A linked board, or the other board of the game, has something new.
    Neighbour(Neighbour),
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
    /// A ruling was refused; nothing has changed.
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
    table: Derived<Chess>,
    now: Stamp,
    identity: Identity,
    said: Vec<SessionOutput>,
    withholding: Option<Withholding>,
    /// Something was read since the link was opened.
    is_answering: bool,
}

impl Station {
    /// Opens a board.
    ///
    /// # Errors
    /// [`OpenError`] for a protocol, variant or position that cannot be.
    pub fn open(open: Open, at: Stamp) -> Result<Self, OpenError> {
        let session = match open.protocol.as_str() {
            FRAMES => None,
            name => {
                let known = protocol(name).ok_or_else(|| OpenError::Protocol(name.to_owned()))?;
                Some((known.session)())
            }
        };
        let (table, withholding) = (Derived::new(open.setting()?, at), open.withholding()?);
        let (identity, said) = (Identity::default(), Vec::new());
        Ok(Self { open, session, table, now: at, identity, said, withholding, is_answering: false })
    }

    /// The board's name.
    #[must_use]
    pub fn board(&self) -> &str {
        &self.open.board
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
        self.table.as_neighbour()
    }

    /// When [`Station::handle`] wants an [`Input::Wake`], if nothing else happens before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        let session = self.session.as_ref().and_then(|session| session.wake_at_ns());
        [session, self.table.wake_at_ns()].into_iter().flatten().min()
    }

    /// When the table alone has something to do: what a replay waits for at its end.
    #[must_use]
    pub fn table_wake_at_ns(&self) -> Option<u64> {
        self.table.wake_at_ns()
    }

    /// True if a game is open on the board and has no result.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.table.is_playing()
    }

    /// How far the board is ready for its next game; `None` while a game is under way.
    #[must_use]
    pub fn readiness(&self) -> Option<Readiness> {
        self.table.readiness()
    }

    /// Has the board said anything since its link was opened?
    #[must_use]
    pub fn is_answering(&self) -> bool {
        self.is_answering
    }

    /// What board and clock show now.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.table.picture()
    }

    /// Why an announced ply is what it is; `None`: the last ply of the best explanation.
    #[must_use]
    pub fn explanation(&self, ply: Option<u32>) -> Option<Explanation> {
        self.table.explanation(ply)
    }

    /// The ply that is in doubt, and what it may have been.
    #[must_use]
    pub fn choice(&self) -> Option<Choice> {
        self.table.choice()
    }

    /// Takes an input. First every timer due at or before `at` fires, each at its own time.
    pub fn handle(&mut self, input: &Input, at: Stamp, out: &mut Output) {
        let before = out.events.len();
        self.work(input, at, out);
        if let Some(withholding) = &mut self.withholding {
            out.events[before..].iter_mut().for_each(|event| withholding.mark(event));
        }
    }

    fn work(&mut self, input: &Input, at: Stamp, out: &mut Output) {
        let at = at.clamped(self.now);
        self.now = at;
        self.advance(at, out);
        match input {
            Input::Bytes(bytes) => self.converse(SessionInput::Bytes(bytes), at, out),
            Input::Reading(reading) => self.read(reading, at, out),
            Input::LinkUp => {
                self.identity = Identity::default();
                self.is_answering = false;
                let before = out.events.len();
                self.table.link(true, at, &mut out.events);
                self.see(SeenKind::Link(true), before, at, out);
                self.converse(SessionInput::LinkUp, at, out);
            }
            Input::LinkDown => {
                self.converse(SessionInput::LinkDown, at, out);
                self.is_answering = false;
                let before = out.events.len();
                self.table.link(false, at, &mut out.events);
                self.see(SeenKind::Link(false), before, at, out);
            }
            Input::Ruling(ruling) => {
                let before = out.events.len();
                out.refused = self.table.ruling(ruling, at, &mut out.events).err();
                if out.refused.is_none() {
                    self.see(SeenKind::Ruling, before, at, out);
                }
            }
            Input::Neighbour(neighbour) => self.table.neighbour(neighbour, at, &mut out.events),
            Input::Wake => {}
        }
    }

    fn read(&mut self, reading: &Reading, at: Stamp, out: &mut Output) {
        self.is_answering = true;
        let before = out.events.len();
        self.table.reading(reading, at, &mut out.events);
        self.see(SeenKind::Reading, before, at, out);
    }

    /// Keeps what the board shows now, if anybody wants to know.
    fn see(&self, kind: SeenKind, events_before: usize, at: Stamp, out: &mut Output) {
        if let Some(seen) = &mut out.seen {
            seen.push(Seen { kind, at, picture: self.table.picture(), events_before });
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
            self.table.advance(at, &mut out.events);
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
        if is_news {
            self.table.advance(at, &mut out.events);
            let protocol = protocol(&self.open.protocol).map_or(FRAMES, |protocol| protocol.name);
            let serial = self.identity.serial.clone();
            self.table.identified(serial, protocol, self.open.port.clone(), &mut out.events);
        }
    }
}
