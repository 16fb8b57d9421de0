//! What nobody can know, and somebody who should not be there.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use super::server::{NatsServer, slow_line};
use super::{Truth, ended_whole, feed, hall, is_played_out, is_whole, stands};
use crate::daemon::{PATIENCE, awaited, reserved_address};
use crate::played::{LONG, SHORT};

const SPEED: f64 = 10.0;

/// A line on which the answers get lost: those of the connections that there were when it became mute. What is
/// said to the server goes on getting there.
struct Proxy {
    address: SocketAddr,
    /// How often it became mute.
    mute: watch::Sender<u32>,
}

impl Proxy {
    async fn to(server: SocketAddr) -> Self {
        let address = reserved_address();
        let listener = TcpListener::bind(address).await.unwrap();
        let mute = watch::Sender::new(0);
        let muted = mute.subscribe();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let Ok(server) = TcpStream::connect(server).await else { continue };
                tokio::spawn(pass(client, server, muted.clone()));
            }
        });
        Self { address, mute }
    }

    fn mute(&self) {
        self.mute.send_modify(|times| *times += 1);
    }
}

async fn pass(client: TcpStream, server: TcpStream, mute: watch::Receiver<u32>) {
    let begun = *mute.borrow();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let said = tokio::io::copy(&mut from_client, &mut to_server);
    let answered = async {
        let mut buffer = [0; 4_096];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            if *mute.borrow() == begun && to_client.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = said => {}
        () = answered => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_whose_answer_is_lost_is_not_sent_twice() {
    let Some(server) = NatsServer::start().await else { return };
    let proxy = Proxy::to(server.address).await;
    let (site, players) = hall(LONG, SPEED, &format!("nats://{}", proxy.address), "sensed = true");
    let daemon = site.start();
    awaited("some moves", PATIENCE, async || (players.plies() > 10).then_some(())).await;
    for _ in 0..2 {
        proxy.mute();
        stands(&site, "ADOUBE_PUBLIC", "failing", "not answered in time").await;
        stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
    }
    is_played_out(&site, &players, &server, Duration::from_secs(50)).await;
    let truth = ended_whole(&site, daemon, &server).await;
    is_whole(&server.contents("ADOUBE_PUBLIC").await, &truth.public);
    is_whole(&server.contents("ADOUBE_PRIVATE").await, &truth.private);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_else_who_writes_the_stream_is_named_and_not_written_behind() {
    let Some(server) = NatsServer::start().await else { return };
    // Answers take their time: several events are under way, and some of them after the message.
    let line = slow_line(server.address, Duration::from_millis(300)).await;
    let (site, _players) = hall(LONG, SPEED, &format!("nats://{line}"), "private = false");
    let daemon = site.start();
    awaited("some events", PATIENCE, async || {
        (server.contents("ADOUBE_PUBLIC").await.len() > 10).then_some(())
    })
    .await;
    let context = server.context().await;
    let foreign = context.publish("adoube.public.greeting.-", "hello".into()).await.unwrap().await.unwrap();
    let said = format!(
        "somebody else writes stream ADOUBE_PUBLIC: its message {} is of another program, not ours",
        foreign.sequence
    );
    stands(&site, "ADOUBE_PUBLIC", "failing", &said).await;
    // It stays so, over a restart, too, until somebody takes the message out.
    assert_eq!(daemon.terminate().await, Some(0));
    let daemon = site.start();
    stands(&site, "ADOUBE_PUBLIC", "failing", &said).await;
    let stream = context.get_stream("ADOUBE_PUBLIC").await.unwrap();
    assert_eq!(stream.get_info().await.unwrap().state.last_sequence, foreign.sequence);
    stream.delete_message(foreign.sequence).await.unwrap();
    stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
    let has_all = async || {
        let lines: Vec<_> =
            server.contents("ADOUBE_PUBLIC").await.into_iter().map(|stored| stored.line).collect();
        let truth: Vec<_> = Truth::of(&site).public.into_iter().map(|(_, line)| line).collect();
        (lines == truth).then_some(lines.len())
    };
    let count = awaited("all events", PATIENCE, has_all).await;
    assert!(count > 10, "{count}");
    assert_eq!(daemon.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_goes_on_with_another_journal_but_not_with_two() {
    let Some(server) = NatsServer::start().await else { return };
    let (old, players) = hall(SHORT, 40.0, &server.url(), "");
    let daemon = old.start();
    is_played_out(&old, &players, &server, PATIENCE).await;
    let truth = ended_whole(&old, daemon, &server).await;
    let before = server.contents("ADOUBE_PUBLIC").await;
    is_whole(&before, &truth.public);

    // As if the journal had been taken away: the next tournament.
    let (new, players) = hall(SHORT, 40.0, &server.url(), "");
    let daemon = new.start();
    is_played_out(&new, &players, &server, PATIENCE).await;
    // What it has said since is all that there is behind the old one; a late word of its own may come at any time.
    let goes_on = async || {
        let all = server.contents("ADOUBE_PUBLIC").await;
        assert_eq!(all[..before.len()], before);
        let after: Vec<_> =
            all[before.len()..].iter().map(|stored| (stored.number(), stored.line.clone())).collect();
        (after == Truth::of(&new).public).then_some(())
    };
    awaited("the new journal behind the old one", PATIENCE, goes_on).await;

    // The old one is started again by mistake: it knows that it has written here before.
    let _old = old.start();
    let said = stands(&old, "ADOUBE_PUBLIC", "failing", "somebody else writes stream ADOUBE_PUBLIC").await;
    assert!(said["last_error"].as_str().unwrap().contains("of an adoube, not ours"), "{said}");
    sleep(Duration::from_millis(500)).await;
    awaited("the new journal alone behind the old one", PATIENCE, goes_on).await;
    assert_eq!(feed(&new, "ADOUBE_PUBLIC").await["state"], "ok");
    assert_eq!(daemon.terminate().await, Some(0));
}

/// A relay that starts then has moves, and no board to put them on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_has_thrown_away_the_beginning_of_a_game_is_failing() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.context().await;
    let config = async_nats::jetstream::stream::Config {
        name: "ADOUBE_PUBLIC".to_owned(),
        subjects: vec!["adoube.public.>".to_owned()],
        max_messages: 30,
        ..Default::default()
    };
    context.create_stream(config.clone()).await.unwrap();
    let (site, players) = hall(LONG, 20.0, &server.url(), "private = false");
    let daemon = site.start();
    let said = stands(&site, "ADOUBE_PUBLIC", "failing", "thrown away the beginning of game ").await;
    assert!(said["last_error"].as_str().unwrap().contains("nats stream edit ADOUBE_PUBLIC"), "{said}");
    // What is sent gets there all the same.
    let delivered = said["delivered"].as_u64().unwrap();
    let goes_on = async || {
        let feed = feed(&site, "ADOUBE_PUBLIC").await;
        (feed["state"] == "failing" && feed["delivered"].as_u64()? > delivered + 3).then_some(())
    };
    awaited("more events in the stream", PATIENCE, goes_on).await;
    // Nobody plays any more whose beginning would be missed.
    awaited("end of the game", Duration::from_secs(50), async || players.is_finished().then_some(())).await;
    stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
    assert_eq!(daemon.terminate().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_removed_is_made_and_filled_again() {
    let Some(server) = NatsServer::start().await else { return };
    let (site, players) = hall(SHORT, SPEED, &server.url(), "");
    let daemon = site.start();
    awaited("some moves", PATIENCE, async || (players.plies() > 10).then_some(())).await;
    let context = server.context().await;
    context.delete_stream("ADOUBE_PUBLIC").await.unwrap();
    // The next event finds no stream.
    let moves = players.plies();
    awaited("more moves", PATIENCE, async || (players.plies() > moves + 2).then_some(())).await;
    stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
    is_played_out(&site, &players, &server, Duration::from_secs(50)).await;
    let truth = ended_whole(&site, daemon, &server).await;
    is_whole(&server.contents("ADOUBE_PUBLIC").await, &truth.public);
}
