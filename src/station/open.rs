//! What a station is told once: the board, its game, the Laws of the event.

use serde::{Deserialize, Serialize};

use crate::event::Withholding;
use crate::infer::{Announce, Parameters};
use crate::rules::four::{Army, EpWindow, FourPlayer, FourPosition, FourRules, Parity};
use crate::rules::laws::{self, Profile, ProfileError};
use crate::rules::{Chess, ChessPosition, Family, Position as _, Variant};
use crate::sensor::Side;
use crate::table::{Pairing as OpenPairing, Setting};
use crate::wire::{Protocol, protocol, protocol_names};

/// Everything that a station is told once: an input like any other, stored when the board is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The board's name.
    pub board: String,
    /// The name of a protocol, or [`FRAMES`](super::FRAMES).
    pub protocol: String,
    /// Where it is, for people.
    pub port: String,
    /// `chess`, `chess960` or `four-player`.
    #[serde(default = "chess")]
    pub variant: String,
    /// FEN, or the variant's text, of the position from which the game starts.
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
    /// Lamps help to set up the men before a game.
    #[serde(default = "yes")]
    pub setup_lamps: bool,
    /// The game paired to the board, until it is played.
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
    /// The same of the two others of a four-player game, Red's and Blue's.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub illegal_red_blue: [u32; 2],
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

fn is_nothing(counts: &[u32; 2]) -> bool {
    *counts == [0; 2]
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

fn yes() -> bool {
    true
}

fn usual_profile() -> String {
    Profile::default().name.to_owned()
}

/// Why a station cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A protocol that adoube does not speak.
    #[error("protocol \"{0}\" is not known; this version speaks {names} and frames", names = protocol_names())]
    Protocol(String),
    /// A variant that adoube does not play.
    #[error("variant \"{0}\" is not known; this version plays chess, chess960 and four-player")]
    Variant(String),
    /// A board of other squares than the game needs.
    #[error(
        "a board that speaks {protocol} has 64 squares, and {variant} is played on {squares}: use the open line \
         protocol, whose boards say how many they have"
    )]
    Squares {
        /// The protocol.
        protocol: String,
        /// The variant.
        variant: String,
        /// How many squares it needs.
        squares: usize,
    },
    /// A parameter of another game.
    #[error(
        "{key} belongs to the four-player game, and this board plays {variant}: set it for a board with variant = \"four-player\""
    )]
    OtherGame {
        /// Which parameter.
        key: &'static str,
        /// What the board plays.
        variant: String,
    },
    /// Arms of another depth.
    #[error(
        "wing_depth {0}: the rules know arms of 2 and 4 squares, but boards have 160 squares only, with arms of 3"
    )]
    WingDepth(u32),
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
    /// What was carried over from before cannot be gone on with.
    #[error("what the board knew when its game opened: {0}")]
    Carried(String),
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
            setup_lamps: true,
            pairing: None,
            profile: usual_profile(),
            set: Vec::new(),
            regulations: Vec::new(),
            agreed: None,
            in_progress: false,
            illegal: [0; 2],
            illegal_red_blue: [0; 2],
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
            "setup_lamps" => {
                let wrong = |_| format!("setup_lamps \"{value}\" is not known; use true or false");
                self.setup_lamps = value.parse().map_err(wrong)?;
            }
            "time_control" => self.time_control = Some(value.to_owned()),
            _ => {
                let mut profile = self.laws().map_err(|error| error.to_string())?;
                profile.set(key, value).map_err(|error| match &error {
                    ProfileError::UnknownParameter { nearest: of_profile, .. } => {
                        let own = ["announce", "publish_at", "board_results", "setup_lamps", "time_control"];
                        let known = own.into_iter().chain([of_profile.as_str()]);
                        let nearest = crate::ruling::nearest(key, known);
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
    pub(super) fn withholding(&self) -> Result<Option<Withholding>, OpenError> {
        match self.publish_at.as_str() {
            "made" => Ok(None),
            "completed" => Ok(Some(Withholding::default())),
            other => Err(value("publish_at", other, "made or completed")),
        }
    }

    /// The board and the men of its game.
    ///
    /// # Errors
    /// [`OpenError`] for a variant that is not known, a board of other squares, or a parameter of another game.
    pub fn family(&self) -> Result<Family, OpenError> {
        let family = match self.variant.as_str() {
            "chess" | "chess960" => Family::Chess,
            "four-player" => Family::FourPlayer,
            other => return Err(OpenError::Variant(other.to_owned())),
        };
        let laws = self.laws()?;
        if family == Family::Chess {
            let variant = self.variant.clone();
            return match laws.four_player_setting() {
                Some(key) => Err(OpenError::OtherGame { key, variant }),
                None => Ok(family),
            };
        }
        if ![super::FRAMES, OPEN].contains(&self.protocol.as_str()) {
            let (protocol, variant) = (self.protocol.clone(), self.variant.clone());
            return Err(OpenError::Squares { protocol, variant, squares: family.squares() });
        }
        match laws.wing_depth {
            3 => Ok(family),
            other => Err(OpenError::WingDepth(other)),
        }
    }

    /// What it speaks; `None` for neutral frames.
    ///
    /// # Errors
    /// [`OpenError::Protocol`]
    pub(super) fn protocol(&self) -> Result<Option<&'static Protocol>, OpenError> {
        if self.protocol == super::FRAMES {
            return Ok(None);
        }
        protocol(&self.protocol).map(Some).ok_or_else(|| OpenError::Protocol(self.protocol.clone()))
    }

    /// What keeps a board from being opened so, as far as that can be known without it.
    ///
    /// # Errors
    /// [`OpenError`], what [`crate::station::Station::open`] would say.
    pub fn check(&self) -> Result<(), OpenError> {
        match self.family()? {
            Family::Chess => self.chess().map(drop),
            Family::FourPlayer => self.four_player().map(drop),
        }
    }

    /// What a table of chess is told.
    pub(crate) fn chess(&self) -> Result<Setting<Chess>, OpenError> {
        let is_chess960 = self.variant == "chess960";
        let variant = if is_chess960 { "chess960" } else { "chess" };
        let read = |fen: &str| start_position(fen, is_chess960);
        Ok(Setting { shuffled: is_chess960, ..self.setting(variant, ChessPosition::default(), &read)? })
    }

    /// What a table of the four-player game is told.
    pub(crate) fn four_player(&self) -> Result<Setting<FourPlayer>, OpenError> {
        let laws = self.laws()?;
        let rules = FourRules {
            parity: match laws.board_parity {
                laws::BoardParity::Light => Parity::Light,
                laws::BoardParity::Dark => Parity::Dark,
            },
            seat_after_red: match laws.seat_after_red {
                laws::SeatAfterRed::White => Army::White,
                laws::SeatAfterRed::Black => Army::Black,
            },
            ep_window: match laws.ep_window {
                laws::EpWindow::OwnTurn => EpWindow::OwnTurn,
                laws::EpWindow::NextPly => EpWindow::NextPly,
            },
            protect_partner: laws.protect_partner,
            ..FourRules::default()
        };
        let read = |text: &str| {
            let wrong = |error: String| OpenError::Start { fen: text.to_owned(), error };
            let position = FourPosition::read(text, rules).map_err(|error| wrong(error.to_string()))?;
            match Army::ALL.into_iter().find(|&army| position.king(army).is_none()) {
                Some(army) => Err(wrong(format!("{}'s king is missing", army.name()))),
                None => Ok(position),
            }
        };
        let mut setting: Setting<FourPlayer> =
            self.setting("four-player", FourPosition::start(rules), &read)?;
        // Who sits where and how the squares are coloured is read from the pieces; what somebody has said of it
        // is held against them.
        let keys = setting.usual.layout().into_iter().map(|(key, _)| key);
        setting.layout_set = keys.filter(|key| self.sets(key)).collect();
        Ok(setting)
    }

    fn sets(&self, key: &str) -> bool {
        self.set.iter().any(|(set, _)| set == key)
    }

    fn setting<V: Variant>(
        &self,
        variant: &'static str,
        usual: V::Position,
        read: &dyn Fn(&str) -> Result<V::Position, OpenError>,
    ) -> Result<Setting<V>, OpenError> {
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
        let ([white, black], [red, blue]) = (self.illegal, self.illegal_red_blue);
        let illegal = if V::ARMIES == 2 { [white, black, 0, 0] } else { [red, white, blue, black] };
        Ok(Setting {
            board: self.board.clone(),
            profile: self.laws()?,
            agreed: self.agreed.as_deref().map(read).transpose()?,
            in_progress: self.in_progress,
            illegal,
            variant,
            start: self.start.as_deref().map(read).transpose()?,
            usual,
            layout_set: Vec::new(),
            shuffled: false,
            turned: self.turned,
            clock_swapped: self.clock_side == Some(Side::Black),
            parameters: Parameters { announce },
            board_results,
            time_control: self.time_control.clone(),
            pairing: self.pairing.clone(),
            pair: self.pair.clone(),
        })
    }
}

/// The protocol whose boards may have other squares than 64.
const OPEN: &str = "open";

/// A position to start from: any that can stand on a board, as long as both sides have a king.
fn start_position(fen: &str, is_chess960: bool) -> Result<ChessPosition, OpenError> {
    let wrong = |error: String| OpenError::Start { fen: fen.to_owned(), error };
    let position = ChessPosition::from_fen(fen, is_chess960).map_err(|error| wrong(error.to_string()))?;
    let has_kings = shakmaty::Color::ALL
        .into_iter()
        .all(|color| position.board().by_piece(shakmaty::Role::King.of(color)).any());
    if has_kings { Ok(position) } else { Err(wrong("a king is missing".to_owned())) }
}

fn value(key: &'static str, value: &str, known: &'static str) -> OpenError {
    OpenError::Value { key, value: value.to_owned(), known }
}
