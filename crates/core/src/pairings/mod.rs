//! Who plays whom, round by round: what pairing programs say, and what an import changes.
//!
//! [`Pairings`] is pure data; the hall keeps it and the journal has it. [`read()`] makes it from a file as pairing
//! programs write them; [`Pairings::merge`] takes it over and says, game by game, what that changes.

mod merge;
mod read;
mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Player, TeamMatch};

pub use merge::{Change, ChangeKind};
pub use read::{Encoding, FILE_BYTES, ReadError, checked, encoding, read, read_round, report_with_results};
pub use table::table;

/// One game to be played.
#[derive(utoipa::ToSchema, Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Round, from 1.
    pub round: u32,
    /// Number in the round, from 1.
    pub number: u32,
    /// The board at which it is played; none: the board that is called as its number is.
    #[serde(default)]
    pub board: Option<String>,
    /// White.
    pub white: Player,
    /// Black; without a name if White has a bye.
    pub black: Player,
    /// Red, in a game of four players; his partner is Blue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red: Option<Player>,
    /// Blue, in a game of four players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blue: Option<Player>,
    /// Its place in a match of two teams.
    #[serde(default)]
    pub team_match: Option<TeamMatch>,
    /// Known already (a bye, a forfeit, a round that was played): no game is opened for it.
    #[serde(default)]
    pub result: Option<String>,
    /// It is not played in its round, but later; when, in the arbiter's words, which may be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postponed: Option<String>,
}

impl Pairing {
    /// The name of its game (DESIGN 5.7): `5-12`.
    #[must_use]
    pub fn game(&self) -> String {
        format!("{}-{}", self.round, self.number)
    }

    /// The name of the board at which it is played.
    #[must_use]
    pub fn board_name(&self) -> String {
        self.board.clone().unwrap_or_else(|| self.number.to_string())
    }

    /// Is it a game of four players?
    #[must_use]
    pub fn is_of_four(&self) -> bool {
        self.red.is_some() || self.blue.is_some()
    }

    /// Red and Blue, in a game of four players.
    #[must_use]
    pub fn red_blue(&self) -> Option<[Player; 2]> {
        let or_nobody = |player: &Option<Player>| player.clone().unwrap_or_default();
        self.is_of_four().then(|| [or_nobody(&self.red), or_nobody(&self.blue)])
    }

    /// Everybody who plays has a name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.players().all(|(_, player)| player.name.is_some())
    }

    /// Everybody who plays, with his colour: the team that begins first.
    pub fn players(&self) -> impl Iterator<Item = (&'static str, &Player)> {
        let [red, blue] = [("Red", &self.red), ("Blue", &self.blue)]
            .map(|(colour, player)| player.as_ref().map(|player| (colour, player)));
        let two = [("White", &self.white), ("Black", &self.black)];
        red.into_iter().chain(blue).chain(two)
    }

    /// The teams that meet: White's and Black's; of four players that of Red and Blue and that of White and Black.
    #[must_use]
    pub fn teams(&self) -> [Option<&str>; 2] {
        teams([&self.white, &self.black], [self.red.as_ref(), self.blue.as_ref()])
    }

    /// `White, First – Black, First`, of four players `Red + Blue – White + Black`, for people.
    #[must_use]
    pub fn title(&self) -> String {
        let name = |player: &Player| player.name.clone().unwrap_or_else(|| "?".to_owned());
        if self.is_of_four() {
            let [red, blue] =
                [&self.red, &self.blue].map(|player| player.as_ref().map_or_else(|| "?".to_owned(), name));
            return format!("{red} + {blue} – {} + {}", name(&self.white), name(&self.black));
        }
        if self.is_bye() {
            return format!("{} (bye)", name(&self.white));
        }
        format!("{} – {}", name(&self.white), name(&self.black))
    }

    /// Has White nobody to play?
    #[must_use]
    pub fn is_bye(&self) -> bool {
        self.result.as_deref() == Some(BYE)
    }
}

/// The teams that meet: of two players, or of two pairs of partners.
fn teams<'a>([white, black]: [&'a Player; 2], [red, blue]: [Option<&'a Player>; 2]) -> [Option<&'a str>; 2] {
    let team = |player: &'a Player| player.team.as_deref();
    if red.is_none() && blue.is_none() {
        return [team(white), team(black)];
    }
    [red.and_then(team).or_else(|| blue.and_then(team)), team(white).or_else(|| team(black))]
}

/// The result of a pairing in which White has nobody to play.
pub const BYE: &str = "bye";

/// Everything that is known of who plays whom.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pairings {
    /// Name of the event.
    pub event: Option<String>,
    /// Where it is.
    pub site: Option<String>,
    /// The time control, in words or as PGN writes it.
    pub time_control: Option<String>,
    /// Days of the rounds, `YYYY-MM-DD`.
    pub dates: BTreeMap<u32, String>,
    /// The pairings of each round, by number.
    pub rounds: BTreeMap<u32, Vec<Pairing>>,
    /// What a reader has to know of a file that was read; no part of what is kept.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// The file had no numbers of boards and these are a guess: a pair that has a number keeps it.
    #[serde(skip)]
    pub numbers_guessed: bool,
}

impl Pairings {
    /// The pairing of a game, by its name: `5-12`.
    #[must_use]
    pub fn find(&self, game: &str) -> Option<&Pairing> {
        let (round, number) = game.split_once('-')?;
        let (round, number): (u32, u32) = (round.parse().ok()?, number.parse().ok()?);
        self.rounds.get(&round)?.iter().find(|pairing| pairing.number == number)
    }

    /// All pairings, by round and number.
    pub fn iter(&self) -> impl Iterator<Item = &Pairing> {
        self.rounds.values().flatten()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rounds.values().map(Vec::len).sum()
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
