use super::*;
use crate::wire::protocol;
use adoube_rules::sensor::{Army, Role};
use adoube_rules::{ChessPosition, square_from_name};

const HELLO: &str =
    "open/1 name=Kitchen serial=17 firmware=0.3 squares=64 sensing=identity can=lamps,display,beep";
const START: &str = "board rnbqkbnr/pppppppp/......../......../......../......../PPPPPPPP/RNBQKBNR";

/// A session that is told lines and says lines.
struct Bench {
    session: Box<dyn Session>,
    now_ns: u64,
    written: Vec<String>,
    out: Vec<SessionOutput>,
}

impl Bench {
    fn new() -> Self {
        let session = (protocol("open").unwrap().session)();
        let mut bench = Self { session, now_ns: 0, written: Vec::new(), out: Vec::new() };
        bench.tell(SessionInput::LinkUp);
        bench
    }

    /// The same after the board has introduced itself and shown the start array.
    fn known() -> Self {
        let mut bench = Self::new();
        bench.hear(&[HELLO, START]);
        bench.run(500);
        bench.out.clear();
        bench.written.clear();
        bench
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        let mut said = Vec::new();
        self.session.handle(input, self.now_ns, &mut said);
        for output in said {
            match output {
                SessionOutput::Write(bytes) => {
                    self.written.push(String::from_utf8(bytes).unwrap().trim_end().to_owned());
                }
                other => self.out.push(other),
            }
        }
    }

    fn hear(&mut self, lines: &[&str]) {
        lines.iter().for_each(|line| self.tell(SessionInput::Bytes(format!("{line}\r\n").as_bytes())));
    }

    fn run(&mut self, ms: u64) {
        let until_ns = self.now_ns + ms * MS;
        while let Some(at_ns) = self.session.wake_at_ns().filter(|&at_ns| at_ns <= until_ns) {
            self.now_ns = at_ns;
            self.tell(SessionInput::Wake);
        }
        self.now_ns = until_ns;
    }

    fn readings(&self) -> Vec<Reading> {
        let reading = |output: &SessionOutput| match output {
            SessionOutput::Reading(reading) => Some(reading.clone()),
            _ => None,
        };
        self.out.iter().filter_map(reading).collect()
    }
}

fn change(name: &str, content: Content) -> Reading {
    Reading::Square { square: square_from_name(name).unwrap(), content }
}

#[test]
fn a_board_is_asked_until_it_introduces_itself() {
    let mut bench = Bench::new();
    bench.run(2_300);
    assert_eq!(bench.written, ["hello open/1"; 3], "a restart takes two seconds");
    bench.hear(&[HELLO]);
    let identity =
        Identity { serial: Some("17".to_owned()), version: Some("0.3".to_owned()), ..Identity::default() };
    assert_eq!(bench.out, [SessionOutput::Identity(identity), SessionOutput::Reading(Reading::Clock(None))]);
    bench.run(1_500);
    assert_eq!(bench.written[3..], ["lamps", "board"], "dark from the beginning; and the position got lost");
    bench.hear(&[START]);
    let start = ChessPosition::default().contents();
    assert_eq!(bench.readings().last(), Some(&Reading::Frame(Frame::Identity(start))));
}

#[test]
fn changes_are_read_and_verified_when_they_are_over() {
    let mut bench = Bench::known();
    bench.hear(&["square e2 .", "square e4 P"]);
    assert_eq!(
        bench.readings(),
        [change("e2", Content::EMPTY), change("e4", Content::man(Army::new(0), Role::Pawn))]
    );
    bench.run(990);
    assert!(bench.written.is_empty());
    bench.run(20);
    assert_eq!(bench.written, ["board"]);
}

#[test]
fn a_lost_or_doubled_line_and_a_damaged_one_make_the_session_ask() {
    for line in ["square e3 .", "square e2 P", "sqxare e2 .", "square e2 ?", "caf\u{e9}", "square e2 .*00"] {
        let mut bench = Bench::known();
        bench.hear(&["alive"]);
        bench.run(1_000);
        bench.hear(&[line]);
        bench.run(30);
        assert_eq!(bench.written, ["board"], "{line}");
        bench.hear(&[START]);
        bench.run(900);
        assert_eq!(bench.written, ["board"], "{line}");
    }
}

#[test]
fn a_position_that_contradicts_the_changes_is_asked_for_again() {
    let mut bench = Bench::known();
    bench.hear(&["square e2 .", "square e4 P", START]);
    bench.run(30);
    assert_eq!(bench.written, ["board"]);
    assert_eq!(bench.readings().len(), 2, "it may be older than the changes");
    bench.hear(&[START]);
    assert_eq!(bench.readings().len(), 3, "it was asked for after them");
}

#[test]
fn a_restart_in_the_middle_of_the_game_changes_nothing_but_the_lamps_and_texts() {
    let mut bench = Bench::known();
    let mv = Announcement::Move { squares: vec![Square::new(52), Square::new(36)], text: "e7-e5".to_owned() };
    bench.tell(SessionInput::Announce(&mv));
    bench.run(200);
    assert_eq!(bench.written, ["lamps e7 e5", "text e7-e5", "beep"]);
    bench.written.clear();
    bench.hear(&[HELLO, START]);
    bench.run(200);
    assert_eq!(bench.written, ["lamps e7 e5", "text e7-e5"], "nobody is startled again");
    assert!(!bench.out.iter().any(|output| matches!(output, SessionOutput::Identity(_))));
    bench.written.clear();
    bench.tell(SessionInput::Announce(&Announcement::Clear));
    bench.run(200);
    assert_eq!(bench.written, ["lamps", "text"]);
}

#[test]
fn what_a_board_cannot_show_it_is_not_told() {
    let mut bench = Bench::new();
    bench.hear(&["open/1 squares=64 sensing=occupancy"]);
    bench.run(500);
    bench.written.clear();
    for announcement in [
        Announcement::Move { squares: vec![Square::new(1)], text: "a1-a2".to_owned() },
        Announcement::Squares(vec![Square::new(4)]),
        Announcement::Times { left_ms: [1, 2], running: None },
        Announcement::Clear,
    ] {
        bench.tell(SessionInput::Announce(&announcement));
    }
    bench.run(300);
    assert!(bench.written.is_empty(), "{:?}", bench.written);
}

#[test]
fn a_touch_lifts_the_man_and_puts_him_back() {
    let mut bench = Bench::known();
    bench.hear(&["touch g1", "touch e4"]);
    let knight = Content::man(Army::new(0), Role::Knight);
    assert_eq!(bench.readings(), [change("g1", Content::EMPTY), change("g1", knight)], "nobody stands on e4");
}

#[test]
fn checksums_are_wanted_once_the_board_has_them() {
    let mut bench = Bench::new();
    let sum = |text: &str| String::from_utf8(encode(text, true)).unwrap().trim_end().to_owned();
    let hello = "open/1 squares=64 sensing=identity can=checksum";
    bench.hear(&[hello]);
    assert!(bench.readings().is_empty(), "a hello that says so has one itself");
    bench.hear(&[&sum(hello), &sum(START)]);
    assert_eq!(bench.readings().len(), 2);
    bench.hear(&["square e2 .", &sum("square d2 .")]);
    assert_eq!(bench.readings()[2..], [change("d2", Content::EMPTY)]);
    bench.run(2_000);
    assert_eq!(bench.written.last(), Some(&sum("board")));
}

#[test]
fn silence_babble_and_newer_versions_end_the_link() {
    for (lines, reason) in [
        (&[][..], LostReason::Silent),
        (&["$GPGGA,123519,4807.038,N", "alive?"], LostReason::Unintelligible),
        (&["open/2 squares=64 sensing=identity"], LostReason::NewerVersion),
    ] {
        let mut bench = Bench::new();
        bench.hear(lines);
        bench.run(5_100);
        assert_eq!(bench.out.last(), Some(&SessionOutput::Lost(reason)));
        assert_eq!(bench.session.wake_at_ns(), None);
        let is_recognised =
            |output: &SessionOutput| matches!(output, SessionOutput::Identity(_) | SessionOutput::Reading(_));
        assert!(!bench.out.iter().any(is_recognised));
        // It speaks after all: a replay goes on, too.
        bench.hear(&[HELLO, START]);
        assert!(bench.out.iter().any(is_recognised));
        assert!(bench.session.wake_at_ns().is_some());
    }
}

#[test]
fn a_babble_without_end_of_line_is_not_taken_for_a_board() {
    let mut bench = Bench::new();
    for _ in 0..60 {
        bench.tell(SessionInput::Bytes(&[0x55; 100]));
        bench.run(100);
    }
    assert_eq!(bench.out, [SessionOutput::Lost(LostReason::Unintelligible)]);
}

#[test]
fn a_board_of_160_squares_is_read() {
    let mut bench = Bench::new();
    bench.hear(&["open/1 squares=160 sensing=identity can=lamps"]);
    let men: Vec<Content> = (0..160)
        .map(|square| Content::man(Army::new(square % 4), Role::ALL[usize::from(square / 4 % 6)]))
        .collect();
    bench.hear(&[
        &Message::Board(men.clone()).text(Shape::Cross),
        "square n11 .",
        "square k14 +q",
        "square a1 K",
    ]);
    let frame = Reading::Frame(Frame::Identity(men));
    let (lifted, placed) = (Content::EMPTY, Content::man(Army::new(3), Role::Queen));
    let expected = [
        Reading::Clock(None),
        frame,
        Reading::Square { square: Square::new(135), content: lifted },
        Reading::Square { square: Square::new(159), content: placed },
    ];
    assert_eq!(bench.readings(), expected);
    bench.tell(SessionInput::Announce(&Announcement::Squares(vec![Square::new(0), Square::new(159)])));
    bench.run(200);
    assert_eq!(bench.written.last().map(String::as_str), Some("lamps d1 k14"));
}
