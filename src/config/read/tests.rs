//! What is right in a configuration, and what the errors say.

use super::*;
use crate::config::{Announce, BoardResults, DEFAULT_TOML};
use crate::link::Port;

#[test]
fn the_commented_file_is_the_default() {
    assert_eq!(Config::parse("default.toml", DEFAULT_TOML).unwrap(), Config::default());
}

#[test]
fn the_commented_examples_are_right() {
    let text: String = DEFAULT_TOML
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => format!("{example}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let config = Config::parse("examples", &text).unwrap();
    assert_eq!(config.tournament.name.as_deref(), Some("Spring Open"));
    assert_eq!(config.boards[0].protocol.as_deref(), Some("dgt"));
    assert_eq!(config.feeds.pgn.unwrap().path, Path::new("/var/lib/adoube/pgn"));
}

#[test]
fn errors_name_the_key_the_line_and_the_nearest() {
    let error = |text: &str| Config::parse("adoube.toml", text).unwrap_err().to_string();
    let texts = [
        "[tournament]\nname = \"X\"\nanounce = \"fast\"\n",
        "[tournament]\nannounce = \"quick\"\n",
        "[turnament]\n",
        "[tournament]\nfeed_delay_s = \"soon\"\n",
        "[tournament]\ndefault_time_min = \"soon\"\n",
        "[[board]]\nid = \"1\"\nprot = \"tcp://a:1\"\n",
        "[tournament]\nprofile = \"fide-2023-rapdi\"\n",
        "[[board]]\nid = \"1\"\nport = \"/dev/ttyUSB0\"\n",
        "[[board]]\nport = \"auto\"\n",
        "[[board]]\nid = \"1\"\n[[board]]\nid = \"1\"\n",
        "[[board]]\nid = \"1\"\nserial = \"7\"\n[[board]]\nid = \"2\"\nserial = \"7\"\n",
        "[[board]]\nid = \"1\"\n[discovery]\nenabled = false\n",
        "[discovery]\nports = [\"auto\"]\n",
        "[discovery]\nports = [\"ttyUSB0\"]\n",
        "[discovery]\nad = true\n",
        "[web]\npublic = \"everywhere\"\n",
        "[web]\narbiter = \"0.0.0.0:8064\"\n",
        "[web]\npublic_tls = true\n",
        "[web.tls]\ncertificate = \"a.pem\"\n",
        "[journal]\nretention = \"30d\"\n",
        "[tournament\n",
        "[tournament]\ntime_control = \"90min\"\n",
        "[tournament]\ntime_control = \"5400\"\ntime_contrl = \"5400\"\n",
        "[[board]]\nid = \"1/2\"\n",
        "[[board]]\nid = \" 1\"\n",
        "[[board]]\nid = \"1\"\nport = \"tcp://a:1\"\n[[board]]\nid = \"2\"\nport = \"tcp://a:1\"\n",
        "[[board]]\nid = \"1\"\n[[board]]\nid = \"2\"\nserial = \"7\"\n[[board]]\nid = \"3\"\nprotocol = \"dgt\"\n",
        "[web]\npublic = \"127.0.0.1:8064\"\n",
        "[web]\narbiter = \"127.0.0.1:80\"\npublic = \"0.0.0.0:80\"\n",
        "[feeds.livechess]\naddress = \"127.0.0.1:8064\"\n",
    ];
    let errors: Vec<String> = texts.into_iter().map(error).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    adoube.toml:3: unknown key "anounce" in [tournament]; did you mean "announce"?
    adoube.toml:2: unknown value "quick"; use one of "fast", "balanced", "careful"
    adoube.toml:1: unknown key "turnament"; did you mean "tournament"?
    adoube.toml:2: "soon" cannot stand here; write a whole number without quotes, 0 or more
    adoube.toml:2: parameter "default_time_min" cannot be "soon": give a whole number of minutes, or "none"
    adoube.toml:3: unknown key "prot" in [[board]]; did you mean "port"?
    adoube.toml:2: no profile is called "fide-2023-rapdi"; did you mean "fide-2023-rapid"?
    adoube.toml:3: port "/dev/ttyUSB0" is none of "serial:PATH", "tcp://HOST:PORT", "auto"
    adoube.toml:1: the key "id" is missing
    adoube.toml:4: each board needs an id of its own, not "1"
    adoube.toml:6: serial = "7": another board has that number already
    adoube.toml:4: enabled = false: a board whose port is "auto" is never found so
    adoube.toml:2: [discovery] ports: "auto" names no port; write serial:PATH or tcp://HOST:PORT
    adoube.toml:2: port "ttyUSB0" is none of "serial:PATH", "tcp://HOST:PORT", "auto"
    adoube.toml:2: unknown key "ad" in [discovery]; did you mean "add"?
    adoube.toml:2: "everywhere" is neither "off" nor ADDRESS:PORT
    adoube.toml:2: arbiter = "0.0.0.0:8064": outside loopback the desk needs [web.tls] with certificate and key; "adoube cert" makes both
    adoube.toml:2: public_tls needs [web.tls] with certificate and key
    adoube.toml:1: the key "key" is missing
    adoube.toml:2: retention = "30d": use "keep", a time like "30 days" or a size like "10 GiB"
    adoube.toml:1: unclosed table, expected `]`
    adoube.toml:2: time control "90min": "90min" is no time in seconds from 0 to 86400; write it as 5400+30, 40/5400:1800+30 or 600d5
    adoube.toml:3: unknown key "time_contrl" in [tournament]; did you mean "time_control"?
    adoube.toml:2: "1/2" cannot be the name of a board: 1 to 32 letters, digits and signs, without "/"
    adoube.toml:2: " 1" cannot be the name of a board: 1 to 32 letters, digits and signs, without "/"
    adoube.toml:5: board "2": board "1" is at tcp://a:1 already
    adoube.toml:7: board "3": it and board "1" are "auto" without a serial, and nobody could tell which of them answers; "adoube boards" shows their numbers
    adoube.toml:2: 127.0.0.1:8064: arbiter = "127.0.0.1:8064" listens there already
    adoube.toml:3: 0.0.0.0:80: arbiter = "127.0.0.1:80" listens there already
    adoube.toml:1: 127.0.0.1:8064: arbiter = "127.0.0.1:8064" listens there already
    "#);
}

#[test]
fn boards_that_have_to_do_with_each_other_are_there() {
    let error = |keys: [&str; 3]| {
        let text: String = (1..)
            .zip(keys)
            .map(|(id, key)| format!("[[board]]\nid = \"{id}\"\nport = \"tcp://a:{id}\"\n{key}\n"))
            .collect();
        Config::parse("adoube.toml", &text).err().map(|error| error.to_string())
    };
    assert_eq!(error(["linked = \"2\"", "linked = \"3\"", ""]), None);
    assert_eq!(error(["pair = \"2\"", "pair = \"1\"", "linked = \"2\""]), None);
    let errors =
        [["linked = \"1\"", "", ""], ["", "linked = \"22\"", ""], ["pair = \"2\"", "pair = \"3\"", ""]];
    insta::assert_snapshot!(errors.map(|keys| error(keys).unwrap()).join("\n"), @r#"
    adoube.toml:4: linked = "1": that is this board itself
    adoube.toml:8: linked = "22": no board has that id; did you mean "1"?
    adoube.toml:8: board "2" is paired with "1" and with "3"; a game has two boards
    "#);
}

#[test]
fn boards_have_the_squares_and_the_parameters_of_their_game() {
    let error = |text: &str| Config::parse("adoube.toml", text).err().map(|error| error.to_string());
    let board = |id: u32, keys: &str| format!("[[board]]\nid = \"{id}\"\nport = \"tcp://a:{id}\"\n{keys}");
    let four = "protocol = \"open\"\nvariant = \"four-player\"\n";
    let both = format!("[tournament]\nseat_after_red = \"black\"\n{}{}", board(1, ""), board(2, four));
    assert_eq!(error(&both), None, "what is said of the one game does not concern the other");
    let boards = Config::parse("adoube.toml", &both).unwrap().open_boards();
    let sets: Vec<usize> = boards.iter().map(|(open, _)| open.set.len()).collect();
    assert_eq!(sets, [0, 1]);
    let errors = [
        board(1, "variant = \"four-player\"\n"),
        board(1, "variant = \"xiangqi\"\n"),
        board(1, "ep_window = \"next-ply\"\n"),
        board(1, &format!("{four}wing_depth = 2\n")),
        board(1, &format!("{four}board_parity = \"red\"\n")),
        format!("[tournament]\nboard_parity = \"dark\"\n{}", board(1, "")),
        format!(
            "{}{}",
            board(1, "start = \"8/8/8/8/8/8/8/K1k5 w - -\"\n"),
            board(2, &format!("{four}start = \"8/8/8/8/8/8/8/K1k5 w - -\"\n"))
        ),
    ];
    let errors: Vec<String> = errors.iter().map(|text| error(text).unwrap_or_default()).collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    adoube.toml:4: a board that speaks dgt has 64 squares, and four-player is played on 160: use the open line protocol, whose boards say how many they have
    adoube.toml:4: unknown value "xiangqi"; use one of "chess", "chess960", "four-player"
    adoube.toml:4: ep_window belongs to the four-player game, and this board plays chess: set it for a board with variant = "four-player"
    adoube.toml:6: wing_depth 2: the rules know arms of 2 and 4 squares, but boards have 160 squares only, with arms of 3
    adoube.toml:6: parameter "board_parity" cannot be "red": use one of "light", "dark"
    adoube.toml:2: board_parity belongs to the four-player game, and no board has variant = "four-player"
    adoube.toml:10: start position "8/8/8/8/8/8/8/K1k5 w - -": the board has 14 ranks; this has 8
    "#);
}

#[test]
fn ports_read_and_write() {
    for text in [
        "auto",
        "serial:/dev/ttyACM0",
        "tcp://board.local:4001",
        "tcp://[::1]:4001",
        "bus:1025@serial:/dev/ttyS0",
        "bus:16383@tcp://[::1]:4001",
    ] {
        assert_eq!(text.parse::<Port>().unwrap().to_string(), text);
    }
    assert_eq!("tcp://[::1]:7".parse(), Ok(Port::Tcp { host: "::1".into(), port: 7 }));
    for text in [
        "",
        "serial:",
        "tcp://host",
        "tcp://:1",
        "tcp://host:99999",
        "usb:1",
        "bus:1",
        "bus:0@serial:/dev/ttyS0",
        "bus:16384@serial:/dev/ttyS0",
        "bus:1@auto",
        "bus:1@bus:2@serial:/dev/ttyS0",
    ] {
        assert!(text.parse::<Port>().is_err(), "{text}");
    }
}

#[test]
fn set_changes_a_tournament_key_or_nothing() {
    let mut config = Config::default();
    config.set("announce", "fast").unwrap();
    config.set("name", "2026").unwrap();
    config.set("board_results", "\"propose\"").unwrap();
    assert_eq!(config.tournament.announce, Announce::Fast);
    assert_eq!(config.tournament.name.as_deref(), Some("2026"));
    assert_eq!(config.tournament.board_results, BoardResults::Propose);
    let before = config.clone();
    let errors = [("anounce", "fast"), ("announce", "slow"), ("feed_delay_s", "x")]
        .map(|(key, value)| config.set(key, value).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n"), @r#"
    --set anounce=fast: unknown key "anounce" in [tournament]; did you mean "announce"?
    --set announce=slow: unknown value "slow"; use one of "fast", "balanced", "careful"
    --set feed_delay_s=x: "x" cannot stand here; write a whole number without quotes, 0 or more
    "#);
    assert_eq!(config, before);
}

#[test]
fn files_and_folders_are_looked_for_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("adoube.toml");
    std::fs::write(&file, "").unwrap();
    let given = |name: &str| (name == "CONFIGURATION_DIRECTORY").then(|| dir.path().as_os_str().to_owned());
    assert_eq!(find(Some(Path::new("x.toml")), given), Some("x.toml".into()));
    assert_eq!(find(None, given), Some(file));

    let mut config = Config::default();
    let all = |name: &str| match name {
        "STATE_DIRECTORY" => Some("/var/lib/adoube:/other".into()),
        "HOME" => Some("/home/x".into()),
        _ => None,
    };
    let home = |name: &str| all(name).filter(|_| name == "HOME");
    let own = |name: &str| (name == "XDG_STATE_HOME").then(|| "/home/x/state".into()).or_else(|| home(name));
    let (service, nowhere) = (dir.path(), dir.path().join("not-there"));
    let folder = |config: &Config, service: &Path, variable: &dyn Fn(&str) -> Option<OsString>| {
        config.state_directory_in(service, variable)
    };
    assert_eq!(folder(&config, service, &all), Some("/var/lib/adoube".into()));
    assert_eq!(folder(&config, service, &own), Some("/home/x/state/adoube".into()));
    assert_eq!(folder(&config, service, &home), Some(service.to_owned()));
    assert_eq!(folder(&config, &nowhere, &home), Some("/home/x/.local/state/adoube".into()));
    assert_eq!(folder(&config, &nowhere, &|_| None), None);
    config.journal.path = Some("/j".into());
    assert_eq!(folder(&config, service, &all), Some("/j".into()));
}

/// A service may not write where its configuration is; what the desk writes in its own folder is found there.
#[test]
fn a_service_has_a_place_that_it_may_write_to() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = |name: &str| dir.join(name).join("adoube.toml");
    for folder in ["etc", "state"] {
        std::fs::create_dir(dir.join(folder)).unwrap();
    }
    // What lies below a file is nowhere, also for root.
    std::fs::write(dir.join("closed"), "").unwrap();
    let service = |etc: &'static str| {
        move |name: &str| match name {
            "CONFIGURATION_DIRECTORY" => Some(dir.join(etc).into_os_string()),
            "STATE_DIRECTORY" => Some(dir.join("state").into_os_string()),
            _ => None,
        }
    };
    let own = |name: &str| (name == "HOME").then(|| dir.join("closed").into_os_string());
    assert_eq!(Config::unwritten_in(None, service("etc")), Some(file("etc")));
    assert_eq!(Config::unwritten_in(None, service("closed/adoube")), Some(file("state")));
    assert_eq!(Config::unwritten_in(None, own), Some(file("closed/.config/adoube")));
    assert!(unwritable(&file("closed/.config/adoube")).is_some() && unwritable(&file("new/er")).is_none());

    // The commented one as it was installed does not stand before it, but what somebody has written there does.
    std::fs::write(file("etc"), DEFAULT_TOML).unwrap();
    assert_eq!(find(None, service("etc")), Some(file("etc")));
    std::fs::write(file("state"), "[tournament]\nname = \"Open\"\n").unwrap();
    assert_eq!(find(None, service("etc")), Some(file("state")));
    assert_eq!(Config::unwritten_in(None, service("etc")), None);
    // Nor does one of another version.
    std::fs::write(file("etc"), "[tournament]\n# live_pgn = \"both\"\n").unwrap();
    assert_eq!(find(None, service("etc")), Some(file("state")));
    std::fs::write(file("etc"), "[tournament]\nname = \"By hand\"\n").unwrap();
    assert_eq!(find(None, service("etc")), Some(file("etc")));
}
