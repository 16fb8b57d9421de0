//! What a scenario asks of the registry of names.

use crate::event::registry::row;

/// Is `name` a name of the registry?
pub(super) fn is_known(name: &str) -> bool {
    !name.is_empty() && (row(name).name == name || names().any(|known| known == name))
}

/// Every name of the registry.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter()
}

const NAMES: [&str; 8] = [
    "move-made", "move-completed", "touch-move-suspected", "illegal-move-completed", "clock-pressed-without-move",
    "time-forfeit", "add-time-opponent", "clock-setting-wrong",
];

/// What an older name is called now.
pub(super) fn canonical(_name: &str) -> Option<&'static str> {
    None
}

/// Only a board that tells men apart can show it.
pub(super) fn needs_identity(_name: &str) -> bool {
    false
}

/// Is it a way in which a game ends?
pub(super) fn is_outcome(name: &str) -> bool {
    row(name).kind == "outcome" || name.starts_with("time-")
}

/// Is it something that the arbiter is asked to do?
pub(super) fn is_proposal(name: &str) -> bool {
    row(name).kind == "proposal"
}

/// How loud `name` is by itself.
pub(super) fn severity(name: &str) -> &'static str {
    row(name).severity
}

/// Is `field`, in snake case, with or without its `_ms`, a field of some event?
pub(super) fn is_field(field: &str) -> bool {
    let with_unit = format!("{field}_ms");
    fields().any(|known| known == field || known == with_unit)
}

/// The fields of DESIGN 5.3, the arguments of DESIGN 5.6 and the payload of laws-registry.md.
pub(super) fn fields() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().flat_map(|line| line.split(' '))
}

const FIELDS: &[&str] = &[
    // The envelope and what every record carries.
    "seq at t_ms board game type kind record status severity certainty article edition window fen_before",
    "fen_after clock readings closed_by basis",
    // Flow of the game.
    "round date number variant start time_control white black result name title serial protocol port age_ms",
    "square piece first_ms white_ms black_ms running flags counter side by ply san uci fen legal confidence",
    "first_lift_ms made_ms cause completed_ms order dwell_ms turn since_ply paths recovered candidates moves",
    "best provisional lapsed difference frames",
    // Set-up, touching, illegal moves, displaced pieces.
    "sub squares missing extra too_late verdict boundary last_common_ply times rule first later obligation played",
    "arbiter_duty rook_released rook kinds count opponent_moved restored_after_ms open ignored position",
    "colour credited announced",
    // The clock.
    "dt_ms boards flag made completed required expected_ms seen_ms context period hint first_flag move_at_ms",
    "flag_at_ms error_ms mate_test expected seen limit minimum target deadline leave_unchanged both",
    // Scoresheets, claims, outcomes, proposals.
    "clock_to_restart do_not_stop_clock reason move text occurrences plies last_pawn_move half_moves rights",
    "en_passant gap options outcome from to ms amount side_running turned choice ruling decision value state id",
    "outcomes seat king counts quiet",
];
