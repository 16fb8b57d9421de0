//! What spectators get: the page under its addresses, and in a real browser a round, a game, a match, a board
//! inside of somebody else's page, and how many bytes that takes.

mod bytes;
pub(crate) mod four;
pub(crate) mod hall;

use std::collections::BTreeSet;
use std::net::SocketAddr;

use axum::Router;
use axum::response::Html;
use axum::routing::get as route;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::browser::{Browser, browser};
use crate::http::{ask, get};
use hall::{Spectacle, player, plies};

/// What an answer to a plain `GET` with these headers is, in bytes.
async fn heard(address: SocketAddr, path: &str, header: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n{header}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_to_a_game_says_what_it_is_of() {
    let hall = Spectacle::new().await;
    let (_, moves) = plies(0);
    let game = hall.open(5, 12, &player("Lång, \"Å\" <b>", ""), &player("Παππάς, Α.", ""), None);
    hall.play("12", &game, &moves[..3]);
    let page = get(hall.public, "/game/5-12").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let host = hall.public;
    for line in [
        "<title>Lång, &quot;Å&quot; &lt;b&gt; – Παππάς, Α., Round 5</title>".to_owned(),
        "<meta property=\"og:description\" content=\"live, 2. Bc4 · board 12\">"
            .replace("Bc4", &moves[2].san),
        format!("<meta property=\"og:url\" content=\"http://{host}/game/5-12\">"),
        format!("<meta property=\"og:image\" content=\"http://{host}/api/v1/games/5-12/card.png?ply=3\">"),
        "<meta property=\"og:image:width\" content=\"1200\">".to_owned(),
        "<meta name=\"twitter:card\" content=\"summary_large_image\">".to_owned(),
    ] {
        assert!(page.body.contains(&line), "{line}: {}", page.body);
    }
    assert!(!page.body.contains("<b>"), "a name is no markup");
    let behind_proxy = ask(hall.public, "GET", "/game/5-12", &["X-Forwarded-Proto: https"], "").await;
    assert!(behind_proxy.body.contains(&format!("content=\"https://{host}/game/5-12\"")));
    hall.decide("12", &game, "1/2-1/2");
    assert!(get(hall.public, "/game/5-12").await.body.contains("content=\"½–½ · board 12\""));
    assert_eq!(get(hall.public, "/round/5").await.status, 200);
    for path in ["/game/5-13", "/round/6", "/round/x"] {
        let page = get(hall.public, path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.contains("id=\"grid\""), "{path}: it may come to be, and then the page shows it");
    }
    // The list of games knows rounds.
    let count = async |round: &str| {
        let games = get(hall.public, &format!("/api/v1/games?round={round}")).await;
        (games.status, if games.status == 200 { games.json().as_array().unwrap().len() } else { 0 })
    };
    assert_eq!([count("5").await, count("6").await, count("x").await], [(200, 1), (200, 0), (422, 0)]);
    // A viewer that has the page is told so.
    let tag = get(hall.public, "/").await.header("etag").unwrap().to_owned();
    let again = ask(hall.public, "GET", "/", &[&format!("If-None-Match: {tag}")], "").await;
    assert_eq!(again.status, 304);
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_an_embedded_board_may_be_inside_of_other_pages() {
    let hall = Spectacle::new().await;
    hall.open(1, 1, &player("A", ""), &player("B", ""), None);
    let may_be_inside = async |address, path: &str| {
        let answer = get(address, path).await;
        let policy = answer.header("content-security-policy").unwrap().to_owned();
        assert!(policy.contains("default-src 'self'"), "{path}: {policy}");
        policy.contains("frame-ancestors *")
    };
    for path in ["/game/1-1?embed", "/?embed", "/round/1?embed", "/game/9-9?embed=1"] {
        assert!(may_be_inside(hall.public, path).await, "{path}");
    }
    for path in ["/", "/game/1-1", "/game/1-1?embedded", "/api/v1/boards?embed", "/assets/app.js?embed"] {
        assert!(!may_be_inside(hall.public, path).await, "{path}");
    }
    for path in ["/?embed", "/watch?embed", "/game/1-1?embed", "/desk/index.html?embed"] {
        assert!(!may_be_inside(hall.desk, path).await, "{path} at the desk");
    }
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_is_compressed_and_what_has_a_version_is_asked_for_once() {
    let hall = Spectacle::new().await;
    let page = get(hall.public, "/").await.body;
    let mut count = 0;
    for link in page.split('"').filter(|link| link.starts_with("/assets/")) {
        count += 1;
        let answer = get(hall.public, link).await;
        assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"), "{link}");
        let (path, _) = link.split_once('?').unwrap();
        for other in [path.to_owned(), format!("{path}?v=0")] {
            assert_eq!(get(hall.public, &other).await.header("cache-control"), Some("no-cache"), "{other}");
        }
        let packed = heard(hall.public, link, "Accept-Encoding: gzip").await;
        let plain = heard(hall.public, link, "Accept: */*").await;
        let is_packed = String::from_utf8_lossy(&packed).contains("content-encoding: gzip");
        assert!(is_packed && packed.len() < plain.len(), "{link}: {} of {}", packed.len(), plain.len());
    }
    assert_eq!(count, 4, "{page}");
    // What lives from coming at once is not held back to be packed.
    let mut stream = TcpStream::connect(hall.public).await.unwrap();
    let request =
        format!("GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: gzip\r\n\r\n", hall.public);
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = vec![0; 512];
    let length = stream.read(&mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    assert!(head.starts_with("HTTP/1.1 200") && !head.contains("gzip"), "{head}");
    hall.end().await;
}

/// A round of `count` boards after one that is over.
fn two_rounds(hall: &Spectacle, count: u64) {
    for number in 1..=count {
        let name = |side| player(&format!("Player {number}{side}"), "");
        let game = hall.open(4, number, &name('w'), &name('b'), None);
        let (_, moves) = plies(number as usize % 8);
        hall.play(&number.to_string(), &game, &moves);
        hall.decide(&number.to_string(), &game, ["1-0", "0-1", "1/2-1/2"][number as usize % 3]);
    }
    for number in 1..=count {
        let name = |side| player(&format!("Player {number}{side}"), "");
        let mut white = name('b');
        white["federation"] = if number == 7 { "ISL" } else { "GRE" }.into();
        let game = hall.open(5, number, &white, &name('w'), None);
        let (_, moves) = plies(number as usize % 8);
        hall.play(&number.to_string(), &game, &moves[..20]);
    }
}

const CARDS: &str = "document.querySelectorAll('#grid a.card:not([hidden])').length";

/// A game that nobody has begun may be given another board, and come back.
async fn another_board(browser: &Browser, hall: &Spectacle) {
    let moved =
        json!({ "round": 5, "number": 6, "variant": "chess", "start": plies(0).0, "white": {}, "black": {} });
    hall.say("game-opened", "21", "5-6", moved);
    let card = |board: u8| format!("document.querySelector('a.card[data-board=\"{board}\"]')");
    browser
        .sees(&format!("{}?.href.endsWith('/game/5-6') && {}.href.endsWith('#/board/6')", card(21), card(6)))
        .await;
    hall.open(5, 6, &player("Player 6b", ""), &player("Player 6w", ""), None);
    browser.sees(&format!("{}.href.endsWith('/game/5-6')", card(6))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_is_seen_whole_and_the_one_before_it_too() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    two_rounds(&hall, 20);
    hall.decide("3", "5-3", "0-1");
    browser.client.set_window_size(1_280, 900).await.unwrap();
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    browser.sees(&format!("{CARDS} === 20")).await;
    browser.sees("document.querySelector('#round-name').textContent === 'Round 5'").await;
    browser.sees("document.querySelector('#count').textContent === '19 live of 20'").await;
    // A move is seen at once.
    let (_, moves) = plies(2);
    hall.play("2", "5-2", &moves[20..21]);
    browser
        .sees(
            "document.querySelector('a.card[data-board=\"2\"] .card-status').textContent.startsWith('11. ')",
        )
        .await;
    another_board(&browser, &hall).await;
    // Who is looked for, by his federation.
    let search = browser.client.find(fantoccini::Locator::Css("#search")).await.unwrap();
    search.send_keys("isl").await.unwrap();
    browser
        .sees(&format!(
            "{CARDS} === 1 && document.querySelector('a.card[data-board=\"7\"]:not([hidden])') != null"
        ))
        .await;
    search.send_keys("zzz").await.unwrap();
    browser.sees("!document.querySelector('#empty').hidden").await;
    search.clear().await.unwrap();
    search.send_keys(" ").await.unwrap();
    browser.sees(&format!("{CARDS} === 21")).await;
    // The results, as they come.
    browser.click("#as-results").await;
    let row = |number: usize| {
        format!("document.querySelectorAll('#results .result-row')[{}].innerText", number - 1)
    };
    browser.sees("document.querySelectorAll('#results .result-row').length === 20").await;
    browser.sees(&format!("{}.includes('0–1')", row(3))).await;
    hall.decide("4", "5-4", "1/2-1/2");
    browser.sees(&format!("{}.includes('½–½')", row(4))).await;
    browser.sees("location.search === '?results'").await;
    // The round before is as it ended.
    browser.click("#previous-round").await;
    browser.sees("location.pathname === '/round/4' && document.querySelector('#round-name').textContent === 'Round 4'").await;
    browser
        .sees(&format!(
            "document.querySelectorAll('#results .result-row').length === 20 && {}.includes('0–1')",
            row(1)
        ))
        .await;
    browser.click("#as-boards").await;
    browser
        .sees(&format!(
            "{CARDS} === 20 && document.querySelectorAll('#grid a.card[href^=\"/game/4-\"]').length === 20"
        ))
        .await;
    browser.click("#grid a.card[href=\"/game/4-2\"]").await;
    let (_, old) = plies(2);
    browser.sees(&format!("document.querySelectorAll('#moves .move').length === {}", old.len())).await;
    browser.sees("document.querySelector('#board-now').innerText.includes('Player 2b')").await;
    // Back is back.
    browser.client.back().await.unwrap();
    browser.sees(&format!("location.pathname === '/round/4' && {CARDS} === 20")).await;
    browser.click("#next-round").await;
    browser
        .sees("location.pathname === '/' && document.querySelector('#round-name').textContent === 'Round 5'")
        .await;
    browser.close().await;
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_opens_its_game() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    two_rounds(&hall, 3);
    browser.client.goto(&format!("http://{}/game/5-2", hall.public)).await.unwrap();
    browser.sees("document.querySelectorAll('#moves .move').length === 20").await;
    browser
        .sees("document.querySelector('#large-board .player[data-side=white]').innerText.includes('GRE')")
        .await;
    // Live: the next move comes by itself, and one that is taken back goes.
    let (_, moves) = plies(2);
    hall.play("2", "5-2", &moves[20..22]);
    browser.sees("document.querySelectorAll('#moves .move').length === 22").await;
    let back = json!({ "ply": 15, "fen": moves[13].fen, "cause": "ruling" });
    hall.say("move-retracted", "2", "5-2", back);
    browser.sees("document.querySelectorAll('#moves .move').length === 14").await;
    // By keys, and by a finger.
    let current = "Number(document.querySelector('#moves .current')?.dataset.ply ?? 0)";
    browser.sees(&format!("{current} === 14")).await;
    let press = "dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })), true";
    browser.sees(press).await;
    browser.sees(&format!("{current} === 13")).await;
    let swipe = "(() => { const board = document.querySelector('#large-board .board');
        const at = (type, clientX) => board.dispatchEvent(new PointerEvent(type, { clientX, clientY: 200, bubbles: true, isPrimary: true, pointerType: 'touch' }));
        at('pointerdown', 100); at('pointerup', 200); return true; })()";
    browser.sees(swipe).await;
    browser.sees(&format!("{current} === 12")).await;
    browser.click("#flip").await;
    browser.sees("document.querySelector('#game').classList.contains('flipped')").await;
    // What can be taken along.
    browser.sees("document.querySelector('#pgn').getAttribute('href') === '/api/v1/games/5-2.pgn'").await;
    assert!(get(hall.public, "/api/v1/games/5-2.pgn").await.body.contains("[White \"Player 2b\"]"));
    browser.sees("document.querySelector('#gif').hidden").await;
    hall.decide("2", "5-2", "1-0");
    browser.sees("!document.querySelector('#gif').hidden && document.querySelector('#result').innerText.startsWith('1–0')").await;
    browser.click("#copy").await;
    browser.sees("document.querySelector('#copied').textContent === 'Link copied'").await;
    // A game of the round before comes whole, too; one that is none says so.
    browser.client.goto(&format!("http://{}/game/4-1", hall.public)).await.unwrap();
    let (_, old) = plies(1);
    browser.sees(&format!("document.querySelectorAll('#moves .move').length === {}", old.len())).await;
    browser.client.goto(&format!("http://{}/game/4-99", hall.public)).await.unwrap();
    browser.sees("document.querySelector('#missing').checkVisibility()").await;
    browser.close().await;
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_of_teams_has_its_score_while_it_is_played() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    for number in 1..=8_u64 {
        let (matched, board) = ((number - 1) / 4 + 1, (number - 1) % 4 + 1);
        let teams = [["Tapiola", "Kilpisjärvi"], ["Πάτρα", "Χανιά"]][matched as usize - 1];
        // Colours alternate from board to board.
        let (white, black) = if board % 2 == 1 { (teams[0], teams[1]) } else { (teams[1], teams[0]) };
        let name = |side| player(&format!("Player {number}{side}"), if side == 'w' { white } else { black });
        let place = json!({ "number": matched, "board": board });
        let game = hall.open(3, number, &name('w'), &name('b'), Some(place));
        hall.play(&number.to_string(), &game, &plies(number as usize % 8).1[..16]);
    }
    // Of the first match: 1 on board 1, 0 on board 2 as Black, ½ on board 3.
    for (board, result) in [("1", "1-0"), ("2", "1-0"), ("3", "1/2-1/2")] {
        hall.decide(board, &format!("3-{board}"), result);
    }
    browser.client.set_window_size(1_280, 900).await.unwrap();
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    let head = |number: usize| {
        format!("document.querySelectorAll('#grid .match')[{}].innerText.replace(/\\s+/g, ' ')", number - 1)
    };
    browser.sees(&format!("{} === 'Tapiola 1½ – 1½ Kilpisjärvi'", head(1))).await;
    browser.sees(&format!("{} === 'Πάτρα 0 – 0 Χανιά'", head(2))).await;
    browser.sees("document.querySelector('#grid .match').classList.contains('running')").await;
    browser.sees("document.querySelector('#grid .match').nextElementSibling.dataset.board === '1'").await;
    hall.decide("4", "3-4", "0-1");
    browser.sees(&format!("{} === 'Tapiola 2½ – 1½ Kilpisjärvi'", head(1))).await;
    browser.sees("!document.querySelector('#grid .match').classList.contains('running')").await;
    browser.click("#as-results").await;
    browser.sees("document.querySelectorAll('#results .match-row').length === 2").await;
    browser.sees("document.querySelector('#results .match-row').innerText.replace(/\\s+/g, ' ').includes('Tapiola 2½ – 1½ Kilpisjärvi')").await;
    // What does not count any more is told, and counts no more.
    hall.say("game-annulled", "1", "3-1", json!({ "status": "confirmed" }));
    browser.sees("document.querySelector('#results .result-row').innerText.includes('annulled')").await;
    browser.sees("document.querySelector('#results .match-row').innerText.replace(/\\s+/g, ' ').includes('1½ – 1½')").await;
    browser.close().await;
    hall.end().await;
}

/// What a module of the page gives for an expression in which it is called `it`.
async fn told(browser: &Browser, module: &str, expression: &str) -> Value {
    let script = format!(
        "const [done] = arguments; import('/assets/{module}').then((it) => done({expression}), (error) => done(String(error)));"
    );
    browser.client.execute_async(&script, Vec::new()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_speaks_the_language_of_its_reader() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    two_rounds(&hall, 2);
    browser.client.goto(&format!("http://{}/game/5-1", hall.public)).await.unwrap();
    // Every language has every text, with the same values in it.
    let texts = told(&browser, "texts.js", "it.TEXTS").await;
    let english = texts["en"].as_object().unwrap();
    assert!(english.len() > 60);
    let values = |text: &Value| -> BTreeSet<String> {
        let forms = text.as_str().or_else(|| text["other"].as_str()).unwrap_or_default().to_owned();
        forms.split('{').skip(1).map(|rest| rest.split('}').next().unwrap().to_owned()).collect()
    };
    for language in ["el", "fi"] {
        for (key, text) in english {
            let other = &texts[language][key];
            assert!(!other.is_null() && other.is_object() == text.is_object(), "{language} {key}");
            assert_eq!(values(other), values(text), "{language} {key}");
        }
        let more: Vec<_> =
            texts[language].as_object().unwrap().keys().filter(|key| !english.contains_key(*key)).collect();
        assert_eq!(more, ["letters"], "{language}");
    }
    // Who is behind is told so.
    assert_eq!(
        told(&browser, "words.js", "[0, 30, 60, 900].map(it.delayText)").await,
        json!(["", "30 seconds behind", "1 minute behind", "15 minutes behind"])
    );
    // A move is written as its reader writes it.
    let (_, moves) = plies(1);
    let knight = moves.iter().find(|mv| mv.san.starts_with("Nf")).unwrap();
    let shown =
        format!("document.querySelector('#moves .move[data-ply=\"{}\"] .san').textContent", knight.ply);
    browser.sees(&format!("{shown} === '{}'", knight.san)).await;
    browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
    for (language, san, title, files) in [
        ("fi", knight.san.replace('N', "R"), "Kierros 5", "abcdefgh"),
        ("el", knight.san.replace("Nf", "Ιζ").replace("Nc", "Ιγ"), "Γύρος 5", "αβγδεζηθ"),
    ] {
        browser.sees(&format!("(document.querySelector('#language').value = '{language}', document.querySelector('#language').dispatchEvent(new Event('change')), true)")).await;
        browser.sees(&format!("document.documentElement.lang === '{language}' && document.querySelector('#round-name').textContent === '{title}'")).await;
        browser.client.goto(&format!("http://{}/game/5-1", hall.public)).await.unwrap();
        browser.sees(&format!("{shown} === '{san}'")).await;
        // The edges of the board are called as its moves are.
        let edges = "[...document.querySelectorAll('#large-board text')].slice(0, 8).map(text => text.textContent).join('')";
        browser.sees(&format!("{edges} === '{files}'")).await;
        browser.client.goto(&format!("http://{}/", hall.public)).await.unwrap();
        browser.sees("document.querySelector('#round-name').textContent !== ''").await;
    }
    browser.close().await;
    hall.end().await;
}

/// A page of somebody else with three frames.
async fn foreign_page(frames: [String; 3]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let frames = frames
        .map(|frame| format!("<iframe src=\"{frame}\" width=\"400\" height=\"500\"></iframe>"))
        .concat();
    let pages = Router::new()
        .route("/", route(async move || Html(format!("<!doctype html><title>Club</title>{frames}"))));
    tokio::spawn(async move { axum::serve(listener, pages).await.unwrap() });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_can_be_shown_inside_of_somebody_elses_page() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    two_rounds(&hall, 2);
    let (public, desk) = (hall.public, hall.desk);
    let frames = [
        format!("http://{public}/game/5-1?embed"),
        format!("http://{public}/game/5-1"),
        format!("http://{desk}/"),
    ];
    let club = foreign_page(frames).await;
    // Another origin by its name.
    browser.client.goto(&format!("http://localhost:{}/", club.port())).await.unwrap();
    browser.client.enter_frame(0).await.unwrap();
    browser.sees("document.querySelectorAll('#large-board .man').length > 10").await;
    browser
        .sees("document.querySelector('#large-board .clock[data-side=white]').textContent.length > 3")
        .await;
    browser.sees("!document.querySelector('#head').checkVisibility() && !document.querySelector('#side').checkVisibility()").await;
    assert_eq!(browser.sees("document.documentElement.scrollHeight <= innerHeight").await, true);
    let (_, moves) = plies(1);
    hall.play("1", "5-1", &moves[20..21]);
    let to = &moves[20].uci[2..4];
    browser
        .sees(&format!("document.querySelector('#large-board rect.last.to').dataset.square === '{to}'"))
        .await;
    for frame in [1, 2] {
        browser.client.clone().enter_parent_frame().await.unwrap();
        browser.client.enter_frame(frame).await.unwrap();
        browser
            .sees("document.querySelector('#head') === null && location.protocol === 'chrome-error:'")
            .await;
    }
    browser.close().await;
    hall.end().await;
}
