//! Sockets that a service manager opened: nobody who comes while the daemon is away is turned away.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use tokio::task::spawn_blocking;

use crate::daemon::{PATIENCE, Site, reserved_address};
use crate::http::get;

/// The command as a manager runs it that hands over this socket: as file 3, with its name and for this process.
pub(crate) fn handing(command: &Command, socket: &TcpListener, name: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec 3<&0 </dev/null; LISTEN_PID=$$ exec \"$@\"", "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    shell.env("LISTEN_FDS", "1").env("LISTEN_FDNAMES", name);
    shell.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    shell
}

/// Connects and asks, but does not wait for the answer.
fn asked(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    stream
}

fn status(mut stream: TcpStream) -> u16 {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text.split(' ').nth(1).unwrap_or_else(|| panic!("{text:?}")).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_turns_nobody_away() {
    let site = Site::new(1.0, &[]);
    // At the address of the configuration, where the daemon could not listen by itself.
    let socket = TcpListener::bind(site.desk).unwrap();
    let (first, _) = site.start_as(handing(&site.command(), &socket, "desk"));
    assert_eq!(get(site.desk, "/healthz").await.status, 200);
    assert_eq!(first.terminate().await, Some(0), "{}", site.log());
    let waiting: Vec<TcpStream> = (0..20).map(|_| asked(site.desk)).collect();
    let (second, _) = site.start_as(handing(&site.command(), &socket, "desk"));
    let answers = spawn_blocking(|| waiting.into_iter().map(status).collect::<Vec<u16>>());
    assert_eq!(answers.await.unwrap(), [200; 20], "{}", site.log());
    // Not even a kill loses who has not been let in.
    second.kill();
    let waiting = asked(site.desk);
    let _third = site.start_as(handing(&site.command(), &socket, "desk"));
    assert_eq!(spawn_blocking(|| status(waiting)).await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_spectators_socket_is_for_spectators() {
    let site = Site::new(1.0, &[]);
    site.change(&format!("public = \"{}\"", site.public), "public = \"off\"");
    let socket = TcpListener::bind(reserved_address()).unwrap();
    let address = socket.local_addr().unwrap();
    let _daemon = site.start_as(handing(&site.command(), &socket, "public"));
    assert_eq!(get(address, "/api/v1/boards").await.status, 200);
    for path in ["/metrics", "/healthz", "/readyz", "/api/v1/session"] {
        assert_eq!(get(address, path).await.status, 404, "{path}");
    }
}

#[test]
fn a_socket_for_nothing_is_refused() {
    let site = Site::new(1.0, &[]);
    let socket = TcpListener::bind(reserved_address()).unwrap();
    let output = handing(&site.command(), &socket, "web").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("hands over a socket \"web\": FileDescriptorName= must be \"desk\" or \"public\""),
        "{said}"
    );
}
