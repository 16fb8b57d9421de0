//! The table of names: one row each, in the order of the registry.

use super::names::See::{Arbiter, Public, PublicWhenConfirmed};
use super::names::{Counted, Row, See};

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
    kind: Text,
    name: Text,
    severity: Text,
    certainty: Text,
    articles: [Text; 4],
    see: See,
) -> Row {
    let articles = resolved(articles);
    Row { name, kind, severity, certainty, articles, see, identity_only: false, counted: Counted::No }
}

const fn sensed(name: Text, see: See) -> Row {
    row_of("sensed", name, "", "sensed", ["-"; 4], see)
}

const fn entered(name: Text, see: See) -> Row {
    row_of("entered", name, "", "entered", ["-"; 4], see)
}

const fn notice(name: Text, severity: Text, certainty: Text, articles: [Text; 4], see: See) -> Row {
    row_of("notice", name, severity, certainty, articles, see)
}

const fn irregularity(name: Text, severity: Text, certainty: Text, articles: [Text; 4], see: See) -> Row {
    row_of("irregularity", name, severity, certainty, articles, see)
}

const fn claim(name: Text, severity: Text, certainty: Text, articles: [Text; 4], see: See) -> Row {
    row_of("claim", name, severity, certainty, articles, see)
}

const fn outcome(name: Text, severity: Text, certainty: Text, articles: [Text; 4], see: See) -> Row {
    row_of("outcome", name, severity, certainty, articles, see)
}

const fn proposal(name: Text, articles: [Text; 4]) -> Row {
    row_of("proposal", name, "", "entered", articles, Arbiter)
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
    GameStarted = notice("game-started", "info", "sensed", ["6.5", "6.6", "=", "="], Public);
    MoveMade = notice("move-made", "info", "inferred", ["4.6", "4.7", "=", "="], Public);
    MoveCompleted = notice("move-completed", "info", "sensed", ["6.8a", "6.2.1", "=", "="], Public);
    MoveRetracted = notice("move-retracted", "notice", "inferred", ["6.14", "7.1", "=", "="], Public);
    PieceTouched = notice("piece-touched", "info", "sensed", ["4.2, 4.3", "4.2.2", "=", "="], Arbiter);
    CastlingPending = notice("castling-pending", "info", "inferred", ["4.6b", "4.7.2", "=", "="], Arbiter);
    PromotionPending = notice("promotion-pending", "info", "inferred", ["4.6c", "4.7.3", "=", "="], Arbiter);
    PromotionPieceUnknown = notice("promotion-piece-unknown", "notice", "sensed", ["3.7e", "3.7.5.1", "=", "3.7.3.3"], Arbiter);
    AmbiguousMove = notice("ambiguous-move", "notice", "inferred", ["-", "-", "-", "-"], Arbiter);
    ClaimWindowClosed = notice("claim-window-closed", "info", "sensed", ["4.7, B6, C3", "4.8, A.4.2", "=", "4.8, A.5.2"], Arbiter);
    MovesAfterGameEnd = irregularity("moves-after-game-end", "notice", "inferred", ["5.1, 5.2", "5, 9.6", "=", "="], Arbiter);
    SensorFault = notice("sensor-fault", "alert", "sensed", ["-", "-", "7.2.1", "="], Arbiter);
    BoardDisconnected = notice("board-disconnected", "alert", "sensed", ["-"; 4], Arbiter);
    RecordGap = irregularity("record-gap", "alert", "inferred", ["-", "-", "7.2.1, 12.1", "="], Arbiter);
    UnexplainedPosition = irregularity("unexplained-position", "alert", "inferred", ["Preface", "=", "=", "="], Arbiter);
    // 2. Set-up, colours, two boards.
    StartPositionWrong = irregularity("start-position-wrong", "notice", "sensed", ["7.1a, B4", "7.2.1, A.4.1.2", "=", "7.2.1, A.5.1.2"], Arbiter).identity();
    BoardOrientationWrong = irregularity("board-orientation-wrong", "notice", "sensed", ["2.1, 7.1b, B4", "2.1, 7.2.2, A.4.1.2", "=", "2.1, 7.2.2, A.5.1.2"], Arbiter);
    BoardRotated180 = notice("board-rotated-180", "info", "sensed", ["2.1", "=", "=", "="], Arbiter);
    ColoursReversed = irregularity("colours-reversed", "alert", "entered", ["7.2", "7.3", "=", "="], Arbiter);
    ClockSideMismatch = notice("clock-side-mismatch", "notice", "inferred", ["6.4", "6.5", "=", "="], Arbiter);
    PositionImpossible = irregularity("position-impossible", "alert", "sensed", ["-", "3.10.3", "=", "="], Arbiter).identity();
    ResumePositionWrong = irregularity("resume-position-wrong", "alert", "sensed", ["A5", "I.5", "=", "="], Arbiter);
    BoardsDiffer = irregularity("boards-differ", "alert", "sensed", ["appendix F", "D.2.9", "=", "="], Arbiter);
    // 3. Touching and releasing.
    TouchMoveSuspected = irregularity("touch-move-suspected", "alert", "suspected", ["4.3, 4.4, 4.6b", "4.3, 4.4, 4.7.2", "=", "="], Arbiter);
    CastlingRookFirst = irregularity("castling-rook-first", "alert", "sensed", ["4.4b", "4.4.2", "=", "="], Arbiter);
    MoveChangedAfterRelease = irregularity("move-changed-after-release", "alert", "suspected", ["4.6", "4.7", "=", "="], Arbiter);
    PromotionChoiceChanged = irregularity("promotion-choice-changed", "alert", "sensed", ["4.4d", "4.4.4", "=", "="], Arbiter).identity();
    ClaimedMoveNotPlayed = irregularity("claimed-move-not-played", "alert", "sensed", ["9.5b", "9.5.3", "=", "="], Arbiter);
    // 4. Illegal moves and displaced pieces.
    IllegalMovePending = notice("illegal-move-pending", "info", "inferred", ["7.4a", "7.5.1", "=", "="], Arbiter);
    IllegalMoveCompleted = irregularity("illegal-move-completed", "critical", "inferred", ["7.4a, B6, C3", "7.5.1, A.4.2", "=", "7.5.1, A.5.2"], Arbiter).counted(Counted::Yes);
    PromotionNotReplaced = irregularity("promotion-not-replaced", "critical", "sensed", ["4.6c, 7.4a, B6", "7.5.2", "=", "="], Arbiter).identity().counted(Counted::Yes);
    ClockPressedWithoutMove = irregularity("clock-pressed-without-move", "critical", "inferred", ["6.8", "7.8.1", "7.5.3", "="], Arbiter).counted(Counted::Yes);
    TwoHandsSuspected = irregularity("two-hands-suspected", "info", "suspected", ["4.1", "4.1, 7.7.1", "4.1, 7.5.4", "="], Arbiter).counted(Counted::WhenConfirmed);
    MoveOutOfTurn = irregularity("move-out-of-turn", "alert", "sensed", ["1.1, 12.6", "1.2, 1.3", "=", "="], Arbiter).identity();
    IllegalMoveStands = notice("illegal-move-stands", "alert", "inferred", ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter);
    IllegalPosition = irregularity("illegal-position", "alert", "sensed", ["B6", "A.4.4", "=", "A.5.4"], Arbiter).identity();
    IllegalMoveFoundLate = notice("illegal-move-found-late", "info", "entered", ["8.7", "7.5.1, 8.7", "=", "="], Arbiter);
    PieceDisplaced = irregularity("piece-displaced", "notice", "inferred", ["7.3", "7.4", "=", "="], Arbiter);
    PressedDuringDisplacement = irregularity("pressed-during-displacement", "alert", "inferred", ["7.3, 6.8", "7.4.1", "=", "="], Arbiter);
    DisplacementFoundLate = irregularity("displacement-found-late", "alert", "inferred", ["7.5", "7.6", "=", "="], Arbiter);
    // 5. Clock.
    ClockNotPressed = notice("clock-not-pressed", "info", "inferred", ["6.8a, 13.6", "6.2.1, 12.6", "=", "="], Arbiter);
    PressedBeforeMove = irregularity("pressed-before-move", "notice", "sensed", ["6.8c", "6.2.4, D.2.4", "=", "="], Arbiter);
    PressAsDemand = notice("press-as-demand", "alert", "inferred", ["-", "-", "-", "-"], Arbiter);
    MoveCounterMismatch = irregularity("move-counter-mismatch", "notice", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    CounterCorrected = notice("counter-corrected", "info", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    ClockSettingWrong = irregularity("clock-setting-wrong", "alert", "inferred", ["B4, A12", "6.10.2, I.13", "=", "="], Arbiter);
    ClockTimeJump = irregularity("clock-time-jump", "notice", "sensed", ["6.14", "6.10, 7.1", "=", "="], Arbiter);
    ClockDefective = irregularity("clock-defective", "critical", "sensed", ["6.11", "6.10.1", "=", "="], Arbiter);
    ClockPaused = notice("clock-paused", "notice", "sensed", ["6.13", "6.11", "=", "="], Arbiter);
    ClockResumed = notice("clock-resumed", "info", "sensed", ["6.13c", "6.11.3", "=", "="], Arbiter);
    BoardChangedWhilePaused = notice("board-changed-while-paused", "notice", "sensed", ["6.13", "6.11, 8.5.3", "=", "="], Arbiter);
    FlagFallen = notice("flag-fallen", "critical", "sensed", ["6.9, 6.10, B7, B8", "6.8, 6.9, A.4.3, A.4.5", "=", "6.8, 6.9, A.5.3, A.5.5"], Arbiter);
    BothFlagsFallen = notice("both-flags-fallen", "critical", "sensed", ["6.12, B9", "III.3.1, A.4.3", "6.4, III.3.1, A.4.3", "III.3.1, A.5.3"], Arbiter);
    FlagOrderUncertain = notice("flag-order-uncertain", "critical", "inferred", ["6.10", "6.9, 5.1.1", "=", "="], Arbiter);
    WhiteClockNotStarted = notice("white-clock-not-started", "notice", "sensed", ["6.5", "6.6", "=", "="], Arbiter);
    WrongClockStarted = notice("wrong-clock-started", "notice", "sensed", ["6.5", "6.6", "=", "="], Arbiter);
    NeighbourClockPressed = irregularity("neighbour-clock-pressed", "alert", "suspected", ["-", "7.8.1", "6.5, 7.5.3", "="], Arbiter);
    DefaultTimeExpired = notice("default-time-expired", "alert", "inferred", ["6.7, A10", "6.7.1, I.10", "=", "="], Arbiter);
    TimeControlCheck = notice("time-control-check", "info", "sensed", ["6.2, 6.3", "6.3.1, 6.4", "=", "="], Arbiter);
    TimeTrouble = notice("time-trouble", "info", "sensed", ["13.3", "12.3", "=", "="], Arbiter);
    TimeCheck = notice("time-check", "info", "sensed", ["6.11", "6.10.1", "=", "="], Arbiter);
    ClockBeforeCorrection = notice("clock-before-correction", "info", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter);
    // 6. Scoresheets and adjournment.
    ScoresheetExempt = notice("scoresheet-exempt", "info", "sensed", ["8.4", "=", "=", "="], Arbiter);
    RecordingAssistantNeeded = notice("recording-assistant-needed", "notice", "sensed", ["8.5a", "8.5.1", "=", "="], Arbiter);
    StopClocksUpdateScoresheets = notice("stop-clocks-update-scoresheets", "critical", "sensed", ["8.5a", "8.5.1", "=", "="], Arbiter);
    UpdateScoresheet = notice("update-scoresheet", "notice", "sensed", ["8.4, 8.5b", "8.5.2", "=", "="], Arbiter);
    ReconstructionSnapshot = notice("reconstruction-snapshot", "notice", "sensed", ["8.5c", "8.5.3", "=", "="], Arbiter);
    AdjournmentSheet = notice("adjournment-sheet", "notice", "sensed", ["A2", "I.2", "=", "="], Arbiter);
    SealedMoveMadeOnBoard = irregularity("sealed-move-made-on-board", "alert", "sensed", ["A1a", "I.1.1", "=", "="], Arbiter);
    SealedMoveInvalid = irregularity("sealed-move-invalid", "alert", "inferred", ["A8", "I.8", "=", "="], Arbiter);
    // 7. Draw offers and claims.
    ThreefoldClaimable = notice("threefold-claimable", "info", "inferred", ["9.2", "9.2.1", "=", "9.2"], Arbiter);
    FiftyMovesClaimable = notice("fifty-moves-claimable", "info", "inferred", ["9.3", "9.3", "=", "9.3"], Arbiter);
    ClaimRightLost = notice("claim-right-lost", "notice", "sensed", ["9.4", "9.4", "=", "="], Arbiter);
    ClaimInadmissible = notice("claim-inadmissible", "notice", "inferred", ["9, 10, B8", "9, A.4, III", "=", "9, A.5, III"], Arbiter);
    DrawOfferLapsed = notice("draw-offer-lapsed", "info", "inferred", ["9.1a", "9.1.2.1", "=", "="], Arbiter);
    DrawAgreementTooEarly = irregularity("draw-agreement-too-early", "alert", "sensed", ["-", "5.2.3, 9.1.1", "=", "="], Arbiter);
    QpfZone = notice("qpf-zone", "info", "sensed", ["10.2, D1", "III.4, III.5", "=", "="], Arbiter);
    QpfClaimOpen = notice("qpf-claim-open", "notice", "entered", ["10.2b", "III.5.2", "=", "="], Arbiter);
    DrawOffer = claim("draw-offer", "info", "entered", ["9.1", "9.1.2", "=", "="], Arbiter);
    ClaimThreefold = claim("claim-threefold", "alert", "entered", ["9.2b", "9.2.1.2", "=", "9.2.2"], Arbiter);
    ClaimThreefoldIntended = claim("claim-threefold-intended", "alert", "entered", ["9.2a", "9.2.1.1", "=", "9.2.1"], Arbiter);
    ClaimFiftyMoves = claim("claim-fifty-moves", "alert", "entered", ["9.3b", "9.3.2", "=", "="], Arbiter);
    ClaimFiftyMovesIntended = claim("claim-fifty-moves-intended", "alert", "entered", ["9.3a", "9.3.1", "=", "="], Arbiter);
    ClaimFlagFall = claim("claim-flag-fall", "critical", "entered", ["6.9, B8", "6.8, A.4.3", "=", "6.8, A.5.3"], Arbiter);
    ClaimIllegalMove = claim("claim-illegal-move", "critical", "entered", ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter);
    ClaimTouchMove = claim("claim-touch-move", "alert", "entered", ["4.7, B5", "4.8", "=", "="], Arbiter);
    ClaimQpf = claim("claim-qpf", "alert", "entered", ["10.2, D1", "III.5, III.6", "=", "="], Arbiter);
    QpfIncrementRequest = claim("qpf-increment-request", "alert", "entered", ["-", "III.4", "=", "="], Arbiter);
    // 8. Outcomes.
    ResultSignalled = notice("result-signalled", "notice", "sensed", ["8.7", "=", "=", "="], Public).identity();
    Checkmate = outcome("checkmate", "critical", "sensed", ["5.1a", "5.1.1", "=", "="], Public);
    Stalemate = outcome("stalemate", "critical", "sensed", ["5.2a", "5.2.1", "=", "="], Public);
    DeadPosition = outcome("dead-position", "critical", "inferred", ["5.2b, 9.6", "5.2.2", "=", "="], Public).identity();
    DeadPositionUnknown = notice("dead-position-unknown", "info", "inferred", ["5.2b", "5.2.2", "=", "="], Arbiter).identity();
    FivefoldRepetition = outcome("fivefold-repetition", "critical", "sensed", ["-", "9.6.1", "=", "="], PublicWhenConfirmed);
    SeventyFiveMoves = outcome("seventy-five-moves", "critical", "sensed", ["-", "9.6.2", "=", "="], PublicWhenConfirmed);
    PossibleResignation = notice("possible-resignation", "notice", "suspected", ["5.1b", "5.1.2", "=", "="], Arbiter).identity();
    Resignation = outcome("resignation", "critical", "entered", ["5.1b", "5.1.2", "=", "="], Public);
    ResignationDraw = outcome("resignation-draw", "critical", "entered", ["-", "-", "-", "5.1.2"], Public);
    DrawAgreement = outcome("draw-agreement", "critical", "entered", ["5.2c", "5.2.3", "=", "="], Public);
    ThreefoldDraw = outcome("threefold-draw", "critical", "inferred", ["9.5a", "9.5.2", "=", "="], Public);
    FiftyMovesDraw = outcome("fifty-moves-draw", "critical", "inferred", ["9.5a", "9.5.2", "=", "="], Public);
    TimeForfeit = outcome("time-forfeit", "critical", "inferred", ["6.10", "6.9, A.4.3", "=", "6.9, A.5.3"], PublicWhenConfirmed);
    TimeDraw = outcome("time-draw", "critical", "inferred", ["6.10, 6.12b, B9", "6.9, III.3.1.2", "=", "="], PublicWhenConfirmed);
    IllegalMoveForfeit = outcome("illegal-move-forfeit", "critical", "inferred", ["7.4b, C3", "7.5.3, 7.7.2, 7.8.2, A.4.2", "7.5.5", "="], PublicWhenConfirmed);
    IllegalMoveDraw = outcome("illegal-move-draw", "critical", "inferred", ["C3", "7.5.3, A.4.2", "7.5.5", "="], PublicWhenConfirmed);
    IllegalPositionDraw = outcome("illegal-position-draw", "critical", "sensed", ["-", "A.4.4", "=", "A.5.4"], PublicWhenConfirmed).identity();
    QpfDraw = outcome("qpf-draw", "critical", "entered", ["10.2a, D1", "III.5.1, III.6", "=", "="], Public);
    LateArrivalForfeit = outcome("late-arrival-forfeit", "critical", "entered", ["6.7, A10", "6.7.1, I.10", "=", "="], Public);
    DeviceForfeit = outcome("device-forfeit", "critical", "entered", ["12.2b", "11.3.2.2", "=", "="], Public);
    RulesForfeit = outcome("rules-forfeit", "critical", "entered", ["12.8", "11.7", "=", "="], Public);
    BothLost = outcome("both-lost", "critical", "entered", ["12.9", "11.8", "=", "="], Public);
    ForfeitNotPlayed = outcome("forfeit-not-played", "critical", "entered", ["-", "-", "11.3.2", "="], Public);
    SealedMoveForfeit = outcome("sealed-move-forfeit", "critical", "entered", ["A8", "I.8", "=", "="], Public);
    GameAnnulled = outcome("game-annulled", "critical", "entered", ["7.1a, A11b", "7.2.1, 7.3, I.12.2", "=", "="], Public);
    GameOver = notice("game-over", "notice", "sensed", ["8.7", "=", "=", "="], Public);
    ResultMismatch = irregularity("result-mismatch", "alert", "inferred", ["8.7", "=", "=", "="], Arbiter);
    ResultChanged = notice("result-changed", "notice", "entered", ["8.7", "=", "=", "="], Public);
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
    Warning = proposal("warning", ["13.4a", "12.9.1", "=", "="]);
    RaiseOpponentScore = proposal("raise-opponent-score", ["13.4f", "12.9.4", "=", "="]);
    ReduceOffenderScore = proposal("reduce-offender-score", ["13.4e", "12.9.5", "=", "="]);
    GameLost = proposal("game-lost", ["13.4d", "12.9.6", "=", "="]);
    Fine = proposal("fine", ["-", "12.9.7", "=", "="]);
    ExcludeRounds = proposal("exclude-rounds", ["-", "12.9.8", "=", "="]);
    Expel = proposal("expel", ["13.4g", "12.9.9", "=", "="]);
    // 10. Four-player game.
    MateThreat = notice("mate-threat", "info", "inferred", ["T-aim"; 4], Public);
    CommunicationReported = irregularity("communication-reported", "alert", "entered", ["T10"; 4], Arbiter);
}

/// What can be wrong with an illegal move (`kinds` of `illegal-move-completed`), with the article of
/// 2018. The last five are the four-player game's own.
pub const ILLEGAL_KINDS: [(&str, Option<&str>); 19] = [
    ("movement", Some("3.2–3.8.1")),
    ("path-blocked", Some("3.5, 3.7")),
    ("own-piece-captured", Some("3.1")),
    ("self-check", Some("1.4.1, 3.9.2")),
    ("king-captured", Some("1.4.1")),
    ("castling-right-lost", Some("3.8.2.1, A.4.1.2")),
    ("castling-through-check", Some("3.8.2.2.1")),
    ("castling-blocked", Some("3.8.2.2.2")),
    ("castling-incomplete", Some("3.8.2, 4.7.2")),
    ("en-passant-late", Some("3.7.4.2")),
    ("en-passant-not-removed", Some("3.7.4.1, 4.7.1")),
    ("promotion-piece", Some("3.7.5.1")),
    ("several-pieces", Some("1.1, 3.1")),
    ("two-hands", Some("7.5.4")),
    ("partner-captured", None),
    ("partner-piece-moved", None),
    ("dead-pawn-moved", None),
    ("promotion-on-partner-end", None),
    ("promotion-on-side-square", None),
];

/// What can be wrong with a start position (`sub` of `start-position-wrong`).
pub const START_POSITION_SUBS: [&str; 5] =
    ["king-queen-swapped", "knight-bishop-swapped", "other", "other-layout", "chess960-invalid"];
