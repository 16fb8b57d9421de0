use super::*;
use crate::wire::dgt::bus::CommandDecoder;
use crate::wire::dgt::clock_answer::EndTime;
use crate::wire::dgt::worked_examples::{hex, man};
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::{ChessPosition, square_from_name};

const ADDRESS: u16 = 1_025;

struct Bench {
    session: BusSession,
    now_ns: u64,
    asked: Vec<Command>,
    lost: Vec<LostReason>,
    identity: Option<Identity>,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self {
            session: BusSession::new(),
            now_ns: 0,
            asked: Vec::new(),
            lost: Vec::new(),
            identity: None,
        };
        assert_eq!(bench.give(SessionInput::LinkUp), []);
        bench
    }

    /// A game is about to begin, with White's clock running.
    fn playing() -> Self {
        let mut bench = Self::new();
        bench.say(&Message::Ping);
        bench.say(&start());
        bench.say(&Message::StartWritten);
        bench.say(&clock(300, 300, ClockEnd::Left));
        bench.asked.clear();
        bench
    }

    fn give(&mut self, input: SessionInput<'_>) -> Vec<Reading> {
        let (mut said, mut readings) = (Vec::new(), Vec::new());
        self.session.handle(input, self.now_ns, &mut said);
        for output in said {
            match output {
                SessionOutput::Write(bytes) => {
                    let mut orders = Vec::new();
                    CommandDecoder::default().push(&bytes, &mut orders);
                    assert!(orders.iter().all(|order| order.address == ADDRESS));
                    self.asked.extend(orders.into_iter().map(|order| order.command));
                }
                SessionOutput::Reading(reading) => readings.push(reading),
                SessionOutput::Identity(identity) => self.identity = Some(identity),
                SessionOutput::Lost(reason) => self.lost.push(reason),
                SessionOutput::Skipped { bytes } => panic!("{bytes} bytes were skipped"),
            }
        }
        readings
    }

    fn say(&mut self, message: &Message) -> Vec<Reading> {
        let packet = Packet::new(ADDRESS, message);
        self.give(SessionInput::Bytes(packet.bytes()))
    }

    fn changes(&mut self, text: &str) -> Vec<Reading> {
        self.say(&Message::Changes { records: hex(text), even: false })
    }
}

fn start() -> Message {
    Message::Dump(Box::new(ChessPosition::default().contents().try_into().unwrap()))
}

fn clock(left: u16, right: u16, lever: ClockEnd) -> Message {
    let end = |seconds| EndTime { seconds, ..EndTime::default() };
    Message::Clock(ClockTimes::new(end(left), end(right), true, lever))
}

fn square(name: &str, letter: char) -> Reading {
    let content = if letter == '.' { Content::EMPTY } else { man(letter) };
    Reading::Square { square: square_from_name(name).unwrap(), content }
}

/// Time left at either end in seconds, and whose time runs.
fn shown(reading: &Reading) -> Option<([u64; 2], Option<Side>)> {
    match reading {
        Reading::Clock(Some(ClockReading { left_ms, running, .. })) => {
            Some((left_ms.map(|ms| ms / 1_000), *running))
        }
        _ => None,
    }
}

#[test]
fn the_first_packet_says_whom_to_ask() {
    let mut bench = Bench::new();
    assert_eq!((bench.asked.len(), &bench.identity), (0, &None));
    bench.say(&Message::Ping);
    assert_eq!(bench.asked, [Command::SendBoard, Command::SendClock, Command::SendVersion]);
    assert_eq!(bench.identity.clone().unwrap().serial.as_deref(), Some("01025"));
    bench.say(&Message::Version(Some((1, 2))));
    assert_eq!(bench.identity.clone().unwrap().version.as_deref(), Some("1.2"));
    assert!(matches!(bench.say(&start())[..], [Reading::Frame(_)]));
    assert_eq!(bench.asked.last(), Some(&Command::StartGame));
}

#[test]
fn records_are_readings_in_their_order_and_the_press_between_them_has_its_times() {
    let mut bench = Bench::playing();
    // e2-e4 quickly, White's clock halted at 4:58, e7-e5, Black's at 4:55.
    let read = bench.changes("40 34 51 24 70 04 58 40 0c 57 1c 60 04 55");
    assert_eq!(read[..2], [square("e2", '.'), square("e4", 'P')]);
    assert_eq!(shown(&read[2]), Some(([298, 300], Some(Side::Black))));
    assert_eq!(read[3..5], [square("e7", '.'), square("e5", 'p')]);
    assert_eq!(shown(&read[5]), Some(([298, 295], Some(Side::White))));
    assert_eq!(read.len(), 6);
}

#[test]
fn a_man_who_was_away_between_two_questions_was_away() {
    let mut bench = Bench::playing();
    assert_eq!(bench.changes("41 34"), [square("e2", '.'), square("e2", 'P')]);
    assert_eq!(bench.changes("40 24"), [], "something passed over e4; nobody knows what");
}

#[test]
fn a_list_of_all_men_is_no_news() {
    let mut bench = Bench::playing();
    let (mut list, Message::Dump(contents)) = (vec![Record::StartTag], start()) else { unreachable!() };
    for (square, &content) in (0..).zip(contents.iter()).filter(|(_, content)| !content.is_empty()) {
        list.push(Record::Square { square: Square::new(square), content, quick: false });
    }
    let records = crate::wire::dgt::encode_records(&list);
    assert_eq!(bench.say(&Message::Changes { records, even: false }), []);
    assert_eq!(bench.changes("41 34"), [square("e2", '.'), square("e2", 'P')], "what follows is");
}

#[test]
fn a_press_that_the_clock_tells_first_waits_for_its_record() {
    let mut bench = Bench::playing();
    assert_eq!(bench.say(&clock(298, 300, ClockEnd::Right)), [], "the move that it ends is still to come");
    let read = bench.changes("40 34 41 24 70 04 58");
    assert_eq!(read[..2], [square("e2", '.'), square("e4", 'P')]);
    assert_eq!(shown(&read[2]), Some(([298, 300], Some(Side::Black))));
    // One that was too fast to be written is believed when the clock says so again.
    assert_eq!(bench.say(&clock(298, 290, ClockEnd::Left)), []);
    let read = bench.say(&clock(297, 290, ClockEnd::Left));
    assert_eq!(shown(&read[0]), Some(([297, 290], Some(Side::White))));
}

#[test]
fn of_two_presses_of_which_one_is_written_both_are_told() {
    let mut bench = Bench::playing();
    let read = bench.changes("40 34 41 24 40 0c 47 1c 60 04 57");
    let clocks: Vec<_> = read.iter().filter_map(shown).collect();
    assert_eq!(clocks, [([300, 300], Some(Side::Black)), ([300, 297], Some(Side::White))]);
}

#[test]
fn what_the_board_shows_more_than_was_told_comes_out_of_its_memory() {
    let mut bench = Bench::playing();
    let Message::Dump(mut contents) = start() else { unreachable!() };
    contents[square_from_name("e2").unwrap()] = Content::EMPTY;
    contents[square_from_name("e4").unwrap()] = man('P');
    assert_eq!(bench.say(&Message::Dump(contents.clone())), []);
    assert_eq!(bench.asked, [Command::SendFromStart, Command::SendBoard]);
    let mut memory = vec![Record::StartTag];
    let Message::Dump(first) = start() else { unreachable!() };
    for (square, &content) in (0..).zip(first.iter()).filter(|(_, content)| !content.is_empty()) {
        memory.push(Record::Square { square: Square::new(square), content, quick: false });
    }
    let mut records = crate::wire::dgt::encode_records(&memory);
    records.extend(hex("40 34 41 24 70 04 58"));
    let read = bench.say(&Message::FromStart(records));
    assert_eq!(read[..2], [square("e2", '.'), square("e4", 'P')]);
    assert_eq!(shown(&read[2]), Some(([298, 300], Some(Side::Black))));
    assert!(matches!(bench.say(&Message::Dump(contents))[..], [Reading::Frame(_)]));
}

#[test]
fn a_board_whose_memory_does_not_help_is_believed_as_it_stands() {
    let mut bench = Bench::playing();
    let empty = Message::Dump(Box::new([Content::EMPTY; SQUARES]));
    assert_eq!(bench.say(&empty), []);
    assert_eq!(bench.say(&Message::FromStart(Vec::new())), []);
    assert!(matches!(bench.say(&empty)[..], [Reading::Frame(_)]));
}

#[test]
fn a_board_that_was_without_power_is_looked_at() {
    let mut bench = Bench::playing();
    assert_eq!(bench.changes("7f 7f 7f 6a 48 00 49 01"), [], "what stands there was known");
    assert_eq!(bench.asked, [Command::SendBoard]);
    bench.changes("7c");
    assert_eq!(bench.asked.len(), 2);
    bench.changes("6f");
    assert_eq!(bench.asked.last(), Some(&Command::StartGame));
}

#[test]
fn what_happened_while_the_link_was_down_is_told_afterwards() {
    let mut bench = Bench::playing();
    bench.changes("40 34");
    bench.give(SessionInput::LinkDown);
    bench.now_ns += 60 * SECOND;
    bench.give(SessionInput::LinkUp);
    assert_eq!(bench.changes("40 34"), [], "the board says once more what it said last");
    assert_eq!(bench.changes("41 24"), [square("e4", 'P')]);
}

#[test]
fn a_silent_board_is_given_up_and_heard_again() {
    let mut bench = Bench::playing();
    bench.now_ns = 60 * SECOND;
    bench.give(SessionInput::Wake);
    assert_eq!(bench.lost, [LostReason::Silent]);
    assert_eq!(bench.session.wake_at_ns(), None);
    bench.asked.clear();
    bench.say(&Message::Ping);
    assert!(bench.asked.contains(&Command::SendBoard));
}
