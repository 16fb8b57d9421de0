//! How the feeds stand that go to others.

use std::sync::Weak;

use axum::Json;
use axum::extract::State;

use crate::feed::status::FeedStatus;
use crate::hall::Hall;

/// List the feeds that go to others, and how they stand
#[utoipa::path(
    get,
    path = "/api/v1/feeds",
    tag = "about",
    responses((status = 200, description = "Those that are set up", body = [FeedStatus])),
)]
pub(in crate::web) async fn feeds(State(hall): State<Weak<Hall>>) -> Json<Vec<FeedStatus>> {
    Json(hall.upgrade().map(|hall| hall.feeds()).unwrap_or_default())
}
