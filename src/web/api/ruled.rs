//! The rulings that were made, and which of them are undone.

use std::collections::BTreeSet;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::history::{limit, read};
use super::problem::{Arguments, Closing, LogIn, Malformed, Unknown};
use super::{Desk, Json, Path, Problem, Query};
use crate::journal::Asked as Search;
use crate::web::openapi::Ruled;

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
    let search = Search {
        board: Some(board),
        types: vec!["ruled".to_owned()],
        limit: limit(asked.limit),
        ..Search::default()
    };
    let folder = hall.folder.clone();
    drop(hall);
    let mut rulings = desk.look(move || read(&folder, &search)).await?.events;
    tell_undone(rulings.iter_mut());
    Ok(Json(json!(rulings)))
}

/// Says of each ruling whether it is undone. An undoing is a ruling, too, and comes after what it undoes: so
/// the newest of them has the last word.
pub(super) fn tell_undone<'a>(newest_first: impl Iterator<Item = &'a mut Map<String, Value>>) {
    let mut undone = BTreeSet::new();
    for ruling in newest_first {
        let number = |key: &str| ruling.get(key).and_then(Value::as_u64);
        let is_undone = number("seq").is_some_and(|seq| undone.contains(&seq));
        if !is_undone && ruling.get("name").is_some_and(|name| name == "undo") {
            undone.extend(number("ruling"));
        }
        ruling.insert("undone".to_owned(), is_undone.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undoing_that_is_undone_undoes_nothing() {
        let rulings = [
            json!({ "seq": 9, "name": "undo", "ruling": 8 }),
            json!({ "seq": 8, "name": "undo", "ruling": 5 }),
            json!({ "seq": 7, "name": "undo", "ruling": 6 }),
            json!({ "seq": 6, "name": "confirm", "record": 5 }),
            json!({ "seq": 5, "name": "note", "text": "x" }),
        ];
        let mut rulings = rulings.map(|ruling| ruling.as_object().unwrap().clone());
        tell_undone(rulings.iter_mut());
        assert_eq!(rulings.map(|ruling| ruling["undone"] == true), [false, true, false, true, false]);
    }
}
