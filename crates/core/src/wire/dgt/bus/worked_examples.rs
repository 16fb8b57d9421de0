//! The examples of the protocol description, sections 3.9, 5.6 and 5.7.

use super::*;
use crate::wire::dgt::worked_examples::hex;
use crate::wire::dgt::{ClockEnd, Record, records};
use adoube_rules::ChessPosition;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Serial number 01025.
const ADDRESS: u16 = 1_025;

fn packet(text: &str) -> Packet {
    let (mut decoder, mut packets) = (Decoder::default(), Vec::new());
    assert_eq!(decoder.push(&hex(text), &mut packets), 0, "{text}");
    assert_eq!((packets.len(), decoder.pending(), decoder.broken()), (1, 0, 0), "{text}");
    packets.remove(0)
}

#[test]
fn commands_to_one_board_and_to_all() {
    use Command::*;
    let examples = [
        (ADDRESS, SendClock, "81 08 01 0a"),
        (ADDRESS, SendBoard, "82 08 01 0b"),
        (ADDRESS, SendChanges, "83 08 01 0c"),
        (ADDRESS, RepeatChanges, "84 08 01 0d"),
        (ADDRESS, StartGame, "85 08 01 0e"),
        (ADDRESS, SendFromStart, "86 08 01 0f"),
        (ADDRESS, Ping, "87 08 01 10"),
        (ADDRESS, IgnoreNextPing, "8a 08 01 13"),
        (ADDRESS, SendVersion, "8b 08 01 14"),
        (ADDRESS, SendAll, "8d 08 01 16"),
        (BROADCAST, Ping, "87 00 00 07"),
        (BROADCAST, SendVersion, "8b 00 00 0b"),
        (BROADCAST, Reset, "89 00 00 09"),
        (0x10 << 7 | 0x06, SendClock, "81 10 06 17"),
    ];
    let mut all = Vec::new();
    for (address, command, text) in examples {
        assert_eq!(Order { address, command }.encode(), hex(text));
        all.extend(hex(text));
    }
    let (mut decoder, mut orders) = (CommandDecoder::default(), Vec::new());
    decoder.push(&all, &mut orders);
    assert_eq!(orders, examples.map(|(address, command, _)| Order { address, command }));
    assert_eq!((decoder.skipped(), decoder.pending()), (0, 0));
}

#[test]
fn a_command_with_a_wrong_checksum_is_none() {
    let (mut decoder, mut orders) = (CommandDecoder::default(), Vec::new());
    decoder.push(&hex("81 08 01 0b 01 81 08 87 08 01 10"), &mut orders);
    assert_eq!(orders, [Order { address: ADDRESS, command: Command::Ping }]);
    assert_eq!(decoder.skipped(), 7);
}

#[test]
fn answers() {
    let start: [Content; 64] = ChessPosition::default().contents().try_into().unwrap();
    let examples = [
        ("87 00 06 08 01 16", Message::Ping),
        ("88 00 06 08 01 17", Message::StartWritten),
        ("89 00 08 08 01 01 02 1d", Message::Version(Some((1, 2)))),
        ("85 00 06 08 01 14", Message::Changes { records: vec![], even: false }),
        (
            "85 00 0d 08 01 40 34 41 24 70 03 01 68",
            Message::Changes { records: hex("40 34 41 24 70 03 01"), even: false },
        ),
        (
            "83 00 46 08 01 08 09 0a 0c 0b 0a 09 08 07 07 07 07 07 07 07 07 \
             00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
             01 01 01 01 01 01 01 01 02 03 04 06 05 04 03 02 7c",
            Message::Dump(Box::new(start)),
        ),
    ];
    for (text, message) in examples {
        let packet = packet(text);
        assert_eq!((packet.address(), packet.message()), (ADDRESS, message.clone()));
        assert_eq!(Packet::new(ADDRESS, &message).bytes(), hex(text), "{message:?}");
    }
    let Message::Clock(times) = packet("84 00 0d 08 01 20 03 02 20 03 01 09 6c").message() else {
        panic!("no clock")
    };
    assert_eq!((times.right.seconds, times.left.seconds, times.running()), (182, 181, true));
    assert_eq!(times.lever(), ClockEnd::Left);
}

/// The one packet of a real bus that is known, of a newer board.
#[test]
fn a_recorded_packet() {
    let packet = packet("85 00 0a 06 50 18 0c 40 30 79");
    assert_eq!(packet.address(), 6 << 7 | 0x50);
    assert_eq!(packet.message(), Message::Changes { records: hex("18 0c 40 30"), even: false });
    let (read, skipped) = records(&hex("18 0c 40 30"));
    assert_eq!(skipped, 2, "a delay, of which no public description tells");
    assert_eq!(read, [Record::Square { square: Square::new(8), content: Content::EMPTY, quick: false }]);
}

#[test]
fn what_does_not_add_up_is_no_packet() {
    let read = |text: &str| {
        let (mut decoder, mut packets) = (Decoder::default(), Vec::new());
        let skipped = decoder.push(&hex(text), &mut packets);
        (packets.len(), skipped, decoder.broken())
    };
    assert_eq!(read("87 00 06 08 01 17 87 00 06 08 01 16"), (1, 6, 1), "a bit is wrong");
    assert_eq!(read("87 00 06 08 87 00 06 08 01 16"), (1, 4, 0), "bytes are lost");
    assert_eq!(read("87 00 07 08 01 16 87 00 06 08 01 16"), (1, 6, 0), "no ping is that long");
    assert_eq!(read("16 87 00 06 08 01 16 16"), (1, 2, 0), "garbage around it");
    // The same bytes are the whole board in single mode: the mode has to be known.
    assert_eq!(read("86 00 06 08 01 15"), (1, 0, 0));
}
