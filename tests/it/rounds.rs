//! Rounds through the whole daemon: pairings come in, games open on boards with hands at them, and everything is
//! the same after a restart.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use adoube::config::Rounds;
use adoube::daemon::{Daemon, Settings};
use adoube::feed::pgn::{self, EventTags};
use adoube::feed::view::GameView;
use adoube::hall::SecretaryError;
use adoube::journal::{InputKind, Reader, walk};
use adoube::link::Port;
use adoube_core::event::Player;
use adoube_core::event::TeamMatch;
use adoube_core::pairings::{ChangeKind, Pairing, Pairings};
use adoube_core::ruling::Ruled;
use adoube_core::station::Open;
use adoube_rules::sensor::Side;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::daemon::{PATIENCE, awaited, reserved_address};
use adoube::drill::LiveBoard;

/// A second of the hall takes an eighth of one.
const SPEED: f64 = 8.0;

/// Between two looks at something that is awaited.
const LOOK: Duration = Duration::from_millis(20);

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const NOTHING: &str = "8/8/8/8/8/8/8/8";

/// Boards, named from 1, and the daemon in this process.
struct Hall {
    folder: TempDir,
    boards: Vec<LiveBoard>,
    rounds: Rounds,
    daemon: Option<Daemon>,
}

impl Hall {
    async fn open(rounds: Rounds, placements: &[&str]) -> Self {
        let setting = "5400+30".parse().unwrap();
        let boards = placements
            .iter()
            .map(|placement| LiveBoard::new(placement, setting, SPEED, reserved_address()))
            .collect();
        let mut hall = Self { folder: tempfile::tempdir().unwrap(), boards, rounds, daemon: None };
        hall.start().await;
        hall
    }

    async fn start(&mut self) {
        let board = |(number, board): (usize, &LiveBoard)| {
            let port: Port = board.port().parse().unwrap();
            (Open::new(&number.to_string(), "dgt", &port.to_string()), port)
        };
        let settings = Settings {
            boards: (1..).zip(&self.boards).map(board).collect(),
            rounds: self.rounds,
            speed: SPEED,
            ..Settings::new(self.journal(), reserved_address())
        };
        self.daemon = Some(Daemon::start(settings).await.unwrap());
    }

    async fn stop(&mut self) {
        self.daemon.take().unwrap().stop().await;
    }

    fn journal(&self) -> std::path::PathBuf {
        self.folder.path().join("journal")
    }

    fn hall(&self) -> &adoube::hall::Hall {
        &self.daemon.as_ref().unwrap().hall
    }

    /// A game as spectators see it.
    fn game(&self, name: &str) -> Option<GameView> {
        self.hall().public.with_view(|view| view.game(name).cloned())
    }

    /// Waits until spectators see a game that is as it should be.
    #[track_caller]
    fn sees(&self, name: &str, is_right: impl Fn(&GameView) -> bool) -> impl Future<Output = GameView> {
        let caller = std::panic::Location::caller();
        async move {
            let look = async {
                loop {
                    match self.game(name).filter(&is_right) {
                        Some(game) => return game,
                        None => sleep(LOOK).await,
                    }
                }
            };
            match timeout(PATIENCE, look).await {
                Ok(game) => game,
                Err(_) => panic!("{caller}: {name} is {:?} among {:#?}", self.game(name), self.games()),
            }
        }
    }

    /// Every game of a round that spectators have seen, with players: `1-1 at 1: A – B 1-0 closed`.
    fn games(&self) -> Vec<String> {
        let told = |game: &GameView| {
            let name = |player: &Player| player.name.clone().unwrap_or_else(|| "?".to_owned());
            let closed = if game.closed { " closed" } else { "" };
            let GameView { game: own, board, white, black, result, .. } = game;
            format!("{own} at {board}: {} – {} {result}{closed}", name(white), name(black))
        };
        let of_round = |game: &&GameView| game.round.is_some();
        self.hall().public.with_view(|view| view.games().filter(of_round).map(told).collect())
    }

    async fn has_games(&self, expected: &[&str]) {
        let look = async {
            while self.games() != expected {
                sleep(LOOK).await;
            }
        };
        assert!(timeout(PATIENCE, look).await.is_ok(), "{:#?} instead of {expected:#?}", self.games());
    }

    /// Rounds as `1 open 0/2`.
    fn rounds(&self) -> Vec<String> {
        let rounds = self.hall().rounds().into_iter();
        rounds
            .map(|round| format!("{} {} {}/{}", round.round, round.state, round.finished, round.games))
            .collect()
    }

    async fn has_rounds(&self, expected: &[&str]) {
        awaited(&format!("{expected:?}"), PATIENCE, async || (self.rounds() == expected).then_some(())).await;
    }

    async fn rule(&self, board: &str, ruling: Value) {
        let handle = self.hall().board(board).unwrap();
        handle.rule(Ruled::parse(&ruling).unwrap()).await.unwrap();
    }

    async fn result(&self, board: &str, value: &str) {
        self.rule(board, json!({ "name": "result", "value": value })).await;
    }

    async fn import(&self, pairings: Pairings) -> Vec<ChangeKind> {
        let changes = self.hall().import(pairings, Some("tester")).await.unwrap();
        changes.into_iter().map(|change| change.kind).collect()
    }

    /// Two plies at a board, from the start.
    async fn open_with_king_pawns(&self, board: usize) {
        let board = &self.boards[board - 1];
        board.play("e2e4", Side::White).await;
        board.play("e7e5", Side::Black).await;
    }

    /// And back to where the men stood.
    async fn men_go_home(&self, board: usize) {
        let board = &self.boards[board - 1];
        board.carry("e4e2").await;
        board.carry("e5e7").await;
    }

    /// What the journal holds is whole, and replays to the same events.
    fn verify(&self) {
        verify(&self.journal());
    }

    /// The events in the journal: `board game type`, of those types.
    fn journalled(&self, types: &[&str]) -> Vec<String> {
        let events = Reader::open(&self.journal(), 1).map(|stored| stored.unwrap().numbered().unwrap());
        let events = events.filter(|event| types.contains(&event.name().as_str()));
        let told = |event: adoube_core::event::Numbered| {
            let round = event.json().get("round").map(Value::to_string).unwrap_or_default();
            let game = event.game.as_deref().unwrap_or("-").to_owned();
            format!("[{}] {game} {} {round}", event.board, event.name()).trim_end().to_owned()
        };
        events.map(told).collect()
    }
}

fn verify(journal: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    let output = command.args(["verify", "--json", "--journal"]).arg(journal).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &report["problem"], &report["left_out"]),
        (Some(0), &Value::Null, &json!([])),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn player(name: &str) -> Player {
    Player { name: Some(name.to_owned()), ..Player::default() }
}

fn pairing(round: u32, number: u32, white: &str, black: &str) -> Pairing {
    Pairing { round, number, white: player(white), black: player(black), ..Pairing::default() }
}

/// Rounds of games, each with the first letters of its players.
fn pairings(games: &[Pairing]) -> Pairings {
    let mut pairings = Pairings::default();
    for game in games {
        pairings.rounds.entry(game.round).or_default().push(game.clone());
    }
    pairings
}

fn two_rounds() -> Pairings {
    let mut two = pairings(&[
        pairing(1, 1, "A", "B"),
        pairing(1, 2, "C", "D"),
        pairing(2, 1, "C", "A"),
        pairing(2, 2, "B", "D"),
    ]);
    two.dates.insert(1, "2026-05-01".to_owned());
    two
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_open_and_close_by_themselves() {
    let mut hall = Hall::open(Rounds::Auto, &[START, START]).await;
    let white = Player {
        title: Some("GM".to_owned()),
        fide_id: Some(1_234_567),
        federation: Some("ISL".to_owned()),
        elo: Some(2_500),
        team: Some("Reykjavik".to_owned()),
        ..player("A")
    };
    let mut two = two_rounds();
    let first = &mut two.rounds.get_mut(&1).unwrap()[0];
    first.white = white.clone();
    first.team_match = Some(TeamMatch { number: 1, board: 1 });
    assert_eq!(hall.import(two.clone()).await, [ChangeKind::Added; 4]);
    let game = hall.sees("1-1", |_| true).await;
    assert_eq!((game.round, game.number, &game.white), (Some(1), 1, &white));
    assert_eq!(game.team_match, Some(TeamMatch { number: 1, board: 1 }));
    assert_eq!(serde_json::to_value(&game).unwrap()["match"], json!({ "number": 1, "board": 1 }));
    hall.has_games(&["1-1 at 1: A – B *", "1-2 at 2: C – D *"]).await;
    hall.has_rounds(&["1 open 0/2", "2 waiting 0/2"]).await;

    hall.open_with_king_pawns(1).await;
    hall.sees("1-1", |game| game.moves.len() == 2).await;
    let tags = EventTags { event: Some("Open".to_owned()), site: None };
    let shown = pgn::game(&hall.game("1-1").unwrap(), &tags);
    for tag in
        ["[Round \"1.1\"]", "[White \"A\"]", "[WhiteTitle \"GM\"]", "[WhiteElo \"2500\"]", "[Black \"B\"]"]
    {
        assert!(shown.contains(tag), "{tag}: {shown}");
    }

    // A correction in the middle of the game, and a pair that is not in the file any more.
    let mut corrected = pairings(&[pairing(1, 1, "A", "Bee")]);
    corrected.rounds.get_mut(&1).unwrap()[0].white = white;
    assert_eq!(hall.import(corrected).await, [ChangeKind::Changed, ChangeKind::Withdrawn]);
    hall.sees("1-1", |game| game.black.name.as_deref() == Some("Bee")).await;
    hall.sees("1-2", |game| game.closed).await;
    hall.boards[0].play("g1f3", Side::White).await;
    let game = hall.sees("1-1", |game| game.moves.len() == 3).await;
    assert_eq!(game.moves.all()[2].san, "Nf3");

    // It is back, and the round goes on to its end.
    two.rounds.remove(&2);
    hall.import(two).await;
    hall.sees("1-2", |game| !game.closed).await;
    hall.open_with_king_pawns(2).await;
    hall.sees("1-2", |game| game.moves.len() == 2).await;
    hall.result("2", "1/2-1/2").await;
    hall.has_rounds(&["1 open 1/2", "2 waiting 0/2"]).await;
    hall.men_go_home(2).await;
    // Half of the boards are set up.
    hall.has_rounds(&["1 open 1/2", "2 open 0/2"]).await;
    hall.sees("2-2", |game| game.board == "2").await;
    hall.sees("2-1", |game| game.awaited).await;
    hall.result("1", "1-0").await;
    hall.has_rounds(&["1 closed 2/2", "2 open 0/2"]).await;
    hall.sees("2-1", |game| !game.awaited).await;
    hall.has_games(&[
        "1-1 at 1: A – B 1-0 closed",
        "1-2 at 2: C – D 1/2-1/2 closed",
        "2-2 at 2: B – D *",
        "2-1 at 1: C – A *",
    ])
    .await;
    hall.stop().await;
    hall.verify();
    let rounds = hall.journalled(&["round-opened", "round-closed"]);
    assert_eq!(rounds, ["[] - round-opened 1", "[] - round-opened 2", "[] - round-closed 1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_open_and_close_by_command() {
    let mut hall = Hall::open(Rounds::Manual, &[START, START]).await;
    hall.import(two_rounds()).await;
    // Long enough for half of the boards to be ready.
    sleep(Duration::from_secs(1)).await;
    hall.has_rounds(&["1 waiting 0/2", "2 waiting 0/2"]).await;
    let by = Some("tester");
    hall.hall().open_round(1, by).await.unwrap();
    hall.sees("1-2", |_| true).await;
    let again = hall.hall().open_round(1, by).await.unwrap_err();
    assert_eq!(again.to_string(), "round 1 is open already");
    let unknown = hall.hall().open_round(3, by).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no pairings of round 3 are known (1, 2); import them first");

    hall.open_with_king_pawns(1).await;
    hall.sees("1-1", |game| game.moves.len() == 2).await;
    let remarks = hall.hall().open_round(2, by).await.unwrap();
    assert_eq!(remarks, ["board 1: 1-1 has no result yet; 2-1 opens there as soon as it has one"]);
    hall.hall().close_round(2, false, by).await.unwrap();
    let refused = hall.hall().close_round(1, false, by).await.unwrap_err();
    assert!(refused.to_string().starts_with("round 1: no result yet in 1-1; enter"), "{refused}");
    assert!(matches!(refused, SecretaryError::Rounds(_)));
    hall.result("1", "0-1").await;
    hall.sees("1-1", |game| game.result == "0-1").await;
    hall.hall().close_round(1, false, by).await.unwrap();
    hall.sees("1-1", |game| game.closed).await;
    hall.sees("1-2", |game| game.closed && game.result == "*").await;
    hall.has_rounds(&["1 closed 1/2", "2 closed 0/2"]).await;

    // The round before is not needed, and a game without a result is closed by force.
    let remarks = hall.hall().open_round(2, by).await.unwrap();
    assert_eq!(remarks, [""; 0]);
    hall.men_go_home(1).await;
    hall.sees("2-1", |game| game.board == "1").await;
    hall.open_with_king_pawns(1).await;
    hall.sees("2-1", |game| game.moves.len() == 2).await;
    hall.hall().close_round(2, true, by).await.unwrap();
    hall.sees("2-1", |game| game.closed && game.result == "*").await;
    hall.stop().await;
    hall.verify();
    // A restart in the second round would not have read the first.
    let mut openings = 0;
    let errors = walk(&hall.journal(), |walked| {
        let text = String::from_utf8_lossy(&walked.input.data);
        let is_opening = walked.board == "1" && walked.input.kind == InputKind::Open;
        openings += u32::from(is_opening && text.contains("\"carried\"") && text.contains("\"2-1\""));
    });
    assert!(errors.is_empty() && openings > 0, "{errors:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn boards_are_exchanged_before_the_round_and_not_under_the_players() {
    let mut hall = Hall::open(Rounds::Manual, &[START, START, START]).await;
    let by = Some("tester");
    hall.import(two_rounds()).await;
    hall.hall().open_round(1, by).await.unwrap();
    hall.has_games(&["1-1 at 1: A – B *", "1-2 at 2: C – D *"]).await;
    hall.hall().assign("2", "1-1", by).await.unwrap();
    hall.has_games(&["1-1 at 2: A – B *", "1-2 at 1: C – D *"]).await;
    hall.open_with_king_pawns(1).await;
    hall.sees("1-2", |game| game.moves.len() == 2).await;
    let refused = hall.hall().assign("1", "1-1", by).await.unwrap_err();
    assert_eq!(refused.to_string(), "1-1 cannot be played at board 1: 1-2 is being played at board 1");
    let refused = hall.hall().assign("3", "1-2", by).await.unwrap_err();
    assert_eq!(refused.to_string(), "1-2 cannot be played at board 3: 1-2 is being played at board 1");
    let refused = hall.hall().assign("9", "1-1", by).await.unwrap_err();
    assert_eq!(refused.to_string(), "no board is called \"9\"");
    let order = BTreeMap::from([("1-1".to_owned(), "3".to_owned())]);
    hall.hall().reorder(1, &order, by).await.unwrap();
    hall.has_games(&["1-1 at 3: A – B *", "1-2 at 1: C – D *"]).await;
    hall.open_with_king_pawns(3).await;
    hall.sees("1-1", |game| game.moves.len() == 2).await;
    hall.stop().await;
    hall.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pairing_is_played_again_under_another_name() {
    let mut hall = Hall::open(Rounds::Manual, &[START, START]).await;
    hall.import(two_rounds()).await;
    hall.hall().open_round(1, None).await.unwrap();
    hall.sees("1-1", |_| true).await;
    hall.open_with_king_pawns(1).await;
    hall.sees("1-1", |game| game.moves.len() == 2).await;
    hall.rule("1", json!({ "name": "annul-game", "reason": "colours" })).await;
    hall.men_go_home(1).await;
    let again = hall.sees("1-1-2", |_| true).await;
    assert_eq!((again.white.name.as_deref(), again.round, again.number), (Some("A"), Some(1), 1));
    hall.open_with_king_pawns(1).await;
    hall.sees("1-1-2", |game| game.moves.len() == 2).await;
    hall.result("1", "1-0").await;
    awaited("result", PATIENCE, async || (hall.rounds()[0] == "1 open 1/2").then_some(())).await;
    hall.stop().await;
    hall.verify();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_finds_the_same_round_and_the_same_games() {
    let mut hall = Hall::open(Rounds::Auto, &[START, START, NOTHING]).await;
    let mut two = two_rounds();
    two.rounds.get_mut(&1).unwrap().push(pairing(1, 3, "E", "F"));
    two.rounds.get_mut(&2).unwrap().push(pairing(2, 3, "F", "E"));
    hall.import(two).await;
    hall.sees("1-3", |_| true).await;
    hall.open_with_king_pawns(1).await;
    hall.open_with_king_pawns(2).await;
    hall.sees("1-1", |game| game.moves.len() == 2).await;
    hall.sees("1-2", |game| game.moves.len() == 2).await;
    hall.result("2", "1/2-1/2").await;
    hall.men_go_home(2).await;
    let games = ["1-1 at 1: A – B *", "1-2 at 2: C – D 1/2-1/2 closed", "1-3 at 3: E – F *"];
    hall.has_games(&games).await;
    hall.has_rounds(&["1 open 1/3", "2 waiting 0/3"]).await;
    hall.stop().await;

    hall.start().await;
    hall.has_rounds(&["1 open 1/3", "2 waiting 0/3"]).await;
    // Long enough for a start array to open something that it should not.
    sleep(Duration::from_secs(1)).await;
    hall.has_games(&games).await;
    hall.boards[0].play("g1f3", Side::White).await;
    let game = hall.sees("1-1", |game| game.moves.len() == 3).await;
    assert_eq!(game.moves.all()[2].san, "Nf3");
    // It is corrected as before.
    hall.import(pairings(&[pairing(1, 1, "A", "Bee"), pairing(1, 2, "C", "D"), pairing(1, 3, "E", "F")]))
        .await;
    hall.sees("1-1", |game| game.black.name.as_deref() == Some("Bee")).await;
    hall.result("1", "1-0").await;
    hall.result("3", "0-1").await;
    hall.has_rounds(&["1 closed 3/3", "2 waiting 0/3"]).await;
    hall.boards[0].carry("f3g1").await;
    hall.men_go_home(1).await;
    hall.has_rounds(&["1 closed 3/3", "2 open 0/3"]).await;
    hall.stop().await;
    hall.verify();
    let opened = hall.journalled(&["round-opened", "round-closed"]);
    assert_eq!(opened, ["[] - round-opened 1", "[] - round-closed 1", "[] - round-opened 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rulings_at_a_board_are_about_its_round() {
    let mut hall = Hall::open(Rounds::Manual, &[START, START]).await;
    hall.import(two_rounds()).await;
    let rule = async |ruling: Value| {
        let ruling = Ruled::parse(&ruling).unwrap();
        let ruled = hall.hall().rule_rounds("1", &ruling).await;
        ruled.map(|ruled| ruled.map_err(|error| error.to_string()))
    };
    assert_eq!(rule(json!({ "name": "note", "text": "x" })).await, None);
    let none = Some(Err("no round is open".to_owned()));
    assert_eq!(rule(json!({ "name": "round-close" })).await, none);
    assert_eq!(rule(json!({ "name": "round-start" })).await, None, "the board alone is started");
    assert_eq!(rule(json!({ "name": "round-open", "round": 1 })).await, Some(Ok(())));
    hall.sees("1-1", |_| true).await;
    hall.sees("1-2", |_| true).await;
    assert_eq!(rule(json!({ "name": "assign", "board": "2", "game": "1-1" })).await, Some(Ok(())));
    hall.sees("1-1", |game| game.board == "2").await;
    hall.sees("1-2", |game| game.board == "1").await;
    assert_eq!(rule(json!({ "name": "round-start" })).await, Some(Ok(())));
    assert_eq!(rule(json!({ "name": "round-close" })).await, Some(Ok(())));
    hall.has_rounds(&["1 closed 0/2", "2 waiting 0/2"]).await;
    hall.stop().await;
    let started = hall.journalled(&["ruled"]);
    assert_eq!(started, ["[1] 1-2 ruled", "[2] 1-1 ruled"], "each board was told when its round started");
    hall.verify();
}
