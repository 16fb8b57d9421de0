//! The words that fields of findings are written with.

use adoube_rules::words::words;

words! {
    /// Whether the player who touched a piece had the move.
    Turn { On = "on", Off = "off" }

    /// More than anybody counts.
    Many { Many = "many" }

    /// What is wrong with a sensor.
    Fault { Dead = "dead", Stuck = "stuck", Flickering = "flickering", WrongPiece = "wrong-piece", OtherBoard = "other-board" }

    /// What becomes of a game that was begun with reversed colours.
    ColoursRuling { ResultStands = "result-stands", Continue = "continue", NewGame = "new-game" }

    /// Whose move was made out of turn.
    OutOfTurn {
        PartnerMoved = "partner-moved",
        BlackStarted = "black-started",
        OpponentMoved = "opponent-moved",
    }

    /// When a clock, a move or a player is looked at.
    Context { Resume = "resume", Ruling = "ruling" }

    /// What is wrong with a clock.
    ClockDefect { Unplugged = "unplugged", DisplayStuck = "display-stuck", BothRunning = "both-running" }

    /// Why the clocks may have been stopped.
    PauseHint {
        Flag = "flag",
        PromotionPiece = "promotion-piece",
        Displaced = "displaced",
        Claim = "claim",
    }

    /// Whose flag fell first.
    FirstFlag { White = "white", Black = "black", Unknown = "unknown" }

    /// Who has not come.
    Absent { White = "white", Black = "black", Both = "both" }

    /// What a check of the time control rests on.
    ControlBasis { ScoresheetsIncomplete = "scoresheets-incomplete" }

    /// Until when a record can be acted on (laws-model 8).
    Window {
        OpponentsTouch = "the opponent's next touch",
        EndOfGame = "the end of the game",
        Press = "the press",
        NextCompletedMove = "the next completed move",
        ThreeCompletedByEach = "three completed moves by each",
        TenCompletedByEach = "ten completed moves by each",
        TenMovesByBoth = "ten moves by both",
        ClaimantsTouch = "the claimant's next touch",
        ClaimantsMove = "the claimant's next move",
        ClaimantsFlag = "the claimant's flag",
        OpponentsMove = "the opponent's next move",
        ClockStarted = "the start of the clock",
        ClockRestarted = "the restart of the clock",
        FirstMoveResumed = "the first move after the resumption",
    }

    /// Why a sealed move does not count (I.8).
    SealFault { Unclear = "unclear", Ambiguous = "ambiguous", Illegal = "illegal" }

    /// For how long a right to claim is gone.
    Lapsed { ThisTurn = "this-turn" }

    /// What is held of a claim.
    Verdict { Correct = "correct", Incorrect = "incorrect", Inadmissible = "inadmissible" }

    /// Why a claim is not admitted, or not correct.
    ClaimFault {
        NotOnMove = "not-on-move",
        ClaimRightLost = "claim-right-lost",
        IllegalMove = "illegal-move",
        NotAvailable = "not-available",
        ClaimantFlagDown = "claimant-flag-down",
        WindowClosed = "window-closed",
        FlagDown = "flag-down",
        TimeNotUnderLimit = "time-not-under-limit",
    }

    /// Whether an offer of a draw was made as it ought to be (9.1.2.1).
    OfferOrder { Regular = "regular", Irregular = "irregular" }

    /// Whose consent is missing.
    Consent { Arbiter = "arbiter" }

    /// A sign that somebody may have resigned.
    ResignationSign { KingOff = "king-off", ClockPaused = "clock-paused" }

    /// Why a position looks dead.
    DeadBasis { Blocked = "blocked", LittleMaterial = "little material" }

    /// Why an outcome is what it is.
    OutcomeReason { BothFlags = "both-flags", CannotMate = "cannot-mate" }

    /// Whether mate is still possible.
    MateWord { Yes = "yes", No = "no", Unknown = "unknown" }

    /// How far a part of a resolution is.
    PartState { ToDo = "to-do", Done = "done", Waived = "waived" }
}

impl From<bool> for Verdict {
    fn from(is_correct: bool) -> Self {
        if is_correct { Self::Correct } else { Self::Incorrect }
    }
}
