//! Pictures of games: they are what they say, pixel by pixel, and nobody can have too many of them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use resvg::tiny_skia::Pixmap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::http::{ask, get};
use crate::spectators::hall::{Spectacle, player, plies};

/// A picture, and what it says of itself.
pub(crate) async fn picture(address: SocketAddr, path: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head, bytes[end + 4..].to_vec())
}

/// Pixels of a square board, red, green and blue.
struct Pixels {
    side: usize,
    rgb: Vec<[u8; 3]>,
}

impl Pixels {
    fn of_png(bytes: &[u8]) -> Self {
        let png = Pixmap::decode_png(bytes).unwrap();
        assert_eq!(png.width(), png.height());
        let rgb = png.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        Self { side: png.width() as usize, rgb: rgb.collect() }
    }

    /// The pixels of a square, from a8 on.
    fn square(&self, index: usize) -> Vec<[u8; 3]> {
        let side = self.side / 8;
        let (left, top) = (index % 8 * side, index / 8 * side);
        (top..top + side).flat_map(|y| self.rgb[y * self.side + left..][..side].to_vec()).collect()
    }
}

/// The man on each square, from a8 on.
fn men(fen: &str) -> Vec<char> {
    let placement = fen.split(' ').next().unwrap().replace('/', "");
    let squares = placement.chars().flat_map(|letter| match letter.to_digit(10) {
        Some(count) => vec![' '; count as usize],
        None => vec![letter],
    });
    squares.collect()
}

fn index(square: &str) -> usize {
    let [file, rank] = *square.as_bytes() else { panic!("{square}") };
    usize::from(b'8' - rank) * 8 + usize::from(file - b'a')
}

async fn hall() -> (Spectacle, String) {
    let hall = Spectacle::new().await;
    let game = hall.open(2, 1, &player("A", ""), &player("B", ""), None);
    hall.play("1", &game, &plies(2).1);
    (hall, game)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_picture_is_the_position() {
    let (hall, game) = hall().await;
    let (start, moves) = plies(2);
    let at = async |ply: usize| {
        let path = format!("/api/v1/games/{game}/position.png?ply={ply}&size=320");
        let (status, head, bytes) = picture(hall.public, &path).await;
        assert!(status == 200 && head.contains("image/png"), "{head}");
        Pixels::of_png(&bytes)
    };
    // The start shows each man on each colour of square, or nearly; the same things look the same, and all
    // others differ.
    let mut looks = BTreeMap::new();
    let mut learn = |pixels: &Pixels, fen: &str, uci: Option<&str>| {
        let marked: BTreeSet<usize> =
            uci.iter().flat_map(|uci| [index(&uci[..2]), index(&uci[2..4])]).collect();
        for (place, man) in men(fen).into_iter().enumerate().filter(|(place, _)| !marked.contains(place)) {
            let kind = (man, (place / 8 + place % 8) % 2);
            let look = pixels.square(place);
            assert_eq!(*looks.entry(kind).or_insert_with(|| look.clone()), look, "{kind:?} in {fen}");
        }
    };
    learn(&at(0).await, &start, None);
    // The last move of this game is a check: its king is marked, too. Plies in its midst will do.
    for ply in [1, 9, 14] {
        assert!(!moves[ply - 1].san.contains('+'));
        learn(&at(ply).await, &moves[ply - 1].fen, Some(&moves[ply - 1].uci));
    }
    let different: BTreeSet<_> = looks.values().collect();
    assert_eq!(different.len(), looks.len());
    assert!(looks.len() >= 20, "{:?}", looks.keys());
    // White's men are white, Black's are dark, an empty square has one colour.
    let brightness = |kind| {
        looks[&kind].iter().map(|[r, g, b]| u64::from(*r) + u64::from(*g) + u64::from(*b)).sum::<u64>()
    };
    assert!(brightness(('P', 1)) > brightness(('p', 1)));
    let empty: BTreeSet<_> = looks[&(' ', 0)].iter().collect();
    assert_eq!(empty.into_iter().collect::<Vec<_>>(), [&[0xe7, 0xec, 0xf0]], "the light square of the page");
    // The square that the last move left has a colour of its own: the page's yellow over its own light.
    let left = index(&moves[0].uci[..2]);
    let blend =
        |square: u8, mark: u8| (f64::from(square) * (255.0 - 148.0) + f64::from(mark) * 148.0) / 255.0;
    let expected = [blend(0xe7, 0xf0), blend(0xec, 0xc4), blend(0xf0, 0x19)];
    for pixel in at(1).await.square(left) {
        assert!(
            pixel.iter().zip(expected).all(|(&is, should)| (f64::from(is) - should).abs() < 3.0),
            "{pixel:?} {expected:?}"
        );
    }
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_animation_has_every_ply_and_ends_where_the_game_did() {
    let (hall, game) = hall().await;
    let path = format!("/api/v1/games/{game}/game.gif");
    let early = get(hall.public, &path).await;
    assert_eq!(early.status, 409);
    assert!(early.body.contains("is not over"), "{}", early.body);
    hall.decide("1", &game, "1-0");
    let (status, head, bytes) = picture(hall.public, &format!("{path}?size=320")).await;
    assert!(status == 200 && head.contains("image/gif"), "{head}");
    let (_, moves) = plies(2);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes.as_slice()).unwrap();
    let side = usize::from(decoder.width());
    let mut canvas = Pixels { side, rgb: vec![[0; 3]; side * side] };
    let (mut frames, mut drawn) = (0, 0);
    let mut first = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        drawn += usize::from(frame.width) * usize::from(frame.height);
        for (place, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (place % usize::from(frame.width), place / usize::from(frame.width));
            let at = (y + usize::from(frame.top)) * side + x + usize::from(frame.left);
            if pixel[3] > 0 {
                canvas.rgb[at] = [pixel[0], pixel[1], pixel[2]];
            }
        }
        if frames == 1 {
            first = canvas.rgb.clone();
        }
    }
    assert_eq!((side, frames), (320, moves.len() + 1));
    assert!(drawn < side * side * frames / 2, "only what changed is drawn anew");
    println!("{} bytes for {} plies", bytes.len(), moves.len());
    assert!(bytes.len() < 3_000 * moves.len(), "{} bytes", bytes.len());
    // A picture with few colours is a little different; a man in another place would be much.
    let difference = |one: &[[u8; 3]], other: &[[u8; 3]]| {
        let sum: u64 =
            one.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / (3 * one.len()) as f64
    };
    for (ply, rgb) in [(0, first), (moves.len(), canvas.rgb)] {
        let (_, _, png) =
            picture(hall.public, &format!("/api/v1/games/{game}/position.png?size=320&ply={ply}")).await;
        let (expected, shown) = (Pixels::of_png(&png), Pixels { side, rgb });
        for place in 0..64 {
            let off = difference(&expected.square(place), &shown.square(place));
            assert!(off < 4.0, "ply {ply}, square {place}: {off}");
        }
    }
    hall.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_asked_for_once_and_has_its_limits() {
    let (hall, game) = hall().await;
    let at = |rest: &str| format!("/api/v1/games/{game}/{rest}");
    let (status, _, card) = picture(hall.public, &at("card.png?ply=7")).await;
    let card = Pixmap::decode_png(&card).unwrap();
    assert_eq!((status, card.width(), card.height()), (200, 1_200, 630));
    for (asked, width) in [("size=1", 64), ("size=9999", 1_024), ("size=100", 100)] {
        let (_, _, bytes) = picture(hall.public, &at(&format!("position.png?{asked}"))).await;
        assert_eq!(Pixmap::decode_png(&bytes).unwrap().width(), width, "{asked}");
    }
    let svg = get(hall.public, &at("position.svg?ply=1")).await;
    assert_eq!((svg.status, svg.header("content-type")), (200, Some("image/svg+xml")));
    assert_eq!(svg.body.matches("<use ").count(), 32);
    let tag = svg.header("etag").unwrap().to_owned();
    let again =
        ask(hall.public, "GET", &at("position.svg?ply=1"), &[&format!("If-None-Match: {tag}")], "").await;
    assert_eq!(again.status, 304);
    for (rest, status) in
        [("position.png?ply=999", 404), ("card.png?ply=x", 422), ("position.png?width=3", 422)]
    {
        assert_eq!(get(hall.public, &at(rest)).await.status, status, "{rest}");
    }
    assert_eq!(get(hall.public, "/api/v1/games/9-9/position.png").await.status, 404);
    hall.end().await;
}
