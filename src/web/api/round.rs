//! Before the round: which boards are ready.

use axum::extract::State;
use serde_json::{Value, json};

use super::problem::{Closing, LogIn};
use super::{Desk, Json, Problem};
use crate::feed::hub::READINESS;
use crate::web::openapi::Round;

/// Look at the boards before a round
///
/// Every board on which no game is under way, and whether it is ready for its next one; and the round that comes next, if
/// its pairings are known and it is not open.
#[utoipa::path(
    get,
    path = "/api/v1/round",
    tag = "records",
    responses((status = 200, description = "The boards", body = Round), LogIn, Closing),
)]
pub(in crate::web) async fn round(State(desk): State<Desk>) -> Result<Json<Value>, Problem> {
    let hall = desk.hall()?;
    let names =
        hall.desk.with_view(|view| view.boards().map(|board| board.board.clone()).collect::<Vec<_>>());
    let boards: Vec<Value> =
        names.iter().filter_map(|name| hall.desk.of_board(name).1.remove(READINESS)).collect();
    let next = hall.next_round();
    let is_of_round = |name: &str| {
        hall.desk.with_view(|view| {
            let game = view.board(name).and_then(|board| view.game(board.game.as_deref()?));
            game.is_some_and(|game| game.round.is_some() && !game.closed)
        })
    };
    // A board is judged by the game for which it is set up: by the one that comes next, if none is open there. One that has
    // no game in that round need not be ready.
    let is_ready_for = |board: &Value| {
        let name = board["board"].as_str().unwrap_or_default();
        match &next {
            Some((_, games)) if !is_of_round(name) => games.get(name).is_none_or(|game| {
                let has_names = game.players().all(|(_, player)| player.name.is_some());
                let only_names = |reason: &Value| reason == "players";
                has_names && board["reasons"].as_array().is_some_and(|reasons| reasons.iter().all(only_names))
            }),
            _ => board["ready"] == true,
        }
    };
    let is_ready = !boards.is_empty() && boards.iter().all(is_ready_for);
    let paired = |name: &String| hall.opened(name)?.pairing.as_ref().map(|pairing| pairing.round);
    let round = hall.open_round_number().or_else(|| names.iter().filter_map(paired).max());
    let next = next.map(|(round, games)| json!({ "round": round, "games": games }));
    Ok(Json(json!({ "round": round, "boards": boards, "ready": is_ready, "next": next })))
}
