//! What spectators get of a game of four players: the board from each seat, whose turn it is, the moves of each,
//! the threat of a mate, who won, and pictures.

use adoube_rules::Position as _;
use adoube_rules::four::{Army, FourPosition, FourRules};
use resvg::tiny_skia::Pixmap;
use serde_json::{Value, json};

use super::hall::{Spectacle, player};
use super::told;
use crate::browser::{Browser, Theme, browser};
use crate::http::get;
use crate::pictures::picture;

/// A ply of a game of four, and who plays it.
pub(crate) struct Ply {
    pub(crate) army: Army,
    pub(crate) san: String,
    uci: String,
    pub(crate) fen: String,
}

/// Some game of four: any moves that are legal, the same every time.
pub(crate) fn plies(count: usize) -> (String, Vec<Ply>) {
    let mut position = FourPosition::start(FourRules::default());
    let start = position.fen();
    let plies = (0..count).map(|ply| {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mv = moves[(ply * 7 + 3) % moves.len()];
        let army = position.player();
        let played = position.played(mv);
        position = position.play(mv);
        Ply { army, san: played.san(), uci: played.uci(), fen: position.fen() }
    });
    let plies = plies.collect();
    (start, plies)
}

/// Who plays.
pub(crate) const NAMES: [(&str, &str); 4] = [
    ("red", "Rautiainen, Aino"),
    ("white", "Παπαδοπούλου, Μαρία"),
    ("blue", "Sinisalo, Väinö"),
    ("black", "Mavros, Nikos"),
];

impl Spectacle {
    /// Opens game `number` of a round with four players at the board of that number.
    pub(crate) fn open_four(&self, round: u64, number: u64, players: &[(&str, &str)]) -> String {
        let name = format!("{round}-{number}");
        let mut event = json!({
            "round": round, "number": number, "variant": "four-player", "start": plies(0).0,
            "time_control": "5400+30", "red": {}, "white": {}, "blue": {}, "black": {}, "result": "*",
        });
        for (army, name) in players {
            event[army] = player(name, if ["red", "blue"].contains(army) { "North" } else { "South" });
        }
        self.say("game-opened", &number.to_string(), &name, event);
        name
    }

    /// Plays `plies` of a game of four, of which `before` were played.
    pub(crate) fn play_four(&self, board: &str, game: &str, before: usize, plies: &[Ply]) {
        const SEATS: [&str; 4] = ["south", "west", "north", "east"];
        for (ply, Ply { army, san, uci, fen }) in (before + 1..).zip(plies) {
            let (side, player, seat) = (["black", "white"][ply % 2], army.name(), SEATS[army.index()]);
            let clock = json!({ "white_ms": 5_400_000 - ply * 31_000, "black_ms": 5_400_000 - ply * 29_000 });
            let made = json!({
                "ply": ply, "side": side, "player": player, "seat": seat, "san": san, "uci": uci, "fen": fen,
                "legal": true, "confidence": 0.998, "first_lift_ms": ply * 60_000, "made_ms": ply * 60_000 + 900,
                "clock": clock, "cause": "played",
            });
            self.say("move-made", board, game, made);
            let completed = json!({
                "ply": ply, "side": side, "player": player, "seat": seat, "san": san, "uci": uci, "by": "press",
                "completed_ms": ply * 60_000 + 1_500, "clock": clock,
            });
            self.say("move-completed", board, game, completed);
            let mut read = clock;
            read["running"] = ["white", "black"][ply % 2].into();
            self.say("clock-read", board, game, read);
        }
    }
}

/// Where the man on `square` stands on the large board: column and row from the upper left.
async fn cell(browser: &Browser, square: &str) -> (u64, u64) {
    let script = format!(
        "[...document.querySelector('#large-board .man[data-square={square}]').style.transform.matchAll(/\\d+/g)].map(Number)"
    );
    let found = browser.sees(&script).await;
    (found[0].as_u64().unwrap() / 100, found[1].as_u64().unwrap() / 100)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::too_many_lines, reason = "one game, looked at from every page")]
async fn a_game_of_four_players_is_shown() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    let game = hall.open_four(1, 1, &NAMES);
    let (_, moves) = plies(22);
    hall.play_four("1", &game, 0, &moves);
    hall.open_four(1, 2, &[]);
    browser.shows(1_280, 900, Theme::Light).await;
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    browser.sees("document.querySelectorAll('a.card svg.board.four').length === 2").await;
    browser.sees("document.querySelectorAll('a.card[data-board=\"2\"] svg.board .man').length === 64").await;
    for (army, name) in NAMES {
        let side = if ["red", "blue"].contains(&army) { "white" } else { "black" };
        let shown = format!(
            "document.querySelector('a.card[data-board=\"1\"] .player[data-side={side}] .who[data-player={army}] .name').textContent"
        );
        browser.sees(&format!("{shown} === '{name}'")).await;
    }
    let status = format!("6. {}", moves[21].san);
    browser
        .sees(&format!(
            "document.querySelector('a.card[data-board=\"1\"] .card-status').textContent === '{status}'"
        ))
        .await;

    // The large board: a column for each player, and whose turn it is.
    browser.client.goto(&format!("http://{}/game/{game}", hall.public)).await.unwrap();
    browser.sees("document.querySelectorAll('#moves .move[data-ply]').length === 22").await;
    browser.sees("[...document.querySelectorAll('#moves .heads .head')].map(head => head.dataset.player).join() === 'red,white,blue,black'").await;
    browser.sees("document.querySelector('#moves .move[data-ply=\"7\"]').dataset.player === 'blue'").await;
    browser.sees("(box => box('[data-ply=\"7\"]').left === box('.head[data-player=blue]').left)(name => document.querySelector('#moves ' + name).getBoundingClientRect())").await;
    let turn =
        "[...document.querySelectorAll('#large-board .to-move')].map(who => who.dataset.player).join()";
    browser.sees(&format!("{turn} === 'blue'")).await;
    browser.click("#moves .move[data-ply=\"4\"]").await;
    browser.sees(&format!("{turn} === 'red'")).await;
    browser.click("#moves .move[data-ply=\"3\"]").await;
    browser.sees(&format!("{turn} === 'black'")).await;

    // The team of partners is told once, not as if it were the first one's.
    let texts = |of: &str| {
        format!("[...document.querySelectorAll('#large-board {of}')].map(node => node.textContent).join()")
    };
    assert_eq!(browser.sees(&texts(".team-name")).await, "South,North");
    assert_eq!(browser.sees(&texts(".affiliation")).await, "FIN,FIN,FIN,FIN");

    // A quarter at a time: who is below changes clockwise.
    browser.click("#first").await;
    for (below, is_black_below) in [("k1", false), ("a4", true), ("d14", false), ("n11", true), ("k1", false)]
    {
        assert_eq!(cell(&browser, below).await, (10, 13), "the right-hand rook of the seat below");
        let flipped = "document.querySelector('#game').classList.contains('flipped')";
        browser.sees(&format!("{flipped} === {is_black_below}")).await;
        browser.click("#flip").await;
    }

    // A threat is told, and its end; nothing else of it.
    let threat = "document.querySelector('#threat')";
    browser.click("#live").await;
    browser.sees(&format!("{threat}.hidden")).await;
    for (status, shown) in [("open", "Threat of mate: Sinisalo, Väinö"), ("withdrawn", "")] {
        let told = json!({ "ply": 22, "side": "white", "player": "blue", "seat": "north", "status": status });
        hall.say("mate-threat", "1", &game, told);
        browser
            .sees(&format!("{threat}.textContent === '{shown}' && {threat}.hidden === {}", shown.is_empty()))
            .await;
    }
    hall.decide("1", &game, "1-0");
    browser.sees("document.querySelector('#result').textContent.startsWith('Red and Blue win')").await;
    browser.sees(&format!("{turn} === ''")).await;
    browser.client.goto(&format!("http://{}/?results", hall.public)).await.unwrap();
    browser.sees("document.querySelector('#results .row-result').innerText === '1–0'").await;
    browser.sees("document.querySelectorAll('#results .result-row:first-child .row-who').length === 4").await;
    browser.sees("[...document.querySelectorAll('#results .result-row:first-child .row-team')].map(team => team.textContent).join() === 'North,South'").await;
    browser.client.goto(&format!("http://{}/game/{game}?embed", hall.public)).await.unwrap();
    browser.sees("document.querySelector('#large-board .man[data-man=rK]') !== null").await;
    browser.shows(390, 844, Theme::Dark).await;
    let long = "Rautiainen-Kuusisaari, Aino Maria Elisabet Anastasia";
    hall.open_four(1, 3, &NAMES.map(|(army, _)| (army, long)));
    for path in ["", "?results", "game/1-1", "game/1-3"] {
        browser.client.goto(&format!("http://{}/{path}", hall.public)).await.unwrap();
        browser.sees("document.querySelector('main .man') !== null").await;
        // A scroll bar is no room.
        let widths = "(page => [page.scrollWidth, page.clientWidth])(document.documentElement)";
        let widths = browser.sees(widths).await;
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{path}: {widths}");
    }

    // On a narrow card no name stands beside the clock.
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    browser
        .sees("document.querySelectorAll('a.card[data-board=\"1\"] .clock:not(:empty)').length === 2")
        .await;
    let clear = "[...document.querySelectorAll('a.card[data-board=\"1\"] .player')].every(player => [...player.querySelectorAll('.who')].every(who => who.getBoundingClientRect().bottom <= player.querySelector('.clock').getBoundingClientRect().top))";
    browser.sees(clear).await;
    browser.close().await;
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_modules_read_any_position_of_four() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    let (start, moves) = plies(200);
    for fen in [&start].into_iter().chain(moves.iter().map(|ply| &ply.fen)).step_by(20) {
        // What is read can be written again, and nothing is lost.
        let placement = fen.split(' ').next().unwrap();
        let read = "const { menOf, placementOf } = placement, { geometryOf } = geometry;";
        let script = format!(
            "const [done] = arguments; Promise.all(['placement', 'geometry'].map(name => import(`/assets/${{name}}.js`)))
                .then(([placement, geometry]) => {{ {read} done(placementOf(menOf('{fen}'), geometryOf('{fen}'))); }});"
        );
        let written = browser.client.execute_async(&script, Vec::new()).await.unwrap();
        assert_eq!(written, placement);
    }
    // Squares are numbered as sensors number them (four-player.md, section 2).
    let squares = told(&browser, "geometry.js", "it.geometryOf('/////////////').squares").await;
    let place = |name: &str| squares.as_array().unwrap().iter().position(|square| square == name);
    assert_eq!(squares.as_array().unwrap().len(), 160);
    assert_eq!(["d1", "k1", "a4", "n11", "k14"].map(place), [0, 7, 24, 135, 159].map(Some));
    let colours = |layout: &str| {
        format!("['k1', 'a4', 'd14', 'n11'].map(name => it.geometryOf('/////////////{layout}').isDark(name))")
    };
    assert_eq!(told(&browser, "geometry.js", &colours("")).await, json!([false, true, false, true]));
    assert_eq!(
        told(&browser, "geometry.js", &colours(" r - - 0 1 rwbk-dark")).await,
        json!([true, false, true, false])
    );
    for wrong in ["", "8", "8/8/8/8/8/8/8/8/8/8/8/8/8/8x", "8/8/8/14/14/14/14/14/14/14/14/8/8/xQ"] {
        assert_eq!(
            told(&browser, "placement.js", &format!("it.menOf('{wrong}')")).await,
            Value::Null,
            "{wrong}"
        );
    }
    // A board on which nobody plays is one of four players as well.
    let empty = "[{ variant: 'four-player' }, {}].map(it.emptyBoard)";
    assert_eq!(told(&browser, "turns.js", empty).await, json!(["8/8/8/14/14/14/14/14/14/14/14/8/8/8", null]));
    // Black may sit at Red's left hand.
    let order = "it.orderOf({ variant: 'four-player', start: '/ r - - 0 1 rkbw-light' })";
    assert_eq!(told(&browser, "turns.js", order).await, json!(["red", "black", "blue", "white"]));
    // Partners' points are those of their team.
    let game = |number: u64, result: &str| {
        let names = json!({ "red": { "team": "North" }, "blue": {}, "white": { "team": "South" }, "black": { "team": "South" } });
        let mut game =
            json!({ "variant": "four-player", "match": { "number": 1, "board": number }, "result": result });
        game.as_object_mut().unwrap().extend(names.as_object().unwrap().clone());
        json!({ "game": game })
    };
    let entries = json!([game(1, "1-0"), game(3, "1/2-1/2")]);
    let points = format!("it.matchesOf({entries}).map(({{ teams, points }}) => [...teams, ...points])");
    assert_eq!(told(&browser, "matches.js", &points).await, json!([["North", "South", 1.5, 0.5]]));
    let turn = "it.turnOf({ variant: 'four-player', moves: [], start: '/ b - - 0 3' }, 3)";
    assert_eq!(told(&browser, "turns.js", turn).await, json!({ "number": 4, "column": 0, "player": "red" }));
    browser.close().await;
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_to_a_game_of_four_says_what_it_is_of() {
    let hall = Spectacle::new().await;
    let game = hall.open_four(1, 1, &NAMES);
    let (_, moves) = plies(6);
    hall.play_four("1", &game, 0, &moves);
    let head = async || get(hall.public, &format!("/game/{game}")).await.body;
    let title = "Rautiainen, Aino &amp; Sinisalo, Väinö – Παπαδοπούλου, Μαρία &amp; Mavros, Nikos, Round 1";
    let page = head().await;
    assert!(page.contains(&format!("<title>{title}</title>")), "{page}");
    assert!(page.contains(&format!("content=\"live, 2. White {} · board 1\"", moves[5].san)), "{page}");
    hall.decide("1", &game, "0-1");
    assert!(head().await.contains("content=\"White and Black win · board 1\""));
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_of_four_players_show_their_board() {
    /// Pixels of a square.
    const SIDE: u32 = 40;
    let hall = Spectacle::new().await;
    let game = hall.open_four(1, 1, &NAMES);
    let (_, moves) = plies(30);
    hall.play_four("1", &game, 0, &moves);
    let path = |name: &str| format!("/api/v1/games/{game}/{name}");
    let (status, head, bytes) =
        picture(hall.public, &path(&format!("position.png?ply=0&size={}", 14 * SIDE))).await;
    assert!(status == 200 && head.contains("image/png"), "{head}");
    let png = Pixmap::decode_png(&bytes).unwrap();
    assert_eq!((png.width(), png.height()), (14 * SIDE, 14 * SIDE));
    let pixel = |column: u32, row: u32, (x, y): (u32, u32)| {
        let pixel = png.pixel(column * SIDE + x, row * SIDE + y).unwrap();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    };
    // A corner is missing; k1 is light and j1 dark; every army has its own colour where its pawns stand.
    for (column, row) in [(0, 0), (13, 0), (2, 2), (11, 11), (0, 13)] {
        assert_eq!(pixel(column, row, (20, 20))[3], 0, "{column} {row}");
    }
    assert_eq!(pixel(10, 13, (1, 1)), [0xe7, 0xec, 0xf0, 0xff], "k1");
    assert_eq!(pixel(9, 13, (1, 1)), [0x8f, 0xa6, 0xb8, 0xff], "j1");
    let bodies = [(5, 12), (1, 5), (5, 1), (12, 5)].map(|(column, row)| pixel(column, row, (20, 25)));
    let [red, white, blue, black] = bodies;
    assert_eq!(
        [red, white, blue, black],
        [[0xf2, 0x68, 0x5c, 255], [255; 4], [0x2b, 0x62, 0xc4, 255], [0x35, 0x3b, 0x42, 255]]
    );
    let (status, _, card) = picture(hall.public, &path("card.png")).await;
    let card = Pixmap::decode_png(&card).unwrap();
    assert_eq!((status, card.width(), card.height()), (200, 1_200, 630));
    hall.decide("1", &game, "1-0");
    let (status, head, gif) = picture(hall.public, &path("game.gif?size=280")).await;
    assert!(status == 200 && head.contains("image/gif"), "{head}");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(gif.as_slice()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (280, 280));
    let mut frames = 0;
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        if frames == 0 {
            assert_eq!((frame.width, frame.buffer[3]), (280, 0), "nothing is drawn where no square is");
        }
        frames += 1;
    }
    assert_eq!(frames, moves.len() + 1);
    hall.end().await;
}
