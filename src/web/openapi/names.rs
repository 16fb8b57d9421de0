//! Names to look up: of events, of rulings, of articles.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::Role;

/// A name of the registry.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Name {
    /// The name: the type of events.
    #[schema(example = "illegal-move-completed")]
    name: String,
    /// What kind of name it is.
    kind: String,
    /// How urgent it usually is.
    severity: String,
    /// How it is known.
    certainty: String,
    /// Articles by edition; null where there is no rule.
    articles: BTreeMap<String, Option<String>>,
    /// It may become public.
    public: bool,
}

/// A ruling that can be made.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct RulingName {
    /// Its name.
    #[schema(example = "correct-move")]
    name: String,
    /// What it belongs to.
    #[schema(example = "position")]
    group: String,
    /// What it takes.
    arguments: Vec<Argument>,
    /// Who may make it.
    roles: Vec<Role>,
}

/// An argument of a ruling.
#[derive(Debug, Serialize, ToSchema)]
struct Argument {
    /// Its name.
    #[schema(example = "ply")]
    name: String,
    /// It may be left out.
    optional: bool,
    /// The field that a form has for it.
    #[schema(example = "ply")]
    kind: String,
    /// The values that a form offers; empty if it takes any.
    values: Vec<String>,
}

/// What an article says, in short words of ours.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Article {
    /// Edition of the Laws.
    #[schema(example = "2023")]
    edition: String,
    /// The article; of a part that has no words of its own, what it belongs to.
    #[schema(example = "7.5.1")]
    article: String,
    /// Its title.
    title: String,
    /// What it says.
    text: String,
}
