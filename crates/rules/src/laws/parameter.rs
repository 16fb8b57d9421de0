//! What the parameters of the Laws can be, where that is neither a number nor a yes.

use serde::{Deserialize, Deserializer};

/// One choice of a parameter: its names in profiles are those of the variants, in kebab case.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $choice:ident,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$of])* $choice,)+ }
    )+};
}

choices! {
    /// When the opponent has the move (1.3; 2005: 1.1).
    TurnBegins {
        /// As soon as the move is made.
        Made,
        /// Not before the press.
        Completed,
    }
    /// An end of the game that completes a move without a press (6.2.1.1), by the outcome's name.
    GameEnd {
        /// 5.1.1.
        Checkmate,
        /// 5.2.1.
        Stalemate,
        /// 5.2.2.
        DeadPosition,
        /// 5.2.3.
        DrawAgreement,
        /// 5.1.2.
        Resignation,
        /// 9.2.1.
        ThreefoldDraw,
        /// 9.6.1.
        FivefoldRepetition,
        /// 9.6.2.
        SeventyFiveMoves,
    }
    /// Which breaches of Article 4 a player can no longer claim after his own touch (4.8).
    ClaimScope {
        /// 4.3 and 4.4.
        Touches,
        /// 4.1 to 4.7.
        WholeArticle,
    }
    /// Whether illegal moves of different kinds add up (7.5.5).
    CounterScope {
        /// One count for all kinds.
        Combined,
        /// Each article counts for itself.
        PerArticle,
    }
    /// Until when a completed illegal move can be corrected (7.5.1, A.4.2).
    Until {
        /// The result is recorded.
        GameOver,
        /// The opponent, who alone may claim, makes his own move (2005: B6, C3).
        OpponentsOwnMove,
        /// The opponent's next move is made.
        OpponentsNextMade,
    }
    /// When the arbiter acts on a completed illegal move by himself (7.5.1, A.4.2; 2005: B6, C2).
    ArbiterActs {
        /// Whenever he sees it.
        Always,
        /// When he sees it before the window closes.
        InWindow,
        /// Only on both kings in check or a pawn not replaced.
        OnlyGross,
        /// Only on the opponent's claim.
        Never,
    }
    /// What happens to both kings in check, or a pawn on its last rank (A.4.4; 2005: B6).
    IllegalPosition {
        /// Corrected as the illegal move or displacement that it came from.
        AsIllegalMove,
        /// The arbiter intervenes at once.
        InterveneAtOnce,
        /// He waits for the next completed move; if it is still there, the game is drawn.
        WaitThenDraw,
    }
    /// What becomes of a pawn left on its last rank (7.5.2; 2005: 7.4a).
    UnreplacedPawn {
        /// The move is taken back and replayed.
        Restore,
        /// It is a queen.
        Queen,
    }
    /// Castling with a king or rook that stood wrong at the start (A.4.1.2).
    MisplacedCastling {
        /// Not with that piece.
        Forbidden,
        /// King and queen exchanged: castling mirrored (national blitz).
        Mirrored,
    }
    /// From when the default time counts (6.7.1).
    CountsFrom {
        /// The start in the schedule.
        ScheduledStart,
        /// The start of the round.
        RoundStart,
        /// The actual start.
        ActualStart,
    }
    /// Who may call a flag (6.8, A.4.5; 2005: B7).
    FlagCall {
        /// The arbiter, or a player by a claim.
        Arbiter,
        /// The player only; the arbiter is silent.
        PlayerOnly,
    }
    /// Both flags down, the first one known (6.4, A.4.3; 2005: B9).
    BothFlags {
        /// The player whose flag fell first loses.
        FirstLoses,
        /// A draw.
        Draw,
    }
    /// Both flags down, the first one unknown (III.3.1; 2005: 6.12, B9).
    BothFlagsUnknown {
        /// A draw.
        Draw,
        /// A draw in the last period; before it the game goes on. Needs quickplay finish in force.
        LastPeriodDraw,
        /// No rule: the arbiter decides.
        Undecided,
    }
    /// By what the right to claim a draw this turn is lost (9.4).
    ClaimRight {
        /// Touching a piece.
        Touch,
        /// Making a move.
        MoveMade,
    }
    /// The colour of k1, and with it where the queens stand (four-player R-2).
    BoardParity {
        /// Light.
        Light,
        /// Dark.
        Dark,
    }
    /// Who sits at Red's left hand (four-player R-3).
    SeatAfterRed {
        /// White.
        White,
        /// Black.
        Black,
    }
    /// How long a pawn may be taken in passing (four-player R-6).
    EpWindow {
        /// By each opponent in his own first turn after it.
        #[serde(alias = "own_turn")]
        OwnTurn,
        /// In the next turn only.
        #[serde(alias = "next_ply")]
        NextPly,
    }
    /// The penalty ladder (12.9; 2005: 13.4), by the names of the proposals.
    Penalty {
        /// A warning.
        Warning,
        /// More time for the opponent.
        AddTimeOpponent,
        /// Less time for the offender.
        ReduceTimeOffender,
        /// More points for the opponent.
        RaiseOpponentScore,
        /// Fewer points for the offender.
        ReduceOffenderScore,
        /// The game is lost.
        GameLost,
        /// A fine announced in advance.
        Fine,
        /// Exclusion from rounds.
        ExcludeRounds,
        /// Expulsion.
        Expel,
    }
}

impl Penalty {
    const ALL: [Self; Self::NAMES.len()] = [
        Self::Warning,
        Self::AddTimeOpponent,
        Self::ReduceTimeOffender,
        Self::RaiseOpponentScore,
        Self::ReduceOffenderScore,
        Self::GameLost,
        Self::Fine,
        Self::ExcludeRounds,
        Self::Expel,
    ];

    /// The names of the registry, in the order of the ladder.
    pub const NAMES: [&'static str; 9] = [
        "warning",
        "add-time-opponent",
        "reduce-time-offender",
        "raise-opponent-score",
        "reduce-offender-score",
        "game-lost",
        "fine",
        "exclude-rounds",
        "expel",
    ];

    /// Its name in the registry.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The penalty of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|penalty| penalty.name() == name)
    }
}

/// How a profile writes that there is no such number: TOML has no null.
pub(super) const NONE: &str = "none";

/// What is wrong with a value that is neither.
pub(super) const NUMBER_OR_NONE: &str = "neither a whole number nor \"none\"";

/// Reads a number, or [`NONE`].
pub(super) fn number_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = match toml::Value::deserialize(deserializer)? {
        toml::Value::String(text) if text == NONE => return Ok(None),
        toml::Value::Integer(number) => u32::try_from(number).ok(),
        _ => None,
    };
    number.map(Some).ok_or_else(|| serde::de::Error::custom(NUMBER_OR_NONE))
}
