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

/// What operators have written, or will: each is refused before the round, with its line and what to write instead.
const WRONG: [&str; 42] = [
    "[tournament]\ntime_control = \"90min\"\n",
    "[tournament]\ntime_control = \"90+30+\"\n",
    "[tournament]\nprofile = \"fide-2023-standart\"\n",
    "[tournament]\nrounds = \"automatic\"\n",
    "[tournament]\nregulations = [\"default time 30\"]\n",
    "[tournament]\nfeed_delay_s = \"15 min\"\n",
    "[tournament]\nfeed_delay_s = -1\n",
    "[tournament]\npublish_at = \"complete\"\n",
    "[tournament]\nannounce = \"quick\"\n",
    "[tournament]\nboard_results = \"yes\"\n",
    "[tournament]\nsetup_lamps = \"on\"\n",
    "[tournament]\nlive_pgn = \"all\"\n",
    "[tournament]\nprofil = \"fide-2023-blitz\"\n",
    "[tournement]\nname = \"Open\"\n",
    "[tournament]\nname = Open\n",
    "[tournament]\nname = \"Open\"\nname = \"Open 2\"\n",
    "[[board]]\nid = \"1/2\"\nport = \"tcp://a:1\"\n",
    "[[board]]\nid = \"\"\nport = \"tcp://a:1\"\n",
    "[[board]]\nid = 1\nport = \"tcp://a:1\"\n",
    "[[board]]\nport = \"tcp://a:1\"\n",
    "[[board]]\nid = \"1\"\nport = \"auto\"\n[[board]]\nid = \"2\"\nport = \"auto\"\n",
    "[[board]]\nid = \"1\"\nport = \"COM3\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://10.0.0.5\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\n[[board]]\nid = \"2\"\nport = \"tcp://a:1\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\n[[board]]\nid = \"1\"\nport = \"tcp://a:2\"\n",
    "[[board]]\nid = \"1\"\nserial = \"7\"\nport = \"auto\"\n[[board]]\nid = \"2\"\nserial = \"7\"\nport = \"auto\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nprotocol = \"dtg\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nturned = 180\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nlever_map = \"left\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nvariant = \"fischerandom\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nstart = \"rnbqkbnr/pppppppp/8/8\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\nlinked = \"2\"\n",
    "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\npair = \"1\"\n",
    "[web]\narbiter = \"localhost\"\n",
    "[web]\narbiter = \"127.0.0.1:8064\"\npublic = \"127.0.0.1:8064\"\n",
    "[web]\narbiter = \"0.0.0.0:8064\"\n",
    "[feeds.livechess]\naddress = \"127.0.0.1:8064\"\n",
    "[feeds.livechess]\norigins = [\"lichess\"]\n",
    "[feeds.lichess]\nround = \"https://lichess.org/broadcast/x\"\ntoken = \"HERE/hall.toml\"\n",
    "[feeds.webhook]\nurl = \"alerts.example\"\nsecret = \"HERE/hall.toml\"\n",
    "[feeds.nats]\nurl = [\"http://127.0.0.1:4222\"]\n",
    "[journal]\nretention_days = \"ever\"\n",
];

#[test]
fn forty_wrong_configurations_are_refused_with_their_line() {
    let said = WRONG.map(|text| {
        let (code, said) = checked(text);
        assert_eq!((code, said.lines().count()), (Some(2), 1), "{text}{said}");
        let place = said.strip_prefix("adoube: HERE/hall.toml:").unwrap_or_else(|| panic!("{text}{said}"));
        let (line, what) = place.split_once(": ").unwrap();
        assert!(line.parse::<usize>().is_ok_and(|line| line <= text.lines().count()), "{text}{said}");
        format!("{}: {what}", text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap())
    });
    insta::assert_snapshot!(said.concat(), @r#"
    time_control = "90min": time control "90min": "90min" is no time in seconds from 0 to 86400; write it as 5400+30, 40/5400:1800+30 or 600d5
    time_control = "90+30+": time control "90+30+": "30+" is no extra time in seconds from 0 to 86400; write it as 5400+30, 40/5400:1800+30 or 600d5
    profile = "fide-2023-standart": no profile is called "fide-2023-standart"; did you mean "fide-2023-standard"?
    rounds = "automatic": unknown value "automatic"; use one of "auto", "manual"
    regulations = ["default time 30"]: no regulation is called "default"; did you mean "default-time"?
    feed_delay_s = "15 min": "15 min" cannot stand here; write a whole number without quotes, 0 or more
    feed_delay_s = -1: -1 cannot stand here; write a whole number without quotes, 0 or more
    publish_at = "complete": unknown value "complete"; use one of "made", "completed"
    announce = "quick": unknown value "quick"; use one of "fast", "balanced", "careful"
    board_results = "yes": unknown value "yes"; use one of "publish", "propose"
    setup_lamps = "on": "on" cannot stand here; write true or false, without quotes
    live_pgn = "all": unknown value "all"; use one of "first", "both", "last"
    profil = "fide-2023-blitz": unknown key "profil" in [tournament]; did you mean "profile"?
    [tournement]: unknown key "tournement"; did you mean "tournament"?
    name = Open: a text stands in quotes, as in name = "Open"
    name = "Open 2": the key stands above already; keep one of the two
    id = "1/2": "1/2" cannot be the name of a board: 1 to 32 letters, digits and signs, without "/"
    id = "": each board needs an id of its own, not ""
    id = 1: 1 cannot stand here; write a text in quotes
    [[board]]: the key "id" is missing
    id = "2": board "2": it and board "1" are "auto" without a serial, and nobody could tell which of them answers; "adoube boards" shows their numbers
    port = "COM3": port "COM3" is none of "serial:PATH", "tcp://HOST:PORT", "auto"
    port = "tcp://10.0.0.5": port "tcp://10.0.0.5" is none of "serial:PATH", "tcp://HOST:PORT", "auto"
    id = "2": board "2": board "1" is at tcp://a:1 already
    id = "1": each board needs an id of its own, not "1"
    serial = "7": serial = "7": another board has that number already
    protocol = "dtg": protocol "dtg" is not known; this version speaks dgt, dgt-bus, chesslink, certabo, sentio, open
    turned = 180: 180 cannot stand here; write true or false, without quotes
    lever_map = "left": unknown value "left"; use one of "white", "black"
    variant = "fischerandom": unknown value "fischerandom"; use one of "chess", "chess960", "four-player"
    start = "rnbqkbnr/pppppppp/8/8": start position "rnbqkbnr/pppppppp/8/8": not a FEN: invalid board part in fen
    linked = "2": linked = "2": there is no other board
    pair = "1": pair = "1": that is this board itself
    arbiter = "localhost": that is no ADDRESS:PORT, such as 127.0.0.1:8064
    public = "127.0.0.1:8064": 127.0.0.1:8064: arbiter = "127.0.0.1:8064" listens there already
    arbiter = "0.0.0.0:8064": arbiter = "0.0.0.0:8064": outside loopback the desk needs [web.tls] with certificate and key; "adoube cert" makes both
    [feeds.livechess]: 127.0.0.1:8064: arbiter = "127.0.0.1:8064" listens there already
    origins = ["lichess"]: "lichess" is no origin of web pages; write "*" for all of them, or for example "https://lichess.org", without a path
    round = "https://lichess.org/broadcast/x": "https://lichess.org/broadcast/x" is no id of a Lichess round: give the 8 letters at the end of the round's address
    url = "alerts.example": "alerts.example" is no http or https address
    url = ["http://127.0.0.1:4222"]: "http://127.0.0.1:4222" is no address of a server; write nats://HOST:PORT or tls://HOST:PORT
    retention_days = "ever": unknown key "retention_days" in [journal]; did you mean "retention"?
    "#);
}
