//! What a scenario asks of the registry of names.

use adoube_rules::laws;

/// Is `name` a name of the registry?
pub(super) fn is_known(name: &str) -> bool {
    laws::row(name).is_some()
}

/// That `name` is none, and what to use instead.
pub(super) fn unknown_name(name: &str) -> String {
    format!("no event is called \"{name}\"; {}", laws::hint(name))
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
    "flag_at_ms error_ms mate_test mate_side mate_fen mate_line mate_plies mate_end mate_reason mate_reasons",
    "mate_positions mate_basis mate_nodes expected seen limit minimum needs target deadline leave_unchanged both",
    // Scoresheets, claims, outcomes, proposals.
    "clock_to_restart do_not_stop_clock reason move text occurrences plies last_pawn_move half_moves rights",
    "en_passant gap options outcome from to ms amount unit side_running turned choice ruling decision value state id",
    "outcomes seat king counts quiet signs claim left_ms since_ms default_ms paused_ms amount_ms of then unchanged end",
    // What our own records carry beside.
    "at_ply displaced halfmoves released stood_ms subs swapped player offers claims evidence since",
    "sides opponent moved mover draw_offers move_list list sheet requirement tolerance time sealed",
    "by_whom reasons captured promoted promotion admissible positions touches clock_before fault parts",
];
