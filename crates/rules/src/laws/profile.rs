//! A profile: every parameter of the Laws with the value that holds in this game.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::parameter::number_or_none;
use super::{
    ArbiterActs, BoardParity, BothFlags, BothFlagsUnknown, ClaimRight, ClaimScope, Class, CounterScope,
    CountsFrom, Edition, EpWindow, FlagCall, GameEnd, IllegalPosition, MisplacedCastling, Penalty,
    SeatAfterRed, Supervision, TurnBegins, UnreplacedPawn, Until,
};

/// The edition in force, in the form most played.
const DEFAULT: &str = "fide-2023-standard";

/// The Laws as they hold in one game.
///
/// Values come from `profiles.toml`; what depends on class and supervision is already resolved.
/// [`Profile::set`] changes them by these names. Articles are those of 2018 unless said otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name: `fide-2018-rapid-reduced`.
    #[serde(skip)]
    pub name: &'static str,
    /// The edition whose articles are cited.
    #[serde(skip)]
    pub edition: Edition,
    /// The class of play.
    #[serde(skip, default = "standard")]
    pub class: Class,
    /// How closely arbiters watch.
    #[serde(skip, default = "full")]
    pub supervision: Supervision,
    /// Is it a national profile?
    #[serde(skip)]
    pub(super) is_national: bool,
    /// Is the game rated by FIDE? Then the edition decides whatever the Laws fix (Preface).
    pub(super) fide_rated: bool,

    // Moves and touching.
    /// When the opponent has the move (1.3).
    pub turn_begins: TurnBegins,
    /// Does the same side's next move complete an unpressed one (6.2.1.2)?
    pub retro_completion: bool,
    /// Ends of the game that complete a move without a press (6.2.1.1).
    pub game_end_completes: BTreeSet<GameEnd>,
    /// Must the mating move obey Article 4, so that an open record holds the result (5.1.1)?
    pub mate_needs_article4: bool,
    /// Which breaches lapse at the opponent's touch (4.8).
    pub article4_claim_scope: ClaimScope,
    /// Must the arbiter act on Article 4 by himself (12.1; 2005: B5)?
    pub article4_arbiter_duty: bool,
    /// May an assistant move the pieces at all (4.9)?
    pub assistant_allowed: bool,
    /// Whose pieces an assistant moves: no touch of that side binds (4.9).
    pub assistant_moves: [bool; 2],

    // Illegal moves and other irregularities.
    /// Which completed illegal move of a player loses (7.5.5).
    pub illegal_limit: u32,
    /// What the opponent gets for the earlier ones (7.5.5); `None`: there are none, or no bonus.
    #[serde(deserialize_with = "number_or_none")]
    pub illegal_bonus_s: Option<u32>,
    /// Is the loss a draw if the opponent cannot mate (7.5.5)?
    pub illegal_loss_drawn_if_no_mate: bool,
    /// Is the loss the opponent's claim to a win (2005 blitz: C3)?
    pub illegal_win_claim: bool,
    /// Do different kinds add up (7.5.5)?
    pub illegal_counter_scope: CounterScope,
    /// Until when it can be corrected (7.5.1, A.4.2).
    pub illegal_correctable_until: Until,
    /// When the arbiter acts by himself (A.4.2).
    pub illegal_arbiter_acts: ArbiterActs,
    /// Both kings in check, or a pawn on its last rank (A.4.4).
    pub illegal_position_rule: IllegalPosition,
    /// What becomes of a pawn left on its last rank (7.5.2).
    pub unreplaced_pawn: UnreplacedPawn,
    /// Is a press without a move an illegal move (7.5.3)?
    pub press_without_move_is_illegal: bool,
    /// Is a move with two hands an illegal move (7.5.4)?
    pub two_hands_is_illegal: bool,
    /// … only if the clock was pressed?
    pub two_hands_needs_press: bool,
    /// Moves completed by each up to which a wrong start can be claimed (A.4.1.2); `None`: always.
    #[serde(deserialize_with = "number_or_none")]
    pub setup_claim_deadline_moves: Option<u32>,
    /// The same for a wrong clock setting (A.4.1.1).
    #[serde(deserialize_with = "number_or_none")]
    pub clock_setting_deadline_moves: Option<u32>,
    /// Castling with a piece that stood wrong at the start (A.4.1.2).
    pub misplaced_castling: MisplacedCastling,
    /// Moves by both below which reversed colours mean a new game (7.3); `None`: the game goes on.
    #[serde(deserialize_with = "number_or_none")]
    pub colours_reversed_restart_below: Option<u32>,
    /// Does a game that ended before stand (7.3)?
    pub colours_reversed_early_result_stands: bool,
    /// May a player's press be a demand to correct (national blitz)?
    pub press_may_be_demand: bool,

    // Clock, arrival, classes.
    /// After how long the absent player loses (6.7.1); `None`: never by the clock.
    #[serde(deserialize_with = "number_or_none")]
    pub default_time_min: Option<u32>,
    /// From when it counts (6.7.1).
    pub default_counts_from: CountsFrom,
    /// The default time of a resumption (I.10); where the Laws set none, [`Self::default_time_min`].
    #[serde(deserialize_with = "number_or_none")]
    pub adjourned_default_min: Option<u32>,
    /// Is unused time kept for the next period (6.3.2)?
    pub carry_over_time: bool,
    /// Is the first increment on the clock before the first move?
    pub increment_before_first_move: bool,
    /// What White and Black lack of the starting time (6.2.6).
    pub time_handicap_s: [u32; 2],
    /// Is there a rule for a wrong clock setting (6.10.2)?
    pub clock_setting_rule: bool,
    /// Who may call a flag (6.8, A.4.5).
    pub flag_called_by: FlagCall,
    /// Must the claimant's own flag be up (A.4.3; 2005: B8)?
    pub flag_claim_own_flag_up: bool,
    /// Both flags down, the first one known (6.4).
    pub both_flags_order_known: BothFlags,
    /// Both flags down, the first one unknown (III.3.1).
    pub both_flags_order_unknown: BothFlagsUnknown,
    /// Is quickplay finish in force (III.2.1; 2005: 10)?
    pub qpf_enabled: bool,
    /// … never in blitz (2005: C2)?
    pub qpf_excluded_blitz: bool,
    /// … never with an increment (III.2.2)?
    pub qpf_excluded_increment: bool,
    /// Below what a player may claim (III.4, III.5).
    pub qpf_threshold_s: u32,
    /// What the opponent gets for a wrong claim, and may get for a postponed one (III.4, III.5).
    pub qpf_bonus_s: u32,
    /// The increment that a player may ask for instead (III.4).
    #[serde(deserialize_with = "number_or_none")]
    pub qpf_increment_s: Option<u32>,

    // Draws, results, records, conduct.
    /// Moves that each must have made before a draw is agreed (5.2.3).
    pub draw_agreement_min_moves: u32,
    /// The event's own limit (9.1.1).
    pub draw_min_moves: u32,
    /// Is no draw agreed without the arbiter's consent (9.1.1)?
    pub draw_needs_arbiter: bool,
    /// Occurrences that end the game (9.6.1).
    #[serde(deserialize_with = "number_or_none")]
    pub rep_auto: Option<u32>,
    /// Moves by each that end the game (9.6.2).
    #[serde(deserialize_with = "number_or_none")]
    pub moves_auto: Option<u32>,
    /// By what the right to claim this turn is lost (9.4).
    pub claim_right_lost_by: ClaimRight,
    /// What the opponent gets for a wrong claim (9.5.3).
    pub wrong_claim_bonus_s: u32,
    /// Does the claimant lose time (2005: 9.5b)?
    pub wrong_claim_cuts_claimant: bool,
    /// Is a resignation a draw if the opponent cannot mate (2023: 5.1.2)?
    pub resignation_draw_if_no_mate: bool,
    /// Below what a player need not record (8.4).
    pub scoresheet_exempt_below_s: u32,
    /// … if the increment is below this (8.4).
    pub scoresheet_exempt_if_increment_below_s: u32,
    /// Must the players record (8.1, A.2)?
    pub recording_required: bool,
    /// The penalty ladder (12.9).
    pub penalties: BTreeSet<Penalty>,
    /// Are games adjourned (guideline I; 2005: appendix A)?
    pub adjournment: bool,

    // The four-player game's own (four-player.md, section 8).
    /// The colour of k1.
    pub board_parity: BoardParity,
    /// Who sits at Red's left hand.
    pub seat_after_red: SeatAfterRed,
    /// How long a pawn may be taken in passing.
    pub ep_window: EpWindow,
    /// May no move expose the partner's king?
    pub protect_partner: bool,
    /// May a draw be claimed by repetition and by counting moves?
    pub draw_claims: bool,
    /// How deep the arms of the cross are, in squares.
    pub wing_depth: u32,

    // Not in the Laws.
    /// How long a picture must stand still to be settled.
    pub settle_ms: u32,
    /// How long frames may follow the press that they belong to.
    pub press_settle_ms: u32,
    /// After how long at rest a piece counts as released.
    pub release_dwell_ms: u32,
    /// How long a lift lasts to count as a touch.
    pub touch_dwell_ms: u32,
    /// Within what two pieces at once hint at two hands; 0: no hint.
    pub two_hand_ms: u32,
    /// Within what mate and flag are too close to call.
    pub order_tolerance_ms: u32,
    /// After how long a forgotten press is noted.
    pub clock_not_pressed_after_s: u32,
    /// After how long without its link a board is an alert.
    pub disconnect_alert_s: u32,
    /// How often both times are noted.
    pub time_check_interval_min: u32,
    /// Below what a player is in time trouble.
    pub time_trouble_s: u32,
    /// What the search for a mate may cost.
    pub mate_search_nodes: u32,

    /// What was set, by parameter, as written: [`Profile::set`] resolves everything anew.
    #[serde(skip)]
    pub(super) settings: BTreeMap<String, String>,
}

// What serde puts into skipped fields, until the profile's name has been read.
fn standard() -> Class {
    Class::Standard
}

fn full() -> Supervision {
    Supervision::Full
}

impl Default for Profile {
    fn default() -> Self {
        static USUAL: LazyLock<Profile> =
            LazyLock::new(|| Profile::named(DEFAULT).expect("the default is one of the profiles"));
        USUAL.clone()
    }
}
