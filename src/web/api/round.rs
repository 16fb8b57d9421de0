//! Before the round: which boards are ready.

use axum::extract::State;
use serde_json::{Value, json};

use super::problem::{Closing, LogIn};
use super::{Desk, Json, Problem};
use crate::feed::hub::READINESS;
use crate::web::openapi::Round;

/// Look at the boards before a round
///
/// Every board on which no game is under way, and whether it is ready for its next one.
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
    let is_ready = !boards.is_empty() && boards.iter().all(|board| board["ready"] == true);
    let paired = |name: &String| hall.opened(name)?.pairing.as_ref().map(|pairing| pairing.round);
    let round = hall.open_round_number().or_else(|| names.iter().filter_map(paired).max());
    Ok(Json(json!({ "round": round, "boards": boards, "ready": is_ready })))
}
