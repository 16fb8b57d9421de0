//! Lines that are lost, doubled or garbled, and a board that restarts: the game is read all the same.

use adoube_core::capture::{Header, Item, Line};
use adoube_rules::stamp::MS;
use adoube_sim::{BoardConfig, ClockSetting, Direction, Game, Noise, record};
use fastrand::Rng;

use crate::played::demo_game;
use crate::seen::{lawful_moves, replay};

/// What happens to the lines of a board.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// One change in twenty-five is lost.
    Lost,
    /// One in ten comes twice.
    Doubled,
    /// One in fifty has a wrong character.
    Garbled,
    /// The board restarts after every fortieth line: what it said half a second before is lost, and a hello and a
    /// position come.
    Restarts,
}

/// The lines that a board said in a game, with their times, as they come over a line with that fault.
fn heard(index: usize, occupancy: bool, fault: Fault) -> (Vec<Line>, usize) {
    let played = demo_game(index);
    let game = Game::from(&played);
    let clock = "5400+30".parse::<ClockSetting>().ok();
    let config = BoardConfig {
        protocol: "open",
        occupancy,
        noise: Noise::Clean,
        clock,
        seed: 3,
        ..BoardConfig::default()
    };
    let recording = record(&game, config);
    let mut rng = Rng::with_seed(11 + index as u64);
    let mut said: Vec<(u64, String)> = Vec::new();
    for chunk in recording.chunks.iter().filter(|chunk| chunk.direction == Direction::FromBoard) {
        let text = String::from_utf8(chunk.bytes.clone()).unwrap();
        let t_ns = (chunk.t_ms * MS as f64) as u64;
        said.extend(text.split_inclusive('\n').map(|line| (t_ns, line.to_owned())));
    }
    let hello = said[0].1.clone();
    let mut out: Vec<(u64, String)> = Vec::new();
    let mut spoilt = 0;
    for (number, (t_ns, line)) in said.into_iter().enumerate() {
        let mut line = line;
        let is_hit = match fault {
            Fault::Lost => line.starts_with("square") && rng.u32(..25) == 0,
            Fault::Doubled => rng.u32(..10) == 0,
            Fault::Garbled => rng.u32(..50) == 0,
            Fault::Restarts => number % 40 == 39,
        };
        spoilt += usize::from(is_hit);
        match fault {
            Fault::Lost if is_hit => continue,
            Fault::Doubled if is_hit => out.push((t_ns, line.clone())),
            Fault::Garbled if is_hit => {
                let place = rng.usize(..line.len() - 1);
                line.replace_range(place..=place, "#");
            }
            Fault::Restarts if is_hit => out.push((t_ns, hello.clone())),
            _ => {}
        }
        out.push((t_ns, line));
    }
    let lines =
        out.into_iter().map(|(t_ns, line)| Line { t_ns, items: vec![Item::Received(line.into_bytes())] });
    (lines.collect(), spoilt)
}

#[test]
fn a_game_survives_bad_lines() {
    use Fault::{Doubled, Garbled, Lost, Restarts};
    let of_identity = [Lost, Doubled, Garbled, Restarts].map(|fault| (false, fault));
    // Where men are not named, a change that is lost may have been all that told one move from another.
    let of_occupancy = [Doubled, Restarts].map(|fault| (true, fault));
    for (occupancy, fault) in of_identity.into_iter().chain(of_occupancy) {
        let (mut spoilt, mut right) = (0, 0);
        for index in 0..4 {
            let (lines, hit) = heard(index, occupancy, fault);
            let header = Header { board: "1".to_owned(), protocol: "open".to_owned(), ..Header::default() };
            let seen = replay(&header, &lines);
            spoilt += hit;
            right += usize::from(seen.moves(0) == lawful_moves(&demo_game(index)));
        }
        assert!(spoilt > 3, "{fault:?}");
        assert_eq!(right, 4, "{fault:?}, occupancy {occupancy}");
    }
}
