//! What a station is told once: the board, its game, the Laws of the event.

use serde::{Deserialize, Serialize};

use crate::event::Withholding;
use crate::infer::{Announce, Parameters};
use crate::table::{Pairing as OpenPairing, Setting};
use crate::wire::{Protocol, protocol, protocol_names};
use adoube_rules::four::{Army, EpWindow, FourPlayer, FourPosition, FourRules, Parity};
use adoube_rules::laws::{self, Profile, ProfileError};
use adoube_rules::sensor::Side;
use adoube_rules::words;
use adoube_rules::{Chess, ChessPosition, Family, GameKind, Position as _, Variant};

/// Parameters of a board that its profile does not hold, as [`Open::set`] sets them.
const OWN: [&str; 5] = ["announce", "publish_at", "board_results", "setup_lamps", "time_control"];

/// Which moves the public sees (DESIGN 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishAt {
    /// Announced ones.
    #[default]
    Made,
    /// Completed ones only.
    Completed,
}

/// What kings on the centre squares mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardResults {
    /// The result.
    #[default]
    Publish,
    /// A proposal to the arbiter.
    Propose,
}

/// Everything that a station is told once: an input like any other, stored when the board is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Open {
    /// The board's name.
    pub board: String,
    /// The name of a protocol, or [`FRAMES`](super::FRAMES).
    pub protocol: String,
    /// Where it is, for people.
    pub port: String,
    /// The game that it is for.
    pub variant: GameKind,
    /// FEN, or the variant's text, of the position from which the game starts.
    pub start: Option<String>,
    /// The board stands turned by 0, 90, 180 or 270 degrees; unknown if absent.
    pub turned: Option<u32>,
    /// The side of the clock's left end, if it is not the usual one.
    pub clock_side: Option<Side>,
    /// As TRF-26 field 222 writes it; shown and stored as it is written, also where no clock can be held against it.
    pub time_control: Option<String>,
    /// How soon a move is announced.
    pub announce: Announce,
    /// Which moves the public sees.
    pub publish_at: PublishAt,
    /// What kings on the centre squares mean.
    pub board_results: BoardResults,
    /// Lamps help to set up the men before a game.
    pub setup_lamps: bool,
    /// The game paired to the board, until it is played.
    pub pairing: Option<OpenPairing>,
    /// Full name of the profile of the Laws.
    pub profile: String,
    /// Parameters of the Laws and of adoube that differ from the profile, in order.
    pub set: Vec<(String, String)>,
    /// What the event's regulations announce: `qpf`, `default-time 30`.
    pub regulations: Vec<String>,
    /// FEN of the agreed start position, where something else stands on the board at first.
    pub agreed: Option<String>,
    /// The game has begun before the board is opened.
    pub in_progress: bool,
    /// Illegal moves counted before the board is opened, White's and Black's.
    pub illegal: [u32; 2],
    /// The same of the two others of a four-player game, Red's and Blue's.
    #[serde(skip_serializing_if = "is_nothing")]
    pub illegal_red_blue: [u32; 2],
    /// Warnings given before the board is opened, White's and Black's.
    pub warnings: [u32; 2],
    /// Boards beside this one, whose clocks may be pressed by mistake.
    pub linked: Vec<String>,
    /// The other board of this game.
    pub pair: Option<String>,
}

fn is_nothing(counts: &[u32; 2]) -> bool {
    *counts == [0; 2]
}

impl Default for Open {
    fn default() -> Self {
        Self {
            board: String::new(),
            protocol: super::FRAMES.to_owned(),
            port: String::new(),
            variant: GameKind::default(),
            start: None,
            turned: None,
            clock_side: None,
            time_control: None,
            announce: Announce::default(),
            publish_at: PublishAt::default(),
            board_results: BoardResults::default(),
            // Before a game nobody is playing whom it could disturb, and a wrong array is best found then.
            setup_lamps: true,
            pairing: None,
            profile: Profile::default().name.to_owned(),
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
}

/// Why a station cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A protocol that adoube does not speak.
    #[error("protocol \"{0}\" is not known; this version speaks {names} and frames", names = protocol_names())]
    Protocol(String),
    /// A board of other squares than the game needs.
    #[error(
        "a board that speaks {protocol} has 64 squares, and {variant} is played on {squares}: use the open line \
         protocol, whose boards say how many they have"
    )]
    Squares {
        /// The protocol.
        protocol: String,
        /// The game.
        variant: GameKind,
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
        variant: GameKind,
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
    /// A board that stands neither straight nor at a right angle.
    #[error("turned \"{0}\" is not known; use 0, 90, 180 or 270")]
    Turned(u32),
}

/// What the table of one of the games is told.
pub(super) enum Settings {
    Chess(Box<Setting<Chess>>),
    Four(Box<Setting<FourPlayer>>),
}

impl Open {
    /// A board of that name and protocol, with everything else as usual.
    #[must_use]
    pub fn new(board: &str, protocol: &str, port: &str) -> Self {
        let (board, protocol, port) = (board.to_owned(), protocol.to_owned(), port.to_owned());
        Self { board, protocol, port, ..Self::default() }
    }

    /// Sets a parameter of this board: one of its own, or one of its profile.
    ///
    /// # Errors
    /// What is wrong with it, and the nearest parameter or value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |error: words::UnknownWord| error.to_string();
        match key {
            "announce" => self.announce = words::read("announce", value).map_err(wrong)?,
            "publish_at" => self.publish_at = words::read("publish_at", value).map_err(wrong)?,
            "board_results" => self.board_results = words::read("board_results", value).map_err(wrong)?,
            "setup_lamps" => {
                let wrong = |_| format!("setup_lamps \"{value}\" is not known; use true or false");
                self.setup_lamps = value.parse().map_err(wrong)?;
            }
            "time_control" => self.time_control = Some(value.to_owned()),
            _ => {
                let mut profile = self.laws().map_err(|error| error.to_string())?;
                profile.set(key, value).map_err(|error| match &error {
                    ProfileError::UnknownParameter { nearest: of_profile, .. } => {
                        let nearest = adoube_rules::spelling::nearest(
                            key,
                            OWN.into_iter().chain([of_profile.as_str()]),
                        );
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
    pub(super) fn withholding(&self) -> Option<Withholding> {
        (self.publish_at == PublishAt::Completed).then(Withholding::default)
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

    /// Checks that a board can be opened so, as far as that can be known without it.
    ///
    /// # Errors
    /// [`OpenError`], what [`crate::station::Station::open`] would say.
    pub fn check(&self) -> Result<(), OpenError> {
        self.settings().map(drop)
    }

    /// The position from which games start here, as far as it is known before it stands: FEN, or the variant's text.
    ///
    /// # Errors
    /// [`OpenError`], as [`Open::check`].
    pub fn first_position(&self) -> Result<String, OpenError> {
        Ok(match self.settings()? {
            Settings::Chess(setting) => setting.first().fen(),
            Settings::Four(setting) => setting.first().fen(),
        })
    }

    /// What the table of its game is told.
    pub(super) fn settings(&self) -> Result<Settings, OpenError> {
        let laws = self.laws()?;
        let (protocol, variant) = (self.protocol.clone(), self.variant);
        match variant.family() {
            Family::Chess => match laws.four_player_setting() {
                Some(key) => Err(OpenError::OtherGame { key, variant }),
                None => Ok(Settings::Chess(Box::new(self.chess(laws)?))),
            },
            family if ![super::FRAMES, OPEN].contains(&protocol.as_str()) => {
                Err(OpenError::Squares { protocol, variant, squares: family.squares() })
            }
            Family::FourPlayer if laws.wing_depth != 3 => Err(OpenError::WingDepth(laws.wing_depth)),
            Family::FourPlayer => Ok(Settings::Four(Box::new(self.four_player(laws)?))),
        }
    }

    /// What a table of chess is told.
    pub(crate) fn chess(&self, laws: Profile) -> Result<Setting<Chess>, OpenError> {
        let shuffled = self.variant == GameKind::Chess960;
        let read = |fen: &str| start_position(fen, shuffled);
        Ok(Setting { shuffled, ..self.setting(laws, ChessPosition::default(), &read)? })
    }

    fn four_player(&self, laws: Profile) -> Result<Setting<FourPlayer>, OpenError> {
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
        let mut setting: Setting<FourPlayer> = self.setting(laws, FourPosition::start(rules), &read)?;
        // Who sits where and how the squares are coloured is read from the pieces; what somebody has said of it
        // is held against them.
        let keys = setting.usual.layout().into_iter().map(|(key, _)| key);
        setting.layout_set = keys.filter(|key| self.sets(key)).collect();
        setting.parameters.assumes_layout = setting.assumed_layout().is_some();
        Ok(setting)
    }

    fn sets(&self, key: &str) -> bool {
        self.set.iter().any(|(set, _)| set == key)
    }

    fn setting<V: Variant>(
        &self,
        profile: Profile,
        usual: V::Position,
        read: &dyn Fn(&str) -> Result<V::Position, OpenError>,
    ) -> Result<Setting<V>, OpenError> {
        if let Some(turned) = self.turned.filter(|turned| ![0, 90, 180, 270].contains(turned)) {
            return Err(OpenError::Turned(turned));
        }
        let ([white, black], [red, blue]) = (self.illegal, self.illegal_red_blue);
        let illegal = if V::ARMIES == 2 { [white, black, 0, 0] } else { [red, white, blue, black] };
        Ok(Setting {
            board: self.board.clone(),
            profile,
            agreed: self.agreed.as_deref().map(read).transpose()?,
            in_progress: self.in_progress,
            illegal,
            variant: self.variant,
            start: self.start.as_deref().map(read).transpose()?,
            usual,
            layout_set: Vec::new(),
            shuffled: false,
            turned: self.turned,
            clock_swapped: self.clock_side == Some(Side::Black),
            parameters: Parameters { announce: self.announce, assumes_layout: false },
            board_results: self.board_results == BoardResults::Publish,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Journals hold it, and what they hold is never written anew.
    #[test]
    fn a_stored_opening_reads_and_writes_the_same() {
        let stored = r#"{"board":"1","protocol":"dgt","port":"tcp://h:1","variant":"chess960","start":null,"turned":null,"clock_side":null,"time_control":"5400+30","announce":"careful","publish_at":"completed","board_results":"propose","setup_lamps":true,"pairing":null,"profile":"fide-2023-standard","set":[["draw_min_moves","30"]],"regulations":["qpf"],"agreed":null,"in_progress":false,"illegal":[0,0],"warnings":[0,0],"linked":[],"pair":null}"#;
        for stored in [stored.to_owned(), stored.replace("chess960", "four-player")] {
            let open: Open = serde_json::from_str(&stored).unwrap();
            assert_eq!(open.announce, Announce::Careful);
            assert_eq!(serde_json::to_string(&open).unwrap(), stored);
        }
        // What an earlier version did not write is as usual.
        let earlier: Open = serde_json::from_str(r#"{"board":"1","protocol":"dgt","port":"x"}"#).unwrap();
        assert_eq!(earlier, Open::new("1", "dgt", "x"));
        serde_json::from_str::<Open>(&stored.replace("\"careful\"", "\"soon\"")).unwrap_err();
    }
}
