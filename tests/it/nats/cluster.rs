//! A cluster of three: any server may go, the one that leads the stream, too.

use futures_util::future::join_all;

use super::server::{NatsServer, contents};
use super::{Truth, hall, is_whole};
use crate::daemon::{PATIENCE, awaited, reserved_address};
use crate::played::LONG;

/// Three servers that know each other.
async fn cluster() -> Option<Vec<NatsServer>> {
    let routes: Vec<_> = (0..3).map(|_| reserved_address()).collect();
    let all: Vec<String> = routes.iter().map(|route| format!("\"nats-route://{route}\"")).collect();
    let prepared = |(nth, route)| {
        let lines = format!(
            "server_name: n{nth}\ncluster {{ name: hall, listen: \"{route}\", routes: [{}] }}",
            all.join(", ")
        );
        NatsServer::prepared(reserved_address(), &lines)
    };
    let servers: Option<Vec<_>> = routes.iter().enumerate().map(prepared).collect();
    Some(join_all(servers?.into_iter().map(NatsServer::started)).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_with_a_server_of_three() {
    let Some(mut servers) = cluster().await else { return };
    let urls: Vec<String> = servers.iter().map(NatsServer::url).collect();
    let list = format!("[\"{}\"]", urls.join("\", \""));
    let (site, players) = hall(LONG, 7.0, "REPLACED", "replicas = 3\nsensed = true");
    site.change("\"REPLACED\"", &list);
    let daemon = site.start();
    let client = async_nats::connect(urls.clone()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let leader = async || {
        let stream = context.get_stream("ADOUBE_PUBLIC").await.ok()?;
        let info = stream.cached_info();
        let leader = info.cluster.as_ref()?.leader.clone()?;
        (info.state.messages > 0)
            .then_some((leader.strip_prefix('n')?.parse::<usize>().ok()?, info.state.messages))
    };
    let grown = async |count: u64| {
        awaited("more messages", PATIENCE, async || leader().await.filter(|(_, messages)| *messages > count))
            .await
    };
    // The leader, then one that follows.
    for follower in [0, 1] {
        let (leads, count) = grown(0).await;
        let victim = (leads + follower) % 3;
        servers[victim].kill();
        let (_, _) = grown(count + 3).await;
        servers[victim].restart().await;
        let (_, count) = grown(0).await;
        grown(count + 3).await;
    }
    awaited("end of the game", PATIENCE, async || players.is_finished().then_some(())).await;
    let whole = async || {
        let truth = Truth::of(&site);
        let streams = [contents(&context, "ADOUBE_PUBLIC").await, contents(&context, "ADOUBE_PRIVATE").await];
        (streams.each_ref().map(Vec::len) == [truth.public.len(), truth.private.len()])
            .then_some((streams, truth))
    };
    let ([public, private], truth) = awaited("all events in the streams", PATIENCE, whole).await;
    is_whole(&public, &truth.public);
    is_whole(&private, &truth.private);
    assert_eq!(daemon.terminate().await, Some(0));
}
