//! Many boards in one hall: each comes, goes and moves while the others go on.

mod entering;
mod isolation;

use adoube::daemon::{Daemon, Settings};
use adoube::hall::{BoardStatus, FleetError};
use adoube::link::Port;
use adoube_core::station::Open;
use adoube_sim::Noise;
use tempfile::TempDir;

use crate::daemon::{PATIENCE, awaited, reserved_address};
use crate::played::{self, LONG, Line, Played, SHORT, demo_game};

/// A hall in this process, with games at so many times the speed of the world.
struct Hall {
    daemon: Daemon,
    _folder: TempDir,
}

impl Hall {
    async fn with(boards: &[(&str, &str)], speed: f64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let boards = boards.iter().map(|(name, port)| (open(name), port.parse().unwrap())).collect();
        let journal = folder.path().join("journal");
        let settings = Settings { boards, speed, ..Settings::new(journal, reserved_address()) };
        Self { daemon: Daemon::start(settings).await.unwrap(), _folder: folder }
    }

    fn status(&self, board: &str) -> Option<BoardStatus> {
        self.daemon.hall.boards_now().into_iter().find(|status| status.board == board)
    }

    async fn is(&self, board: &str, state: &str) -> BoardStatus {
        let is = || self.status(board).filter(|status| status.state == state);
        awaited(&format!("board {board} {state}"), PATIENCE, async || is()).await
    }

    /// The board is heard again after now.
    async fn goes_on(&self, board: &str) {
        let before = self.status(board).unwrap().readings;
        let is_heard = || self.status(board).filter(|status| status.readings > before);
        awaited("readings", PATIENCE, async || is_heard()).await;
    }

    fn shown(&self) -> Vec<String> {
        self.daemon.hall.desk.with_view(|view| view.boards().map(|board| board.board.clone()).collect())
    }
}

fn open(name: &str) -> Open {
    Open::new(name, "dgt", "auto")
}

fn port(text: &str) -> Option<Port> {
    Some(text.parse().unwrap())
}

fn players(game: usize, seed: u64, speed: f64) -> (Played, String) {
    Played::on_tcp(played::board(&demo_game(game), Noise::Clean, seed), speed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_waits_until_it_is_placed_and_goes_where_it_is_told() {
    let (first, at_first) = players(SHORT, 1, 1.0);
    let (_second, at_second) = players(SHORT, 2, 1.0);
    let hall = Hall::with(&[("1", "auto")], 1.0).await;
    let waiting = hall.status("1").unwrap();
    assert_eq!((waiting.state, waiting.port, waiting.origin), ("waiting", None, "configured"));
    hall.daemon.hall.place_board("1", port(&at_first));
    let fresh = hall.is("1", "fresh").await;
    assert_eq!((fresh.port.as_deref(), fresh.serial.as_deref()), (Some(&*at_first), Some("10001")));
    assert!(fresh.age_ms.unwrap() < 15_000 && fresh.heard_utc.is_some() && fresh.reason.is_none());
    hall.daemon.hall.place_board("1", None);
    assert_eq!(hall.is("1", "waiting").await.serial.as_deref(), Some("10001"), "it is still the same board");
    hall.daemon.hall.place_board("1", port(&at_second));
    let moved = async || hall.status("1").filter(|status| status.serial.as_deref() == Some("10002"));
    awaited("the other board", PATIENCE, moved).await;
    assert_eq!(hall.status("1").unwrap().port.as_deref(), Some(&*at_second));
    // The events name the place where the board was then.
    hall.daemon.hall.settled().await.unwrap();
    let port_shown = || hall.daemon.hall.desk.with_view(|view| view.board("1").unwrap().port.clone());
    awaited("the new place", PATIENCE, async || port_shown().filter(|port| *port == at_second)).await;
    // Nobody is there: its link says why not, and what to do.
    drop(first);
    hall.daemon.hall.place_board("1", port(&format!("tcp://{}", reserved_address())));
    let lost = hall.is("1", "lost").await;
    let reason = awaited("a reason", PATIENCE, async || hall.status("1").unwrap().reason).await;
    assert!(reason.contains("is the serial server running"), "{reason} {lost:?}");
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_come_and_go_and_change_their_names_while_another_goes_on() {
    let (_first, at_first) = players(LONG, 1, 5.0);
    let (_second, at_second) = players(SHORT, 2, 5.0);
    let hall = Hall::with(&[("1", &at_first)], 5.0).await;
    let own = &hall.daemon.hall;
    hall.is("1", "fresh").await;
    own.add_board(open("2"), port(&at_second)).await.unwrap();
    assert_eq!(hall.is("2", "fresh").await.origin, "added");
    assert!(matches!(own.add_board(open("2"), None).await, Err(FleetError::Taken(_))));
    assert!(matches!(own.add_board(open("a/b"), None).await, Err(FleetError::Name(_))));
    let unknown = Open { protocol: "morse".to_owned(), ..open("3") };
    let error = own.add_board(unknown, None).await.unwrap_err().to_string();
    assert!(error.contains("board 3: protocol \"morse\" is not known"), "{error}");
    own.add_board(open("3"), None).await.unwrap();
    own.rename_board("3", "Saal 2").await.unwrap();
    assert!(matches!(own.rename_board("3", "4").await, Err(FleetError::Unknown(_))));
    assert!(matches!(own.rename_board("Saal 2", "1").await, Err(FleetError::Taken(_))));
    own.remove_board("Saal 2").await.unwrap();
    hall.goes_on("1").await;
    own.remove_board_anyway("2").await.unwrap();
    awaited("a page without it", PATIENCE, async || (hall.shown() == ["1"]).then_some(())).await;
    assert_eq!(own.boards_now().len(), 1);
    // The same board again, under the same name.
    own.add_board(open("2"), port(&at_second)).await.unwrap();
    hall.is("2", "fresh").await;
    awaited("a page with it", PATIENCE, async || (hall.shown() == ["1", "2"]).then_some(())).await;
    hall.goes_on("1").await;
    let lost = own.desk.with_view(|view| view.board("1").unwrap().state);
    assert_eq!(lost, Some("fresh"));
    hall.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_with_a_game_stays_unless_it_is_forced_and_then_its_game_is_closed() {
    let (hands, at) = players(LONG, 3, 20.0);
    let hall = Hall::with(&[("1", &at)], 20.0).await;
    let own = &hall.daemon.hall;
    let game = || own.desk.with_view(|view| view.games().find(|game| !game.moves.is_empty()).cloned());
    let game = awaited("moves", PATIENCE, async || game()).await.game;
    let refused = own.remove_board("1").await.unwrap_err().to_string();
    assert_eq!(
        refused,
        format!("{game} is being played at board 1; it can be changed when that game has a result")
    );
    assert!(matches!(own.rename_board("1", "2").await, Err(FleetError::Playing { .. })));
    let turned = Open { turned: Some(180), ..open("1") };
    assert!(matches!(own.reopen_board(turned, port(&at)).await, Err(FleetError::Playing { .. })));
    // Only its place is another one: it goes on.
    hands.line.send(Line::Away).unwrap();
    hall.is("1", "lost").await;
    own.reopen_board(open("1"), None).await.unwrap();
    hall.is("1", "waiting").await;
    hands.line.send(Line::Good).unwrap();
    own.reopen_board(open("1"), port(&at)).await.unwrap();
    hall.is("1", "fresh").await;
    own.remove_board_anyway("1").await.unwrap();
    let closed = || own.desk.with_view(|view| view.game(&game).map(|game| game.closed));
    awaited("the game's end", PATIENCE, async || closed().filter(|&closed| closed)).await;
    awaited("an empty page", PATIENCE, async || hall.shown().is_empty().then_some(())).await;
    assert!(own.boards_now().is_empty());
    hall.daemon.stop().await;
}

/// Whatever a start that fails had begun ends with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_fails_leaves_nothing_behind() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let desk = taken.local_addr().unwrap();
    let error = Daemon::start(Settings::new(journal.clone(), desk)).await.err().unwrap().to_string();
    assert!(error.contains("cannot listen there"), "{error}");
    // The journal is free again, for one writer.
    let daemon = Daemon::start(Settings::new(journal, reserved_address())).await.unwrap();
    daemon.stop().await;
}
