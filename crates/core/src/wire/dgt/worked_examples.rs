//! The worked examples of the protocol's description, byte for byte and in both directions.

use super::*;
use adoube_rules::sensor::{ClockReading, Content, Frame, Reading, Side};
use adoube_rules::{man_from_letter, square_from_name};

/// The bytes of a text like `8e 00 05 34 00`.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

/// The man of a FEN letter.
pub(super) fn man(letter: char) -> Content {
    man_from_letter(letter).unwrap()
}

/// What stands on a board with this FEN piece placement.
pub(super) fn placement(fen: &str) -> Box<[Content; 64]> {
    let mut contents = Box::new([Content::EMPTY; 64]);
    for (rank, row) in (0..8).rev().zip(fen.split('/')) {
        let mut file = 0;
        for letter in row.chars() {
            match letter.to_digit(10) {
                Some(gap) => file += gap as usize,
                None => {
                    contents[rank * 8 + file] = man(letter);
                    file += 1;
                }
            }
        }
        assert_eq!(file, 8, "{row}");
    }
    contents
}

pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub(super) const START_DUMP: &str = "86 00 43 08 09 0a 0c 0b 0a 09 08 07 07 07 07 07 07 07 07
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    01 01 01 01 01 01 01 01 02 03 04 06 05 04 03 02";

/// The messages in some bytes, of which none may be left over.
pub(super) fn decode(bytes: &[u8]) -> Vec<Message> {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    assert_eq!(decoder.push(bytes, &mut messages), 0, "nothing is skipped");
    assert_eq!(decoder.pending(), 0, "nothing is left over");
    messages
}

/// These bytes are this message and the other way round.
fn same(bytes: &str, message: &Message) {
    assert_eq!(decode(&hex(bytes)), std::slice::from_ref(message), "{bytes}");
    assert_eq!(message.encode(), hex(bytes), "{message:?}");
}

/// These bytes are this command and the other way round.
fn same_command(bytes: &str, command: Command) {
    let (mut decoder, mut commands) = (CommandDecoder::default(), Vec::new());
    decoder.push(&hex(bytes), &mut commands);
    assert_eq!((commands, decoder.skipped(), decoder.pending()), (vec![command], 0, 0), "{bytes}");
    assert_eq!(command.encode(), hex(bytes), "{command:?}");
}

fn update(name: &str, content: Content) -> Message {
    Message::FieldUpdate { square: square_from_name(name).unwrap(), content }
}

fn end(minutes: u16, seconds: u16) -> EndTime {
    EndTime { seconds: minutes * 60 + seconds, per_move: true, ..EndTime::default() }
}

#[test]
fn start_up() {
    same_command("4b", Command::UpdateNice);
    same_command("4d", Command::Version);
    same_command("42", Command::SendBoard);
    same_command("45", Command::Serial);
    same_command("2b 03 03 09 00", Command::Clock(ClockMessage::Version));
    same("93 00 05 03 01", &Message::Version { major: 3, minor: 1 });
    same(START_DUMP, &Message::Dump(placement(START)));
    let version = ClockAck { value: 0x20, ..ClockAck::done(9) };
    same("8d 00 0a 0a 10 09 0a 20 00 00", &Message::ClockAck(version));
    same("91 00 08 32 35 38 30 35", &Message::Serial("25805".to_owned()));
}

#[test]
fn a_turned_board_says_what_its_sensors_have() {
    let turned = "86 00 43 02 03 04 05 06 04 03 02 01 01 01 01 01 01 01 01".to_owned()
        + &"00".repeat(32)
        + "07 07 07 07 07 07 07 07 08 09 0a 0b 0c 0a 09 08";
    same(&turned, &Message::Dump(placement("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr")));
}

#[test]
fn moves_and_clock() {
    let clock = |left, right, running, lever| Message::Clock(ClockTimes::new(left, right, running, lever));
    use ClockEnd::{Left, Right};
    same("8d 00 0a 20 03 02 20 03 02 08", &clock(end(3, 2), end(3, 2), false, Left));
    same("8d 00 0a 20 03 02 20 03 02 09", &clock(end(3, 2), end(3, 2), true, Left));
    same("8d 00 0a 20 03 02 20 03 01 09", &clock(end(3, 1), end(3, 2), true, Left));
    same("8e 00 05 34 00", &update("e2", Content::EMPTY));
    same("8e 00 05 24 01", &update("e4", man('P')));
    same("8d 00 0a 20 03 02 20 02 59 09", &clock(end(2, 59), end(3, 2), true, Left));
    same("8d 00 0a 20 03 02 20 03 01 13", &clock(end(3, 1), end(3, 2), true, Right));
    same("8e 00 05 0c 00", &update("e7", Content::EMPTY));
    same("8e 00 05 1c 07", &update("e5", man('p')));
    same("8d 00 0a 20 03 03 20 03 01 09", &clock(end(3, 1), end(3, 3), true, Left));
}

/// A row of updates, as field and code.
fn updates(bytes: &str, expected: &[(&str, Content)]) {
    let stream: Vec<u8> = hex(bytes).chunks(2).flat_map(|pair| [0x8e, 0, 5, pair[0], pair[1]]).collect();
    let expected: Vec<Message> = expected.iter().map(|(square, content)| update(square, *content)).collect();
    assert_eq!(decode(&stream), expected);
    assert_eq!(expected.iter().flat_map(Message::encode).collect::<Vec<u8>>(), stream);
}

#[test]
fn captured_patterns() {
    let gone = Content::EMPTY;
    updates("0b00 1207", &[("d7", gone), ("c6", man('p'))]);
    updates("1200 1900 1204", &[("c6", gone), ("b5", gone), ("c6", man('B'))]);
    updates("1207 0a00", &[("c6", man('p')), ("c7", gone)]);
    let rook = man('R');
    let slide = [("a1", gone), ("d1", rook), ("d1", gone), ("e1", rook), ("e1", gone), ("f1", rook)];
    updates("3800 3b02 3b00 3c02 3c00 3d02", &slide);
    let pushed = [("d5", gone), ("e7", gone), ("e7", man('N')), ("e6", man('b')), ("e6", gone)];
    updates("1b00 0c00 0c03 140a 1400", &pushed);
    updates("0400 060b 0700 0508", &[("e8", gone), ("g8", man('k')), ("h8", gone), ("f8", man('r'))]);
    updates("0600 3e00 1b0b 2405", &[("g8", gone), ("g1", gone), ("d5", man('k')), ("e4", man('K'))]);
}

fn reading(bytes: &str) -> Option<Reading> {
    match decode(&hex(bytes)).as_slice() {
        [Message::Clock(times)] => times.reading(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fallen_flag() {
    let right = EndTime { seconds: 0, flag_fallen: true, per_move: true, ..EndTime::default() };
    let times = ClockTimes::new(end(0, 16), right, false, ClockEnd::Right);
    same("8d 00 0a 30 00 00 20 00 16 12", &Message::Clock(times));
    let expected = ClockReading {
        left_ms: [16_000, 0],
        running: None,
        lever: Some(Side::Black),
        flags: [false, true],
        counter: None,
        by_end: true,
    };
    assert_eq!(times.reading(), Some(Reading::Clock(Some(expected))));
}

#[test]
fn clock_readings() {
    let expected = ClockReading {
        left_ms: [180_000, 179_000],
        running: Some(Side::Black),
        lever: Some(Side::Black),
        flags: [false, false],
        counter: None,
        by_end: true,
    };
    assert_eq!(reading("8d 00 0a 20 02 59 20 03 00 13"), Some(Reading::Clock(Some(expected))));
    same("8d 00 0a 00 00 00 00 00 00 20", &Message::Clock(ClockTimes::no_clock()));
    assert_eq!(reading("8d 00 0a 00 00 00 00 00 00 20"), Some(Reading::Clock(None)));
    assert_eq!(reading("8d 00 0a 00 00 00 00 00 00 00"), None, "an empty answer to a command");
    let odd = decode(&hex("8d 00 0a 20 02 59 20 03 00 0b"));
    assert!(matches!(odd[..], [Message::Clock(times)] if !times.turn_agrees()));
}

#[test]
fn no_time_has_sixty_seconds_or_a_digit_above_nine() {
    for bytes in
        ["8d 00 0a 20 02 60 20 03 00 13", "8d 00 0a 20 0b 00 20 03 00 13", "8d 00 0a 0b 02 59 20 03 00 13"]
    {
        assert!(matches!(decode(&hex(bytes))[..], [Message::Unknown { id: 0x8d, .. }]), "{bytes}");
    }
}

#[test]
fn clock_messages_and_answers() {
    same_command(
        "2b 0b 03 01 00 5b 7b 00 66 7b 00 00 00",
        Command::Clock(ClockMessage::Display(Display::text("e2 e4 "))),
    );
    same("8d 00 0a 0a 10 01 0a 00 00 00", &Message::ClockAck(ClockAck::done(1)));
    let text = ClockMessage::Ascii { text: *b"e2e4    ", beep: 0 };
    same_command("2b 0c 03 0c 65 32 65 34 20 20 20 20 00 00", Command::Clock(text));
    let set = ClockMessage::SetAndRun { left_seconds: 300, right_seconds: 300, run: run::LEFT };
    same_command("2b 0a 03 0a 00 05 00 00 05 00 01 00", Command::Clock(set));
    same("8d 00 0a 0a 10 0a 0a 00 00 00", &Message::ClockAck(ClockAck::done(0x0a)));
    let refused = ClockAck { result: AckResult::Refused, ..ClockAck::done(0x0a) };
    same("8d 00 0a 0a 40 0a 0a 00 00 00", &Message::ClockAck(refused));
    same_command("2b 04 03 0b 10 00", Command::Clock(ClockMessage::Beep(0x10)));
    same_command("2b 03 03 03 00", Command::Clock(ClockMessage::End));
    let button = ClockAck::pressed(ClockButton::Ok);
    same("8d 00 0a 0a 10 08 2a 41 35 00", &Message::ClockAck(button));
    assert_eq!(button.button(), Some(ClockButton::Ok));
}

#[test]
fn lights() {
    let [e2, e4] = ["e2", "e4"].map(|name| square_from_name(name).unwrap());
    same_command("60 04 01 34 24 00", Command::Leds(Leds::On { from: e2, to: e4 }));
    same_command("60 04 00 40 40 00", Command::Leds(Leds::Clear));
}

#[test]
fn other_messages() {
    same("a2 00 0d 33 30 30 30 34 34 38 32 37 38", &Message::LongSerial("3000448278".to_owned()));
    same("90 00 05 08 01", &Message::BusAddress(1025));
    same("96 00 05 01 02", &Message::HardwareVersion { major: 1, minor: 2 });
    same("80 00 03", &Message::Nothing);
    let battery = Battery {
        percent: 80,
        remaining: None,
        on: (1, 30),
        standby: (2, 3, 4),
        charging: false,
        discharging: true,
    };
    same("a0 00 0c 50 7f 7f 01 1e 02 03 04 02", &Message::Battery(battery));
    same("a3 00 04 11", &Message::Unknown { id: 0xa3, data: vec![0x11] });
    let old = decode(&hex("91 00 0c 30 31 30 32 35 20 31 2e 30"));
    assert_eq!(old, [Message::Serial("01025".to_owned())], "the oldest boards say a version after it");
}

#[test]
fn memory() {
    let fragment = hex("7f 7f 7f 6a 48 00 49 01 42 3f 6f 40 34 51 24 70 03 01 40 0c 57 1c 6b");
    let [a8, b8, h1, e2, e4, e7, e5] =
        ["a8", "b8", "h1", "e2", "e4", "e7", "e5"].map(|name| square_from_name(name).unwrap());
    let square = |square, content, quick| Record::Square { square, content, quick };
    let expected = [
        Record::Nothing,
        Record::Nothing,
        Record::Nothing,
        Record::PowerUp,
        square(a8, man('r'), false),
        square(b8, man('n'), false),
        square(h1, man('R'), false),
        Record::BeginPosition,
        square(e2, Content::EMPTY, false),
        square(e4, man('P'), true),
        Record::Clock { end: ClockEnd::Left, seconds: 181 },
        square(e7, Content::EMPTY, false),
        square(e5, man('p'), true),
        Record::EndOfFile,
    ];
    assert_eq!(records(&fragment), (expected.to_vec(), 0));
    assert_eq!(encode_records(&expected), fragment);
    assert_eq!(decode(&Message::EepromMoves(fragment.clone()).encode()), [Message::EepromMoves(fragment)]);
}

#[test]
fn memory_that_begins_inside_a_record() {
    let (found, skipped) = records(&hex("24 70 03 01 59 6b 12 6f"));
    assert_eq!(
        found,
        [Record::Clock { end: ClockEnd::Left, seconds: 181 }, Record::EndOfFile, Record::BeginPosition]
    );
    assert_eq!(skipped, 3, "24, 59 and 12 begin nothing");
}

#[test]
fn the_whole_memory_is_swallowed() {
    let memory = Message::EepromMoves(vec![0x7f; 0x1f00]);
    let bytes = memory.encode();
    assert_eq!(bytes[..3], [0x8f, 0x3e, 0x03]);
    assert_eq!(decode(&bytes), [memory]);
}

/// Messages, consumed and skipped bytes.
fn decode_noisy(bytes: &str) -> (Vec<Message>, u64, u64) {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    let skipped = decoder.push(&hex(bytes), &mut messages);
    assert_eq!((skipped, decoder.pending()), (decoder.skipped(), 0));
    (messages, decoder.consumed(), skipped)
}

#[test]
fn reading_picks_up_at_the_next_message() {
    let pawn = update("e4", man('P'));
    let one = vec![pawn.clone()];
    assert_eq!(decode_noisy("05 34 00 8e 00 05 24 01"), (one.clone(), 5, 3), "begins in the middle");
    assert_eq!(decode_noisy("8e 00 05 34 8e 00 05 24 01"), (one.clone(), 5, 4), "a byte is lost");
    assert_eq!(decode_noisy("8e 8e 00 05 24 01"), (one.clone(), 5, 1), "a byte is doubled");
    assert_eq!(decode_noisy("8e 00 05 24 01 01"), (one.clone(), 5, 1), "a byte too many");
    let unknown = Message::Unknown { id: 0xb7, data: hex("24 01") };
    assert_eq!(decode_noisy("b7 00 05 24 01 8e 00 05 24 01"), (vec![unknown, pawn], 10, 0));
    assert_eq!(decode_noisy("8e 00 05 64 51"), (one, 5, 0), "bits above field and code mean nothing");
}

#[test]
fn a_length_that_an_id_cannot_have_is_no_message() {
    // One byte more than the header: a header that was believed would wait or take it.
    for header in [
        "8e 00 02", "8e 00 04", "8d 3e 03", "86 00 42", "86 00 04", "8f 3e 04", "91 00 0d", "92 02 04",
        "93 00 04", "a0 00 07", "a2 00 04", "80 00 04", "b7 02 04", "b7 00 00",
    ] {
        assert_eq!(decode_noisy(&format!("{header} 01")), (vec![], 0, 4), "{header}");
    }
}

#[test]
fn a_board_reads_on_after_nonsense() {
    let read = |bytes: &str| {
        let (mut decoder, mut commands) = (CommandDecoder::default(), Vec::new());
        decoder.push(&hex(bytes), &mut commands);
        (commands, decoder.skipped())
    };
    assert_eq!(read("00 4e 42"), (vec![Command::SendBoard], 2), "the boot loader is no command");
    assert_eq!(read("2b 7f 42"), (vec![Command::SendBoard], 2), "no clock message is that long");
    assert_eq!(read("2b 03 87 42"), (vec![Command::SendBoard], 3), "a bus command comes between");
    assert_eq!(read("2b 03 03 07 00 42"), (vec![Command::SendBoard], 5), "no clock knows 07");
    assert_eq!(read("60 04 01 34 48 00 42"), (vec![Command::SendBoard], 6), "a light outside the board");
}

#[test]
fn a_dump_is_a_frame_of_the_same_squares() {
    let contents = placement("4k3/8/8/8/8/8/8/R3K3");
    assert_eq!(contents[0], man('R'), "a1");
    let message = Message::Dump(contents.clone());
    assert_eq!(decode(&message.encode()), [message]);
    assert_eq!(Frame::Identity(contents.to_vec()).contents()[60], man('k'), "e8");
}
