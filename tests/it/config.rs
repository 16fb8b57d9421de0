//! `adoube config check`: what a configuration asks of the machine.

use std::process::Command;

/// What is said of a configuration in a folder of its own, which is written `HERE` in both.
fn checked(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    let file = folder.path().join("hall.toml");
    std::fs::write(&file, text.replace("HERE", here)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_adoube"))
        .args(["config", "check", "--config"])
        .arg(&file)
        .env("XDG_STATE_HOME", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing is left behind");
    (output.status.code(), said.replace(here, "HERE"))
}

#[test]
fn what_is_not_there_is_named_with_its_line() {
    let refused = [
        "[web]\narbiter = \"127.0.0.1:8064\"\n\n[web.tls]\nkey = \"HERE/key.pem\"\ncertificate = \"HERE/cert.pem\"\n",
        "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\n[feeds.pgn]\npath = \"HERE/hall.toml\"\n",
        "[feeds.pgn]\nper_game = false\npath = \"HERE/hall.toml/pgn\"\n",
        "[journal]\npath = \"HERE/hall.toml/journal\"\n",
        "[feeds.webhook]\nurl = \"https://example.org/\"\nsecret = \"HERE/secret\"\n",
        "[feeds.lichess]\nround = \"abcdefgh\"\ntoken = \"HERE/token\"\n",
    ];
    let said = refused.map(|text| {
        let (code, said) = checked(text);
        assert_eq!((code, said.lines().count()), (Some(2), 1), "{said}");
        said
    });
    insta::assert_snapshot!(said.concat(), @r#"
    adoube: HERE/hall.toml:6: [web.tls] certificate = "HERE/cert.pem": I/O error: No such file or directory (os error 2); "adoube cert" makes a certificate and its key
    adoube: HERE/hall.toml:5: path = "HERE/hall.toml": no file can be made there: Not a directory (os error 20)
    adoube: HERE/hall.toml:3: path = "HERE/hall.toml/pgn": no file can be made there: Not a directory (os error 20)
    adoube: HERE/hall.toml:2: path = "HERE/hall.toml/journal": no file can be made there: Not a directory (os error 20)
    adoube: HERE/hall.toml:3: HERE/secret: No such file or directory (os error 2); [feeds.webhook] secret needs a file with 16 bytes or more
    adoube: HERE/hall.toml:3: HERE/token: No such file or directory (os error 2); [feeds.lichess] token needs a file with a personal access token with the scope study:write (https://lichess.org/account/oauth/token)
    "#);
}

#[test]
fn what_can_be_made_is_not_asked_for() {
    let (code, said) = checked("[feeds.pgn]\npath = \"HERE/one/two\"\n[journal]\npath = \"HERE/three\"\n");
    assert_eq!((code, said.as_str()), (Some(0), "HERE/hall.toml: ok, every board that answers\n"));
}
