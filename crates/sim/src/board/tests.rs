use super::*;
use adoube_core::wire::dgt::{
    ClockAck, ClockEnd, ClockMessage, ClockTimes, Command, Decoder, Record, records,
};
use adoube_rules::sensor::{Army, Role, Side};

const E2: Square = Square::new(12);
const E4: Square = Square::new(28);

fn board(config: FirmwareConfig) -> Firmware {
    Firmware::new(config, &ChessPosition::default().contents())
}

fn with_clock() -> FirmwareConfig {
    FirmwareConfig { clock: Some(ClockSetting::equal(180, 2)), ..FirmwareConfig::default() }
}

fn ask(firmware: &mut Firmware, command: Command, now_ns: u64) -> Vec<Message> {
    firmware.receive(&command.encode(), now_ns);
    heard(firmware, now_ns)
}

fn heard(firmware: &mut Firmware, now_ns: u64) -> Vec<Message> {
    let (mut bytes, mut messages) = (Vec::new(), Vec::new());
    firmware.poll(now_ns, &mut bytes);
    assert_eq!(Decoder::default().push(&bytes, &mut messages), 0);
    messages
}

fn fields(messages: &[Message]) -> Vec<(Square, Content)> {
    let field = |message: &Message| match message {
        Message::FieldUpdate { square, content } => Some((*square, *content)),
        _ => None,
    };
    messages.iter().filter_map(field).collect()
}

#[test]
fn a_board_says_nothing_by_itself_until_it_is_asked_for_updates() {
    let mut firmware = board(with_clock());
    assert_eq!(firmware.mode(), Mode::Bus);
    firmware.act(Act::Lift { square: E2 }, 10 * MS);
    firmware.act(Act::StartClock, 20 * MS);
    assert!(heard(&mut firmware, 3 * SECOND).is_empty());
    assert_eq!(firmware.wake_at_ns(), None);
    assert!(ask(&mut firmware, Command::Reset, 4 * SECOND).is_empty());
    assert_eq!(firmware.mode(), Mode::Idle);
    firmware.act(Act::Lift { square: Square::new(27) }, 5 * SECOND);
    assert!(heard(&mut firmware, 9 * SECOND).is_empty());
}

#[test]
fn a_single_command_wakes_a_board_on_the_bus_and_is_carried_out() {
    let mut firmware = board(FirmwareConfig { serial: 25_805, ..FirmwareConfig::default() });
    assert_eq!(ask(&mut firmware, Command::Serial, 0), [Message::Serial("25805".to_owned())]);
    assert_eq!(firmware.mode(), Mode::Idle);
    ask(&mut firmware, Command::Update, 0);
    assert_eq!(firmware.mode(), Mode::Update);
    // A bus ping: only the mode changes, and its address is not read as commands.
    firmware.receive(&[0x87, 0x42, 0x45, 0x0e], 1);
    assert!(heard(&mut firmware, SECOND).is_empty());
    assert_eq!(firmware.mode(), Mode::Bus);
}

#[test]
fn questions_are_answered_and_leave_the_mode_alone() {
    let mut firmware = board(with_clock());
    ask(&mut firmware, Command::UpdateBoard, 0);
    for (question, answers) in [
        (Command::Version, 1),
        (Command::LongSerial, 1),
        (Command::BusAddress, 1),
        (Command::Battery, 1),
        (Command::SendClock, 1),
        (Command::EepromMoves, 1),
        (Command::LockState, 0),
    ] {
        assert_eq!(ask(&mut firmware, question, 1).len(), answers, "{question:?}");
        assert_eq!(firmware.mode(), Mode::UpdateBoard);
    }
    let Some(Message::Trademark(text)) = ask(&mut firmware, Command::Trademark, 2).pop() else {
        panic!("none")
    };
    assert!(!text.to_lowercase().contains("dgt") && text.contains("adoube"), "{text}");
}

#[test]
fn a_dump_is_the_board_as_it_lies() {
    let contents = ChessPosition::default().contents();
    let mut straight = board(FirmwareConfig::default());
    let Some(Message::Dump(dump)) = ask(&mut straight, Command::SendBoard, 0).pop() else {
        panic!("no dump")
    };
    assert_eq!(dump.to_vec(), contents);
    let mut turned = board(FirmwareConfig { turned: true, ..FirmwareConfig::default() });
    let Some(Message::Dump(dump)) = ask(&mut turned, Command::SendBoard, 0).pop() else { panic!("no dump") };
    assert!(dump.iter().eq(contents.iter().rev()));
}

#[test]
fn changes_are_said_within_a_scan_and_only_once() {
    let pawn = Content::man(Army::new(0), Role::Pawn);
    let mut firmware = board(FirmwareConfig::default());
    ask(&mut firmware, Command::UpdateBoard, 0);
    firmware.act(Act::Lift { square: E2 }, SECOND);
    let wake_ns = firmware.wake_at_ns().expect("a change is waiting");
    assert!(wake_ns < SECOND + SCAN_MS * MS);
    assert!(heard(&mut firmware, wake_ns - 1).is_empty());
    assert_eq!(fields(&heard(&mut firmware, wake_ns)), [(E2, Content::EMPTY)]);
    assert_eq!(firmware.wake_at_ns(), None);
    firmware.act(Act::Place { square: E4, man: pawn }, 2 * SECOND);
    assert_eq!(fields(&heard(&mut firmware, 2 * SECOND + SCAN_MS * MS)), [(E4, pawn)]);
    assert!(heard(&mut firmware, 9 * SECOND).is_empty());
}

#[test]
fn what_is_quicker_than_a_scan_comes_in_the_order_of_the_fields_or_not_at_all() {
    let (pawn, knight) = (Content::man(Army::new(0), Role::Pawn), Content::man(Army::new(1), Role::Knight));
    let mut firmware = board(FirmwareConfig::default());
    ask(&mut firmware, Command::UpdateNice, 0);
    // Field 0 is sampled at the beginning of a scan: e4 (field 36) comes before e2 (field 52).
    let scan_ns = 4 * SCAN_MS * MS;
    firmware.act(Act::Lift { square: E2 }, scan_ns + 1);
    firmware.act(Act::Place { square: E4, man: pawn }, scan_ns + 2);
    // A capture: the square is empty for a moment that no sample sees.
    firmware.act(Act::Lift { square: Square::new(1) }, scan_ns + 3);
    firmware.act(Act::Place { square: Square::new(1), man: knight }, scan_ns + 4);
    // A man who is back in time was never away.
    firmware.act(Act::Dropout { square: Square::new(0), length_ns: MS }, scan_ns + 5);
    let seen = fields(&heard(&mut firmware, scan_ns + 2 * SCAN_MS * MS));
    assert_eq!(seen, [(E4, pawn), (E2, Content::EMPTY), (Square::new(1), knight)]);
}

#[test]
fn a_dropout_is_said_and_taken_back() {
    let rook = Content::man(Army::new(0), Role::Rook);
    let mut firmware = board(FirmwareConfig::default());
    ask(&mut firmware, Command::UpdateBoard, 0);
    firmware.act(Act::Dropout { square: Square::new(0), length_ns: SCAN_MS * MS }, SECOND);
    let seen = fields(&heard(&mut firmware, 3 * SECOND));
    assert_eq!(seen, [(Square::new(0), Content::EMPTY), (Square::new(0), rook)]);
}

#[test]
fn a_press_and_its_increment_are_in_the_same_message() {
    let mut firmware = board(with_clock());
    ask(&mut firmware, Command::UpdateNice, 0);
    let times = |messages: &[Message]| match messages {
        [Message::Clock(times)] => *times,
        other => panic!("{other:?}"),
    };
    let before = times(&ask(&mut firmware, Command::SendClock, 0));
    assert_eq!((before.left.seconds, before.right.seconds, before.running()), (182, 182, false));
    firmware.act(Act::StartClock, SECOND);
    heard(&mut firmware, 3 * SECOND);
    firmware.act(Act::Press(Side::White), 3 * SECOND + 100 * MS);
    let after = times(&heard(&mut firmware, 3 * SECOND + 300 * MS));
    // 182 - 2.1 + 2 = 181.9 on the left, a bit less than 182 on the right.
    assert_eq!((after.left.seconds, after.right.seconds), (182, 182));
    assert_eq!((after.lever(), after.running()), (ClockEnd::Right, true));
}

#[test]
fn in_nice_mode_no_clock_message_repeats_and_in_update_mode_none_is_late() {
    let mut nice = board(with_clock());
    ask(&mut nice, Command::UpdateNice, 0);
    assert!(heard(&mut nice, 5 * SECOND).is_empty(), "a clock that stands says nothing");
    nice.act(Act::StartClock, 5 * SECOND);
    let said = heard(&mut nice, 15 * SECOND);
    assert!((10..=12).contains(&said.len()), "{}", said.len());
    assert!(said.windows(2).all(|pair| pair[0] != pair[1]));

    let mut update = board(with_clock());
    ask(&mut update, Command::Update, 0);
    for second in 1..10 {
        assert!(!heard(&mut update, second * SECOND).is_empty(), "second {second}");
    }
}

#[test]
fn a_clock_answers_only_where_clocks_are_heard() {
    let version = Command::Clock(ClockMessage::Version);
    for (mode, answers) in [
        (Command::Reset, false),
        (Command::UpdateBoard, false),
        (Command::Update, true),
        (Command::UpdateNice, true),
    ] {
        let mut firmware = board(with_clock());
        ask(&mut firmware, mode, 0);
        assert!(ask(&mut firmware, version, SECOND).iter().all(|said| !matches!(said, Message::ClockAck(_))));
        assert!(
            !heard(&mut firmware, SECOND + 69 * MS).iter().any(|said| matches!(said, Message::ClockAck(_)))
        );
        let said = heard(&mut firmware, SECOND + 110 * MS);
        let ack = ClockAck { value: 0x20, ..ClockAck::done(9) };
        assert_eq!(said.contains(&Message::ClockAck(ack)), answers, "{mode:?}");
    }
}

#[test]
fn a_board_without_a_clock_says_so_and_gives_no_answers() {
    let mut firmware = board(FirmwareConfig::default());
    ask(&mut firmware, Command::UpdateNice, 0);
    let [Message::Clock(times)] = ask(&mut firmware, Command::SendClock, 0)[..] else {
        panic!("no clock message")
    };
    assert_eq!(times.reading(), Some(adoube_rules::sensor::Reading::Clock(None)));
    ask(&mut firmware, Command::Clock(ClockMessage::Version), 0);
    assert!(heard(&mut firmware, 5 * SECOND).is_empty());
}

#[test]
fn a_clock_whose_lead_is_out_goes_on_unheard() {
    let mut firmware = board(with_clock());
    ask(&mut firmware, Command::UpdateNice, 0);
    firmware.act(Act::Press(Side::Black), SECOND);
    firmware.act(Act::StartClock, SECOND);
    heard(&mut firmware, 5 * SECOND);
    firmware.act(Act::UnplugClock, 5 * SECOND);
    let said = heard(&mut firmware, 7 * SECOND);
    let [Message::Clock(gone)] = said[..] else { panic!("{said:?}") };
    assert_eq!(gone, ClockTimes::no_clock());
    firmware.act(Act::Press(Side::White), 8 * SECOND);
    firmware.act(Act::PlugInClock, 9 * SECOND);
    let said = heard(&mut firmware, 10 * SECOND);
    let Some(Message::Clock(back)) = said.last() else { panic!("{said:?}") };
    // 182 s with the first increment, seven of them gone and two given; on the right one or two are gone.
    assert_eq!((back.left.seconds, back.lever()), (177, ClockEnd::Right));
    assert!((180..=181).contains(&back.right.seconds), "{}", back.right.seconds);
    let said = ask(&mut firmware, Command::EepromMoves, 10 * SECOND);
    let [Message::EepromMoves(bytes)] = &said[..] else { panic!("no memory") };
    let halts = records(bytes).0.iter().filter(|record| matches!(record, Record::Clock { .. })).count();
    assert_eq!(halts, 0, "nobody pressed that the board knows of");
}

#[test]
fn on_a_turned_board_the_ends_of_the_clock_change_places() {
    let setting = ClockSetting { base_s: [60, 120], increment_s: [0, 0] };
    let config = FirmwareConfig { clock: Some(setting), turned: true, ..FirmwareConfig::default() };
    let [Message::Clock(times)] = ask(&mut board(config), Command::SendClock, 0)[..] else {
        panic!("no clock")
    };
    assert_eq!((times.left.seconds, times.right.seconds, times.lever()), (120, 60, ClockEnd::Right));
}

#[test]
fn the_memory_tells_what_happened_while_nobody_listened() {
    let mut firmware = board(FirmwareConfig::default());
    firmware.act(Act::Lift { square: E2 }, SECOND);
    let said = ask(&mut firmware, Command::EepromMoves, 2 * SECOND);
    let [Message::EepromMoves(bytes)] = &said[..] else { panic!("no memory") };
    let (read, skipped) = records(bytes);
    assert_eq!((read[3], read.len(), skipped), (Record::PowerUp, 4 + 32 + 3, 0));
    assert_eq!(read[36], Record::BeginPosition);
    assert_eq!(read[37], Record::Square { square: E2, content: Content::EMPTY, quick: false });
}

#[test]
fn bytes_that_mean_nothing_do_no_harm() {
    let mut firmware = board(with_clock());
    let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    firmware.receive(&noise, 0);
    firmware.receive(&Command::Reset.encode().repeat(16), 1);
    heard(&mut firmware, 2);
    assert_eq!(ask(&mut firmware, Command::Serial, 3), [Message::Serial("00001".to_owned())]);
}
