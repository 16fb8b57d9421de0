use super::super::samples;
use super::super::{BoardConfig, ClockSetting, Game, Noise, VirtualBoard, random_play, record};
use super::*;
use adoube_core::wire::open::OpenSession;
use adoube_core::wire::{Announcement, Session as _, SessionInput, SessionOutput};
use adoube_rules::four::FourPlayer;
use adoube_rules::sensor::{Army, Frame, Reading, Role, Side};
use adoube_rules::{Position as _, Variant};

/// A board and its host, in virtual time.
struct Bench {
    board: OpenBoard,
    session: OpenSession,
    now_ns: u64,
    picture: Vec<Content>,
    squares: usize,
}

impl Bench {
    fn new(config: FirmwareConfig) -> Self {
        let board = OpenBoard::new(config, &samples::game("e4").start.contents());
        let mut bench =
            Self { board, session: OpenSession::new(), now_ns: 0, picture: Vec::new(), squares: 0 };
        bench.tell(SessionInput::LinkUp);
        bench
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        let mut said = Vec::new();
        self.session.handle(input, self.now_ns, &mut said);
        for output in said {
            match output {
                SessionOutput::Write(bytes) => self.board.receive(&bytes, self.now_ns),
                SessionOutput::Reading(Reading::Frame(
                    Frame::Identity(contents) | Frame::Occupancy(contents),
                )) => {
                    self.picture = contents;
                }
                SessionOutput::Reading(Reading::Square { square, content }) => {
                    self.squares += 1;
                    self.picture[square] = content;
                }
                SessionOutput::Lost(reason) => panic!("{reason:?}"),
                _ => {}
            }
        }
    }

    fn run(&mut self, ms: u64) {
        let until_ns = self.now_ns + ms * MS;
        loop {
            let wakes = [self.board.wake_at_ns(), self.session.wake_at_ns()];
            let Some(next_ns) = wakes.into_iter().flatten().min().filter(|&at_ns| at_ns <= until_ns) else {
                break;
            };
            self.now_ns = next_ns.max(self.now_ns);
            let mut heard = Vec::new();
            self.board.poll(self.now_ns, &mut heard);
            self.tell(if heard.is_empty() { SessionInput::Wake } else { SessionInput::Bytes(&heard) });
        }
        self.now_ns = until_ns;
    }
}

fn e4() -> [Act; 2] {
    [
        Act::Lift { square: Square::new(12) },
        Act::Place { square: Square::new(28), man: Content::man(Army::new(0), Role::Pawn) },
    ]
}

#[test]
fn both_kinds_say_what_stands_there() {
    for occupancy in [false, true] {
        for turned in [false, true] {
            let mut bench = Bench::new(FirmwareConfig { occupancy, turned, ..FirmwareConfig::default() });
            bench.run(2_000);
            e4().into_iter().for_each(|act| bench.board.act(act, bench.now_ns));
            bench.run(300);
            let mut expected = samples::game("e4").start.contents();
            expected.swap(12, 28);
            if occupancy {
                expected = expected.into_iter().map(Content::occupancy).collect();
            }
            if turned {
                expected.reverse();
            }
            assert_eq!(bench.picture, expected, "before anything was verified: {occupancy} {turned}");
            assert!(bench.squares >= 2);
        }
    }
}

#[test]
fn contacts_bounce_and_some_of_it_is_said() {
    let mut said = 0;
    for seed in 0..400 {
        let mut bench = Bench::new(FirmwareConfig { occupancy: true, seed, ..FirmwareConfig::default() });
        bench.run(2_000);
        e4().into_iter().for_each(|act| bench.board.act(act, bench.now_ns));
        bench.run(900);
        said += bench.squares;
    }
    assert!((802..1_000).contains(&said), "{said} lines for 800 changes");
}

#[test]
fn a_restart_loses_nothing_and_lamps_come_back() {
    let mut bench = Bench::new(FirmwareConfig::default());
    bench.run(2_000);
    bench.tell(SessionInput::Announce(&Announcement::Squares(vec![Square::new(12), Square::new(28)])));
    bench.run(200);
    assert_eq!((bench.board.lamps(), bench.board.beeps()), (&[12, 28].map(Square::new)[..], 0));
    bench.board.restart(bench.now_ns);
    assert!(bench.board.lamps().is_empty());
    let now_ns = bench.now_ns;
    e4().into_iter().for_each(|act| bench.board.act(act, now_ns + 100 * MS));
    bench.run(2_500);
    assert_eq!(
        (bench.picture[12], bench.picture[28]),
        (Content::EMPTY, Content::man(Army::new(0), Role::Pawn))
    );
    assert_eq!(bench.board.lamps(), [12, 28].map(Square::new));
    bench.tell(SessionInput::Announce(&Announcement::Text("undo".to_owned())));
    bench.run(200);
    assert_eq!((bench.board.text(), bench.board.lamps().len()), ("undo", 0));
}

#[test]
fn a_board_without_checksums_is_understood() {
    let mut board = OpenBoard::new(FirmwareConfig::default(), &[Content::EMPTY; 64]).without_checksum();
    let mut said = Vec::new();
    board.poll(0, &mut said);
    let said = String::from_utf8(said).unwrap();
    assert!(said.starts_with("open/1 ") && !said.contains('*') && !said.contains("checksum"), "{said}");
}

#[test]
fn a_clock_ticks_is_pressed_and_lies_with_the_board() {
    for turned in [false, true] {
        let clock = Some(ClockSetting::equal(300, 0));
        let mut board = OpenBoard::new(
            FirmwareConfig { clock, turned, ..FirmwareConfig::default() },
            &[Content::EMPTY; 64],
        )
        .without_checksum();
        board.act(Act::StartClock, SECOND);
        board.act(Act::Press(Side::White), 3 * SECOND + 500 * MS);
        let mut said = Vec::new();
        board.poll(6 * SECOND, &mut said);
        let said = String::from_utf8(said).unwrap();
        let last = said.lines().rfind(|line| line.starts_with("clock")).unwrap();
        let expected = if turned {
            "clock white=298000 black=298000 runs=white"
        } else {
            "clock white=298000 black=298000 runs=black"
        };
        assert_eq!(last, expected, "{said}");
    }
}

fn is_heard_to_its_end<V: Variant>(game: &Game<V>, config: BoardConfig) {
    let recording = record(game, config);
    let mut session = OpenSession::new();
    let (mut out, mut picture) = (Vec::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut out);
    for chunk in &recording.chunks {
        if chunk.direction == super::super::Direction::FromBoard {
            session.handle(SessionInput::Bytes(&chunk.bytes), (chunk.t_ms * 1e6) as u64, &mut out);
        }
    }
    for output in out {
        match output {
            SessionOutput::Reading(Reading::Frame(frame)) => picture = frame.contents().to_vec(),
            SessionOutput::Reading(Reading::Square { square, content }) => {
                picture[square] = content;
            }
            _ => {}
        }
    }
    let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
    let stands = |square: Square| {
        let content = last.content(square);
        if config.occupancy { content.occupancy() } else { content }
    };
    let mut expected: Vec<Content> = adoube_core::infer::squares::<V>().map(stands).collect();
    if config.turned {
        expected.reverse();
    }
    assert_eq!(picture, expected, "{config:?}");
    assert_eq!(recording.truth.as_array().map(Vec::len), Some(game.moves.len()));
}

/// What was heard of a game on a bad line ends in its last position, and a good line loses nothing.
#[test]
fn a_game_is_heard_to_its_end() {
    for (fault_rate, occupancy) in [(0.0, false), (0.0, true), (0.002, false), (0.002, true)] {
        let clock = Some(ClockSetting::equal(180, 2));
        let config = BoardConfig {
            protocol: "open",
            noise: Noise::Light,
            occupancy,
            fault_rate,
            clock,
            ..BoardConfig::default()
        };
        is_heard_to_its_end(&samples::game(samples::CASTLES_AND_PROMOTES), config);
        is_heard_to_its_end(&random_play::<FourPlayer>(2, 60), config);
        is_heard_to_its_end(&random_play::<FourPlayer>(3, 60), BoardConfig { turned: true, ..config });
    }
    let waiting =
        VirtualBoard::new(&samples::game("e4"), BoardConfig { protocol: "open", ..BoardConfig::default() });
    assert_eq!(waiting.origin_ns(), None, "hands wait for a host");
}
