//! Where we listen, and whom we send to, as far as that is configured.

use std::io::ErrorKind;
use std::net::SocketAddr;

use super::check::Check;
use super::system::System;
use crate::config::Config;

/// All of them.
pub(super) fn all(system: &dyn System, config: &Config, is_running: bool) -> Vec<Check> {
    let mut listeners = vec![("the desk", config.web.arbiter)];
    listeners.extend(config.web.public.map(|address| ("spectators", address)));
    listeners.extend(config.feeds.livechess.as_ref().map(|feed| ("the LiveChess API", feed.address)));
    let mut checks: Vec<Check> =
        listeners.into_iter().map(|(what, address)| listener(system, what, address, is_running)).collect();
    for (check, host, port) in servers(config) {
        checks.push(server(system, check, &host, port));
    }
    checks
}

fn listener(system: &dyn System, what: &str, address: SocketAddr, is_running: bool) -> Check {
    let name = "listener";
    let port = address.port();
    match system.can_listen(address) {
        Ok(()) if is_running => {
            let what = format!("a daemon runs, but not with {what} at {address}");
            Check::warning(name, what, "give the daemon's own file with --config, or restart it")
        }
        Ok(()) => Check::ok(name, format!("{address} is free for {what}")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_running => {
            Check::ok(name, format!("{address} is held, and a daemon is running"))
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let what = format!("{address}, for {what}, is held by another program");
            Check::problem(name, what, format!("sudo ss -ltnp 'sport = :{port}' shows which; stop it"))
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let what = format!("{address}, for {what}: not permitted");
            Check::problem(name, what, "take a port above 1023 in [web]")
        }
        Err(error) => Check::problem(
            name,
            format!("{address}, for {what}: {error}"),
            "ip address shows what is possible",
        ),
    }
}

/// Whom we send to: check, host and port.
fn servers(config: &Config) -> Vec<(&'static str, String, u16)> {
    let mut servers = Vec::new();
    let feeds = &config.feeds;
    for server in feeds.nats.iter().flat_map(|nats| &nats.url) {
        servers.push(("nats", server.host().to_owned(), server.port()));
    }
    let urls = [
        ("lichess", feeds.lichess.as_ref().map(|feed| &feed.url)),
        ("webhook", feeds.webhook.as_ref().map(|feed| &feed.url)),
    ];
    for (check, url) in urls {
        let Some(url) = url else { continue };
        if let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) {
            servers.push((check, host.trim_matches(['[', ']']).to_owned(), port));
        }
    }
    servers
}

fn server(system: &dyn System, check: &'static str, host: &str, port: u16) -> Check {
    match system.can_reach(host, port) {
        Ok(()) => Check::ok(check, format!("{host}:{port} answers")),
        // What is to be sent waits in the journal.
        Err(error) => {
            let fix =
                format!("is the network there, and [feeds.{check}] right? getent hosts {host}; ip route");
            Check::warning(check, format!("{host}:{port} cannot be reached: {error}"), fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::Level;
    use super::super::fixture::Fixture;
    use super::*;

    const CONFIG: &str = "[web]\npublic = \"0.0.0.0:8080\"\n[feeds.nats]\nurl = \"nats://nats.example:4222\"\n\
                          [feeds.lichess]\nround = \"abcdefgh\"\ntoken = \"/t\"\n";

    fn checks(system: &Fixture, is_running: bool) -> Vec<(Level, String)> {
        let config = Config::parse("adoube.toml", CONFIG).unwrap();
        all(system, &config, is_running).into_iter().map(|check| (check.level, check.what)).collect()
    }

    #[test]
    fn addresses_are_free_or_ours() {
        let mut system = Fixture::new();
        assert_eq!(checks(&system, false)[0], (Level::Ok, "127.0.0.1:8064 is free for the desk".to_owned()));
        assert_eq!(checks(&system, true)[0].0, Level::Warning, "the daemon is elsewhere");
        let desk = "127.0.0.1:8064".parse().unwrap();
        system.taken.insert(desk, ErrorKind::AddrInUse);
        assert_eq!(checks(&system, true)[0].0, Level::Ok);
        assert_eq!(checks(&system, false)[0].0, Level::Problem);
        system.taken.insert(desk, ErrorKind::PermissionDenied);
        assert!(checks(&system, false)[0].1.ends_with("not permitted"));
        assert_eq!(checks(&system, false)[1].0, Level::Ok, "the other address");
    }

    #[test]
    fn servers_are_asked_only_if_they_are_configured() {
        let mut system = Fixture::new();
        let unreachable = checks(&system, false);
        assert!(unreachable[2].1.starts_with("nats.example:4222 cannot be reached"), "{unreachable:?}");
        assert!(unreachable[3].1.starts_with("lichess.org:443 cannot be reached"), "{unreachable:?}");
        assert_eq!(unreachable.len(), 4);
        system.reachable = vec![("nats.example".to_owned(), 4222), ("lichess.org".to_owned(), 443)];
        assert!(checks(&system, false)[2..].iter().all(|(level, _)| *level == Level::Ok));
        assert_eq!(all(&system, &Config::default(), false).len(), 1);
    }
}
