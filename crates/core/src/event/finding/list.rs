//! The list of findings, in the order of the registry: each with its fields, in the order in which they are written.
//!
//! `[key]` is part of the record's key, `[maybe]` is not written where there is none, `[record]` is the number of a
//! record, `[fields]` has fields of its own that stand among these; null is written for any other that is `None`.

use crate::ply::Ply;
use crate::ruling::Amount;
use adoube_rules::IllegalPositionKind;
use adoube_rules::departure::Kind;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::start::WrongArray;
use adoube_rules::touch::Rule;

use super::Schema;
use super::parts::*;
use super::words::*;
use super::{About, Fields, Keyed, RecordId, among, field, finding, findings, held, key, maybe, mode, value};
use serde_json::Value;

findings! {
    own {
        // 0. The journal's remarks on itself.
        /// The journal cannot be written.
        JournalDegraded { reason: String }
        /// The journal is whole again, and what is missing in it.
        JournalGap {
            since: String,
            reason: String,
            first_seq: Option<u64>,
            last_seq: Option<u64>,
            lost_inputs: Option<u64>,
            lost_events: u64,
            lost_public: u64,
            first_lost: Option<u64>,
            last_lost: Option<u64>,
            lost_boards: Option<Vec<String>>,
        }

        // 1. Flow of the game.
        /// White's clock was started.
        GameStarted {}
        /// A piece was lifted and put back, or lifted by the player not on move.
        PieceTouched { square: SquareName, side: Side, order: usize, dwell_ms: u64, turn: Turn }
        /// Half of castling stands.
        CastlingPending { [key] ply: Ply, [key] side: Side, king: Option<SquareName> }
        /// A pawn is about to become another piece.
        PromotionPending { [key] ply: Ply, [key] side: Side, square: Option<SquareName> }
        /// A board that names no pieces has seen a promotion.
        PromotionPieceUnknown { square: SquareName, at_ply: Ply }
        /// Several moves explain what the board shows; `none`: it may have been no move.
        AmbiguousMove { [key] by: Side, [key] ply: Ply, moves: Vec<String> }
        /// It is too late to claim.
        ClaimWindowClosed { of: Name, side: Side }
        /// Play goes on after an automatic end.
        MovesAfterGameEnd { [key] by: Side, [key] ply: Ply, end: Name }
        /// A sensor is not to be trusted.
        SensorFault {
            [maybe] square: SquareName,
            fault: Fault,
            [maybe] evidence: u32,
            [maybe] shown: usize,
            [maybe] expected: usize,
        }
        /// The link to the board was lost during a game.
        BoardDisconnected {}
        /// Plies that nobody saw.
        RecordGap {
            [key] ply: Ply,
            [maybe] squares: Vec<SquareName>,
            since_ply: Ply,
            paths: Paths,
            recovered: Vec<String>,
        }
        /// Nothing explains what the board shows.
        UnexplainedPosition { [key] ply: Ply, squares: Vec<SquareName> }

        // 2. Set-up, colours, two boards.
        /// The array is not the one from which the game is to start.
        StartPositionWrong {
            [maybe] squares: Vec<SquareName>,
            sub: WrongArray,
            [maybe] missing: Vec<String>,
            [maybe] extra: Vec<String>,
            [maybe] set: Vec<String>,
            [maybe] shown: Vec<String>,
            [maybe] too_late: bool,
        }
        /// The board lies turned by 90 or 270 degrees.
        BoardOrientationWrong { turn: u32 }
        /// White's pieces are on the far side of the sensor.
        BoardRotated180 {}
        /// The players have each other's colours.
        ColoursReversed { white: u32, black: u32, verdict: ColoursRuling, [maybe] boundary: bool }
        /// The lever's ends are those of the other players.
        ClockSideMismatch { swapped: bool }
        /// No series of moves leads to these pieces.
        PositionImpossible { sub: String, text: String }
        /// The board shows another position than that of the adjournment.
        ResumePositionWrong { [key] ply: Ply, squares: Vec<SquareName> }
        /// The two boards of a game show different lines.
        BoardsDiffer { last_common_ply: Ply, times: Option<BothTimes>, boards: Vec<String> }

        // 3. Touching and releasing.
        /// Another move was made than the touches left.
        TouchMoveSuspected {
            [key] ply: Ply,
            [key] by: Side,
            rule: Rule,
            first: SquareName,
            obligation: Vec<String>,
            played: String,
            arbiter_duty: bool,
        }
        /// Castling, with the rook touched first.
        CastlingRookFirst {
            [key] ply: Ply,
            [key] by: Side,
            first: SquareName,
            rook_released: Option<SquareName>,
            obligation: Vec<String>,
            played: String,
        }
        /// A piece that was let go of was moved on.
        MoveChangedAfterRelease {
            rule: Rule,
            [key] ply: Ply,
            [key] by: Side,
            first: SquareName,
            released: SquareName,
            obligation: Vec<String>,
            played: String,
        }
        /// Another piece took the place of the one that was promoted to.
        PromotionChoiceChanged {
            rule: Rule,
            [key] ply: Ply,
            [key] by: Side,
            square: SquareName,
            first: Option<String>,
            later: Option<String>,
        }
        /// Another move was made than the one that was written down for a claim.
        ClaimedMoveNotPlayed { [key] ply: Ply, announced: String, played: String, [maybe_key] by: Side }

        // 4. Illegal moves and displaced pieces.
        /// No legal move, not pressed yet.
        IllegalMovePending { [key] ply: Ply, [key] by: Side, squares: Vec<SquareName>, kinds: Vec<Kind> }
        /// No legal move, pressed.
        IllegalMoveCompleted {
            [key] ply: Ply,
            [key] by: Side,
            [maybe] squares: Vec<SquareName>,
            kinds: Vec<Kind>,
            played "move": Option<String>,
            count: u32,
            [maybe] clock_before: Option<BothTimes>,
        }
        /// A pawn was left on its last rank, and the clock pressed.
        PromotionNotReplaced {
            [key] by: Side,
            [key] ply: Ply,
            square: Option<SquareName>,
            count: u32,
            clock_before: Option<BothTimes>,
            [maybe] kinds: Vec<Kind>,
        }
        /// The clock was pressed, and no move made.
        ClockPressedWithoutMove {
            [key] by: Side,
            [key] ply: Ply,
            clock_before: Option<BothTimes>,
            [maybe] count: u32,
            [maybe] kinds: Vec<Kind>,
        }
        /// Two pieces were handled at once.
        TwoHandsSuspected { [key] ply: Ply, [key] by: Side, squares: Vec<SquareName> }
        /// Somebody moved who did not have the move.
        MoveOutOfTurn { [key] ply: Ply, [key] by: Side, uci: String, san: String, sub: OutOfTurn }
        /// An illegal move can no longer be put right.
        IllegalMoveStands { [key] ply: Ply, [key] by: Side }
        /// A position that no legal move leads to, where few arbiters watch.
        IllegalPosition { [key] ply: Ply, sub: IllegalPositionKind, subs: Vec<IllegalPositionKind> }
        /// An illegal move, found when the result was recorded.
        IllegalMoveFoundLate { [key] ply: Ply, ignored: Name }
        /// A piece is nowhere on the board and in nobody's hand.
        PieceMissing { [key] ply: Ply, square: SquareName, piece: String, since_ply: Ply }
        /// Pieces stand elsewhere, and no move explains it.
        PieceDisplaced {
            [key] ply: Ply,
            squares: Vec<SquareName>,
            missing: Vec<String>,
            extra: Vec<String>,
            running: Option<Side>,
            number: u32,
            [maybe] restored_after_ms: u64,
        }
        /// A press while the opponent has pieces to put back.
        PressedDuringDisplacement {
            [key] by: Side,
            [key] ply: Ply,
            [record] displaced: RecordId,
            clock_before: Option<BothTimes>,
        }
        /// Pieces that still stand elsewhere when the next move is made.
        DisplacementFoundLate {
            [key] ply: Ply,
            squares: Vec<SquareName>,
            since_ply: Ply,
            [record] displaced: RecordId,
        }

        // 5. Clock.
        /// A move was made, and its player's clock still runs.
        ClockNotPressed { [key] by: Side, [key] ply: Ply }
        /// A press with a piece in the air, or before the other board shows the move.
        PressedBeforeMove { [key] by: Side, [key] ply: Ply, [maybe] board: String, [maybe] dt_ms: u64 }
        /// The waiting player presses, so that somebody looks.
        PressAsDemand { [key] by: Side, open: Name }
        /// The clock counts other moves than were completed.
        MoveCounterMismatch { white: i64, black: i64, counter: BySide, completed: BySide }
        /// The clock's counter is right again.
        CounterCorrected {}
        /// The clock shows other times than it should.
        ClockSettingWrong {
            [maybe_key] ply: Ply,
            [maybe_key] side: Side,
            [maybe] context: Context,
            [maybe] expected: BothTimes,
            [maybe] seen: BothTimes,
            [maybe] expected_ms: u64,
            [maybe] seen_ms: u64,
            [maybe] white_ms: i64,
            [maybe] black_ms: i64,
        }
        /// A time jumped.
        ClockTimeJump { clock_before: Option<BothTimes>, [maybe] white_ms: i64, [maybe] black_ms: i64 }
        /// The clock does not work.
        ClockDefective {
            [maybe_key] side: Side,
            sub: ClockDefect,
            [maybe] clock_before: Option<BothTimes>,
            [maybe] running: Option<Side>,
            [maybe] stood_ms: u64,
            completed: BySide,
        }
        /// Both clocks were stopped.
        ClockPaused { by: String, hint: Option<PauseHint>, running: Option<Side> }
        /// A clock was started again.
        ClockResumed { [key] side: Side, [maybe] paused_ms: u64 }
        /// Pieces were moved while the clocks stood.
        BoardChangedWhilePaused { squares: Vec<SquareName> }
        /// A flag fell.
        FlagFallen { [key] side: Side, made: u32, completed: u32, required: Option<u32>, period: usize }
        /// Both flags are down.
        BothFlagsFallen { first: FirstFlag }
        /// A move that ends the game and a flag, so close to each other that nobody knows which was first.
        FlagOrderUncertain {
            [key] ply: Ply,
            move_at_ms: u64,
            flag_at_ms: u64,
            error_ms: u32,
            outcomes: Vec<Name>,
        }
        /// The round has begun, and White's clock stands.
        WhiteClockNotStarted {}
        /// The clock of the player not on move runs.
        WrongClockStarted { [key] side: Side, [maybe_key] ply: Ply }
        /// The press was meant for another board's clock.
        NeighbourClockPressed {
            [key] by: Side,
            [key] ply: Ply,
            boards: Vec<String>,
            clock_before: Option<BothTimes>,
        }
        /// The default time is over, and somebody is absent.
        DefaultTimeExpired {
            side: Absent,
            [maybe] context: Context,
            [maybe] since_ms: u64,
            [maybe] default_ms: u64,
        }
        /// What a time control asked for, and what was done.
        TimeControlCheck {
            [maybe_key] side: Side,
            [maybe] period: usize,
            [maybe] completed: BySide,
            [maybe] required: Option<u32>,
            [maybe] white: u32,
            [maybe] black: u32,
            [maybe] basis: ControlBasis,
        }
        /// Little time is left.
        TimeTrouble { [key] side: Side, left_ms: u64 }

        // 6. Scoresheets and adjournment.
        /// A player need not record any longer.
        ScoresheetExempt { [key] side: Side, period: usize }
        /// Neither player records.
        RecordingAssistantNeeded {}
        /// Both scoresheets have to be brought up to date, with the clocks stopped.
        StopClocksUpdateScoresheets { moves: Vec<String>, clock_to_restart: Side }
        /// One scoresheet has to be brought up to date.
        UpdateScoresheet { [key] side: Side, do_not_stop_clock: bool }
        /// How things stood before moves were reconstructed.
        ReconstructionSnapshot {
            fen: String,
            times: Option<BothTimes>,
            side_running: Option<Side>,
            made: BySide,
            completed: BySide,
        }
        /// What is written on the envelope.
        AdjournmentSheet {
            fen: String,
            side: Side,
            number: Option<u32>,
            times: Option<BothTimes>,
            [maybe] announced: bool,
            [maybe] white: Option<String>,
            [maybe] black: Option<String>,
            [maybe] open: String,
        }
        /// The move that should have been sealed was made on the board.
        SealedMoveMadeOnBoard {
            [key] ply: Ply,
            [key] by: Side,
            [maybe] context: Context,
            san: String,
            [maybe] sealed: String,
        }
        /// The sealed move is none.
        SealedMoveInvalid { [key] by: Side, [key] ply: Ply, reason: SealFault }

        // 7. Draw offers and claims.
        /// It is too late to claim a draw on this move.
        ClaimRightLost { [key] side: Side, [key] ply: Ply, lapsed: Lapsed }
        /// A claim was not admitted.
        ClaimInadmissible { reason: ClaimFault, claim: Claimed, [maybe] side: Side }
        /// An offer is over.
        DrawOfferLapsed { side: Side }
        /// A draw was agreed before it may be.
        DrawAgreementTooEarly { [key] ply: Ply, white: u32, black: u32, minimum: u32, [maybe] needs: Consent }
        /// A player has less than the time of the quickplay finish.
        QpfZone { [key] side: Side, left_ms: u64 }
        /// A claim of the quickplay finish was postponed.
        QpfClaimOpen { [key] side: Side, [record] claim: RecordId }
        /// A draw is offered.
        DrawOffer {
            [key] side: Side,
            [key] ply: Ply,
            [maybe] order: OfferOrder,
            [maybe] claim: Name,
            [maybe] count: u32,
        }
        /// The opponent's flag was called.
        ClaimFlagFall {
            [key_fields] head: ClaimHead,
            verdict: Verdict,
            [maybe] reason: ClaimFault,
            [maybe] times: Option<BothTimes>,
            [maybe] flags: Vec<FlagDown>,
            [maybe] first_flag: Option<FirstFlag>,
        }
        /// A completed illegal move was complained of.
        ClaimIllegalMove {
            [key_fields] head: ClaimHead,
            verdict: Verdict,
            [maybe] reason: ClaimFault,
            [maybe] open: Name,
            [maybe] kinds: Vec<Kind>,
            [maybe] played "move": Option<String>,
            [maybe] squares: Vec<SquareName>,
            [maybe] square: Option<SquareName>,
            [maybe] counts: u32,
        }
        /// A breach of Article 4 was complained of.
        ClaimTouchMove {
            [key_fields] head: ClaimHead,
            [maybe] open: Option<Name>,
            [maybe] squares: Vec<SquareName>,
            [maybe] touches: Vec<Touched>,
            [maybe] verdict: Verdict,
            [maybe] reason: ClaimFault,
            [maybe] rule: Rule,
            [maybe] first: String,
            [maybe] obligation: Vec<String>,
            [maybe] played: String,
        }

        // 8. Outcomes, and what is like one.
        /// The kings tell a result.
        ResultSignalled { [maybe_key] ply: Ply, result: Score, squares: Vec<SquareName> }
        /// It may be that neither side can mate.
        DeadPositionUnknown { since_ply: Ply, basis: DeadBasis, mate_test: MateWord }
        /// Somebody may have resigned.
        PossibleResignation { [key] side: Side, [key] ply: Ply, signs: Vec<ResignationSign> }
        /// The game does not count.
        GameAnnulled { reason: String }
        /// The game is over.
        GameOver { reason: EndedBy, result: Score }
        /// A result was entered that the board contradicts.
        ResultMismatch { end: EndedBy, result: Score, value: Score }
        /// The game has another result.
        ResultChanged { from: Score, to: Score, result: Score, by: Option<String> }

        // 9. Proposals.
        /// The position after a ply, to be put back.
        RestorePosition { fen: String, [maybe] side: Side, ply: Ply }
        /// Positions to choose from.
        RestoreCandidates { candidates: Vec<Candidate> }
        /// Moves that may be played instead.
        ReplacementMoves { moves: Vec<String> }
        /// A queen takes the pawn's place.
        ReplaceByQueen { square: Option<SquareName>, san: String }
        /// Times to set, those with which the move began if they are others, and those to leave.
        ClockTimes { then: Option<BothTimes>, [maybe] start: BothTimes, unchanged: Option<BothTimes> }
        /// The clock's counter, as it should be.
        CounterCorrection { side: Side, value: u32 }
        /// The presser's clock, to be started again.
        ReturnClock { side: Side, clock: Option<BothTimes> }
        /// A press, to be undone.
        UndoPress { side: Side, clock: Option<BothTimes> }
        /// The position, to be carried over to the board as it ought to lie.
        TransferPosition { turned: u32 }
        /// A king or a rook that may not castle.
        CastlingBan {
            [key] side: Side,
            [maybe] white: String,
            [maybe] black: String,
            [maybe] rook: SquareName,
        }
        /// The game, to be annulled.
        AnnulGame { reason: String }
        /// Moves to choose from. In a gap they are what fills it, one after the other, and `ways` the likeliest four that
        /// may, of as many plies.
        ConfirmMove { moves: Vec<String>, [maybe] uci: String, [maybe] ways: Vec<Vec<String>> }
        /// A position, to be set.
        SetPosition { fen: String }
        /// An increment for both.
        IncrementMode { amount_ms: u64, both: bool }
        /// A result, to be declared.
        DeclareResult { outcome: Option<Name>, result: Score, basis: Option<Name> }
        /// What was ruled on a record, while hands carry it out.
        Resolution { parts: Vec<ResolutionPart> }
        /// Board and clock show what was ruled.
        ResolutionDone {}

        // 10. Four players.
        /// A king would be mated if it were its turn.
        MateThreat { [key] ply: Ply, side: Side }
        /// Partners have talked to each other.
        CommunicationReported { at_ply: Ply }

    }
    shared {
        /// The clock as it stood.
        ClockSnapshot of SnapshotKind [TimeCheck, ClockBeforeCorrection] {
            white_ms: u64,
            black_ms: u64,
            running: Option<Side>,
            plies: Ply,
            made: BySide,
            completed: BySide,
            counter: Option<BySide>,
        }
        /// A draw that could be claimed.
        Claimable of ClaimableKind [ThreefoldClaimable, FiftyMovesClaimable] { [key] side: Side, [key] ply: Ply }
        /// A draw that was claimed by repetition or by counting moves.
        DrawClaim of DrawClaimKind [ClaimThreefold, ClaimThreefoldIntended, ClaimFiftyMoves, ClaimFiftyMovesIntended] {
            [key_fields] head: ClaimHead,
            [maybe] intended "move": String,
            verdict: Verdict,
            [maybe] gap: usize,
            [maybe] reason: ClaimFault,
            [maybe] occurrences: usize,
            [maybe] plies: Vec<usize>,
            [maybe] white: u32,
            [maybe] black: u32,
            [maybe] half_moves: u32,
            [maybe] last_pawn_move: Option<usize>,
            [maybe] positions: Vec<ProofPosition>,
        }
        /// A claim or a request of the quickplay finish.
        Quickplay of QuickplayKind [ClaimQpf, QpfIncrementRequest] {
            [key_fields] head: ClaimHead,
            [maybe] verdict: Verdict,
            [maybe] reason: ClaimFault,
            [maybe] left_ms: Option<u64>,
            [maybe] limit_ms: u64,
            [maybe] period: usize,
            [fields] mate: Mate,
        }
        /// How a game ended, or is to end.
        Outcome of OutcomeKind [
            Checkmate,
            Stalemate,
            DeadPosition,
            FivefoldRepetition,
            SeventyFiveMoves,
            Resignation,
            ResignationDraw,
            DrawAgreement,
            ThreefoldDraw,
            FiftyMovesDraw,
            TimeForfeit,
            TimeDraw,
            IllegalMoveForfeit,
            IllegalMoveDraw,
            IllegalPositionDraw,
            QpfDraw,
            LateArrivalForfeit,
            DeviceForfeit,
            RulesForfeit,
            BothLost,
            ForfeitNotPlayed,
            SealedMoveForfeit,
        ] {
            [maybe_key] ply: Ply,
            [maybe_key] side: Side,
            [maybe_key] by: Side,
            result: Score,
            [maybe] reason: OutcomeReason,
            [maybe] plies: Option<Vec<usize>>,
            [maybe] halfmoves: u32,
            [fields] mate: Mate,
        }
        /// Time, given or taken.
        TimePenalty of TimePenaltyKind [AddTimeOpponent, ReduceTimeOffender] { side: Side, [maybe] amount_ms: u64 }
        /// Another penalty of the ladder: points of the game, rounds, or a sum of money, with its unit.
        PenaltyGiven of PenaltyKind [
            Warning,
            RaiseOpponentScore,
            ReduceOffenderScore,
            GameLost,
            Fine,
            ExcludeRounds,
            Expel,
        ] { side: Side, [maybe] amount: Amount, [maybe] unit: String }
    }
}

impl SensorFault {
    /// The evidence of a square that says what is not so for a while, without having failed at a ply of its own.
    pub(crate) const SUSPECTED: u32 = 0;

    pub(crate) fn is_suspected(&self) -> bool {
        self.evidence == Some(Self::SUSPECTED)
    }
}

impl StartPositionWrong {
    /// What is wrong in a word, and nothing else.
    #[must_use]
    pub fn of(sub: WrongArray) -> Self {
        let (squares, missing, extra, set, shown, too_late) = (None, None, None, None, None, None);
        Self { squares, sub, missing, extra, set, shown, too_late }
    }
}

impl Outcome {
    /// That result, and nothing else.
    #[must_use]
    pub fn of(result: impl Into<Score>) -> Self {
        Self {
            ply: None,
            side: None,
            by: None,
            result: result.into(),
            reason: None,
            plies: None,
            halfmoves: None,
            mate: Mate::default(),
        }
    }
}
