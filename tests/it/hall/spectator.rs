//! Whoever watches from outside: hears every event that spectators get, and asks for what they may ask.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::task::JoinHandle;

use super::{PATIENCE, movetext};
use crate::daemon::{Site, awaited};
use crate::http::{Events, Heard, Message, get};

/// A spectator who forgets nothing.
pub(super) struct Spectator {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Message>>>,
    task: JoinHandle<()>,
}

impl Drop for Spectator {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Spectator {
    /// Listens from now on.
    pub(super) async fn listen(address: SocketAddr) -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut events = Events::open(address, None).await.unwrap();
        let ears = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            loop {
                match events.next().await {
                    Heard::Message(message) => ears.lock().unwrap().push(message),
                    Heard::Comment => {}
                    Heard::End => return,
                }
            }
        });
        Self { address, heard, task }
    }

    /// All that was heard so far, and what the boards and the game look like now.
    pub(super) async fn knows(&self, game: &str) -> String {
        let mut all: String = self.heard.lock().unwrap().iter().map(|one| format!("{one:?}\n")).collect();
        let game = format!("/api/v1/games/{game}");
        for path in ["/api/v1/boards", "/api/v1/games", &game, &format!("{game}.pgn")] {
            let answer = get(self.address, path).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            all.push_str(&answer.body);
        }
        all
    }

    /// Fails if anything was told that is the arbiter's alone, or if the game itself was not.
    pub(super) async fn was_told_only(&self, site: &Site, pgn_path: &str, pgn: &str, plies: usize) {
        awaited("the game for spectators", PATIENCE, async || {
            let answer = get(self.address, pgn_path).await;
            (answer.status == 200 && movetext(&answer.body) == pgn).then_some(())
        })
        .await;
        let names = get(site.desk, "/api/v1/names").await.json();
        let is_secret = |row: &&Value| row["public"] == false;
        let secrets: Vec<String> =
            names.as_array().unwrap().iter().filter(is_secret).map(|row| row["name"].to_string()).collect();
        assert!(secrets.len() > 100, "{secrets:?}");
        // What can be asked for already may still be on its way to those who listen.
        awaited("every move to be heard", PATIENCE, async || {
            let heard = self.heard.lock().unwrap();
            let made = heard.iter().filter(|message| message.name == "move-made").count();
            (made >= plies).then_some(())
        })
        .await;
        let heard = self.heard.lock().unwrap().clone();
        for message in &heard {
            let name = format!("{:?}", message.name);
            let told = secrets.iter().find(|&secret| *secret == name || message.data.contains(secret));
            assert!(told.is_none(), "spectators heard of {told:?}: {message:?}");
            for key in ["record", "readings", "article", "proposal"] {
                assert!(!message.data.contains(&format!("\"{key}\"")), "spectators heard {key}: {message:?}");
            }
        }
        let game = pgn_path.rsplit('/').next().unwrap().trim_end_matches(".pgn");
        let known = self.knows(game).await;
        let told = secrets.iter().find(|&secret| known.contains(secret));
        assert!(told.is_none(), "spectators can read of {told:?}: {known}");
    }
}
