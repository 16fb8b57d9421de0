//! What holds for all bytes and all messages.

use proptest::prelude::*;

use super::*;
use crate::wire::{Session as _, SessionInput, SessionOutput};
use adoube_rules::sensor::{Army, ClockReading, Content, Role, Side};
use adoube_rules::square::Square;

fn hello() -> impl Strategy<Value = Hello> {
    let label =
        || prop::option::of("[!-<>-~]{1,20}".prop_filter("no checksum", |label| !label.contains('*')));
    (label(), label(), label(), any::<bool>(), any::<bool>(), prop::collection::vec(0usize..6, 0..6))
        .prop_map(|(name, serial, firmware, is_cross, names_men, can)| {
            let all = [
                Ability::Touch,
                Ability::Clock,
                Ability::Lamps,
                Ability::Display,
                Ability::Beep,
                Ability::Checksum,
            ];
            let can: Vec<Ability> = can.into_iter().map(|index| all[index]).collect();
            let shape = if is_cross { Shape::Cross } else { Shape::Square };
            Hello { name, serial, firmware, shape, names_men, can: Abilities::of(&can) }
        })
}

fn content(names_men: bool) -> BoxedStrategy<Content> {
    if names_men {
        prop_oneof![
            Just(Content::EMPTY),
            (0u8..4, 0usize..6).prop_map(|(army, role)| Content::man(Army::new(army), Role::ALL[role]))
        ]
        .boxed()
    } else {
        prop_oneof![Just(Content::EMPTY), Just(Content::OCCUPIED)].boxed()
    }
}

fn reading() -> impl Strategy<Value = ClockReading> {
    let side = || prop::option::of(prop_oneof![Just(Side::White), Just(Side::Black)]);
    (any::<[u32; 2]>(), side(), side(), any::<[bool; 2]>(), any::<Option<[u32; 2]>>()).prop_map(
        |(left, running, lever, flags, counter)| ClockReading {
            left_ms: left.map(|ms| u64::from(ms) % 360_000_000),
            running,
            lever: lever.or(running),
            flags,
            counter,
            by_end: true,
        },
    )
}

/// A board and something that it may say.
fn said() -> impl Strategy<Value = (Hello, Message)> {
    hello().prop_flat_map(|hello| {
        let squares = hello.shape.squares();
        let square = move || (0..squares).prop_map(|number| Square::new(number as u8));
        let one = content(hello.names_men);
        let message = prop_oneof![
            Just(Message::Hello(hello.clone())),
            prop::collection::vec(one.clone(), squares).prop_map(Message::Board),
            (square(), one).prop_map(|(square, content)| Message::Square { square, content }),
            square().prop_map(Message::Touch),
            prop::option::of(reading()).prop_map(Message::Clock),
            Just(Message::Alive),
            Just(Message::Note),
        ];
        (Just(hello), message)
    })
}

/// Bytes that look like lines often enough to get somewhere.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(b"open/1 squares=64 sensing=occupancy\n".to_vec()),
        Just(b"board xxxxxxxx/xxxxxxxx/......../......../......../......../xxxxxxxx/xxxxxxxx\r\n".to_vec()),
        Just(b"square e2 .\nsquare e4 x\n".to_vec()),
        Just(b"clock white=1 black=2 runs=none\n".to_vec()),
        "[a-h1-8 .xKQ/=*]{0,60}".prop_map(|text| format!("square {text}\n").into_bytes()),
        prop::collection::vec(any::<u8>(), 0..60),
    ];
    prop::collection::vec(line, 0..20).prop_map(|parts| parts.concat())
}

/// What a session makes of bytes that come in these pieces, all at one instant.
fn heard<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<SessionOutput> {
    let (mut session, mut out) = (OpenSession::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut out);
    pieces.for_each(|piece| session.handle(SessionInput::Bytes(piece), 1, &mut out));
    out.retain(|output| !matches!(output, SessionOutput::Write(_)));
    out
}

proptest! {
    #[test]
    fn what_is_written_is_read((hello, message) in said(), with_checksum: bool) {
        let text = message.text(hello.shape);
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        lines.push(&encode(&text, with_checksum), &mut out);
        let expected = Line::Text { text: text.clone(), is_checked: with_checksum };
        prop_assert_eq!(out, [expected]);
        prop_assert_eq!(Message::read(&text, Some(&hello)), Some(message));
    }

    #[test]
    fn any_cutting_is_heard_alike(bytes in stream(), size in 1usize..9) {
        prop_assert_eq!(heard(bytes.chunks(size)), heard(std::iter::once(bytes.as_slice())));
    }

    #[test]
    fn every_byte_is_accounted_for(bytes in prop_oneof![stream(), prop::collection::vec(any::<u8>(), 0..900)]) {
        let (mut lines, mut out) = (Lines::default(), Vec::new());
        lines.push(&bytes, &mut out);
        let text: u64 = out.iter().map(|line| match line {
            // The checksum and its sign.
            Line::Text { text, is_checked } => text.len() as u64 + if *is_checked { 3 } else { 0 },
            Line::Damaged { bytes } => *bytes,
        }).sum();
        let ends = bytes.iter().filter(|byte| [b'\n', b'\r'].contains(byte)).count() as u64;
        let counted = text + lines.pending();
        prop_assert!((bytes.len() as u64 - ends..=bytes.len() as u64).contains(&counted));
    }

    #[test]
    fn foreign_bytes_are_no_board(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let known = |output: &SessionOutput| matches!(output, SessionOutput::Identity(_) | SessionOutput::Reading(_));
        prop_assert!(!heard(bytes.chunks(64)).iter().any(known));
    }
}
