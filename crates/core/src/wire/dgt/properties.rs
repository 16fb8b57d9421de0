//! What holds for all bytes and all messages.

use proptest::prelude::*;

use super::worked_examples::{decode, hex};
use super::*;
use adoube_rules::square::Square;

/// Commands of one byte and one of each with data.
fn some_commands() -> Vec<Command> {
    let single =
        (0x40..=0x5a).filter(|byte| ![0x4e, 0x4f, 0x51, 0x53, 0x54, 0x56, 0x57, 0x58].contains(byte));
    let bytes: Vec<u8> = single.collect();
    let (mut decoder, mut commands) = (CommandDecoder::default(), Vec::new());
    decoder.push(&bytes, &mut commands);
    assert_eq!((commands.len(), decoder.skipped()), (19, 0));
    commands.extend([
        Command::DeveloperKey([0xbe, 0x75, 0, 0x2b, 0x60, 0xff]),
        Command::Leds(Leds::AutoOff(false)),
        Command::Leds(Leds::AutoTurn(true)),
        Command::Leds(Leds::Off { from: Square::new(0), to: Square::new(63) }),
        Command::Clock(ClockMessage::Icons(Icons { left: 1, right: 2, special: 0x40, ..Icons::default() })),
        Command::Clock(ClockMessage::Display(Display { beep: true, ..Display::text("resign") })),
        Command::Clock(ClockMessage::Button),
        Command::Clock(ClockMessage::RevelationAscii { text: *b"hello world", beep: 3 }),
        Command::Clock(ClockMessage::SetAndRun { left_seconds: 35_999, right_seconds: 0, run: run::PAUSE }),
    ]);
    commands
}

/// Bytes that look like messages often enough to get somewhere.
fn likely_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        3 => prop::sample::select(vec![0x8e, 0x8d, 0x86, 0x91, 0x92, 0x93, 0x8f, 0xa3, 0x80, 0xa0]),
        4 => prop::sample::select(vec![0x00, 0x03, 0x04, 0x05, 0x0a, 0x0c, 0x01]),
        2 => 0u8..0x80,
        1 => any::<u8>(),
    ]
}

/// A stream of whole messages of all kinds and of noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let message = prop_oneof![
        (0u8..64, 0u8..16).prop_map(|(field, code)| vec![0x8e, 0, 5, field, code]),
        prop::collection::vec(0u8..16, 64).prop_map(|codes| [hex("86 00 43"), codes].concat()),
        prop::collection::vec(0u8..0x60, 7).prop_map(|data| [hex("8d 00 0a"), data].concat()),
        prop::collection::vec(0u8..0x80, 0..20).prop_map(|data| [
            vec![0xa4, 0, u8::try_from(3 + data.len()).unwrap()],
            data
        ]
        .concat()),
        prop::collection::vec(likely_byte(), 0..40),
    ];
    prop::collection::vec(message, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_messages(bytes in stream(), sizes in prop::collection::vec(1usize..9, 1..40)) {
        let (mut whole, mut messages) = (Decoder::default(), Vec::new());
        whole.push(&bytes, &mut messages);
        let (mut cut, mut pieces, mut rest) = (Decoder::default(), Vec::new(), bytes.as_slice());
        for size in sizes.iter().cycle() {
            let (chunk, after) = rest.split_at((*size).min(rest.len()));
            cut.push(chunk, &mut pieces);
            rest = after;
            if rest.is_empty() { break }
        }
        prop_assert_eq!(pieces, messages);
        prop_assert_eq!((cut.consumed(), cut.skipped(), cut.pending()),
            (whole.consumed(), whole.skipped(), whole.pending()));
    }

    #[test]
    fn every_byte_is_accounted_for(bytes in prop_oneof![stream(), prop::collection::vec(any::<u8>(), 0..600)]) {
        let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
        decoder.push(&bytes, &mut messages);
        prop_assert_eq!(decoder.consumed() + decoder.skipped() + decoder.pending() as u64, bytes.len() as u64);
        // Only the serial number of the oldest boards is longer than what it means.
        if !messages.iter().any(|message| matches!(message, Message::Serial(_))) {
            let said: usize = messages.iter().map(|message| message.encode().len()).sum();
            prop_assert_eq!(said as u64, decoder.consumed());
        }
        decoder.abandon();
        prop_assert_eq!(decoder.consumed() + decoder.skipped(), bytes.len() as u64);
        let (mut board, mut commands) = (CommandDecoder::default(), Vec::new());
        board.push(&bytes, &mut commands);
        let meant: usize = commands.iter().map(|command| command.encode().len()).sum();
        prop_assert_eq!(meant as u64 + board.skipped() + board.pending() as u64, bytes.len() as u64);
        let (_, skipped) = records(&bytes);
        prop_assert!(skipped <= bytes.len());
    }

    #[test]
    fn commands_survive_any_cutting(
        commands in prop::collection::vec(prop::sample::select(some_commands()), 0..20),
        size in 1usize..7,
    ) {
        let bytes: Vec<u8> = commands.iter().flat_map(|command| command.encode()).collect();
        let (mut board, mut read) = (CommandDecoder::default(), Vec::new());
        bytes.chunks(size).for_each(|chunk| board.push(chunk, &mut read));
        prop_assert_eq!(read, commands);
        prop_assert_eq!((board.skipped(), board.pending()), (0, 0));
    }

    #[test]
    fn times_and_answers_survive_the_wire(
        left in 0u16..36_000, right in 0u16..36_000, running: bool, ack in any::<[u8; 4]>(),
    ) {
        let [left, right] = [left, right].map(|seconds| EndTime { seconds, ..EndTime::default() });
        let times = Message::Clock(ClockTimes::new(left, right, running, ClockEnd::Right));
        prop_assert_eq!(decode(&times.encode()), [times]);
        let [other, about, value, detail] = ack;
        let result = match other {
            0x10 => AckResult::Done,
            0x20 => AckResult::Confused,
            0x40 => AckResult::Refused,
            other => AckResult::Other(other),
        };
        let ack = Message::ClockAck(ClockAck { result, about, value, detail });
        prop_assert_eq!(decode(&ack.encode()), [ack]);
    }
}
