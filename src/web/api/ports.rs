//! The ports at which boards may be, for the arbiter's help.

use std::sync::Weak;

use axum::Json;
use axum::extract::State;

use crate::hall::{Hall, PortStatus};

/// List the ports at which boards may be
///
/// What answers there, which board of the hall it is, why something is not used, and what to do. Boards whose ports
/// are not looked at, such as those in the network, are in it too.
#[utoipa::path(
    get,
    path = "/api/v1/ports",
    tag = "about",
    responses((status = 200, description = "The ports, in the order of their names", body = [PortStatus])),
)]
pub(in crate::web) async fn ports(State(hall): State<Weak<Hall>>) -> Json<Vec<PortStatus>> {
    Json(hall.upgrade().map(|hall| hall.ports_now()).unwrap_or_default())
}
