//! The rulings that were made, and which of them are undone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::history::{limit, read};
use super::problem::{Arguments, Closing, LogIn, Malformed, Unknown};
use super::{Desk, Json, Path, Problem, Query};
use crate::journal::Asked as Search;
use crate::web::openapi::Ruled;
use adoube_core::event::finding::Fields;
use adoube_core::event::{Numbered, Said};
use adoube_core::ruling::{Reference, Ruling};

/// How many rulings.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// So many at most; 100 unless told, and never more than 1,000.
    #[param(example = 20)]
    limit: Option<usize>,
}

/// List the rulings that were made on a board
///
/// The newest first, of all its games.
#[utoipa::path(
    get,
    path = "/api/v1/boards/{board}/rulings",
    tag = "rulings",
    params(("board" = String, Path, description = "Name of the board", example = "1"), Asked),
    responses(
        (status = 200, description = "What was ruled, and what is undone", body = [Ruled]),
        Malformed, LogIn, Unknown, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn ruled(
    State(desk): State<Desk>,
    Path(board): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let hall = desk.hall_of(&board)?;
    let search = Search { board: Some(board), ..Search::default() };
    newest_first(&desk, hall.folder.clone(), search, &asked).await
}

/// List the rulings that were made on a game
///
/// The newest first, on whatever board it was played; those that were made after it was closed with them.
#[utoipa::path(
    get,
    path = "/api/v1/games/{game}/rulings",
    tag = "rulings",
    params(("game" = String, Path, description = "Name of the game", example = "5-12"), Asked),
    responses(
        (status = 200, description = "What was ruled, and what is undone", body = [Ruled]),
        Malformed, LogIn, Unknown, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn of_game(
    State(desk): State<Desk>,
    Path(game): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let hall = desk.hall()?;
    let Some((game, _)) = hall.game_at(&game) else {
        let detail = format!("no game is called \"{game}\"; /api/v1/games lists them");
        return Err(Problem::new(StatusCode::NOT_FOUND, detail));
    };
    let search = Search { game: Some(game), ..Search::default() };
    newest_first(&desk, hall.folder.clone(), search, &asked).await
}

async fn newest_first(
    desk: &Desk,
    folder: PathBuf,
    search: Search,
    asked: &Asked,
) -> Result<Json<Value>, Problem> {
    let search = Search { types: vec!["ruled".to_owned()], limit: limit(asked.limit), ..search };
    let mut rulings = desk.look(move || read(&folder, &search)).await?.events;
    rulings.reverse();
    let newest_first: Vec<Fields> = shown(&rulings).into_iter().rev().collect();
    Ok(Json(json!(newest_first)))
}

/// Rulings, the oldest first, each with whether it is undone. An undoing is a ruling, too, and comes after what it undoes:
/// so the newest of them has the last word.
pub(super) fn shown(rulings: &[Numbered]) -> Vec<Fields> {
    let mut undone = BTreeSet::new();
    for event in rulings.iter().rev() {
        let Said::Ruled(ruled) = &event.said else { continue };
        if let Ruling::Undo { ruling: Reference::Number(seq) } = &ruled.ruling
            && !undone.contains(&event.seq)
        {
            undone.insert(*seq);
        }
    }
    let fields = |event: &Numbered| {
        let mut fields = event.json();
        fields.insert("undone".to_owned(), undone.contains(&event.seq).into());
        fields
    };
    rulings.iter().map(fields).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::event::said::Millis;
    use adoube_core::ruling::Ruled;

    fn ruled(seq: u64, ruling: &Value) -> Numbered {
        let (at, t_ms, board) = ("".into(), Millis::of_ns(0), "1".into());
        let said = Said::Ruled(Box::new(Ruled::parse(ruling).unwrap()));
        Numbered { seq, public_id: None, releases: 0, at, t_ms, board, game: None, said, is_durable: true }
    }

    #[test]
    fn an_undoing_that_is_undone_undoes_nothing() {
        let rulings = [
            ruled(5, &json!({ "name": "confirm", "record": 4 })),
            ruled(6, &json!({ "name": "confirm", "record": 5 })),
            ruled(7, &json!({ "name": "undo", "ruling": 6 })),
            ruled(8, &json!({ "name": "undo", "ruling": 5 })),
            ruled(9, &json!({ "name": "undo", "ruling": 8 })),
        ];
        let undone: Vec<Value> = shown(&rulings).into_iter().map(|ruled| ruled["undone"].clone()).collect();
        assert_eq!(undone, [false, true, false, true, false]);
    }
}
