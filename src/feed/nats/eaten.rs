//! Whether a stream still has the beginnings of the games that are played: one with limits throws away its oldest
//! messages, and a relay that starts then has no board to put the rest of the moves on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Context;
use futures_util::TryStreamExt as _;
use tokio::time::sleep;

use super::Trouble;
use super::names::{Names, Side};
use crate::feed::hub::{Hub, Outgoing};
use crate::feed::view::GameView;
use adoube_rules::laws::Name;

/// Between two looks: a stream that throws away goes on doing so, and a relay may start at any time.
const LOOK: Duration = Duration::from_secs(5);

/// After a while, the games that are played and whose beginnings `stream` lacks; `None` if nobody says.
pub(super) async fn look<E: Outgoing>(
    context: Context,
    names: Names,
    side: Side,
    hub: Arc<Hub<E>>,
) -> Option<BTreeSet<String>> {
    sleep(LOOK).await;
    let stream = context.get_stream_no_info(&names.stream).await.ok()?;
    // As long as nothing was thrown away there is nothing to look for, and this is a small answer.
    if stream.get_info().await.ok()?.state.first_sequence <= 1 {
        return Some(BTreeSet::new());
    }
    let begun = |whom: &str| names.subject(Name::GameOpened.as_str(), Some(whom));
    let kept = stream.info_with_subjects(begun_by_anybody(&names)).await.ok()?;
    let kept: BTreeSet<String> = kept.map_ok(|(subject, _)| subject).try_collect().await.ok()?;
    let is_kept = |game: &GameView| match side {
        Side::Public => kept.contains(&begun(&game.game)),
        Side::Private => kept.contains(&begun(&game.board)),
    };
    let is_played = |game: &GameView| !game.closed && !game.awaited && game.result == "*";
    let lacks = |game: &&GameView| is_played(game) && !is_kept(game);
    Some(hub.with_view(|view| view.games().filter(lacks).map(|game| game.game.clone()).collect()))
}

/// The subjects of all beginnings.
fn begun_by_anybody(names: &Names) -> String {
    names.subject(Name::GameOpened.as_str(), None).trim_end_matches('-').to_owned() + "*"
}

/// Says that the beginnings of `games` are gone.
pub(super) fn trouble(names: &Names, games: &BTreeSet<String>) -> Option<Trouble> {
    let game = games.first()?.clone();
    let others = match games.len() - 1 {
        0 => String::new(),
        others => format!(" and of {others} more"),
    };
    Some(Trouble::Eaten { stream: names.stream.clone(), game, others })
}
