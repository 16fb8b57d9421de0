//! The picture that goes with a link to a game: its board, both clocks, and the result.
//!
//! Who plays stands in the link's title, so that the picture needs no letters and no font: the digits are
//! those of a clock.

use std::fmt::Write as _;

use super::board::Shown;
use super::men::{Man, men_of};
use super::shapes::colour;
use crate::feed::view::GameView;
use adoube_rules::four::Army;
use adoube_rules::sensor::Side;

/// What programs that show links expect.
pub(in crate::web) const WIDTH: u32 = 1_200;
/// The same.
pub(in crate::web) const HEIGHT: u32 = 630;

const MARGIN: u32 = 31;
const SIDE: u32 = HEIGHT - 2 * MARGIN;

/// The panel beside the board.
const LEFT: u32 = 2 * MARGIN + SIDE;
const PANEL: u32 = WIDTH - LEFT - MARGIN;
const PANEL_HEIGHT: u32 = 190;

/// A digit, in pixels, and the line of which it is made.
const DIGIT: (u32, u32) = (54, 98);
const LINE: u32 = 12;

/// Which of the seven lines a digit has: top, upper left and right, middle, lower left and right, bottom.
const DIGITS: [u8; 10] = [
    0b111_0111, 0b001_0010, 0b101_1101, 0b101_1011, 0b011_1010, 0b110_1011, 0b110_1111, 0b101_0010,
    0b111_1111, 0b111_1011,
];

/// The card of `game` after `ply` moves, of which `shown` is the board.
pub(super) fn svg(game: &GameView, ply: usize, shown: &Shown) -> String {
    let mut text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">");
    write!(text, "<path fill=\"{}\" d=\"M0 0h{WIDTH}v{HEIGHT}H0z\"/>", colour("page")).ok();
    let scale = f64::from(SIDE) / f64::from(shown.width());
    write!(text, "<g transform=\"translate({MARGIN} {MARGIN}) scale({scale})\">{}</g>", shown.body()).ok();
    let is_last = ply == game.moves.len();
    let result = if is_last { points(&game.result) } else { None };
    let to_move = to_move(game, ply, shown);
    let sides: [(Side, &[Army]); 2] = if shown.is_four() {
        [(Side::Black, &[Army::White, Army::Black]), (Side::White, &[Army::Red, Army::Blue])]
    } else {
        [(Side::Black, &[Army::Black]), (Side::White, &[Army::White])]
    };
    text.push_str(&men_of(sides.iter().flat_map(|(_, armies)| *armies).map(|&army| Man::king(army))));
    // The page shows the clock as it was read last, and so does the card of the position now.
    let read = game.clock.as_ref().filter(|_| is_last).map(|clock| clock.times);
    let clock = read.or_else(|| game.moves.all()[..ply].iter().rev().find_map(|mv| mv.clock));
    for ((side, armies), top) in sides.into_iter().zip([MARGIN, HEIGHT - MARGIN - PANEL_HEIGHT]) {
        let is_on = result.is_none() && armies.contains(&to_move);
        let fill = colour(if is_on { "now" } else { "card" });
        write!(
            text,
            "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{PANEL}\" height=\"{PANEL_HEIGHT}\" rx=\"18\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"2\"/>",
            colour("line"),
        )
        .ok();
        match *armies {
            [army] => write_king(&mut text, army, (LEFT + 8, top + 30), 1.25),
            _ => write_partners(&mut text, armies, top, is_on.then_some(to_move)),
        }
        let ms = clock.map(|clock| if side == Side::White { clock.white_ms } else { clock.black_ms });
        let digits = ms.map_or_else(String::new, time);
        let x = LEFT + PANEL - 24 - width(&digits);
        write_digits(&mut text, &digits, (x, top + 46), colour(if is_on { "now-text" } else { "text" }));
    }
    if let Some(result) = result {
        let place = (LEFT + PANEL / 2 - width(result) / 2, HEIGHT / 2 - DIGIT.1 / 2);
        write_digits(&mut text, result, place, colour("text"));
    }
    text.push_str("</svg>\n");
    text
}

/// Who is to move after `ply` moves; of two players by the count of moves, as the position of a game that went on
/// after an illegal move may have another turn.
fn to_move(game: &GameView, ply: usize, shown: &Shown) -> Army {
    let turn = |fen: &str| fen.split(' ').nth(1).and_then(|turn| turn.chars().next());
    if shown.is_four() {
        let moves = game.moves.all();
        let fen = ply.checked_sub(1).map_or(&game.start, |last| &moves[last].fen);
        return turn(fen).and_then(Army::from_letter).unwrap_or(Army::Red);
    }
    let starts_black = turn(&game.start) == Some('b');
    if ply % 2 == usize::from(starts_black) { Army::White } else { Army::Black }
}

fn write_king(text: &mut String, army: Army, (x, y): (u32, u32), scale: f64) {
    let king = Man::king(army).name();
    write!(text, "<use href=\"#{king}\" transform=\"translate({x} {y}) scale({scale})\"/>").ok();
}

/// The kings of a team one below the other; that of `to_move` on a ground of his own.
fn write_partners(text: &mut String, armies: &[Army], top: u32, to_move: Option<Army>) {
    for (&army, y) in armies.iter().zip([top + 6, top + 94]) {
        if to_move == Some(army) {
            write!(
                text,
                "<rect x=\"{}\" y=\"{y}\" width=\"102\" height=\"90\" rx=\"14\" fill=\"{}\"/>",
                LEFT + 12,
                colour("card")
            )
            .ok();
        }
        write_king(text, army, (LEFT + 18, y), 0.9);
    }
}

/// A result in the signs that there are here.
fn points(result: &str) -> Option<&'static str> {
    match result {
        "1-0" | "+/-" => Some("1-0"),
        "0-1" | "-/+" => Some("0-1"),
        "1/2-1/2" => Some("½-½"),
        "0-0" | "-/-" => Some("0-0"),
        "1/2-0" => Some("½-0"),
        "0-1/2" => Some("0-½"),
        "1-1/2" => Some("1-½"),
        "1/2-1" => Some("½-1"),
        "1-1" => Some("1-1"),
        _ => None,
    }
}

/// `1:05:09`, `5:09`; a second counts until it is over, as on the page.
fn time(ms: u64) -> String {
    let s = ms.div_ceil(1_000);
    let (h, m, s) = (s / 3_600, s / 60 % 60, s % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

/// How wide one of the signs is, with the air after it.
fn advance(sign: char) -> u32 {
    match sign {
        ':' => 30,
        '½' => DIGIT.0 + 32,
        _ => DIGIT.0 + 14,
    }
}

fn width(signs: &str) -> u32 {
    signs.chars().map(advance).sum::<u32>().saturating_sub(14)
}

fn write_digits(text: &mut String, signs: &str, (mut x, y): (u32, u32), colour: &str) {
    write!(text, "<g fill=\"none\" stroke=\"{colour}\" stroke-width=\"{LINE}\" stroke-linecap=\"round\">")
        .ok();
    for sign in signs.chars() {
        match sign {
            ':' => {
                let middle = x + 8;
                write!(text, "<path d=\"M{middle} {}v.1M{middle} {}v.1\"/>", y + 32, y + 66).ok();
            }
            '-' => {
                let middle = y + DIGIT.1 / 2;
                write!(text, "<path d=\"M{} {middle}h{}\"/>", x + 12, DIGIT.0 - 24).ok();
            }
            '½' => {
                let mut small = |digit: char, (x, y): (u32, u32)| {
                    let lines = lines(digit, (0, 0));
                    write!(
                        text,
                        "<g transform=\"translate({x} {y}) scale(.5)\" stroke-width=\"18\">{lines}</g>"
                    )
                    .ok();
                };
                small('1', (x, y));
                small('2', (x + 42, y + DIGIT.1 / 2));
                write!(text, "<path d=\"M{} {}L{} {}\" stroke-width=\"8\"/>", x + 10, y + 94, x + 58, y + 4)
                    .ok();
            }
            digit => text.push_str(&lines(digit, (x, y))),
        }
        x += advance(sign);
    }
    text.push_str("</g>");
}

/// The lines of a digit whose corner is at `(x, y)`.
fn lines(digit: char, (x, y): (u32, u32)) -> String {
    let has = digit.to_digit(10).map_or(0, |digit| DIGITS[digit as usize]);
    let (half, air) = (LINE / 2, 10);
    let (left, right) = (x + half, x + DIGIT.0 - half);
    let rows = [y + half, y + DIGIT.1 / 2, y + DIGIT.1 - half];
    let across = |row: u32| format!("M{} {row}H{}", left + air, right - air);
    let down = |column: u32, row: usize| format!("M{column} {}V{}", rows[row] + air, rows[row + 1] - air);
    let all = [
        across(rows[0]),
        down(left, 0),
        down(right, 0),
        across(rows[1]),
        down(left, 1),
        down(right, 1),
        across(rows[2]),
    ];
    let d: String = all
        .iter()
        .enumerate()
        .filter(|(index, _)| has >> (6 - index) & 1 == 1)
        .map(|(_, d)| d.as_str())
        .collect();
    format!("<path d=\"{d}\"/>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::feed::view::HallView;
    use adoube_core::event::testing::public;

    /// The social card and the page that it leads to show the same times.
    #[test]
    fn the_card_of_the_position_now_shows_the_clock_as_it_was_read_last() {
        let mut hall = HallView::default();
        let mut say = |name: &str, mut event: serde_json::Value| {
            event["type"] = name.into();
            event["game"] = "5-1".into();
            hall.apply(&public(event));
        };
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        say(
            "game-opened",
            json!({ "round": 5, "number": 1, "variant": "chess", "start": fen, "time_control": null,
            "white": {}, "black": {}, "result": "*" }),
        );
        let times = |white_s: u64| json!({ "white_ms": white_s * 1_000, "black_ms": 60_000 });
        say(
            "move-made",
            json!({ "ply": 1, "side": "white", "san": "e4", "uci": "e2e4", "fen": fen, "legal": true,
            "confidence": 1.0, "made_ms": 1, "clock": times(90), "cause": "played" }),
        );
        let card = |hall: &HallView, ply: usize| {
            let game = hall.game("5-1").unwrap();
            svg(game, ply, &Shown::of(game, ply).unwrap())
        };
        let mut read = times(30);
        read["running"] = "white".into();
        let before = card(&hall, 1);
        read["game"] = "5-1".into();
        read["type"] = "clock-read".into();
        hall.apply(&public(read));
        assert_ne!(card(&hall, 1), before);
        assert_eq!(hall.game("5-1").unwrap().clock.as_ref().unwrap().times.white_ms, 30_000);
    }
}
