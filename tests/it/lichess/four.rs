//! Games of four players: Lichess has no board for them, does not get them, and that is said once.

use std::time::Duration;

use tokio::time::sleep;

use super::mock::Mock;
use super::{FIFTH, Feed, PATIENCE, hall, wanted};
use crate::daemon::awaited;
use crate::four_game::FourGame;

/// Long enough that whatever would still come has come.
const QUIET: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_of_four_players_stays_away_and_holds_nothing_up() {
    let (mut hall, mock) = (hall(2), Mock::default());
    let mut four = FourGame::open(&mut hall, "5-9");
    four.play(&mut hall, &["h2-h4", "b7-d7"]);
    let (feed, _listening) = Feed::start(&hall, &mock).await;
    let chess = |hall: &_| wanted(hall, |game| ["5-1", "5-2"].contains(&game));
    let agreed = async || (mock.games(FIFTH) == chess(&hall)).then_some(());
    awaited("the games of chess", PATIENCE, agreed).await;
    four.play(&mut hall, &["g13-g11", "m8-k8"]);
    hall.play("5-2", "e5");
    let agreed = async || (mock.games(FIFTH) == chess(&hall)).then_some(());
    awaited("the move of a game of chess", PATIENCE, agreed).await;
    sleep(QUIET).await;
    let sent: Vec<String> = mock.pushes().into_iter().flat_map(|push| push.ids).collect();
    assert!(sent.iter().all(|id| !id.ends_with("5-9")), "{sent:?}");
    let status = feed.status(FIFTH);
    assert_eq!((status.state, status.queued, status.failing_since.as_ref()), ("ok", 0, None), "{status:?}");
    let said: Vec<(&str, &str)> =
        status.games.iter().map(|problem| (problem.game.as_str(), problem.error.as_str())).collect();
    assert_eq!(said, [("5-9", "four-player chess: Lichess has no board for it, and does not get it")]);
    feed.stop().await;
}
