//! The table of names: one row each, in the order of the registry.

use super::names::Certainty::{self, Entered, Inferred, Sensed, Suspected};
use super::names::See::{Arbiter, Public, PublicWhenConfirmed};
use super::names::Severity::{self, Alert, Critical, Info, Notice};
use super::names::{Counted, Row, RowKind, See};
use crate::departure::Kind;
use crate::start::WrongArray;

type Text = &'static str;

/// The articles as the registry writes them: `=` is the edition before, `-` no rule.
const fn resolved(written: [Text; 4]) -> [Option<Text>; 4] {
    let mut articles: [Option<Text>; 4] = [None; 4];
    let mut i = 0;
    while i < 4 {
        articles[i] = match written[i].as_bytes() {
            b"=" => articles[i - 1],
            b"-" => None,
            _ => Some(written[i]),
        };
        i += 1;
    }
    articles
}

const fn row_of(
    kind: RowKind,
    name: Text,
    severity: Option<Severity>,
    certainty: Certainty,
    articles: [Text; 4],
    see: See,
) -> Row {
    let articles = resolved(articles);
    Row { name, kind, severity, certainty, articles, see, identity_only: false, counted: Counted::No }
}

const fn sensed(name: Text, see: See) -> Row {
    row_of(RowKind::Sensed, name, None, Sensed, ["-"; 4], see)
}

const fn entered(name: Text, see: See) -> Row {
    row_of(RowKind::Entered, name, None, Entered, ["-"; 4], see)
}

const fn notice(name: Text, severity: Severity, certainty: Certainty, articles: [Text; 4], see: See) -> Row {
    row_of(RowKind::Notice, name, Some(severity), certainty, articles, see)
}

const fn irregularity(
    name: Text,
    severity: Severity,
    certainty: Certainty,
    articles: [Text; 4],
    see: See,
) -> Row {
    row_of(RowKind::Irregularity, name, Some(severity), certainty, articles, see)
}

const fn claim(name: Text, severity: Severity, certainty: Certainty, articles: [Text; 4], see: See) -> Row {
    row_of(RowKind::Claim, name, Some(severity), certainty, articles, see)
}

const fn outcome(name: Text, severity: Severity, certainty: Certainty, articles: [Text; 4], see: See) -> Row {
    row_of(RowKind::Outcome, name, Some(severity), certainty, articles, see)
}

const fn proposal(name: Text, articles: [Text; 4]) -> Row {
    row_of(RowKind::Proposal, name, None, Entered, articles, Arbiter)
}

impl Row {
    const fn identity(self) -> Self {
        Self { identity_only: true, ..self }
    }

    const fn counted(self, counted: Counted) -> Self {
        Self { counted, ..self }
    }
}

/// The enum of all names, and the row of each.
macro_rules! names {
    ($($name:ident = $row:expr;)*) => {
        /// A name of the registry: the type of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Name { $(
            #[doc = concat!("`", stringify!($name), "`, as its row has it.")]
            $name,
        )* }

        impl Name {
            /// Every name, in the order of the registry.
            pub const ALL: &[Self] = &[ $( Self::$name, )* ];
        }

        /// The rows, in the order of the names.
        pub(super) const ROWS: &[Row] = &[ $( $row, )* ];
    };
}

// A row a line, whatever its length: it is read as a table. Articles: 2005, 2017, 2018, 2023.
#[rustfmt::skip]
names! {
    // 0. What was sensed or entered.
    RoundOpened = entered("round-opened", Public);
    RoundClosed = entered("round-closed", Public);
    GameOpened = entered("game-opened", Public);
    GameChanged = entered("game-changed", Public);
    GameClosed = entered("game-closed", Public);
    BoardConnected = sensed("board-connected", Arbiter);
    BoardStale = sensed("board-stale", Arbiter);
    BoardLost = sensed("board-lost", Arbiter);
    PieceLifted = sensed("piece-lifted", Arbiter);
    PiecePlaced = sensed("piece-placed", Arbiter);
    Pressed = sensed("pressed", Arbiter);
    ClockRead = sensed("clock-read", Public);
    Ruled = entered("ruled", Arbiter);
    JournalDegraded = sensed("journal-degraded", Arbiter);
    JournalGap = sensed("journal-gap", Arbiter);
    // 1. Flow of the game.
    GameStarted = notice("game-started", Info, Sensed, ["6.5", "6.6", "=", "="], Public);
    MoveMade = notice("move-made", Info, Inferred, ["4.6", "4.7", "=", "="], Public);
    MoveCompleted = notice("move-completed", Info, Sensed, ["6.8a", "6.2.1", "=", "="], Public);
    MoveRetracted = notice("move-retracted", Notice, Inferred, ["6.14", "7.1", "=", "="], Public);
    PieceTouched = notice("piece-touched", Info, Sensed, ["4.2, 4.3", "4.2.2", "=", "="], Arbiter);
    CastlingPending = notice("castling-pending", Info, Inferred, ["4.6b", "4.7.2", "=", "="], Arbiter);
    PromotionPending = notice("promotion-pending", Info, Inferred, ["4.6c", "4.7.3", "=", "="], Arbiter);
    PromotionPieceUnknown = notice("promotion-piece-unknown", Notice, Sensed, ["3.7e", "3.7.5.1", "=", "3.7.3.3"], Arbiter);
    AmbiguousMove = notice("ambiguous-move", Notice, Inferred, ["-", "-", "-", "-"], Arbiter);
    ClaimWindowClosed = notice("claim-window-closed", Info, Sensed, ["4.7, B6, C3", "4.8, A.4.2", "=", "4.8, A.5.2"], Arbiter);
    MovesAfterGameEnd = irregularity("moves-after-game-end", Notice, Inferred, ["5.1, 5.2", "5, 9.6", "=", "="], Arbiter);
    SensorFault = notice("sensor-fault", Alert, Inferred, ["-"; 4], Arbiter);
    BoardDisconnected = notice("board-disconnected", Alert, Sensed, ["-"; 4], Arbiter);
    RecordGap = irregularity("record-gap", Alert, Inferred, ["-", "-", "7.2.1, 12.1", "="], Arbiter);
    UnexplainedPosition = irregularity("unexplained-position", Alert, Inferred, ["Preface", "=", "=", "="], Arbiter);
    // 2. Set-up, colours, two boards.
    StartPositionWrong = irregularity("start-position-wrong", Notice, Sensed, ["7.1a, B4", "7.2.1, A.4.1.2", "=", "7.2.1, A.5.1.2"], Arbiter).identity();
    BoardOrientationWrong = irregularity("board-orientation-wrong", Notice, Sensed, ["2.1, 7.1b, B4", "2.1, 7.2.2, A.4.1.2", "=", "2.1, 7.2.2, A.5.1.2"], Arbiter);
    BoardRotated180 = notice("board-rotated-180", Info, Sensed, ["2.1", "=", "=", "="], Arbiter);
    ColoursReversed = irregularity("colours-reversed", Alert, Entered, ["7.2", "7.3", "=", "="], Arbiter);
    ClockSideMismatch = notice("clock-side-mismatch", Notice, Inferred, ["6.4", "6.5", "=", "="], Arbiter);
    PositionImpossible = irregularity("position-impossible", Alert, Sensed, ["-", "3.10.3", "=", "="], Arbiter).identity();
    ResumePositionWrong = irregularity("resume-position-wrong", Alert, Sensed, ["A5", "I.5", "=", "="], Arbiter);
    BoardsDiffer = irregularity("boards-differ", Alert, Sensed, ["appendix F", "D.2.9", "=", "="], Arbiter);
    // 3. Touching and releasing.
    TouchMoveSuspected = irregularity("touch-move-suspected", Alert, Suspected, ["4.3, 4.4, 4.6b", "4.3, 4.4, 4.7.2", "=", "="], Arbiter);
    CastlingRookFirst = irregularity("castling-rook-first", Alert, Sensed, ["4.4b", "4.4.2", "=", "="], Arbiter);
    MoveChangedAfterRelease = irregularity("move-changed-after-release", Alert, Suspected, ["4.6", "4.7", "=", "="], Arbiter);
    PromotionChoiceChanged = irregularity("promotion-choice-changed", Alert, Sensed, ["4.4d", "4.4.4", "=", "="], Arbiter).identity();
    ClaimedMoveNotPlayed = irregularity("claimed-move-not-played", Alert, Sensed, ["9.5b", "9.5.3", "=", "="], Arbiter);
    // 4. Illegal moves and displaced pieces.
    IllegalMovePending = notice("illegal-move-pending", Info, Inferred, ["7.4a", "7.5.1", "=", "="], Arbiter);
    IllegalMoveCompleted = irregularity("illegal-move-completed", Critical, Inferred, ["7.4a, B6, C3", "7.5.1, A.4.2", "=", "7.5.1, A.5.2"], Arbiter).counted(Counted::Yes);
    PromotionNotReplaced = irregularity("promotion-not-replaced", Critical, Sensed, ["4.6c, 7.4a, B6", "7.5.2", "=", "="], Arbiter).identity().counted(Counted::Yes);
    ClockPressedWithoutMove = irregularity("clock-pressed-without-move", Critical, Inferred, ["6.8", "7.8.1", "7.5.3", "="], Arbiter).counted(Counted::Yes);
    TwoHandsSuspected = irregularity("two-hands-suspected", Info, Suspected, ["4.1", "4.1, 7.7.1", "4.1, 7.5.4", "="], Arbiter).counted(Counted::WhenConfirmed);
    MoveOutOfTurn = irregularity("move-out-of-turn", Alert, Sensed, ["1.1, 12.6", "1.2, 1.3", "=", "="], Arbiter).identity();
    IllegalMoveStands = notice("illegal-move-stands", Alert, Inferred, ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter);
    IllegalPosition = irregularity("illegal-position", Alert, Sensed, ["B6", "A.4.4", "=", "A.5.4"], Arbiter).identity();
    IllegalMoveFoundLate = notice("illegal-move-found-late", Info, Entered, ["8.7", "7.5.1, 8.7", "=", "="], Arbiter);
    PieceMissing = irregularity("piece-missing", Alert, Inferred, ["7.3", "7.4", "=", "="], Arbiter);
    PieceDisplaced = irregularity("piece-displaced", Notice, Inferred, ["7.3", "7.4", "=", "="], Arbiter);
    PressedDuringDisplacement = irregularity("pressed-during-displacement", Alert, Inferred, ["7.3, 6.8", "7.4.1", "=", "="], Arbiter);
    DisplacementFoundLate = irregularity("displacement-found-late", Alert, Inferred, ["7.5", "7.6", "=", "="], Arbiter);
    // 5. Clock.
    ClockNotPressed = notice("clock-not-pressed", Info, Inferred, ["6.8a, 13.6", "6.2.1, 12.6", "=", "="], Arbiter);
    PressedBeforeMove = irregularity("pressed-before-move", Notice, Sensed, ["6.8c", "6.2.4, D.2.4", "=", "="], Arbiter);
    PressAsDemand = notice("press-as-demand", Alert, Inferred, ["-", "-", "-", "-"], Arbiter);
    MoveCounterMismatch = irregularity("move-counter-mismatch", Notice, Sensed, ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    CounterCorrected = notice("counter-corrected", Info, Sensed, ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    ClockSettingWrong = irregularity("clock-setting-wrong", Alert, Inferred, ["B4, A12", "6.10.2, I.13", "=", "="], Arbiter);
    ClockTimeJump = irregularity("clock-time-jump", Notice, Sensed, ["6.14", "6.10, 7.1", "=", "="], Arbiter);
    ClockDefective = irregularity("clock-defective", Critical, Sensed, ["6.11", "6.10.1", "=", "="], Arbiter);
    ClockPaused = notice("clock-paused", Notice, Sensed, ["6.13", "6.11", "=", "="], Arbiter);
    ClockResumed = notice("clock-resumed", Info, Sensed, ["6.13c", "6.11.3", "=", "="], Arbiter);
    BoardChangedWhilePaused = notice("board-changed-while-paused", Notice, Sensed, ["6.13", "6.11, 8.5.3", "=", "="], Arbiter);
    FlagFallen = notice("flag-fallen", Critical, Sensed, ["6.9, 6.10, B7, B8", "6.8, 6.9, A.4.3, A.4.5", "=", "6.8, 6.9, A.5.3, A.5.5"], Arbiter);
    BothFlagsFallen = notice("both-flags-fallen", Critical, Sensed, ["6.12, B9", "III.3.1, A.4.3", "6.4, III.3.1, A.4.3", "III.3.1, A.5.3"], Arbiter);
    FlagOrderUncertain = notice("flag-order-uncertain", Critical, Inferred, ["6.10", "6.9, 5.1.1", "=", "="], Arbiter);
    WhiteClockNotStarted = notice("white-clock-not-started", Notice, Sensed, ["6.5", "6.6", "=", "="], Arbiter);
    WrongClockStarted = notice("wrong-clock-started", Notice, Sensed, ["6.5", "6.6", "=", "="], Arbiter);
    NeighbourClockPressed = irregularity("neighbour-clock-pressed", Alert, Suspected, ["-", "7.8.1", "6.5, 7.5.3", "="], Arbiter);
    DefaultTimeExpired = notice("default-time-expired", Alert, Inferred, ["6.7, A10", "6.7.1, I.10", "=", "="], Arbiter);
    TimeControlCheck = notice("time-control-check", Info, Sensed, ["6.2, 6.3", "6.3.1, 6.4", "=", "="], Arbiter);
    TimeTrouble = notice("time-trouble", Info, Sensed, ["13.3", "12.3", "=", "="], Arbiter);
    TimeCheck = notice("time-check", Info, Sensed, ["6.11", "6.10.1", "=", "="], Arbiter);
    ClockBeforeCorrection = notice("clock-before-correction", Info, Sensed, ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    // 6. Scoresheets and adjournment.
    ScoresheetExempt = notice("scoresheet-exempt", Info, Sensed, ["8.4", "=", "=", "="], Arbiter);
    RecordingAssistantNeeded = notice("recording-assistant-needed", Notice, Sensed, ["8.5a", "8.5.1", "=", "="], Arbiter);
    StopClocksUpdateScoresheets = notice("stop-clocks-update-scoresheets", Critical, Sensed, ["8.5a", "8.5.1", "=", "="], Arbiter);
    UpdateScoresheet = notice("update-scoresheet", Notice, Sensed, ["8.4, 8.5b", "8.5.2", "=", "="], Arbiter);
    ReconstructionSnapshot = notice("reconstruction-snapshot", Notice, Sensed, ["8.5c", "8.5.3", "=", "="], Arbiter);
    AdjournmentSheet = notice("adjournment-sheet", Notice, Sensed, ["A2", "I.2", "=", "="], Arbiter);
    SealedMoveMadeOnBoard = irregularity("sealed-move-made-on-board", Alert, Sensed, ["A1a", "I.1.1", "=", "="], Arbiter);
    SealedMoveInvalid = irregularity("sealed-move-invalid", Alert, Inferred, ["A8", "I.8", "=", "="], Arbiter);
    // 7. Draw offers and claims.
    ThreefoldClaimable = notice("threefold-claimable", Info, Inferred, ["9.2", "9.2.1", "=", "9.2"], Arbiter);
    FiftyMovesClaimable = notice("fifty-moves-claimable", Info, Inferred, ["9.3", "9.3", "=", "9.3"], Arbiter);
    ClaimRightLost = notice("claim-right-lost", Notice, Sensed, ["9.4", "9.4", "=", "="], Arbiter);
    ClaimInadmissible = notice("claim-inadmissible", Notice, Inferred, ["9, 10, B8", "9, A.4, III", "=", "9, A.5, III"], Arbiter);
    DrawOfferLapsed = notice("draw-offer-lapsed", Info, Inferred, ["9.1a", "9.1.2.1", "=", "="], Arbiter);
    DrawAgreementTooEarly = irregularity("draw-agreement-too-early", Alert, Sensed, ["-", "5.2.3, 9.1.1", "=", "="], Arbiter);
    QpfZone = notice("qpf-zone", Info, Sensed, ["10.2, D1", "III.4, III.5", "=", "="], Arbiter);
    QpfClaimOpen = notice("qpf-claim-open", Notice, Entered, ["10.2b", "III.5.2", "=", "="], Arbiter);
    DrawOffer = claim("draw-offer", Info, Entered, ["9.1", "9.1.2", "=", "="], Arbiter);
    ClaimThreefold = claim("claim-threefold", Alert, Entered, ["9.2b", "9.2.1.2", "=", "9.2.2"], Arbiter);
    ClaimThreefoldIntended = claim("claim-threefold-intended", Alert, Entered, ["9.2a", "9.2.1.1", "=", "9.2.1"], Arbiter);
    ClaimFiftyMoves = claim("claim-fifty-moves", Alert, Entered, ["9.3b", "9.3.2", "=", "="], Arbiter);
    ClaimFiftyMovesIntended = claim("claim-fifty-moves-intended", Alert, Entered, ["9.3a", "9.3.1", "=", "="], Arbiter);
    ClaimFlagFall = claim("claim-flag-fall", Critical, Entered, ["6.9, B8", "6.8, A.4.3", "=", "6.8, A.5.3"], Arbiter);
    ClaimIllegalMove = claim("claim-illegal-move", Critical, Entered, ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter);
    ClaimTouchMove = claim("claim-touch-move", Alert, Entered, ["4.7, B5", "4.8", "=", "="], Arbiter);
    ClaimQpf = claim("claim-qpf", Alert, Entered, ["10.2, D1", "III.5, III.6", "=", "="], Arbiter);
    QpfIncrementRequest = claim("qpf-increment-request", Alert, Entered, ["-", "III.4", "=", "="], Arbiter);
    // 8. Outcomes.
    ResultSignalled = notice("result-signalled", Notice, Sensed, ["8.7", "=", "=", "="], Public).identity();
    Checkmate = outcome("checkmate", Critical, Sensed, ["5.1a", "5.1.1", "=", "="], Public);
    Stalemate = outcome("stalemate", Critical, Sensed, ["5.2a", "5.2.1", "=", "="], Public);
    DeadPosition = outcome("dead-position", Critical, Inferred, ["5.2b, 9.6", "5.2.2", "=", "="], Public).identity();
    DeadPositionUnknown = notice("dead-position-unknown", Info, Inferred, ["5.2b", "5.2.2", "=", "="], Arbiter).identity();
    FivefoldRepetition = outcome("fivefold-repetition", Critical, Sensed, ["-", "9.6.1", "=", "="], PublicWhenConfirmed);
    SeventyFiveMoves = outcome("seventy-five-moves", Critical, Sensed, ["-", "9.6.2", "=", "="], PublicWhenConfirmed);
    PossibleResignation = notice("possible-resignation", Notice, Suspected, ["5.1b", "5.1.2", "=", "="], Arbiter).identity();
    Resignation = outcome("resignation", Critical, Entered, ["5.1b", "5.1.2", "=", "="], Public);
    ResignationDraw = outcome("resignation-draw", Critical, Entered, ["-", "-", "-", "5.1.2"], Public);
    DrawAgreement = outcome("draw-agreement", Critical, Entered, ["5.2c", "5.2.3", "=", "="], Public);
    ThreefoldDraw = outcome("threefold-draw", Critical, Inferred, ["9.5a", "9.5.2", "=", "="], Public);
    FiftyMovesDraw = outcome("fifty-moves-draw", Critical, Inferred, ["9.5a", "9.5.2", "=", "="], Public);
    TimeForfeit = outcome("time-forfeit", Critical, Inferred, ["6.10", "6.9, A.4.3", "=", "6.9, A.5.3"], PublicWhenConfirmed);
    TimeDraw = outcome("time-draw", Critical, Inferred, ["6.10, 6.12b, B9", "6.9, III.3.1.2", "=", "="], PublicWhenConfirmed);
    IllegalMoveForfeit = outcome("illegal-move-forfeit", Critical, Inferred, ["7.4b, C3", "7.5.3, 7.7.2, 7.8.2, A.4.2", "7.5.5", "="], PublicWhenConfirmed);
    IllegalMoveDraw = outcome("illegal-move-draw", Critical, Inferred, ["C3", "7.5.3, A.4.2", "7.5.5", "="], PublicWhenConfirmed);
    IllegalPositionDraw = outcome("illegal-position-draw", Critical, Sensed, ["-", "A.4.4", "=", "A.5.4"], PublicWhenConfirmed).identity();
    QpfDraw = outcome("qpf-draw", Critical, Entered, ["10.2a, D1", "III.5.1, III.6", "=", "="], Public);
    LateArrivalForfeit = outcome("late-arrival-forfeit", Critical, Entered, ["6.7, A10", "6.7.1, I.10", "=", "="], Public);
    DeviceForfeit = outcome("device-forfeit", Critical, Entered, ["12.2b", "11.3.2.2", "=", "="], Public);
    RulesForfeit = outcome("rules-forfeit", Critical, Entered, ["12.8", "11.7", "=", "="], Public);
    BothLost = outcome("both-lost", Critical, Entered, ["12.9", "11.8", "=", "="], Public);
    ForfeitNotPlayed = outcome("forfeit-not-played", Critical, Entered, ["-", "-", "11.3.2", "="], Public);
    SealedMoveForfeit = outcome("sealed-move-forfeit", Critical, Entered, ["A8", "I.8", "=", "="], Public);
    GameAnnulled = outcome("game-annulled", Critical, Entered, ["7.1a, A11b", "7.2.1, 7.3, I.12.2", "=", "="], Public);
    GameOver = notice("game-over", Notice, Sensed, ["8.7", "=", "=", "="], Public);
    ResultMismatch = irregularity("result-mismatch", Alert, Inferred, ["8.7", "=", "=", "="], Arbiter);
    ResultChanged = notice("result-changed", Notice, Entered, ["8.7", "=", "=", "="], Public);
    // 9. Proposals.
    RestorePosition = proposal("restore-position", ["7.4a, 7.5", "7.5.1, 7.6", "=", "="]);
    RestoreCandidates = proposal("restore-candidates", ["7.4a, 7.5", "7.5.1, 7.6", "=", "="]);
    ReplacementMoves = proposal("replacement-moves", ["4.3, 7.4a, 9.5b", "4.3, 4.7, 7.5.1, 9.5.3", "=", "="]);
    ReplaceByQueen = proposal("replace-by-queen", ["-", "7.5.2", "=", "="]);
    ClockTimes = proposal("clock-times", ["6.14", "6.10, 7.1", "=", "="]);
    AddTimeOpponent = proposal("add-time-opponent", ["7.4b, 9.5b, 10.2, 13.4b", "7.5.3, 9.5.3, III, 12.9.2", "7.5.5, 9.5.3, III, 12.9.2", "="]);
    ReduceTimeOffender = proposal("reduce-time-offender", ["9.5b, 13.4c", "12.9.3", "=", "="]);
    CounterCorrection = proposal("counter-correction", ["6.14", "6.10.2, 7.1", "=", "="]);
    ReturnClock = proposal("return-clock", ["-", "7.8.1", "7.5.3", "="]);
    UndoPress = proposal("undo-press", ["6.14", "6.10, 7.1", "=", "="]);
    TransferPosition = proposal("transfer-position", ["7.1b", "7.2.2", "=", "="]);
    CastlingBan = proposal("castling-ban", ["B4", "A.4.1.2", "=", "A.5.1.2"]);
    AnnulGame = proposal("annul-game", ["7.1a, 7.2", "7.2.1, 7.3", "=", "="]);
    ConfirmMove = proposal("confirm-move", ["-", "-", "-", "-"]);
    SetPosition = proposal("set-position", ["Preface", "=", "=", "="]);
    IncrementMode = proposal("increment-mode", ["-", "III.4", "=", "="]);
    DeclareResult = proposal("declare-result", ["8.7", "=", "=", "="]);
    Resolution = proposal("resolution", ["-", "-", "-", "-"]);
    ResolutionDone = notice("resolution-done", Info, Sensed, ["-", "-", "-", "-"], Arbiter);
    Warning = proposal("warning", ["13.4a", "12.9.1", "=", "="]);
    RaiseOpponentScore = proposal("raise-opponent-score", ["13.4f", "12.9.4", "=", "="]);
    ReduceOffenderScore = proposal("reduce-offender-score", ["13.4e", "12.9.5", "=", "="]);
    GameLost = proposal("game-lost", ["13.4d", "12.9.6", "=", "="]);
    Fine = proposal("fine", ["-", "12.9.7", "=", "="]);
    ExcludeRounds = proposal("exclude-rounds", ["-", "12.9.8", "=", "="]);
    Expel = proposal("expel", ["13.4g", "12.9.9", "=", "="]);
    // 10. Four-player game.
    MateThreat = notice("mate-threat", Info, Inferred, ["T-aim"; 4], Public);
    CommunicationReported = irregularity("communication-reported", Alert, Entered, ["T10"; 4], Arbiter);
}

/// What can be wrong with an illegal move (`kinds` of `illegal-move-completed`), with the article of
/// 2018. The last five are the four-player game's own.
pub const ILLEGAL_KINDS: [(Kind, Option<&str>); 20] = [
    (Kind::Movement, Some("3.2–3.8.1")),
    (Kind::PathBlocked, Some("3.5, 3.7")),
    (Kind::OwnPieceCaptured, Some("3.1")),
    (Kind::SelfCheck, Some("1.4.1, 3.9.2")),
    (Kind::KingCaptured, Some("1.4.1")),
    (Kind::CastlingRightLost, Some("3.8.2.1, A.4.1.2")),
    (Kind::CastlingThroughCheck, Some("3.8.2.2.1")),
    (Kind::CastlingBlocked, Some("3.8.2.2.2")),
    (Kind::CastlingIncomplete, Some("3.8.2, 4.7.2")),
    (Kind::CastlingWrong, Some("3.8")),
    (Kind::EnPassantLate, Some("3.7.4.2")),
    (Kind::EnPassantNotRemoved, Some("3.7.4.1, 4.7.1")),
    (Kind::PromotionPiece, Some("3.7.5.1")),
    (Kind::SeveralPieces, Some("1.1, 3.1")),
    (Kind::TwoHands, Some("7.5.4")),
    (Kind::PartnerCaptured, None),
    (Kind::PartnerPieceMoved, None),
    (Kind::DeadPawnMoved, None),
    (Kind::PromotionOnPartnerEnd, None),
    (Kind::PromotionOnSideSquare, None),
];

/// What can be wrong with a start position (`sub` of `start-position-wrong`).
pub const START_POSITION_SUBS: [WrongArray; 5] = [
    WrongArray::KingQueenSwapped,
    WrongArray::KnightBishopSwapped,
    WrongArray::Other,
    WrongArray::OtherLayout,
    WrongArray::Chess960Invalid,
];
