//! What else a board could show, for the arbiter: no event, and never public.

use serde_json::{Map, Value, json};

use adoube_core::infer::Choice;
use adoube_rules::Played;

/// What the desk is told of `board`: the moves that ply `ply` may have been, likeliest first; none once
/// it is certain.
#[must_use]
pub fn alternatives(board: &str, choice: Option<&Choice>) -> Map<String, Value> {
    let moves: Vec<Value> = choice
        .iter()
        .flat_map(|choice| &choice.moves)
        .map(|(played, chance_milli)| {
            json!({ "san": played.as_ref().map(Played::san), "chance": f64::from(*chance_milli) / 1_000.0 })
        })
        .collect();
    let mut json = Map::new();
    json.insert("board".into(), board.into());
    json.insert("doubtful_ply".into(), choice.map(|choice| choice.ply.number()).into());
    json.insert("alternatives".into(), moves.into());
    json
}
