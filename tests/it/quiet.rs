//! A board that says the same again and again: few rows in the journal, and every word of it in a replay.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use adoube::hall::stored_inputs;
use adoube::journal::{InputKind, walk};
use adoube_core::station::Input;

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::{game, get, moves};

const START: &str = "open/1 serial=q-1 squares=64 sensing=identity\nboard rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR\n";
/// Ten seconds of the board, in which nobody touches it.
const ALIVE: usize = 200;
const BETWEEN: Duration = Duration::from_millis(10);
const SPEED: f64 = 5.0;

async fn say(host: &mut TcpStream, text: &str) {
    host.write_all(text.as_bytes()).unwrap();
    tokio::time::sleep(BETWEEN).await;
}

/// What the journal has of the board: how often it said that it is alive, in how many rows, and how many of all rows
/// held several.
fn rows(site: &Site) -> (usize, usize, usize) {
    let (mut alive, mut rows, mut quiet) = (0, 0, 0);
    let mut before = 0;
    let errors = walk(&site.path().join("journal"), |walked| {
        let Some(inputs) = stored_inputs(&walked.input) else { return };
        let mut said = 0;
        for (input, at) in inputs {
            assert!(before <= at.mono_ns && at.mono_ns <= walked.input.stamp.mono_ns, "{at:?}");
            before = at.mono_ns;
            if let Input::Bytes(bytes) = input {
                said += String::from_utf8(bytes).unwrap().matches("alive\n").count();
            }
        }
        alive += said;
        rows += usize::from(said > 0);
        quiet += usize::from(walked.input.kind == InputKind::Quiet && said > 1);
    });
    assert!(errors.is_empty(), "{errors:?}");
    (alive, rows, quiet)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_again_and_again_is_a_few_rows_and_is_all_replayed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = Site::new(SPEED, &[format!("tcp://{}", listener.local_addr().unwrap())]);
    site.change("id = \"1\"", "id = \"1\"\nprotocol = \"open\"");
    let daemon = site.start();
    let (mut host, _) = listener.accept().unwrap();
    let mut asked = [0; 64];
    assert!(host.read(&mut asked).unwrap() > 0);
    say(&mut host, START).await;
    let is_there =
        async || (get(site.desk, "/api/v1/boards").await.json()[0]["state"] == "fresh").then_some(());
    awaited("the board", PATIENCE, is_there).await;
    for _ in 0..ALIVE {
        say(&mut host, "alive\n").await;
    }
    // What was said before a move lies before it.
    for change in ["square e2 .\n", "square e4 P\n"] {
        say(&mut host, change).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    let played = async || game(site.desk, "1").await.filter(|game| moves(game).len() == 1);
    awaited("the move", PATIENCE, played).await;
    for _ in 0..ALIVE {
        say(&mut host, "alive\n").await;
    }
    // The last of it waits for more, and an end does not wait for that.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(daemon.terminate().await, Some(0));
    let (alive, rows, quiet) = rows(&site);
    assert_eq!(alive, 2 * ALIVE);
    // On a busy machine several come at once, and are another input.
    assert!(quiet >= 2 && rows < ALIVE / 2, "{rows} rows, {quiet} of them hold several");
    site.verify();

    // Whoever is killed loses some of what said nothing, and nothing else.
    let daemon = site.start();
    let (mut host, _) = listener.accept().unwrap();
    assert!(host.read(&mut asked).unwrap() > 0);
    let after = START.replace("......../......../PPPPPPPP/", "....P.../......../PPPP.PPP/");
    say(&mut host, &after).await;
    let goes_on = async || game(site.desk, "1").await.filter(|game| moves(game).len() == 1);
    awaited("the game", PATIENCE, goes_on).await;
    for _ in 0..ALIVE {
        say(&mut host, "alive\n").await;
    }
    daemon.kill();
    site.verify();
    let (alive, ..) = self::rows(&site);
    assert!((2 * ALIVE + 1..=3 * ALIVE).contains(&alive), "{alive}");
    let made = site.exported().iter().filter(|event| event.contains("\"move-made\"")).count();
    assert_eq!(made, 1);
}
