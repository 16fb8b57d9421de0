//! The desk over TLS: with the certificate that adoube makes, and nothing without one outside loopback.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

use crate::daemon::{Daemon, Site};
use crate::feeds::established;
use crate::http::parts;

/// A handshake that hangs is given up after ten seconds.
const HANGS: Duration = Duration::from_secs(14);

/// A daemon whose desk has a certificate of `adoube cert`, the link, and what was printed about it.
fn encrypted() -> (Site, Daemon, String, String) {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let folder = site.path().join("tls").display().to_string();
    let made = site.adoube(&["cert", "--out", &folder, "--name", "hall.example"]);
    assert!(made.status.success(), "{made:?}");
    site.add_section(&format!(
        "[web.tls]\ncertificate = \"{folder}/certificate.pem\"\nkey = \"{folder}/key.pem\""
    ));
    let (daemon, link) = site.start_and_link();
    (site, daemon, link, String::from_utf8(made.stdout).unwrap())
}

/// A client that trusts this certificate and no other.
pub(crate) fn trusting(certificate: &Path) -> ClientBuilder {
    // Whichever test comes first.
    let _first = rustls::crypto::ring::default_provider().install_default();
    let trusted = Certificate::from_pem(&std::fs::read(certificate).unwrap()).unwrap();
    Client::builder().tls_certs_only([trusted])
}

fn client(site: &Site) -> Client {
    let certificate = site.path().join("tls/certificate.pem");
    trusting(&certificate).resolve("hall.example", site.desk).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_trusts_the_printed_certificate_gets_in_and_nobody_else_does() {
    let (site, _daemon, link, printed) = encrypted();
    let (desk, token) = parts(&link);
    assert!(link.starts_with("https://"), "{link}");
    let der = CertificateDer::from_pem_file(site.path().join("tls/certificate.pem")).unwrap();
    let bytes: Vec<String> = Sha256::digest(&der).iter().map(|byte| format!("{byte:02X}")).collect();
    assert!(printed.contains(&bytes.join(":")), "{printed}");
    assert!(printed.contains("https://hall.example:") && printed.contains('█'), "{printed}");

    let client = client(&site);
    let login = client
        .post(format!("https://{desk}/api/v1/login"))
        .body(json!({ "token": token }).to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(login.status(), 200);
    let cookie = login.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let key = cookie.split(';').next().unwrap();
    let note = async |origin: String| {
        let request = client.post(format!("https://{desk}/api/v1/boards/1/rulings"));
        let request = request.header("Cookie", key).header("Origin", origin);
        request.body(r#"{"name":"note","text":"x"}"#).send().await.unwrap().status().as_u16()
    };
    assert_eq!(note(format!("https://{desk}")).await, 200);
    assert_eq!(note(format!("http://{desk}")).await, 403, "the desk has no plain page");
    let events = client.get(format!("https://{desk}/api/v1/events")).header("Cookie", key).send();
    let mut events = events.await.unwrap();
    let mut first = Vec::new();
    while !first.ends_with(b"}\n\n") {
        first.extend(events.chunk().await.unwrap().expect("the stream goes on"));
    }
    assert!(String::from_utf8_lossy(&first).contains("\"desk\":true"), "{first:?}");

    // By its name, too, but by no other.
    let port = desk.port();
    let status = async |client: &Client, host: &str| {
        client.get(format!("https://{host}:{port}/api/v1/session")).send().await.map(|answer| answer.status())
    };
    assert_eq!(status(&client, "localhost").await.unwrap(), 200);
    assert_eq!(status(&client, "hall.example").await.unwrap(), 421, "[web] names does not have it");
    let _first = rustls::crypto::ring::default_provider().install_default();
    let elsewhere = Client::builder().tls_certs_only([]).build().unwrap();
    assert!(status(&elsewhere, "localhost").await.unwrap_err().is_connect());
    assert!(client.get(format!("http://{desk}/")).send().await.is_err(), "plain http gets no answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_takes_nothing_is_closed_under_tls_too() {
    let (site, _daemon, ..) = encrypted();
    let (client, desk) = (client(&site), site.desk);
    let bearer = format!("Authorization: Bearer {}", site.add_token("arbiter", "Ann"));
    let der = CertificateDer::from_pem_file(site.path().join("tls/certificate.pem")).unwrap();
    let mut trusted = rustls::RootCertStore::empty();
    trusted.add(der).unwrap();
    let config = rustls::ClientConfig::builder().with_root_certificates(trusted).with_no_client_auth();
    // A window so small that the answer does not fit into what the system keeps for a reader.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let stream = socket.connect(desk).await.unwrap().into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    let port = stream.local_addr().unwrap().port();
    let request = format!("GET /api/v1/events HTTP/1.0\r\nHost: localhost\r\n{bearer}\r\n\r\n");
    let shaken = tokio::task::spawn_blocking(move || {
        let name = ServerName::try_from("localhost").unwrap();
        let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stuck = rustls::StreamOwned::new(connection, stream);
        stuck.write_all(request.as_bytes()).unwrap();
        stuck
    });
    let _stuck = shaken.await.unwrap();
    let note = json!({ "name": "note", "text": "x".repeat(15_000) }).to_string();
    let (_, token) = bearer.rsplit_once(' ').unwrap();
    let begun = Instant::now();
    while established(port, desk.port()) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(30), "still open");
        let request = client.post(format!("https://{desk}/api/v1/boards/1/rulings")).bearer_auth(token);
        let request = request.header("Content-Type", "application/json").body(note.clone());
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    assert!(begun.elapsed() > Duration::from_secs(9), "closed after {:?}", begun.elapsed());
}

#[test]
fn the_key_is_for_its_owner_and_nothing_is_replaced_unasked() {
    use std::os::unix::fs::PermissionsExt as _;
    let site = Site::new(1.0, &[]);
    let folder = site.path().join("tls");
    let cert = |more: &[&str]| site.adoube(&[&["cert", "--out", folder.to_str().unwrap()], more].concat());
    assert!(cert(&[]).status.success());
    let key = || std::fs::read(folder.join("key.pem")).unwrap();
    let before = key();
    assert_eq!(std::fs::metadata(folder.join("key.pem")).unwrap().permissions().mode() & 0o777, 0o600);
    let refused = cert(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force replaces it"), "{refused:?}");
    assert_eq!(key(), before);
    assert!(cert(&["--force"]).status.success());
    assert_ne!(key(), before);
}

#[test]
fn outside_loopback_the_desk_speaks_no_plain_http() {
    let site = Site::new(1.0, &[]);
    let text = std::fs::read_to_string(site.path().join("adoube.toml")).unwrap();
    let open = text.replace(&format!("arbiter = \"{}\"", site.desk), "arbiter = \"0.0.0.0:8064\"");
    assert_ne!(open, text);
    std::fs::write(site.path().join("adoube.toml"), open).unwrap();
    for command in [&["run"][..], &["config", "check"]] {
        let refused = site.adoube(command);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("adoube.toml:") && said.contains("\"adoube cert\""), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    // And that command works with that very configuration.
    let folder = site.path().join("tls").display().to_string();
    assert!(site.adoube(&["cert", "--out", &folder]).status.success());
    site.add_section("[web.tls]\ncertificate = \"/nowhere/a.pem\"\nkey = \"/nowhere/b.pem\"");
    let refused = site.adoube(&["run"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("[web.tls] certificate = \"/nowhere/a.pem\""), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_that_hangs_holds_up_nobody_and_ends() {
    let (site, _daemon, ..) = encrypted();
    let client = client(&site);
    let mut hanging = Vec::new();
    for number in 0..40 {
        let mut stream = TcpStream::connect(site.desk).await.unwrap();
        if number % 2 == 0 {
            // The head of a handshake record, and nothing after it.
            stream.write_all(&[22, 3, 1, 2, 0]).await.unwrap();
        }
        hanging.push(stream);
    }
    let begun = Instant::now();
    for _ in 0..5 {
        let answer = client.get(format!("https://{}/api/v1/session", site.desk)).send();
        let answer: Value = answer.await.unwrap().json().await.unwrap();
        assert_eq!(answer["role"], "spectator");
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "others waited {:?}", begun.elapsed());
    for mut stream in hanging {
        let mut rest = Vec::new();
        let left = HANGS.saturating_sub(begun.elapsed());
        let _reset = timeout(left, stream.read_to_end(&mut rest)).await.expect("an end");
    }
    assert!(begun.elapsed() > Duration::from_secs(5), "a slow telephone has time to answer");
    // What is no TLS at all is closed, too.
    let plain = tokio::task::spawn_blocking(move || {
        let mut stream = std::net::TcpStream::connect(site.desk).unwrap();
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut heard = Vec::new();
        let _reset = stream.read_to_end(&mut heard);
        heard
    });
    let heard = plain.await.unwrap();
    assert!(!heard.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&heard));
}
