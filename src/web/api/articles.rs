//! What the articles of the Laws say, in adoube's own short words.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::problem::{Arguments, Malformed, Unknown};
use super::{Json, Path, Problem, Query};
use crate::web::openapi::Article;
use adoube_rules::laws::{Edition, wording};

/// In which language.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// `en`, `el`, `fi`; English where there is no other.
    lang: Option<String>,
}

/// Look up an article of the Laws
///
/// In short words of ours; of a sub-article that has no words of its own, what it belongs to.
#[utoipa::path(
    get,
    path = "/api/v1/articles/{edition}/{article}",
    tag = "names",
    params(
        ("edition" = String, Path, description = "2005, 2017, 2018 or 2023", example = "2023"),
        ("article" = String, Path, description = "Number of the article", example = "7.5.1"),
        Asked,
    ),
    responses((status = 200, description = "The article", body = Article), Malformed, Unknown, Arguments),
)]
pub(in crate::web) async fn article(
    Path((edition, article)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Problem> {
    let lang = asked.lang.unwrap_or_default();
    let known = Edition::from_name(&edition).ok_or_else(|| {
        let editions = Edition::ALL.map(Edition::name).join(", ");
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("\"{edition}\" is no edition of the Laws; known are {editions}"),
        )
    })?;
    let found = wording(known, &article).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, format!("there are no words for article {article} of {edition}"))
    })?;
    let (title, text) = found.in_language(&lang);
    Ok(Json(json!({ "edition": edition, "article": found.article, "title": title, "text": text })))
}
