//! What holds for any recording, any bytes and any handling of a board.

use std::sync::OnceLock;

use adoube_core::capture::{Header, Item, Line};
use adoube_core::event::Event;
use adoube_core::replay::{Remarks, open};
use adoube_core::station::{FRAMES, Input, Open, Output, Station};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::sensor::{Army, Content, Frame, Reading, Role};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, Stamp};
use adoube_rules::{ChessPosition, Position as _};
use adoube_sim::Noise;
use proptest::prelude::*;
use serde_json::Value;

use crate::acts;
use crate::depth::cases;
use crate::hands;
use crate::seen::{Seen, replay};
use crate::slots::computing;

/// Longer than anything waits for, nanoseconds.
const AFTER_NS: u64 = 60_000 * MS;

/// Recordings of historic games, played by tidy hands and by untidy ones.
fn recordings() -> &'static [(Header, Vec<Line>, Vec<String>)] {
    /// What was recorded, and the events that it gives.
    type Recorded = (Header, Vec<Line>, Vec<String>);
    static RECORDINGS: OnceLock<Vec<Recorded>> = OnceLock::new();
    RECORDINGS.get_or_init(|| {
        let games: Vec<PgnGame> = read_games(include_str!("../../src/demo/games.pgn").as_bytes()).unwrap();
        let of = |(seed, game): (u64, &PgnGame)| {
            let noise = [Noise::Light, Noise::Heavy][seed as usize % 2];
            let (header, lines) = hands::capture(game, noise, seed);
            let events = replay(&header, &lines).lines();
            (header, lines, events)
        };
        (0..).zip(games.iter().take(4)).map(of).collect()
    })
}

/// The same bytes at the same instants, cut elsewhere: `cuts` are lengths, taken in turn.
pub(crate) fn cut(lines: &[Line], cuts: &[usize]) -> Vec<Line> {
    let mut cuts = cuts.iter().copied().cycle();
    let mut cut_item = |item: &Item| {
        let Item::Received(bytes) = item else { return vec![item.clone()] };
        let mut rest = bytes.as_slice();
        let mut items = Vec::new();
        while !rest.is_empty() {
            let (chunk, left) = rest.split_at(cuts.next().unwrap().min(rest.len()));
            items.push(Item::Received(chunk.to_vec()));
            rest = left;
        }
        items
    };
    let cut_line =
        |line: &Line| Line { t_ns: line.t_ns, items: line.items.iter().flat_map(&mut cut_item).collect() };
    lines.iter().map(cut_line).collect()
}

/// What a station tells that gets these lines, and is woken at these instants for no reason.
fn with_wakes(header: &Header, lines: &[Line], wakes_ns: &[u64]) -> Vec<String> {
    let start = Stamp { mono_ns: 0, utc_ns: header.started_utc_ns };
    let mut station = Station::open(open(header), start).unwrap();
    let mut output = Output::default();
    let mut wakes = wakes_ns.iter().copied().peekable();
    let end_ns = lines.last().map_or(0, |line| line.t_ns) + AFTER_NS;
    station.handle(&Input::LinkUp, start, &mut output);
    for line in lines {
        while let Some(at_ns) = wakes.next_if(|&at_ns| at_ns <= line.t_ns) {
            station.handle(&Input::Wake, start.at(at_ns), &mut output);
        }
        for item in &line.items {
            if let Item::Received(bytes) = item {
                station.handle(&Input::Bytes(bytes.clone()), start.at(line.t_ns), &mut output);
            }
        }
    }
    station.handle(&Input::Wake, start.at(end_ns), &mut output);
    seen(&output.events).lines()
}

/// What arrives while a line hangs, at these instants for so long, arrives when it goes on.
fn with_hangs(lines: &[Line], hangs: &[(u64, u64)]) -> Vec<Line> {
    let arrival_ns = |t_ns: u64| {
        let held = hangs.iter().filter(|&&(at_ns, for_ns)| (at_ns..at_ns + for_ns).contains(&t_ns));
        held.map(|&(at_ns, for_ns)| at_ns + for_ns).fold(t_ns, u64::max)
    };
    let mut latest_ns = 0;
    let mut held = |line: &Line| {
        latest_ns = arrival_ns(line.t_ns).max(latest_ns);
        Line { t_ns: latest_ns, ..line.clone() }
    };
    lines.iter().map(&mut held).collect()
}

/// What a replay finds wrong with the clock.
fn faults_of_the_clock(header: &Header, lines: &[Line]) -> Vec<Value> {
    const FAULTS: [&str; 3] = ["clock-time-jump", "clock-setting-wrong", "clock-defective"];
    let said = replay(header, lines).lines();
    let values = said.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.filter(|value| FAULTS.iter().any(|name| value["type"] == *name)).collect()
}

fn seen(events: &[Event]) -> Seen {
    Seen::new("1", events, Remarks::default())
}

proptest! {
    // A case replays a whole game.
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    #[test]
    fn it_does_not_matter_where_the_bytes_are_cut(
        which in 0..4_usize,
        cuts in prop::collection::vec(1..40_usize, 1..20),
    ) {
        let _slot = computing();
        let (header, lines, events) = &recordings()[which];
        prop_assert_eq!(&replay(header, &cut(lines, &cuts)).lines(), events);
    }

    #[test]
    fn it_does_not_matter_when_somebody_looks(
        which in 0..4_usize,
        mut wakes_ms in prop::collection::vec(0..400_000_u64, 0..400),
    ) {
        let _slot = computing();
        let (header, lines, _) = &recordings()[which];
        wakes_ms.sort_unstable();
        let wakes_ns: Vec<u64> = wakes_ms.into_iter().map(|ms| ms * MS + 1).collect();
        prop_assert_eq!(with_wakes(header, lines, &wakes_ns), with_wakes(header, lines, &[]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(24)))]

    /// A line that hangs for up to five seconds, and then brings all at once, is nobody's clock set wrong.
    #[test]
    fn a_line_that_hangs_is_no_fault_of_the_clock(
        which in prop::sample::select(vec![0, 2_usize]),
        hangs in prop::collection::vec((0..1_000_u64, 500..5_000_u64), 1..12),
    ) {
        let _slot = computing();
        let (header, lines, _) = &recordings()[which];
        let last_ns = lines.last().map_or(0, |line| line.t_ns);
        let hangs: Vec<(u64, u64)> =
            hangs.into_iter().map(|(part, for_ms)| (last_ns / 1_000 * part, for_ms * MS)).collect();
        prop_assert_eq!(faults_of_the_clock(header, lines), Vec::<Value>::new());
        prop_assert_eq!(faults_of_the_clock(header, &with_hangs(lines, &hangs)), Vec::<Value>::new());
    }
}

#[test]
fn a_second_replay_tells_the_same() {
    for (header, lines, events) in recordings() {
        assert!(events.len() > 50);
        assert_eq!(&replay(header, lines).lines(), events);
    }
}

/// Bytes as a bad line brings them: whole messages, broken ones, anything.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let message = (prop::sample::select(vec![0x86, 0x8d, 0x8e, 0x8f, 0x91, 0x93, 0xa2]), 0..80_u8)
        .prop_flat_map(|(id, length)| {
            let data = prop::collection::vec(0..128_u8, usize::from(length.saturating_sub(3)));
            data.prop_map(move |data| [vec![id, 0, length], data].concat())
        });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        message,
        (0..64_u8, 0..16_u8).prop_map(|(square, piece)| vec![0x8e, 0, 5, square, piece]),
        Just(start_dump()),
    ]
}

/// A dump of the start array, as the protocol's description gives it.
fn start_dump() -> Vec<u8> {
    let mut bytes = vec![0x86, 0x00, 0x43, 0x08, 0x09, 0x0a, 0x0c, 0x0b, 0x0a, 0x09, 0x08];
    bytes.extend([[0x07; 8].as_slice(), &[0; 32], &[0x01; 8]].concat());
    bytes.extend([0x02, 0x03, 0x04, 0x06, 0x05, 0x04, 0x03, 0x02]);
    bytes
}

/// Asserts that every announced line was legal at every time, and follows without a hole. Without a press no illegal move
/// is completed: only what is adopted after plies that nobody could name is no move, and it says so.
fn assert_legal(seen: &Seen) {
    acts::assert_legal(&seen.events);
    for event in seen.of_type("move-made").into_iter().filter(|event| event["legal"] == false) {
        assert_eq!(event["cause"], "recovered", "{event:?}");
    }
}

/// What happens to one square: nearly always something that a hand can do.
fn square_change() -> impl Strategy<Value = (Square, Content)> {
    let man = (0..2_u8, 0..6_usize).prop_map(|(seat, role)| Content::man(Army::new(seat), Role::ALL[role]));
    ((0..64_u8).prop_map(Square::new), prop_oneof![3 => Just(Content::EMPTY), 2 => man])
}

/// A mixture of legal moves and of noise: `pick` chooses among the legal moves, or among nothing.
#[derive(Debug, Clone)]
enum Handling {
    Move(u16),
    Noise(Square, Content),
    Wait(u64),
}

fn handling() -> impl Strategy<Value = Handling> {
    prop_oneof![
        6 => any::<u16>().prop_map(Handling::Move),
        2 => square_change().prop_map(|(square, content)| Handling::Noise(square, content)),
        4 => (10..4_000_u64).prop_map(Handling::Wait),
    ]
}

/// Handles a board at random; moves are those of the position that the hands believe in.
fn handled(all: &[Handling], is_occupancy: bool) -> Seen {
    let mut station = Station::open(Open::new("1", FRAMES, "test"), Stamp::default()).unwrap();
    let mut output = Output::default();
    let mut position = ChessPosition::default();
    let mut contents = position.contents();
    let mut at_ns = 0;
    let mut show = |contents: &[Content], at_ns: u64| {
        let frame = if is_occupancy {
            Frame::Occupancy(contents.iter().map(|content| content.occupancy()).collect())
        } else {
            Frame::Identity(contents.to_vec())
        };
        station.handle(&Input::Reading(Reading::Frame(frame)), Stamp::default().at(at_ns), &mut output);
    };
    show(&contents, at_ns);
    at_ns += 4_000 * MS;
    for handling in all {
        match *handling {
            Handling::Wait(ms) => at_ns += ms * MS,
            Handling::Noise(square, content) => {
                contents[square] = content;
                show(&contents, at_ns);
            }
            Handling::Move(pick) => {
                let mut moves = Vec::new();
                position.legal_moves(&mut moves);
                let Some(&mv) = moves.get(usize::from(pick) % moves.len().max(1)) else { continue };
                for &(square, _, after) in position.footprint(mv).changes() {
                    contents[square] = after;
                    show(&contents, at_ns);
                    at_ns += 120 * MS;
                }
                position = position.play(mv);
            }
        }
    }
    station.handle(&Input::Wake, Stamp::default().at(at_ns + AFTER_NS), &mut output);
    seen(&output.events)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn any_bytes_at_all_are_borne(
        chunks in prop::collection::vec((0..3_000_u64, bytes()), 0..60),
    ) {
        let _slot = computing();
        let mut station = Station::open(Open::new("1", "dgt", "test"), Stamp::default()).unwrap();
        let mut output = Output::default();
        let mut at_ns = 0;
        station.handle(&Input::LinkUp, Stamp::default(), &mut output);
        for (pause_ms, bytes) in chunks {
            at_ns += pause_ms * MS;
            station.handle(&Input::Bytes(bytes), Stamp::default().at(at_ns), &mut output);
        }
        station.handle(&Input::Wake, Stamp::default().at(at_ns + AFTER_NS), &mut output);
        assert_legal(&seen(&output.events));
    }

    #[test]
    fn no_handling_at_all_gives_an_illegal_move(
        all in prop::collection::vec(handling(), 0..80),
        is_occupancy: bool,
    ) {
        let _slot = computing();
        assert_legal(&handled(&all, is_occupancy));
    }
}

proptest! {
    // A case plays twice, and may search for lost plies all the time.
    #![proptest_config(ProptestConfig::with_cases(cases(40)))]

    #[test]
    fn whatever_happens_to_a_board_is_borne(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _slot = computing();
        acts::check(&bytes);
    }
}

/// The generator above is of use only if moves come out of it.
#[test]
fn random_handling_plays_moves() {
    let all: Vec<Handling> = (0..20).flat_map(|pick| [Handling::Move(pick), Handling::Wait(3_000)]).collect();
    for is_occupancy in [false, true] {
        let seen = handled(&all, is_occupancy);
        assert_eq!(seen.moves(0).len(), 20);
        assert_legal(&seen);
    }
}
