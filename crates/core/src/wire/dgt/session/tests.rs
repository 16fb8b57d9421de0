//! The conversation in virtual time, against boards that answer, stumble and fall silent.

use proptest::prelude::*;

use super::super::worked_examples::{START, START_DUMP, hex, man, placement};
use super::super::{ClockEnd, CommandDecoder, EndTime};
use super::*;
use adoube_rules::square_from_name;

/// A session, its time and everything that it said.
#[derive(Default)]
struct Talk {
    session: DgtSession,
    now_ms: u64,
    /// What was said, and when.
    said: Vec<(u64, SessionOutput)>,
}

impl Talk {
    /// A session whose link just came up, at 0 ms.
    fn begin() -> Self {
        let mut talk = Self::default();
        talk.input(SessionInput::LinkUp);
        talk
    }

    /// A session that shook hands with a board that answers everything, at 3 s.
    fn settled() -> Self {
        let mut talk = Self::begin();
        talk.board_until(3000, true);
        talk.said.clear();
        talk
    }

    fn input(&mut self, input: SessionInput<'_>) {
        let mut out = Vec::new();
        self.session.handle(input, self.now_ms * MS, &mut out);
        self.said.extend(out.into_iter().map(|output| (self.now_ms, output)));
    }

    /// Wakes the session whenever it wants, and lets `answer` say what the board sends to a command.
    fn run(&mut self, until_ms: u64, answer: impl Fn(Command) -> Option<Message>) {
        let mut answered = self.said.len();
        while let Some(at_ns) = self.session.wake_at_ns().filter(|at_ns| *at_ns <= until_ms * MS) {
            self.now_ms = at_ns / MS;
            self.input(SessionInput::Wake);
            while answered < self.said.len() {
                let command = command(&self.said[answered].1);
                answered += 1;
                if let Some(message) = command.and_then(&answer) {
                    self.input(SessionInput::Bytes(&message.encode()));
                }
            }
        }
        self.now_ms = until_ms;
    }

    /// Runs with nobody at the other end.
    fn alone_until(&mut self, until_ms: u64) {
        self.run(until_ms, |_| None);
    }

    /// Runs with a board that answers.
    fn board_until(&mut self, until_ms: u64, dumps: bool) {
        self.run(until_ms, |command| match command {
            Command::SendBoard if dumps => Some(Message::Dump(placement(START))),
            Command::Serial => Some(Message::Serial("25805".to_owned())),
            Command::LongSerial => Some(Message::LongSerial("3000448278".to_owned())),
            Command::Version => Some(Message::Version { major: 3, minor: 1 }),
            Command::Clock(ClockMessage::Version) => {
                Some(Message::ClockAck(ClockAck { value: 0x20, ..ClockAck::done(9) }))
            }
            _ => None,
        });
    }

    fn hear_nothing_for(&mut self, ms: u64) {
        self.alone_until(self.now_ms + ms);
    }

    fn hear(&mut self, message: &Message) {
        self.input(SessionInput::Bytes(&message.encode()));
    }

    fn commands(&self) -> Vec<(u64, Command)> {
        self.said.iter().filter_map(|(at_ms, output)| Some((*at_ms, command(output)?))).collect()
    }

    fn times_of(&self, wanted: Command) -> Vec<u64> {
        self.commands().into_iter().filter(|(_, command)| *command == wanted).map(|(at, _)| at).collect()
    }

    fn readings(&self) -> Vec<Reading> {
        let reading = |output: &SessionOutput| match output {
            SessionOutput::Reading(reading) => Some(reading.clone()),
            _ => None,
        };
        self.said.iter().filter_map(|(_, output)| reading(output)).collect()
    }

    fn last_identity(&self) -> Option<Identity> {
        self.said.iter().rev().find_map(|(_, output)| match output {
            SessionOutput::Identity(identity) => Some(identity.clone()),
            _ => None,
        })
    }

    fn lost(&self) -> Vec<(u64, LostReason)> {
        let lost = |(at, output): &(u64, SessionOutput)| match output {
            SessionOutput::Lost(reason) => Some((*at, *reason)),
            _ => None,
        };
        self.said.iter().filter_map(lost).collect()
    }
}

/// The command that an output writes.
fn command(output: &SessionOutput) -> Option<Command> {
    let SessionOutput::Write(bytes) = output else { return None };
    let mut commands = Vec::new();
    CommandDecoder::default().push(bytes, &mut commands);
    assert_eq!(commands.len(), 1, "one command at a time: {bytes:02x?}");
    commands.pop()
}

fn update(name: &str, content: Content) -> Message {
    Message::FieldUpdate { square: square_from_name(name).unwrap(), content }
}

fn square(name: &str, content: Content) -> Reading {
    Reading::Square { square: square_from_name(name).unwrap(), content }
}

fn start_frame() -> Reading {
    Reading::Frame(Frame::Identity(placement(START).to_vec()))
}

fn clock_at(seconds: u16) -> Message {
    let time = EndTime { seconds, ..EndTime::default() };
    Message::Clock(ClockTimes::new(time, time, true, ClockEnd::Left))
}

#[test]
fn the_handshake_is_spaced_and_sets_the_mode_before_the_dump() {
    let mut talk = Talk::begin();
    talk.alone_until(900);
    let expected = [
        (50, Command::Reset),
        (125, Command::Serial),
        (200, Command::LongSerial),
        (275, Command::Version),
        (350, Command::UpdateNice),
        (425, Command::SendBoard),
        (500, Command::SendClock),
        (575, Command::Clock(ClockMessage::Version)),
    ];
    assert_eq!(talk.commands(), expected);
}

#[test]
fn a_board_that_answers_is_known_and_left_alone() {
    let mut talk = Talk::begin();
    talk.board_until(900, true);
    let expected = Identity {
        serial: Some("25805".to_owned()),
        long_serial: Some("3000448278".to_owned()),
        version: Some("3.1".to_owned()),
        clock_version: Some("2.0".to_owned()),
    };
    assert_eq!(talk.last_identity(), Some(expected));
    assert_eq!(talk.readings(), [start_frame()]);
    let first = talk.said.iter().find_map(|(at, output)| match output {
        SessionOutput::Identity(identity) => Some((*at, identity.serial.clone())),
        _ => None,
    });
    assert_eq!(first, Some((125, Some("25805".to_owned()))), "said as soon as known");
    talk.said.clear();
    talk.board_until(9000, true);
    let asked: Vec<Command> = talk.commands().into_iter().map(|(_, command)| command).collect();
    assert_eq!(asked, [Command::Serial; 8], "only signs of life");
    assert_eq!(talk.last_identity(), None, "nothing new");
}

#[test]
fn a_clock_that_stands_still_is_seen_at_once() {
    let mut talk = Talk::begin();
    talk.run(900, |command| (command == Command::SendClock).then(|| clock_at(300)));
    let [Reading::Clock(Some(reading))] = talk.readings()[..] else { panic!("{:?}", talk.readings()) };
    assert_eq!(reading.left_ms, [300_000; 2]);
}

#[test]
fn questions_that_a_board_does_not_know_are_asked_three_times() {
    let mut talk = Talk::begin();
    talk.run(9000, |command| match command {
        Command::SendBoard => Some(Message::Dump(placement(START))),
        Command::Serial => Some(Message::Serial("01025".to_owned())),
        _ => None,
    });
    assert_eq!(talk.readings(), [start_frame()]);
    assert_eq!(talk.times_of(Command::LongSerial).len(), 3);
    assert_eq!(talk.times_of(Command::Version).len(), 3);
    assert_eq!(talk.times_of(Command::Reset).len(), 1, "what is known is not started again");
    assert_eq!(talk.lost(), []);
}

#[test]
fn without_a_dump_the_handshake_begins_again() {
    let mut talk = Talk::begin();
    talk.board_until(7000, false);
    assert_eq!(talk.times_of(Command::Reset), [50, 2000, 4000, 6000]);
    assert_eq!(talk.times_of(Command::SendBoard), [425, 2375, 4375, 6375]);
    assert_eq!(talk.lost(), [], "the board is there, after all");
    talk.said.clear();
    talk.board_until(12_000, true);
    assert_eq!(talk.readings(), [start_frame()]);
    assert_eq!(talk.times_of(Command::Reset), [8000]);
}

#[test]
fn a_silent_board_is_given_up() {
    let mut talk = Talk::begin();
    talk.alone_until(60_000);
    assert_eq!(talk.lost(), [(5000, LostReason::Silent)]);
    assert_eq!(talk.session.wake_at_ns(), None);
    talk.said.clear();
    talk.input(SessionInput::LinkDown);
    talk.input(SessionInput::LinkUp);
    talk.board_until(61_000, true);
    assert_eq!(talk.readings(), [start_frame()]);
}

#[test]
fn a_board_that_falls_silent_is_given_up_five_seconds_after_its_last_word() {
    let mut talk = Talk::settled();
    talk.board_until(4500, true);
    let last_word_ms = *talk.times_of(Command::Serial).last().unwrap();
    talk.alone_until(60_000);
    assert_eq!(talk.lost(), [(last_word_ms + 5000, LostReason::Silent)]);
    talk.said.clear();
    talk.hear(&update("e2", Content::EMPTY));
    assert_eq!(talk.readings(), [square("e2", Content::EMPTY)], "what comes all the same is read");
    talk.board_until(61_000, true);
    assert_eq!(talk.times_of(Command::Reset), [60_000]);
}

#[test]
fn updates_before_the_first_dump_are_ignored() {
    let mut talk = Talk::begin();
    talk.alone_until(100);
    talk.hear(&update("e2", Content::EMPTY));
    assert_eq!(talk.readings(), []);
    talk.board_until(500, true);
    talk.hear(&update("e4", man('P')));
    assert_eq!(talk.readings(), [start_frame(), square("e4", man('P'))]);
    talk.input(SessionInput::LinkDown);
    talk.input(SessionInput::LinkUp);
    talk.said.clear();
    talk.hear(&update("e4", Content::EMPTY));
    assert_eq!(talk.readings(), [], "after a new link the board is unknown again");
}

#[test]
fn a_dump_follows_a_second_of_quiet() {
    let mut talk = Talk::settled();
    talk.hear(&update("e2", Content::EMPTY));
    talk.board_until(3600, true);
    talk.hear(&update("e4", man('P')));
    assert_eq!(talk.times_of(Command::SendBoard), [0; 0]);
    talk.alone_until(4700);
    assert_eq!(talk.times_of(Command::SendBoard), [4600]);
    talk.alone_until(7000);
    assert_eq!(
        talk.times_of(Command::SendBoard),
        [4600, 6600],
        "an answer that is missing is asked for again"
    );
}

#[test]
fn a_dump_that_shows_something_else_sets_the_mode_again() {
    let mut talk = Talk::settled();
    let moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    talk.hear(&Message::Dump(placement(moved)));
    talk.run(3300, |command| (command == Command::SendBoard).then(|| Message::Dump(placement(moved))));
    let again = [(3000, Command::UpdateNice), (3075, Command::SendBoard)];
    assert_eq!(talk.commands(), again);
    assert_eq!(talk.readings().len(), 2);
}

#[test]
fn a_board_that_does_not_change_is_looked_at_now_and_then() {
    let mut talk = Talk::settled();
    talk.board_until(31_000, true);
    assert_eq!(talk.times_of(Command::SendBoard), [10_425, 20_425, 30_425]);
    assert_eq!(talk.times_of(Command::UpdateNice), [0; 0]);
}

#[test]
fn a_piece_lifted_from_an_empty_square_raises_doubt_at_once() {
    let mut talk = Talk::settled();
    talk.hear(&update("e4", Content::EMPTY));
    assert_eq!(talk.times_of(Command::SendBoard), [3000]);
    talk.board_until(3010, true);
    assert_eq!(talk.readings(), [square("e4", Content::EMPTY)]);
}

#[test]
fn garbage_is_counted_and_raises_doubt() {
    let mut talk = Talk::settled();
    talk.input(SessionInput::Bytes(&hex("34 00 8e 00 05 24 01")));
    assert_eq!(
        talk.said[..2],
        [(3000, SessionOutput::Reading(square("e4", man('P')))), (3000, SessionOutput::Skipped { bytes: 2 })]
    );
    assert_eq!(talk.times_of(Command::SendBoard), [3000]);
    talk.said.clear();
    for at_ms in [3100, 3200, 3300] {
        talk.alone_until(at_ms);
        talk.input(SessionInput::Bytes(&[0x00]));
    }
    assert_eq!(talk.times_of(Command::SendBoard), [0; 0], "one dump is under way");
    talk.hear(&Message::Dump(placement("rnbqkbnr/pppppppp/8/8/4P3/8/PPPPPPPP/RNBQKBNR")));
    talk.alone_until(3400);
    talk.input(SessionInput::Bytes(&[0x00]));
    talk.alone_until(3999);
    assert_eq!(talk.times_of(Command::SendBoard), [0; 0], "the line is not made busier");
    talk.alone_until(4000);
    assert_eq!(talk.times_of(Command::SendBoard), [4000]);
}

#[test]
fn a_sender_that_is_no_board_is_given_up() {
    let mut talk = Talk::begin();
    for _ in 0..9 {
        talk.alone_until(talk.now_ms + 100);
        talk.input(SessionInput::Bytes(&[0x55; 1000]));
    }
    assert_eq!(talk.lost(), [(900, LostReason::Unintelligible)]);
    assert_eq!(talk.session.wake_at_ns(), None);
}

#[test]
fn noise_between_messages_that_make_sense_is_borne() {
    let mut talk = Talk::begin();
    for _ in 0..20 {
        talk.hear_nothing_for(100);
        talk.input(SessionInput::Bytes(&[0x55; 1000]));
        talk.hear(&Message::Version { major: 3, minor: 1 });
    }
    assert_eq!(talk.lost(), []);
}

#[test]
fn a_message_that_breaks_off_is_dropped() {
    let mut talk = Talk::settled();
    talk.input(SessionInput::Bytes(&hex("8e 00 05 34")));
    talk.alone_until(3499);
    assert!(!talk.said.iter().any(|(_, output)| matches!(output, SessionOutput::Skipped { .. })));
    talk.alone_until(3500);
    assert!(talk.said.contains(&(3500, SessionOutput::Skipped { bytes: 4 })));
    assert_eq!(talk.times_of(Command::SendBoard), [3500]);
    talk.input(SessionInput::Bytes(&hex("00")));
    assert_eq!(talk.readings(), [], "the rest that comes too late is no message");
}

#[test]
fn nothing_is_asked_while_the_memory_comes_in() {
    let mut talk = Talk::settled();
    let bytes = Message::EepromMoves(vec![0x7f; 4000]).encode();
    talk.hear(&update("e4", Content::EMPTY));
    talk.said.clear();
    for chunk in bytes.chunks(400) {
        talk.input(SessionInput::Bytes(chunk));
        talk.hear_nothing_for(400);
    }
    assert_eq!(talk.lost(), []);
    let first = talk.commands().first().copied();
    assert!(first.is_some_and(|(at_ms, _)| at_ms >= 3000 + 10 * 400), "{first:?}");
}

#[test]
fn the_clock_is_asked_three_times_and_again_when_it_shows_itself() {
    let ask = Command::Clock(ClockMessage::Version);
    let mut talk = Talk::begin();
    talk.run(1500, |command| (command == Command::SendBoard).then(|| Message::Dump(placement(START))));
    for _ in 0..10 {
        talk.hear(&Message::Serial("25805".to_owned()));
        talk.hear_nothing_for(1000);
    }
    assert_eq!(talk.times_of(ask), [575, 2575, 4575], "then given up");
    talk.said.clear();
    talk.hear(&clock_at(300));
    talk.hear_nothing_for(80);
    assert_eq!(talk.times_of(ask).len(), 1);
    talk.hear(&Message::ClockAck(ClockAck { value: 0x1e, ..ClockAck::done(9) }));
    assert_eq!(talk.last_identity().and_then(|known| known.clock_version), Some("1.14".to_owned()));
    talk.said.clear();
    talk.hear(&clock_at(299));
    talk.board_until(talk.now_ms + 5000, true);
    assert_eq!(talk.times_of(ask), [0; 0], "answered");
    talk.hear(&Message::Clock(ClockTimes::no_clock()));
    talk.hear(&clock_at(299));
    talk.hear_nothing_for(80);
    assert_eq!(talk.times_of(ask).len(), 1, "it may be another clock");
}

#[test]
fn a_confused_clock_is_asked_again_and_a_refusing_one_is_not() {
    let ask = Command::Clock(ClockMessage::Version);
    let asked = |result| {
        let mut talk = Talk::begin();
        talk.run(4000, |command| match command {
            Command::SendBoard => Some(Message::Dump(placement(START))),
            Command::Clock(_) => Some(Message::ClockAck(ClockAck { result, ..ClockAck::done(9) })),
            _ => None,
        });
        assert_eq!(talk.last_identity(), None, "no version was said");
        talk.times_of(ask)
    };
    assert_eq!(asked(AckResult::Confused), [575, 2575]);
    assert_eq!(asked(AckResult::Refused), [575]);
}

#[test]
fn an_empty_clock_message_is_no_reading() {
    let mut talk = Talk::settled();
    talk.input(SessionInput::Bytes(&hex("8d 00 0a 00 00 00 00 00 00 00")));
    assert_eq!(talk.readings(), []);
    talk.input(SessionInput::Bytes(&hex("8d 00 0a 00 00 00 00 00 00 20")));
    assert_eq!(talk.readings(), [Reading::Clock(None)]);
}

#[test]
fn bytes_while_the_link_is_down_are_only_counted() {
    let mut talk = Talk::default();
    talk.input(SessionInput::Bytes(&hex(START_DUMP)));
    assert_eq!(talk.said, [(0, SessionOutput::Skipped { bytes: 67 })]);
    assert_eq!(talk.session.wake_at_ns(), None);
}

/// Feeds chunks with pauses between them; `punctual` says whether the session is woken in time.
fn outputs(chunks: &[(u64, Vec<u8>)], punctual: bool) -> Vec<SessionOutput> {
    let mut talk = Talk::begin();
    for (pause_ms, bytes) in chunks {
        let at_ms = talk.now_ms + pause_ms;
        if punctual {
            talk.alone_until(at_ms);
        }
        talk.now_ms = at_ms;
        talk.input(SessionInput::Bytes(bytes));
    }
    talk.said.into_iter().map(|(_, output)| output).collect()
}

proptest! {
    #[test]
    fn a_late_wake_changes_nothing(chunks in prop::collection::vec(
        (0u64..3000, prop_oneof![
            Just(hex(START_DUMP)),
            Just(hex("8e 00 05 34 00")),
            Just(hex("8e 00 05 24 01")),
            Just(hex("8d 00 0a 20 03 02 20 03 02 08")),
            Just(hex("91 00 08 32 35 38 30 35 8e 00")),
            prop::collection::vec(any::<u8>(), 0..20),
        ]), 0..25)
    ) {
        prop_assert_eq!(outputs(&chunks, true), outputs(&chunks, false));
    }
}
