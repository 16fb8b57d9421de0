//! The names of everything that can be said or ruled.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Map, Value, json};

use super::Json;
use crate::auth::{Auth, Role};
use crate::web::openapi::{Name, RulingName};
use adoube_core::ruling::{FORMS, Field};
use adoube_rules::laws::{self, Edition, Row, See, Severity};

/// List everything that can be said
#[utoipa::path(
    get,
    path = "/api/v1/names",
    tag = "names",
    responses((status = 200, description = "Every name of the registry: the types of events", body = [Name])),
)]
pub(in crate::web) async fn names() -> Json<Value> {
    listed(|_| true)
}

/// List everything that can be said in public
#[utoipa::path(
    get,
    path = "/api/v1/names",
    operation_id = "names",
    tag = "names",
    responses((status = 200, description = "The names of the registry that may become public", body = [Name])),
)]
pub(in crate::web) async fn public_names() -> Json<Value> {
    listed(|row| row.see != See::Arbiter)
}

fn listed(choose: impl Fn(&Row) -> bool) -> Json<Value> {
    let rows = laws::names().filter_map(laws::row).filter(|row| choose(row));
    Json(
        rows.map(|row| {
            let articles: Map<String, Value> = Edition::ALL
                .into_iter()
                .map(|edition| (edition.name().to_owned(), row.articles[edition.index()].into()))
                .collect();
            json!({
                "name": row.name, "kind": row.kind, "severity": row.severity.map_or("", Severity::as_str), "certainty": row.certainty,
                "articles": articles, "public": row.see != See::Arbiter,
            })
        })
        .collect(),
    )
}

/// List everything that can be ruled
#[utoipa::path(
    get,
    path = "/api/v1/rulings",
    tag = "names",
    responses((status = 200, description = "Every ruling with its arguments, and who may make it", body = [RulingName])),
)]
pub(in crate::web) async fn rulings(State(auth): State<Arc<Auth>>) -> Json<Value> {
    let field = |field: &Field| {
        json!({
            "name": field.name, "optional": field.is_optional, "kind": field.kind.name(),
            "values": field.kind.values(),
        })
    };
    let forms = FORMS.iter().map(|form| {
        json!({
            "name": form.name, "group": form.group.name(),
            "arguments": form.fields.iter().map(field).collect::<Vec<Value>>(),
            "roles": Role::of_maker(form.maker, auth.operator_results),
        })
    });
    Json(forms.collect())
}
