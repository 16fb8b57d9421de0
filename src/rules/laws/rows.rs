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

// A row a line, whatever its length: it is read as a table. Articles: 2005, 2017, 2018, 2023.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // 0. What was sensed or entered.
    entered("round-opened", Public),
    entered("round-closed", Public),
    entered("game-opened", Public),
    entered("game-changed", Public),
    entered("game-closed", Public),
    sensed("board-connected", Arbiter),
    sensed("board-stale", Arbiter),
    sensed("board-lost", Arbiter),
    sensed("piece-lifted", Arbiter),
    sensed("piece-placed", Arbiter),
    sensed("pressed", Arbiter),
    sensed("clock-read", Public),
    entered("ruled", Arbiter),
    sensed("journal-degraded", Arbiter),
    sensed("journal-gap", Arbiter),
    // 1. Flow of the game.
    notice("game-started", "info", "sensed", ["6.5", "6.6", "=", "="], Public),
    notice("move-made", "info", "inferred", ["4.6", "4.7", "=", "="], Public),
    notice("move-completed", "info", "sensed", ["6.8a", "6.2.1", "=", "="], Public),
    notice("move-retracted", "notice", "inferred", ["6.14", "7.1", "=", "="], Public),
    notice("piece-touched", "info", "sensed", ["4.2, 4.3", "4.2.2", "=", "="], Arbiter),
    notice("castling-pending", "info", "inferred", ["4.6b", "4.7.2", "=", "="], Arbiter),
    notice("promotion-pending", "info", "inferred", ["4.6c", "4.7.3", "=", "="], Arbiter),
    notice("promotion-piece-unknown", "notice", "sensed", ["3.7e", "3.7.5.1", "=", "3.7.3.3"], Arbiter),
    notice("ambiguous-move", "notice", "inferred", ["-", "-", "-", "-"], Arbiter),
    notice("claim-window-closed", "info", "sensed", ["4.7, B6, C3", "4.8, A.4.2", "=", "4.8, A.5.2"], Arbiter),
    irregularity("moves-after-game-end", "notice", "inferred", ["5.1, 5.2", "5, 9.6", "=", "="], Arbiter),
    notice("sensor-fault", "alert", "sensed", ["-", "-", "7.2.1", "="], Arbiter),
    irregularity("record-gap", "alert", "inferred", ["-", "-", "7.2.1, 12.1", "="], Arbiter),
    irregularity("unexplained-position", "alert", "inferred", ["Preface", "=", "=", "="], Arbiter),
    // 2. Set-up, colours, two boards.
    irregularity("start-position-wrong", "notice", "sensed", ["7.1a, B4", "7.2.1, A.4.1.2", "=", "7.2.1, A.5.1.2"], Arbiter).identity(),
    irregularity("board-orientation-wrong", "notice", "sensed", ["2.1, 7.1b, B4", "2.1, 7.2.2, A.4.1.2", "=", "2.1, 7.2.2, A.5.1.2"], Arbiter),
    notice("board-rotated-180", "info", "sensed", ["2.1", "=", "=", "="], Arbiter),
    irregularity("colours-reversed", "alert", "entered", ["7.2", "7.3", "=", "="], Arbiter),
    notice("clock-side-mismatch", "notice", "inferred", ["6.4", "6.5", "=", "="], Arbiter),
    irregularity("position-impossible", "alert", "sensed", ["-", "3.10.3", "=", "="], Arbiter).identity(),
    irregularity("resume-position-wrong", "alert", "sensed", ["A5", "I.5", "=", "="], Arbiter),
    irregularity("boards-differ", "alert", "sensed", ["appendix F", "D.2.9", "=", "="], Arbiter),
    // 3. Touching and releasing.
    irregularity("touch-move-suspected", "alert", "suspected", ["4.3, 4.4, 4.6b", "4.3, 4.4, 4.7.2", "=", "="], Arbiter),
    irregularity("castling-rook-first", "alert", "sensed", ["4.4b", "4.4.2", "=", "="], Arbiter),
    irregularity("move-changed-after-release", "alert", "suspected", ["4.6", "4.7", "=", "="], Arbiter),
    irregularity("promotion-choice-changed", "alert", "sensed", ["4.4d", "4.4.4", "=", "="], Arbiter).identity(),
    irregularity("claimed-move-not-played", "alert", "sensed", ["9.5b", "9.5.3", "=", "="], Arbiter),
    // 4. Illegal moves and displaced pieces.
    notice("illegal-move-pending", "info", "inferred", ["7.4a", "7.5.1", "=", "="], Arbiter),
    irregularity("illegal-move-completed", "critical", "inferred", ["7.4a, B6, C3", "7.5.1, A.4.2", "=", "7.5.1, A.5.2"], Arbiter).counted(Counted::Yes),
    irregularity("promotion-not-replaced", "critical", "sensed", ["4.6c, 7.4a, B6", "7.5.2", "=", "="], Arbiter).identity().counted(Counted::Yes),
    irregularity("clock-pressed-without-move", "critical", "inferred", ["6.8", "7.8.1", "7.5.3", "="], Arbiter).counted(Counted::Yes),
    irregularity("two-hands-suspected", "info", "suspected", ["4.1", "4.1, 7.7.1", "4.1, 7.5.4", "="], Arbiter).counted(Counted::WhenConfirmed),
    irregularity("move-out-of-turn", "alert", "sensed", ["1.1, 12.6", "1.2, 1.3", "=", "="], Arbiter).identity(),
    notice("illegal-move-stands", "alert", "inferred", ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter),
    irregularity("illegal-position", "alert", "sensed", ["B6", "A.4.4", "=", "A.5.4"], Arbiter).identity(),
    notice("illegal-move-found-late", "info", "entered", ["8.7", "7.5.1, 8.7", "=", "="], Arbiter),
    irregularity("piece-displaced", "notice", "inferred", ["7.3", "7.4", "=", "="], Arbiter),
    irregularity("pressed-during-displacement", "alert", "inferred", ["7.3, 6.8", "7.4.1", "=", "="], Arbiter),
    irregularity("displacement-found-late", "alert", "inferred", ["7.5", "7.6", "=", "="], Arbiter),
    // 5. Clock.
    notice("clock-not-pressed", "info", "inferred", ["6.8a, 13.6", "6.2.1, 12.6", "=", "="], Arbiter),
    irregularity("pressed-before-move", "notice", "sensed", ["6.8c", "6.2.4, D.2.4", "=", "="], Arbiter),
    notice("press-as-demand", "alert", "inferred", ["-", "-", "-", "-"], Arbiter),
    irregularity("move-counter-mismatch", "notice", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter),
    notice("counter-corrected", "info", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter),
    irregularity("clock-setting-wrong", "alert", "inferred", ["B4, A12", "6.10.2, I.13", "=", "="], Arbiter),
    irregularity("clock-time-jump", "notice", "sensed", ["6.14", "6.10, 7.1", "=", "="], Arbiter),
    irregularity("clock-defective", "critical", "sensed", ["6.11", "6.10.1", "=", "="], Arbiter),
    notice("clock-paused", "notice", "sensed", ["6.13", "6.11", "=", "="], Arbiter),
    notice("clock-resumed", "info", "sensed", ["6.13c", "6.11.3", "=", "="], Arbiter),
    notice("board-changed-while-paused", "notice", "sensed", ["6.13", "6.11, 8.5.3", "=", "="], Arbiter),
    notice("flag-fallen", "critical", "sensed", ["6.9, 6.10, B7, B8", "6.8, 6.9, A.4.3, A.4.5", "=", "6.8, 6.9, A.5.3, A.5.5"], Arbiter),
    notice("both-flags-fallen", "critical", "sensed", ["6.12, B9", "III.3.1, A.4.3", "6.4, III.3.1, A.4.3", "III.3.1, A.5.3"], Arbiter),
    notice("flag-order-uncertain", "critical", "inferred", ["6.10", "6.9, 5.1.1", "=", "="], Arbiter),
    notice("white-clock-not-started", "notice", "sensed", ["6.5", "6.6", "=", "="], Arbiter),
    notice("wrong-clock-started", "notice", "sensed", ["6.5", "6.6", "=", "="], Arbiter),
    irregularity("neighbour-clock-pressed", "alert", "suspected", ["-", "7.8.1", "6.5, 7.5.3", "="], Arbiter),
    notice("default-time-expired", "alert", "inferred", ["6.7, A10", "6.7.1, I.10", "=", "="], Arbiter),
    notice("time-control-check", "info", "sensed", ["6.2, 6.3", "6.3.1, 6.4", "=", "="], Arbiter),
    notice("time-trouble", "info", "sensed", ["13.3", "12.3", "=", "="], Arbiter),
    notice("time-check", "info", "sensed", ["6.11", "6.10.1", "=", "="], Arbiter),
    notice("clock-before-correction", "info", "sensed", ["6.14", "6.10.2, 7.1", "=", "="], Arbiter),
    // 6. Scoresheets and adjournment.
    notice("scoresheet-exempt", "info", "sensed", ["8.4", "=", "=", "="], Arbiter),
    notice("recording-assistant-needed", "notice", "sensed", ["8.5a", "8.5.1", "=", "="], Arbiter),
    notice("stop-clocks-update-scoresheets", "critical", "sensed", ["8.5a", "8.5.1", "=", "="], Arbiter),
    notice("update-scoresheet", "notice", "sensed", ["8.4, 8.5b", "8.5.2", "=", "="], Arbiter),
    notice("reconstruction-snapshot", "notice", "sensed", ["8.5c", "8.5.3", "=", "="], Arbiter),
    notice("adjournment-sheet", "notice", "sensed", ["A2", "I.2", "=", "="], Arbiter),
    irregularity("sealed-move-made-on-board", "alert", "sensed", ["A1a", "I.1.1", "=", "="], Arbiter),
    irregularity("sealed-move-invalid", "alert", "inferred", ["A8", "I.8", "=", "="], Arbiter),
    // 7. Draw offers and claims.
    notice("threefold-claimable", "info", "inferred", ["9.2", "9.2.1", "=", "9.2"], Arbiter),
    notice("fifty-moves-claimable", "info", "inferred", ["9.3", "9.3", "=", "9.3"], Arbiter),
    notice("claim-right-lost", "notice", "sensed", ["9.4", "9.4", "=", "="], Arbiter),
    notice("claim-inadmissible", "notice", "inferred", ["9, 10, B8", "9, A.4, III", "=", "9, A.5, III"], Arbiter),
    notice("draw-offer-lapsed", "info", "inferred", ["9.1a", "9.1.2.1", "=", "="], Arbiter),
    irregularity("draw-agreement-too-early", "alert", "sensed", ["-", "5.2.3, 9.1.1", "=", "="], Arbiter),
    notice("qpf-zone", "info", "sensed", ["10.2, D1", "III.4, III.5", "=", "="], Arbiter),
    notice("qpf-claim-open", "notice", "entered", ["10.2b", "III.5.2", "=", "="], Arbiter),
    claim("draw-offer", "info", "entered", ["9.1", "9.1.2", "=", "="], Arbiter),
    claim("claim-threefold", "alert", "entered", ["9.2b", "9.2.1.2", "=", "9.2.2"], Arbiter),
    claim("claim-threefold-intended", "alert", "entered", ["9.2a", "9.2.1.1", "=", "9.2.1"], Arbiter),
    claim("claim-fifty-moves", "alert", "entered", ["9.3b", "9.3.2", "=", "="], Arbiter),
    claim("claim-fifty-moves-intended", "alert", "entered", ["9.3a", "9.3.1", "=", "="], Arbiter),
    claim("claim-flag-fall", "critical", "entered", ["6.9, B8", "6.8, A.4.3", "=", "6.8, A.5.3"], Arbiter),
    claim("claim-illegal-move", "critical", "entered", ["B6, C3", "A.4.2", "=", "A.5.2"], Arbiter),
    claim("claim-touch-move", "alert", "entered", ["4.7, B5", "4.8", "=", "="], Arbiter),
    claim("claim-qpf", "alert", "entered", ["10.2, D1", "III.5, III.6", "=", "="], Arbiter),
    claim("qpf-increment-request", "alert", "entered", ["-", "III.4", "=", "="], Arbiter),
    // 8. Outcomes.
    notice("result-signalled", "notice", "sensed", ["8.7", "=", "=", "="], Public).identity(),
    outcome("checkmate", "critical", "sensed", ["5.1a", "5.1.1", "=", "="], Public),
    outcome("stalemate", "critical", "sensed", ["5.2a", "5.2.1", "=", "="], Public),
    outcome("dead-position", "critical", "inferred", ["5.2b, 9.6", "5.2.2", "=", "="], Public).identity(),
    notice("dead-position-unknown", "info", "inferred", ["5.2b", "5.2.2", "=", "="], Arbiter).identity(),
    outcome("fivefold-repetition", "critical", "sensed", ["-", "9.6.1", "=", "="], PublicWhenConfirmed),
    outcome("seventy-five-moves", "critical", "sensed", ["-", "9.6.2", "=", "="], PublicWhenConfirmed),
    notice("possible-resignation", "notice", "suspected", ["5.1b", "5.1.2", "=", "="], Arbiter).identity(),
    outcome("resignation", "critical", "entered", ["5.1b", "5.1.2", "=", "="], Public),
    outcome("resignation-draw", "critical", "entered", ["-", "-", "-", "5.1.2"], Public),
    outcome("draw-agreement", "critical", "entered", ["5.2c", "5.2.3", "=", "="], Public),
    outcome("threefold-draw", "critical", "inferred", ["9.5a", "9.5.2", "=", "="], Public),
    outcome("fifty-moves-draw", "critical", "inferred", ["9.5a", "9.5.2", "=", "="], Public),
    outcome("time-forfeit", "critical", "inferred", ["6.10", "6.9, A.4.3", "=", "6.9, A.5.3"], PublicWhenConfirmed),
    outcome("time-draw", "critical", "inferred", ["6.10, 6.12b, B9", "6.9, III.3.1.2", "=", "="], PublicWhenConfirmed),
    outcome("illegal-move-forfeit", "critical", "inferred", ["7.4b, C3", "7.5.3, 7.7.2, 7.8.2, A.4.2", "7.5.5", "="], PublicWhenConfirmed),
    outcome("illegal-move-draw", "critical", "inferred", ["C3", "7.5.3, A.4.2", "7.5.5", "="], PublicWhenConfirmed),
    outcome("illegal-position-draw", "critical", "sensed", ["-", "A.4.4", "=", "A.5.4"], PublicWhenConfirmed).identity(),
    outcome("qpf-draw", "critical", "entered", ["10.2a, D1", "III.5.1, III.6", "=", "="], Public),
    outcome("late-arrival-forfeit", "critical", "entered", ["6.7, A10", "6.7.1, I.10", "=", "="], Public),
    outcome("device-forfeit", "critical", "entered", ["12.2b", "11.3.2.2", "=", "="], Public),
    outcome("rules-forfeit", "critical", "entered", ["12.8", "11.7", "=", "="], Public),
    outcome("both-lost", "critical", "entered", ["12.9", "11.8", "=", "="], Public),
    outcome("forfeit-not-played", "critical", "entered", ["-", "-", "11.3.2", "="], Public),
    outcome("sealed-move-forfeit", "critical", "entered", ["A8", "I.8", "=", "="], Public),
    outcome("game-annulled", "critical", "entered", ["7.1a, A11b", "7.2.1, 7.3, I.12.2", "=", "="], Public),
    notice("game-over", "notice", "sensed", ["8.7", "=", "=", "="], Public),
    irregularity("result-mismatch", "alert", "inferred", ["8.7", "=", "=", "="], Arbiter),
    notice("result-changed", "notice", "entered", ["8.7", "=", "=", "="], Public),
    // 9. Proposals.
    proposal("restore-position", ["7.4a, 7.5", "7.5.1, 7.6", "=", "="]),
    proposal("restore-candidates", ["7.4a, 7.5", "7.5.1, 7.6", "=", "="]),
    proposal("replacement-moves", ["4.3, 7.4a, 9.5b", "4.3, 4.7, 7.5.1, 9.5.3", "=", "="]),
    proposal("replace-by-queen", ["-", "7.5.2", "=", "="]),
    proposal("clock-times", ["6.14", "6.10, 7.1", "=", "="]),
    proposal("add-time-opponent", ["7.4b, 9.5b, 10.2, 13.4b", "7.5.3, 9.5.3, III, 12.9.2", "7.5.5, 9.5.3, III, 12.9.2", "="]),
    proposal("reduce-time-offender", ["9.5b, 13.4c", "12.9.3", "=", "="]),
    proposal("counter-correction", ["6.14", "6.10.2, 7.1", "=", "="]),
    proposal("return-clock", ["-", "7.8.1", "7.5.3", "="]),
    proposal("undo-press", ["6.14", "6.10, 7.1", "=", "="]),
    proposal("transfer-position", ["7.1b", "7.2.2", "=", "="]),
    proposal("castling-ban", ["B4", "A.4.1.2", "=", "A.5.1.2"]),
    proposal("annul-game", ["7.1a, 7.2", "7.2.1, 7.3", "=", "="]),
    proposal("confirm-move", ["-", "-", "-", "-"]),
    proposal("set-position", ["Preface", "=", "=", "="]),
    proposal("increment-mode", ["-", "III.4", "=", "="]),
    proposal("declare-result", ["8.7", "=", "=", "="]),
    proposal("warning", ["13.4a", "12.9.1", "=", "="]),
    proposal("raise-opponent-score", ["13.4f", "12.9.4", "=", "="]),
    proposal("reduce-offender-score", ["13.4e", "12.9.5", "=", "="]),
    proposal("game-lost", ["13.4d", "12.9.6", "=", "="]),
    proposal("fine", ["-", "12.9.7", "=", "="]),
    proposal("exclude-rounds", ["-", "12.9.8", "=", "="]),
    proposal("expel", ["13.4g", "12.9.9", "=", "="]),
    // 10. Four-player game.
    notice("mate-threat", "info", "inferred", ["T-aim"; 4], Public),
    irregularity("communication-reported", "alert", "entered", ["T10"; 4], Arbiter),
];

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
