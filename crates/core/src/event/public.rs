//! What spectators may see.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::finding::{Fields, Finding, MateThreat, Score};
use super::said::{
    self, ClosedSaid, CompletedSaid, GameSaid, MadeSaid, Millis, RetractedSaid, RoundSaid, Said,
};
use super::{Numbered, Recorded, Status};
use crate::ply::Ply;
use adoube_rules::Seated;
use adoube_rules::laws::{Name, RowKind, See};
use adoube_rules::sensor::Side;

/// An event that may leave the hall.
///
/// It has its own gapless number. `seq`, `record` and `readings` do not exist in it: gaps in a
/// shared number would tell how often a piece was touched.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicEvent {
    /// Its number among public events.
    pub id: u64,
    /// When it was decided, RFC 3339.
    pub at: Arc<str>,
    /// The same, since the board was opened.
    pub t_ms: Millis,
    /// Whose board it is from.
    pub board: Arc<str>,
    /// Its game.
    pub game: Option<Arc<str>>,
    /// What it says.
    pub said: PublicSaid,
}

/// What a public event says.
#[derive(Debug, Clone, PartialEq)]
pub enum PublicSaid {
    /// A round was opened.
    RoundOpened(RoundSaid),
    /// A round was closed.
    RoundClosed(RoundSaid),
    /// A game was opened.
    GameOpened(Arc<GameSaid>),
    /// What is known of a game changed.
    GameChanged(Arc<GameSaid>),
    /// A game was closed.
    GameClosed(ClosedSaid),
    /// The clock was read.
    ClockRead(PublicClock),
    /// White's clock was started.
    GameStarted,
    /// A move was announced.
    MoveMade(Arc<MadeSaid>),
    /// A move was completed.
    MoveCompleted(Arc<CompletedSaid>),
    /// A move was withdrawn.
    MoveRetracted(Arc<RetractedSaid>),
    /// A king would be mated if it were its turn.
    MateThreat(PublicThreat),
    /// An outcome of that name, or a result as such.
    Result(Name, PublicResult),
    /// The game does not count. Why is between the players and the arbiter (12.6, 12.7).
    GameAnnulled(PublicStatus),
}

/// Times, and whose runs.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicClock {
    /// White's time, milliseconds.
    pub white_ms: Option<u64>,
    /// Black's time, milliseconds.
    pub black_ms: Option<u64>,
    /// Whose time runs.
    pub running: Option<Side>,
}

/// A fact of the position: what may be done about it is advice, and stays away (four-player T10).
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicThreat {
    /// After which ply.
    pub ply: Ply,
    /// The team of the king.
    pub side: Side,
    /// Whose king it is.
    #[serde(flatten)]
    #[schema(value_type = adoube_rules::SeatedIfAny)]
    pub seated: Option<Seated>,
    /// Where it stands.
    pub status: Status,
}

/// A result.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicResult {
    /// The result, `*` for none.
    pub result: Score,
    /// Whose king it was; whose turn a draw comes with says no more than the moves.
    #[serde(flatten)]
    #[schema(value_type = adoube_rules::SeatedIfAny)]
    pub seated: Option<Seated>,
    /// Where it stands.
    pub status: Status,
}

/// Where a record stands.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicStatus {
    /// Where it stands.
    pub status: Status,
}

impl PublicEvent {
    /// Its number among public events.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its type.
    #[must_use]
    pub fn name(&self) -> Name {
        self.said.name()
    }

    /// The whole object.
    #[must_use]
    pub fn json(&self) -> Fields {
        let mut fields = Fields::new();
        fields.insert("id".into(), self.id.into());
        super::numbering::envelope(
            &self.at,
            self.t_ms,
            &self.board,
            self.game.as_deref(),
            self.name(),
            &mut fields,
        );
        self.said.write(&mut fields);
        fields
    }

    /// The JSON on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(&self.json()).unwrap_or_default()
    }

    /// Reads what [`PublicEvent::to_line`] wrote, wherever it was since: again only public fields are taken.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(line: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Envelope {
            id: u64,
            at: Arc<str>,
            t_ms: Millis,
            board: Arc<str>,
            game: Option<Arc<str>>,
            #[serde(rename = "type")]
            name: Name,
        }
        let fields: Fields = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let Envelope { id, at, t_ms, board, game, name } = said::read(&fields)?;
        Ok(Self { id, at, t_ms, board, game, said: PublicSaid::read(name, &fields)? })
    }
}

impl PublicSaid {
    /// The `type` of the event.
    #[must_use]
    pub fn name(&self) -> Name {
        match self {
            Self::RoundOpened(_) => Name::RoundOpened,
            Self::RoundClosed(_) => Name::RoundClosed,
            Self::GameOpened(_) => Name::GameOpened,
            Self::GameChanged(_) => Name::GameChanged,
            Self::GameClosed(_) => Name::GameClosed,
            Self::ClockRead(_) => Name::ClockRead,
            Self::GameStarted => Name::GameStarted,
            Self::MoveMade(_) => Name::MoveMade,
            Self::MoveCompleted(_) => Name::MoveCompleted,
            Self::MoveRetracted(_) => Name::MoveRetracted,
            Self::MateThreat(_) => Name::MateThreat,
            Self::Result(name, _) => *name,
            Self::GameAnnulled(_) => Name::GameAnnulled,
        }
    }

    fn write(&self, fields: &mut Fields) {
        match self {
            Self::RoundOpened(said) | Self::RoundClosed(said) => said::write(said, fields),
            Self::GameOpened(said) | Self::GameChanged(said) => said::write(&**said, fields),
            Self::GameClosed(said) => said::write(said, fields),
            Self::ClockRead(said) => said::write(said, fields),
            Self::GameStarted => {}
            Self::MoveMade(said) => said::write(&**said, fields),
            Self::MoveCompleted(said) => said::write(&**said, fields),
            Self::MoveRetracted(said) => said::write(&**said, fields),
            Self::MateThreat(said) => said::write(said, fields),
            Self::Result(_, said) => said::write(said, fields),
            Self::GameAnnulled(said) => said::write(said, fields),
        }
    }

    fn read(name: Name, fields: &Fields) -> Result<Self, String> {
        Ok(match name {
            Name::RoundOpened => Self::RoundOpened(said::read(fields)?),
            Name::RoundClosed => Self::RoundClosed(said::read(fields)?),
            Name::GameOpened => Self::GameOpened(Arc::new(said::read(fields)?)),
            Name::GameChanged => Self::GameChanged(Arc::new(said::read(fields)?)),
            Name::GameClosed => Self::GameClosed(said::read(fields)?),
            Name::ClockRead => Self::ClockRead(said::read(fields)?),
            Name::GameStarted => Self::GameStarted,
            Name::MoveMade => Self::MoveMade(Arc::new(said::read(fields)?)),
            Name::MoveCompleted => Self::MoveCompleted(Arc::new(said::read(fields)?)),
            Name::MoveRetracted => Self::MoveRetracted(Arc::new(said::read(fields)?)),
            Name::MateThreat => Self::MateThreat(said::read(fields)?),
            Name::GameAnnulled => Self::GameAnnulled(said::read(fields)?),
            name if name.row().see != See::Arbiter => Self::Result(name, said::read(fields)?),
            name => return Err(format!("{name} is not public")),
        })
    }
}

impl Said {
    /// What of it may be public; nothing of most.
    #[must_use]
    pub fn public(&self) -> Option<PublicSaid> {
        Some(match self {
            Self::RoundOpened(said) => PublicSaid::RoundOpened(said.clone()),
            Self::RoundClosed(said) => PublicSaid::RoundClosed(said.clone()),
            Self::GameOpened(said) => PublicSaid::GameOpened(Arc::clone(said)),
            Self::GameChanged(said) => PublicSaid::GameChanged(Arc::clone(said)),
            Self::GameClosed(said) => PublicSaid::GameClosed(said.clone()),
            Self::ClockRead(said) => {
                let (white_ms, black_ms, running) = (said.white_ms, said.black_ms, said.running);
                PublicSaid::ClockRead(PublicClock { white_ms, black_ms, running })
            }
            Self::MoveMade(said) => PublicSaid::MoveMade(Arc::clone(said)),
            Self::MoveCompleted(said) => PublicSaid::MoveCompleted(Arc::clone(said)),
            Self::MoveRetracted(said) => PublicSaid::MoveRetracted(Arc::clone(said)),
            Self::Record(recorded) => return recorded.public(),
            Self::BoardConnected(_)
            | Self::BoardStale(_)
            | Self::BoardLost(_)
            | Self::PieceLifted(_)
            | Self::PiecePlaced(_)
            | Self::Pressed(_)
            | Self::Ruled(_) => return None,
        })
    }

    /// May it be public as it stands now?
    #[must_use]
    pub fn is_public(&self) -> bool {
        let row = self.name().row();
        let is_confirmed = match self {
            // That a game counts again is for everybody to whom it was said that it does not.
            Self::Record(recorded) if matches!(recorded.finding, Finding::GameAnnulled(_)) => {
                matches!(recorded.status, Status::Confirmed | Status::Withdrawn)
            }
            Self::Record(recorded) => recorded.status == Status::Confirmed,
            _ => false,
        };
        match row.see {
            See::Arbiter => false,
            // An outcome that waits for the arbiter would tell that a claim or a dispute is open (12.6).
            See::Public => row.kind != RowKind::Outcome || is_confirmed,
            See::PublicWhenConfirmed => is_confirmed,
        }
    }
}

impl Recorded {
    fn public(&self) -> Option<PublicSaid> {
        let (status, seated) = (self.status, self.seated);
        let result =
            |result, seated| PublicSaid::Result(self.finding.name(), PublicResult { result, seated, status });
        Some(match &self.finding {
            Finding::GameStarted(_) => PublicSaid::GameStarted,
            Finding::MateThreat(MateThreat { ply, side }) => {
                PublicSaid::MateThreat(PublicThreat { ply: *ply, side: *side, seated, status })
            }
            Finding::Outcome(_, outcome) => {
                let is_of_king = matches!(self.finding.name(), Name::Checkmate | Name::Stalemate);
                result(outcome.result, seated.filter(|_| is_of_king))
            }
            Finding::ResultSignalled(signalled) => result(signalled.result, None),
            Finding::GameOver(over) => result(over.result, None),
            Finding::ResultChanged(changed) => result(changed.result, None),
            Finding::GameAnnulled(_) => PublicSaid::GameAnnulled(PublicStatus { status }),
            _ => return None,
        })
    }
}

/// The one function that decides what is public, and copies nothing but public fields.
#[must_use]
pub fn publish(event: &Numbered) -> Option<PublicEvent> {
    event.published_as(event.public_id?)
}

impl Numbered {
    /// What is public of it, under that number.
    pub(super) fn published_as(&self, id: u64) -> Option<PublicEvent> {
        let (at, board, game) = (Arc::clone(&self.at), Arc::clone(&self.board), self.game.clone());
        Some(PublicEvent { id, at, t_ms: self.t_ms, board, game, said: self.said.public()? })
    }
}

/// The fields of what is public of an event of that name, for documents; `None` of a name that never is.
#[must_use]
pub fn schema(name: Name) -> Option<Vec<super::finding::Schema>> {
    use super::finding::Schema;
    if name.row().see == See::Arbiter {
        return None;
    }
    Some(match name {
        Name::ClockRead => vec![Schema::among::<PublicClock>()],
        Name::GameStarted => Vec::new(),
        Name::MateThreat => vec![Schema::among::<PublicThreat>()],
        Name::GameAnnulled => vec![Schema::among::<PublicStatus>()],
        Name::RoundOpened
        | Name::RoundClosed
        | Name::GameOpened
        | Name::GameChanged
        | Name::GameClosed
        | Name::MoveMade
        | Name::MoveCompleted
        | Name::MoveRetracted => said::schema(name),
        _ => vec![Schema::among::<PublicResult>()],
    })
}
