//! A game as a list shows it.

use serde::Serialize;

use super::{ClockView, GameView, MoveView};
use adoube_core::event::{Player, TeamMatch};
use adoube_rules::GameKind;
use adoube_rules::four::Army;

/// A game as a list shows it: with its last move and how many there are.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct LastMove<'a> {
    game: &'a str,
    board: &'a str,
    round: Option<u32>,
    number: u32,
    variant: GameKind,
    start: &'a str,
    time_control: Option<&'a str>,
    white: &'a Player,
    black: &'a Player,
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<&'a Player>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blue: Option<&'a Player>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    team_match: Option<TeamMatch>,
    result: &'a str,
    opened_at: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    awaited: bool,
    plies: usize,
    moves: &'a [MoveView],
    #[serde(skip_serializing_if = "<[Army]>::is_empty")]
    threats: &'a [Army],
    clock: Option<&'a ClockView>,
    closed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    annulled: bool,
}

impl<'a> LastMove<'a> {
    /// That of `game`.
    #[must_use]
    pub fn of(game: &'a GameView) -> Self {
        Self {
            game: &game.game,
            board: &game.board,
            round: game.round,
            number: game.number,
            variant: game.variant,
            start: &game.start,
            time_control: game.time_control.as_deref(),
            white: &game.white,
            black: &game.black,
            red: game.red.as_ref(),
            blue: game.blue.as_ref(),
            team_match: game.team_match,
            result: &game.result,
            opened_at: &game.opened_at,
            awaited: game.awaited,
            plies: game.moves.len(),
            moves: game.moves.last().map_or(&[], std::slice::from_ref),
            threats: &game.threats,
            clock: game.clock.as_ref(),
            closed: game.closed,
            annulled: game.annulled,
        }
    }
}
