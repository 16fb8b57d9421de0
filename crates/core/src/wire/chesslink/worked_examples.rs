//! The examples of the protocol's description, byte for byte (other-boards, section 1).

use super::frame::with_parity;
use super::*;
use adoube_rules::ChessPosition;
use adoube_rules::sensor::Content;

/// What a host would see of these bytes on a terminal.
fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(byte & 0x7f)).collect()
}

pub(super) fn decode(bytes: &[u8]) -> (Vec<Message>, u64) {
    let mut messages = Vec::new();
    let skipped = Decoder::default().push(bytes, &mut messages);
    (messages, skipped)
}

/// The start array on the wire.
fn start() -> String {
    format!("srnbqkbnrpppppppp{}PPPPPPPPRNBQKBNR73", ".".repeat(32))
}

#[test]
fn commands_have_their_checksums() {
    let examples = [
        (Command::Version, "V56"),
        (Command::Board, "S53"),
        (Command::LampsOut, "X58"),
        (Command::Reset, "T54"),
        (Command::Read { address: 1 }, "R0153"),
        (Command::Write { address: 2, value: 3 }, "W020356"),
        (Command::Write { address: 0, value: 0x14 }, "W001452"),
    ];
    for (command, expected) in examples {
        assert_eq!(text(&command.encode()), expected);
        let mut heard = Vec::new();
        CommandDecoder::default().push(&command.encode(), &mut heard);
        assert_eq!(heard, [command]);
    }
    assert_eq!(Command::Version.encode(), [0xd6, 0xb5, 0xb6], "with odd parity, as in a real log");
}

#[test]
fn answers_are_read() {
    let examples = [
        ("v010374", Message::Version { major: 1, minor: 3 }),
        ("x78", Message::LampsOut),
        ("l6C", Message::LampsLit),
        ("w020376", Message::Written { address: 2, value: 3 }),
    ];
    for (said, expected) in examples {
        assert_eq!(text(&expected.encode()), said);
        assert_eq!(decode(said.as_bytes()), (vec![expected.clone()], 0), "without parity, as over Bluetooth");
        assert_eq!(decode(&expected.encode()), (vec![expected], 0));
    }
}

#[test]
fn the_start_array_is_read_as_the_sensor_has_it() {
    let men = ChessPosition::default().contents();
    let (messages, skipped) = decode(start().as_bytes());
    let [Message::Board(contents)] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!((contents.to_vec(), skipped), (men.clone(), 0));
    assert_eq!(text(&messages[0].encode()), start());
    // A cable on the other side: the whole stream is turned, and its checksum is the same.
    let turned: String = start()[1..65].chars().rev().collect();
    let (messages, _) = decode(format!("s{turned}73").as_bytes());
    let [Message::Board(contents)] = &messages[..] else { panic!("{messages:?}") };
    assert!(contents.iter().eq(men.iter().rev()));
}

#[test]
fn lamps_are_addressed_by_columns_from_a8() {
    let out = Command::Lamps(Box::new(Blinking { slot: 0x20, lamps: [0; 81] }));
    assert_eq!(text(&out.encode()), format!("L20{}4E", "00".repeat(81)));
    assert_eq!(out.encode().len(), 167);
    let lit = |square: u32| {
        let lamps = Blinking::steady(1 << square).lamps;
        (1..=81).filter(|number| lamps[number - 1] != 0).collect::<Vec<_>>()
    };
    assert_eq!(lit(56), [1, 2, 10, 11], "a8; lamps are counted from 1");
    assert_eq!(lit(0), [8, 9, 17, 18], "a1");
    assert_eq!(lit(63), [64, 65, 73, 74], "h8");
    assert_eq!(lit(7), [71, 72, 80, 81], "h1");
}

#[test]
fn parity_is_odd() {
    assert!((0..0x80).all(|character| with_parity(character).count_ones() % 2 == 1));
    assert!((0..0x80).all(|character| with_parity(character) & 0x7f == character));
}

#[test]
fn what_is_spoilt_is_dropped_and_the_next_frame_read() {
    let lost = start().replacen('q', "", 1);
    let unknown = start().replacen('q', "z", 1);
    let sum = start().replace("73", "74");
    for spoilt in [lost, unknown, sum, "v01037".to_owned(), "s".to_owned(), "~~?".to_owned()] {
        let (messages, skipped) = decode(format!("{spoilt}x78").as_bytes());
        assert_eq!((messages, skipped), (vec![Message::LampsOut], spoilt.len() as u64), "{spoilt}");
    }
    let (messages, skipped) = decode(format!("{}{}", &start()[..40], start()).as_bytes());
    assert_eq!((messages.len(), skipped), (1, 40));
}

#[test]
fn a_question_mark_is_a_square_on_which_something_stands() {
    let whole = start().replacen('q', "?", 1);
    let sum = whole[..65].bytes().fold(0, |sum, byte| sum ^ byte);
    let (messages, skipped) = decode(format!("{}{sum:02X}", &whole[..65]).as_bytes());
    let [Message::Board(contents)] = &messages[..] else { panic!("{messages:?}") };
    // d8.
    assert_eq!((contents[59], contents[60].is_empty(), skipped), (Content::OCCUPIED, false, 0));
}

#[test]
fn what_a_board_cannot_name_is_an_empty_square() {
    let mut contents = Box::new([Content::EMPTY; 64]);
    contents[0] = Content::MARK_DRAW;
    let (messages, _) = decode(&Message::Board(contents).encode());
    assert_eq!(messages, [Message::Board(Box::new([Content::EMPTY; 64]))]);
}
