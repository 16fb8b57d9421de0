//! Who may ask for what: how one is let in at the desk, and which of its operations take it.

use std::collections::BTreeSet;

use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};

use crate::auth::COOKIE_NAME;
use crate::web::identify::TO_LOG_IN;

/// A token, as programs have it.
const TOKEN: &str = "token";

/// A session, as browsers have it.
const SESSION: &str = "session";

/// The operations of the desk take a token or a session, but those of `open` that only tell something, and those
/// by which one is let in: there, who has none is answered as a spectator.
pub(super) fn secure(document: &mut OpenApi, open: &[&OpenApi]) {
    let told: BTreeSet<&String> = open.iter().flat_map(|document| document.paths.paths.keys()).collect();
    let needs = |name: &str| SecurityRequirement::new::<_, [&str; 0], _>(name, []);
    document.security = Some(vec![needs(TOKEN), needs(SESSION)]);
    let opened = |operation: &mut Option<Operation>| {
        if let Some(operation) = operation {
            operation.security = Some(vec![SecurityRequirement::default(), needs(TOKEN), needs(SESSION)]);
        }
    };
    for (path, item) in &mut document.paths.paths {
        if told.contains(path) {
            opened(&mut item.get);
        }
        if TO_LOG_IN.contains(&path.as_str()) {
            opened(&mut item.get);
            opened(&mut item.post);
        }
    }
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("For programs: a token of \"adoube token add\""));
    let session =
        ApiKeyValue::with_description(COOKIE_NAME, "For the desk's own pages: the cookie of a login");
    let schemes = [
        (TOKEN, SecurityScheme::Http(token.build())),
        (SESSION, SecurityScheme::ApiKey(ApiKey::Cookie(session))),
    ];
    document
        .components
        .get_or_insert_default()
        .security_schemes
        .extend(schemes.map(|(name, scheme)| (name.to_owned(), scheme.into())));
}
