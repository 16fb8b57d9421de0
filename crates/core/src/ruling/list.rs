//! The list of everything that can be ruled, and the forms that follow from it.

use serde_json::{Map, Value};

use crate::ply::Ply;
use adoube_rules::GameResult;
use adoube_rules::laws::Penalty;
use adoube_rules::sensor::Side;

use super::RulingError;
use super::argument::{Amount, Argument, Kind, LinkState, Reference, Shape, Task};

/// Whose a ruling is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// An arbiter's: it decides.
    Arbiter,
    /// An operator's, too: it puts right what was read wrong, or runs boards and rounds.
    Operator,
    /// An arbiter's, and an operator's where the event says so (`operator_results`).
    Results,
}

/// What rulings are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Records, and rulings themselves.
    Records,
    /// The position.
    Position,
    /// What was played.
    Moves,
    /// The clock.
    Clock,
    /// Hands.
    Touch,
    /// What players claim, offer and give up.
    Claims,
    /// What players and arbiters report.
    Report,
    /// The game as such.
    Game,
    /// Games that are interrupted.
    Adjourn,
    /// Penalties and notes.
    Penalty,
    /// Rounds and boards.
    Round,
}

impl Group {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Position => "position",
            Self::Moves => "moves",
            Self::Clock => "clock",
            Self::Touch => "touch",
            Self::Claims => "claims",
            Self::Report => "report",
            Self::Game => "game",
            Self::Adjourn => "adjourn",
            Self::Penalty => "penalty",
            Self::Round => "round",
        }
    }
}

/// What whoever makes a ruling has to fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The ruling's name.
    pub name: &'static str,
    /// The group to which it belongs.
    pub group: Group,
    /// Whose it is.
    pub maker: Maker,
    /// Its arguments.
    pub fields: &'static [Field],
}

/// One argument of a ruling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub kind: Kind,
    /// The JSON that it may be.
    pub shape: Shape,
    /// It may be left out.
    pub is_optional: bool,
}

/// The name of an argument, where it is a word of Rust another one than its field's.
macro_rules! key {
    ($argument:ident) => {
        stringify!($argument)
    };
    ($argument:ident $key:literal) => {
        $key
    };
}

/// Everything that can be ruled: `"name" Variant Maker { argument ["its name"]: type as kind }`, by groups.
macro_rules! rulings {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:literal $variant:ident $maker:ident {
            $($argument:ident $($key:literal)?: $type:ty as $kind:expr),* $(,)?
        }
    )* })*) => {
        /// A ruling with its arguments.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Ruling { $($(
            $(#[$doc])*
            $variant { $(
                #[doc = concat!("The argument `", key!($argument $($key)?), "`.")]
                $argument: $type,
            )* },
        )*)* }

        /// The forms of all rulings.
        pub const FORMS: &[Form] = &[ $($( Form {
            name: $name,
            group: Group::$group,
            maker: Maker::$maker,
            fields: &[ $( Field {
                name: key!($argument $($key)?),
                kind: $kind,
                shape: <$type as Argument>::SHAPE,
                is_optional: <$type as Argument>::IS_OPTIONAL,
            } ),* ],
        } ),*),* ];

        impl Ruling {
            /// Its name.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $($( Self::$variant { .. } => $name, )*)* }
            }

            /// What it is about.
            #[must_use]
            pub fn group(&self) -> Group {
                match self { $($( Self::$variant { .. } => Group::$group, )*)* }
            }

            /// Reads the ruling that has this form; the names of its arguments are known to be right.
            pub(super) fn read(form: &'static Form, given: &Map<String, Value>) -> Result<Self, RulingError> {
                Ok(match form.name {
                    $($( $name => Self::$variant { $(
                        $argument: form.argument(key!($argument $($key)?), given)?,
                    )* }, )*)*
                    _ => return Err(RulingError::NotAnObject),
                })
            }

            /// Its arguments, without those that are left out.
            pub(super) fn arguments(&self) -> Vec<(&'static str, Value)> {
                match self { $($(
                    Self::$variant { $($argument),* } => {
                        let written: Vec<(&'static str, Option<Value>)> =
                            vec![ $( (key!($argument $($key)?), $argument.write()) ),* ];
                        written.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
                    }
                )*)* }
            }
        }
    };
}

/// Ends of a game that a result may rest on.
const BASES: &[&str] = &[
    "checkmate",
    "resignation",
    "draw-agreement",
    "time-forfeit",
    "time-draw",
    "stalemate",
    "threefold-draw",
    "fifty-moves-draw",
    "dead-position",
    "illegal-move-forfeit",
    "late-arrival-forfeit",
    "device-forfeit",
    "rules-forfeit",
];

/// Usual reasons for which a game does not count.
const REASONS: &[&str] = &["start-position", "colours-reversed", "position-lost"];

rulings! {
    Records {
        /// A record is borne out; its open proposals are carried out with it.
        "confirm" Confirm Arbiter {
            record: Reference as Kind::Record,
            choice: Option<String> as Kind::Text,
            without: Vec<String> as Kind::Proposals,
        }
        /// Hands need not do that part of what was ruled on a record.
        "waive" Waive Arbiter {
            record: Reference as Kind::Record,
            part: Task as Kind::Name(Task::NAMES),
            side: Option<Side> as Kind::Side,
            text: String as Kind::Text,
        }
        /// A record is not borne out.
        "reject" Reject Arbiter { record: Reference as Kind::Record }
        /// A record is decided later.
        "postpone" Postpone Arbiter { record: Reference as Kind::Record }
        /// A ruling is taken back.
        "undo" Undo Arbiter { ruling: Reference as Kind::Event }
    }
    Position {
        /// The position after a ply stands again.
        "restore-position" RestorePosition Arbiter { ply: Ply as Kind::Ply }
        /// Another position stands from here on.
        "set-position" SetPosition Arbiter { fen: String as Kind::Fen }
        /// The position on the board stands.
        "accept-position" AcceptPosition Operator { side: Option<Side> as Kind::Side }
        /// The board lies turned by so many degrees.
        "transfer-position" TransferPosition Arbiter { turned: u32 as Kind::Turned }
    }
    Moves {
        /// A ply was that move.
        "confirm-move" ConfirmMove Operator { ply: Ply as Kind::Ply, uci: String as Kind::Move }
        /// A ply was another move.
        "correct-move" CorrectMove Operator { ply: Ply as Kind::Ply, uci: String as Kind::Move }
        /// A move was played that is not on record.
        "insert-move" InsertMove Operator { ply: Ply as Kind::Ply, uci: String as Kind::Move }
        /// A ply was not played.
        "delete-move" DeleteMove Operator { ply: Ply as Kind::Ply }
        /// The pawn of an unreplaced promotion is a queen (7.5.2).
        "replace-by-queen" ReplaceByQueen Arbiter { square: String as Kind::Square }
        /// A side may not castle, or not with one rook (A.4.1.2).
        "castling-ban" CastlingBan Arbiter { side: Side as Kind::Side, rook: Option<String> as Kind::Square }
    }
    Clock {
        /// The clocks are stopped, by a player or by whoever rules.
        "pause" Pause Arbiter { by: Option<String> as Kind::Side }
        /// The clocks run again.
        "resume" Resume Arbiter { side: Side as Kind::Side }
        /// A side has pressed, on a board without a clock.
        "press" Press Arbiter { side: Side as Kind::Side }
        /// Both times shall be these.
        "clock-times" ClockTimes Arbiter { white_ms: u64 as Kind::Time, black_ms: u64 as Kind::Time }
        /// A side gets time.
        "add-time-opponent" AddTimeOpponent Arbiter { side: Side as Kind::Side, ms: u64 as Kind::Time }
        /// A side loses time.
        "reduce-time-offender" ReduceTimeOffender Arbiter { side: Side as Kind::Side, ms: u64 as Kind::Time }
        /// Both times change by so much.
        "adjust-times" AdjustTimes Arbiter {
            white_ms: i64 as Kind::Difference,
            black_ms: i64 as Kind::Difference,
            reason: String as Kind::Text,
        }
        /// The presser's time runs again (7.5.3).
        "return-clock" ReturnClock Arbiter { side: Side as Kind::Side }
        /// A press was not its presser's (6.5, 7.5.3).
        "undo-press" UndoPress Arbiter { side: Side as Kind::Side }
        /// The clock's move counter is put right.
        "counter-correction" CounterCorrection Arbiter { value: Option<u64> as Kind::Number }
        /// Each move earns an increment from now on (III.4).
        "increment-mode" IncrementMode Arbiter {}
        /// A side's clock is started.
        "clock-start" ClockStart Operator { side: Side as Kind::Side }
    }
    Touch {
        /// A side has said that it adjusts (4.2.1).
        "adjusting" Adjusting Arbiter { side: Side as Kind::Side }
        /// A touch was none.
        "strike-touch" StrikeTouch Arbiter { seq: Reference as Kind::Event }
        /// A side has an assistant who moves its pieces.
        "assistant" Assistant Arbiter { side: Side as Kind::Side }
        /// A side has moved with two hands.
        "two-hands" TwoHands Arbiter { side: Side as Kind::Side }
        /// A side has pressed with the other hand than it moved with.
        "wrong-hand" WrongHand Arbiter { side: Side as Kind::Side, decision: String as Kind::Text }
    }
    Claims {
        /// The position has occurred three times (9.2).
        "claim-threefold" ClaimThreefold Arbiter { side: Side as Kind::Side }
        /// The position will have occurred three times.
        "claim-threefold-intended" ClaimThreefoldIntended Arbiter {
            side: Side as Kind::Side,
            intended "move": String as Kind::Move,
        }
        /// Fifty moves by each player without a capture or a pawn's move (9.3).
        "claim-fifty-moves" ClaimFiftyMoves Arbiter { side: Side as Kind::Side }
        /// Fifty such moves with the move that is written down.
        "claim-fifty-moves-intended" ClaimFiftyMovesIntended Arbiter {
            side: Side as Kind::Side,
            intended "move": String as Kind::Move,
        }
        /// The opponent's flag has fallen (6.8).
        "claim-flag-fall" ClaimFlagFall Arbiter { side: Side as Kind::Side }
        /// The opponent has made an illegal move.
        "claim-illegal-move" ClaimIllegalMove Arbiter { side: Side as Kind::Side }
        /// The opponent has touched another piece.
        "claim-touch-move" ClaimTouchMove Arbiter { side: Side as Kind::Side }
        /// The opponent cannot, or does not try to, win by normal means (III.5).
        "claim-qpf" ClaimQpf Arbiter { side: Side as Kind::Side }
        /// An increment is asked for in a quickplay finish (III.4).
        "qpf-increment-request" QpfIncrementRequest Arbiter { side: Side as Kind::Side }
        /// A draw is offered (9.1).
        "draw-offer" DrawOffer Arbiter { side: Side as Kind::Side, text: Option<String> as Kind::Text }
        /// Both players agree to a draw (5.2.3).
        "draw-agreed" DrawAgreed Arbiter {}
        /// A side resigns (5.1.2).
        "resign" Resign Arbiter { side: Side as Kind::Side }
    }
    Report {
        /// The pieces were set up wrong (7.2.1).
        "setup-wrong" SetupWrong Arbiter { side: Option<Side> as Kind::Side }
        /// The board was placed wrong (7.2.2).
        "orientation-wrong" OrientationWrong Arbiter {}
        /// The game began with the colours reversed (7.3).
        "colours-reversed" ColoursReversed Arbiter {}
        /// A ply was illegal.
        "report-illegal" ReportIllegal Arbiter { ply: Ply as Kind::Ply }
        /// Pieces have been displaced (7.4, 7.6).
        "displacement-found" DisplacementFound Arbiter {}
        /// The scoresheets cannot show who overstepped the time (8.6).
        "scoresheets-incomplete" ScoresheetsIncomplete Arbiter {}
        /// A player has communicated (11.3).
        "communication-reported" CommunicationReported Arbiter {}
    }
    Game {
        /// A game begins, from the position that stands there or from another one.
        "start-game" StartGame Arbiter { fen: Option<String> as Kind::Fen, variant: Option<String> as Kind::Text }
        /// The game does not count.
        "annul-game" AnnulGame Arbiter { reason: String as Kind::Reason(REASONS) }
        /// The game is not played in its round, but later; the arbiter says when.
        "postpone-game" PostponeGame Arbiter { until: Option<String> as Kind::Text }
        /// The players change sides; the result goes with the person (7.3).
        "swap-colours" SwapColours Arbiter {}
        /// The game goes on at another board.
        "move-to-board" MoveToBoard Operator { board: String as Kind::Text }
        /// Two pairs have played at each other's boards: each has the game that was played where it sat.
        "exchange-boards" ExchangeBoards Arbiter { board: String as Kind::Text }
        /// The result of the game.
        "result" Result Results { value: GameResult as Kind::Result, basis: Option<String> as Kind::Name(BASES) }
        /// Another result of a game that has one.
        "change-result" ChangeResult Results { value: GameResult as Kind::Result }
    }
    Adjourn {
        /// The game is interrupted, and a side seals its move (I.1).
        "adjourn" Adjourn Arbiter { side: Side as Kind::Side }
        /// The envelope is open (I.8).
        "seal-move" SealMove Arbiter { text: String as Kind::Text }
        /// Whoever has sealed is not there (I.9).
        "sealer-absent" SealerAbsent Arbiter {}
        /// The game goes on (I.5).
        "resume-game" ResumeGame Arbiter {}
        /// The game is played through for the record (8.5.3).
        "reconstruct" Reconstruct Arbiter {}
        /// The game goes on where it was.
        "end-reconstruct" EndReconstruct Arbiter {}
    }
    Penalty {
        /// A penalty of 12.9.
        "penalty" Penalty Arbiter {
            kind: Penalty as Kind::Name(&Penalty::NAMES),
            side: Side as Kind::Side,
            amount: Option<Amount> as Kind::Text,
        }
        /// Something to be remembered.
        "note" Note Arbiter { text: String as Kind::Text }
    }
    Round {
        /// A round is opened.
        "round-open" RoundOpen Operator { round: u32 as Kind::Number }
        /// The round starts (6.6).
        "round-start" RoundStart Operator { at: Option<String> as Kind::Text }
        /// The round is over.
        "round-close" RoundClose Operator {}
        /// A game is played at a board.
        "assign" Assign Operator { board: String as Kind::Text, game: String as Kind::Text }
        /// The link to the board is lost, or back.
        "link" Link Operator { state: LinkState as Kind::Text }
    }
}
