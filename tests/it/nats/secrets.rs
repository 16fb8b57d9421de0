//! Who may, and who sees: TLS both ways, and every way to say who we are.

use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};

use super::server::NatsServer;
use super::{hall, stands};
use crate::daemon::{Daemon, PATIENCE, awaited, reserved_address};
use crate::http::game;
use crate::played::SHORT;

const SPEED: f64 = 40.0;

/// Writes certificates into a folder: `ca.pem`, and for `server` and `client` one each with its key.
fn certificates(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    std::fs::write(folder.join("ca.pem"), ca.pem()).unwrap();
    for name in ["server", "client"] {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &ca).unwrap();
        std::fs::write(folder.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(folder.join(format!("{name}-key.pem")), key.serialize_pem()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_ends_of_a_line_know_each_other_by_certificates() {
    let lines = "tls { cert_file: \"FOLDER/server.pem\", key_file: \"FOLDER/server-key.pem\", \
                 ca_file: \"FOLDER/ca.pem\", verify: true }";
    let Some(server) = NatsServer::prepared(reserved_address(), lines) else { return };
    certificates(server.path());
    let server = server.started().await;
    let file = |name: &str| server.path().join(name).display().to_string();
    let (ca, certificate, key) = (file("ca.pem"), file("client.pem"), file("client-key.pem"));
    let url = server.url().replace("nats://", "tls://");
    let ours = format!("tls_ca = \"{ca}\"\ntls_certificate = \"{certificate}\"\ntls_key = \"{key}\"");

    // Whom we do not trust, and who does not trust us.
    let (stranger, _players) = hall(SHORT, SPEED, &url, "");
    let _stranger = stranger.start();
    let said = stands(&stranger, "ADOUBE_PUBLIC", "failing", "").await;
    assert!(said["last_error"].as_str().unwrap().contains("certificate"), "{said}");
    let (unknown, _players) = hall(SHORT, SPEED, &url, &format!("tls_ca = \"{ca}\""));
    let _unknown = unknown.start();
    stands(&unknown, "ADOUBE_PUBLIC", "failing", "").await;

    let (site, _players) = hall(SHORT, SPEED, &url, &ours);
    let _daemon = site.start();
    let address = reserved_address();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["relay", "--nats", &url, "--listen", &address.to_string()]);
    command.args(["--tls-ca", &ca, "--tls-certificate", &certificate, "--tls-key", &key]);
    let (_relay, _) = tokio::task::spawn_blocking(|| Daemon::spawn(command)).await.unwrap();
    let result = async || game(address, "1").await.filter(|game| game["result"] != "*");
    awaited("the game", PATIENCE, result).await;
    stands(&site, "ADOUBE_PUBLIC", "ok", "").await;
}

/// The feed gets through with these credentials to a server with this configuration, and not with others.
async fn is_known_by(lines: &str, credentials: &str, others: &str) {
    let Some(server) = NatsServer::configured(lines).await else { return };
    let file = server.path().join("credentials");
    std::fs::write(&file, others).unwrap();
    let (site, _players) =
        hall(SHORT, SPEED, &server.url(), &format!("credentials = \"{}\"", file.display()));
    let _daemon = site.start();
    let said = stands(&site, "ADOUBE_PUBLIC", "failing", "no connection").await;
    assert!(!said.to_string().contains(others) && !site.log().contains(others), "{said}");
    // They are read at every attempt.
    std::fs::write(&file, credentials).unwrap();
    for stream in ["ADOUBE_PUBLIC", "ADOUBE_PRIVATE"] {
        stands(&site, stream, "ok", "").await;
        let delivered = async || {
            let feed = super::feed(&site, stream).await;
            (feed["failing_since"] == Value::Null && feed["delivered"].as_u64() > Some(3)).then_some(())
        };
        awaited("deliveries", PATIENCE, delivered).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_with_its_password_is_known() {
    is_known_by(
        "authorization { user: hall, password: \"open:sesame\" }",
        "hall:open:sesame\n",
        "hall:wrong-word",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_known() {
    is_known_by("authorization { token: \"s3cr3t\" }", "s3cr3t\n", "another-token").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_known() {
    let [ours, other] = [nkeys::KeyPair::new_user(), nkeys::KeyPair::new_user()];
    let lines = format!("authorization {{ users: [ {{ nkey: {} }} ] }}", ours.public_key());
    is_known_by(&lines, &ours.seed().unwrap(), &other.seed().unwrap()).await;
}

/// A token as NATS signs them.
fn signed(by: &nkeys::KeyPair, about: &nkeys::KeyPair, nats: Value) -> String {
    let claims = json!({
        "jti": about.public_key(), "iat": 1_700_000_000, "iss": by.public_key(), "name": "hall",
        "sub": about.public_key(), "nats": nats,
    });
    let head = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let text = format!("{}.{}", base64(head.to_string().as_bytes()), base64(claims.to_string().as_bytes()));
    let signature = by.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", base64(&signature))
}

/// As in addresses, without padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        let letter = |nth: usize| char::from(LETTERS[(bits >> (18 - 6 * nth) & 63) as usize]);
        text.extend((0..=chunk.len()).map(letter));
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_creds_is_known() {
    use nkeys::KeyPair;
    let (operator, account, user) = (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let unlimited = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
        "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let of_operator = signed(&operator, &operator, json!({ "type": "operator", "version": 2 }));
    let of_account =
        signed(&operator, &account, json!({ "type": "account", "version": 2, "limits": unlimited }));
    let creds = |by: &KeyPair, user: &KeyPair| {
        let limits = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        let (token, seed) = (signed(by, user, limits), user.seed().unwrap());
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let system = KeyPair::new_account();
    let of_system = signed(
        &operator,
        &system,
        json!({ "type": "account", "version": 2, "limits": {
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    } }),
    );
    let lines = format!(
        "operator: {of_operator}\nresolver: MEMORY\nsystem_account: {}\n\
         resolver_preload: {{ {}: {of_account}, {}: {of_system} }}",
        system.public_key(),
        account.public_key(),
        system.public_key(),
    );
    // Somebody else's account has signed the other one.
    let other = creds(&KeyPair::new_account(), &KeyPair::new_user());
    is_known_by(&lines, &creds(&account, &user), &other).await;
}
