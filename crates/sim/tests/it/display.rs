//! What a DGT board is asked to show, against simulated clocks.

use adoube_core::wire::Announcement;
use adoube_core::wire::dgt::DgtSession;
use adoube_core::wire::{Session as _, SessionInput, SessionOutput};
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::stamp::SECOND;
use adoube_sim::{ClockSetting, Firmware, FirmwareConfig};

/// A session and a simulated board with a clock, in virtual time.
struct Bench {
    session: DgtSession,
    board: Firmware,
    now_ns: u64,
    dumps: usize,
}

impl Bench {
    fn new() -> Self {
        let clock = Some("300+0".parse::<ClockSetting>().unwrap());
        let config = FirmwareConfig { clock, ..FirmwareConfig::default() };
        let board = Firmware::new(config, &adoube_rules::ChessPosition::default().contents());
        let mut bench = Self { session: DgtSession::new(), board, now_ns: 0, dumps: 0 };
        bench.tell(SessionInput::LinkUp);
        bench
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        let mut said = Vec::new();
        self.session.handle(input, self.now_ns, &mut said);
        for output in said {
            match output {
                SessionOutput::Write(bytes) => self.board.receive(&bytes, self.now_ns),
                SessionOutput::Reading(adoube_rules::sensor::Reading::Frame(_)) => self.dumps += 1,
                _ => {}
            }
        }
    }

    fn run(&mut self, length_ns: u64) {
        let end_ns = self.now_ns + length_ns;
        while self.now_ns < end_ns {
            self.now_ns += 10 * MS;
            let mut said = Vec::new();
            self.board.poll(self.now_ns, &mut said);
            let input = if said.is_empty() { SessionInput::Wake } else { SessionInput::Bytes(&said) };
            self.tell(input);
        }
    }

    fn announce(&mut self, announcement: &Announcement) {
        self.tell(SessionInput::Announce(announcement));
    }
}

fn mv(text: &str) -> Announcement {
    Announcement::Move { squares: vec![Square::new(52), Square::new(36)], text: text.to_owned() }
}

#[test]
fn a_move_is_shown_with_a_beep_until_it_is_cleared_and_the_board_is_read_on() {
    let mut bench = Bench::new();
    // Announced before anything is known of a clock.
    bench.announce(&mv("e7-e5"));
    bench.run(3 * SECOND);
    assert_eq!((bench.board.clock_text(), bench.board.clock_beeps()), (Some("e7-e5"), 1));
    // The last of several counts.
    for text in ["a7-a6", "a7-a5", "b7-b8q"] {
        bench.announce(&mv(text));
    }
    bench.run(SECOND);
    assert_eq!(bench.board.clock_text(), Some("b7-b8q"));
    bench.announce(&Announcement::Clear);
    bench.run(SECOND);
    assert_eq!(bench.board.clock_text(), None);
    let dumps = bench.dumps;
    bench.run(25 * SECOND);
    assert!(bench.dumps >= dumps + 2, "the board is still verified");
}

#[test]
fn what_was_announced_is_shown_again_when_the_link_is_back() {
    let mut bench = Bench::new();
    bench.run(3 * SECOND);
    bench.tell(SessionInput::LinkDown);
    bench.announce(&mv("g8-f6"));
    bench.run(SECOND);
    assert_eq!(bench.board.clock_text(), None);
    bench.tell(SessionInput::LinkUp);
    bench.run(3 * SECOND);
    assert_eq!(bench.board.clock_text(), Some("g8-f6"));
}

#[test]
fn times_are_set_on_a_clock_that_takes_them_and_not_offered_again_to_another() {
    let times = Announcement::Times { left_ms: [61_000, 59_500], running: Some(Side::Black) };
    let mut bench = Bench::new();
    bench.announce(&times);
    bench.run(3 * SECOND);
    assert_eq!(bench.board.clock_shows(), [300, 300], "it plays its own time control");
    assert!(bench.session.state()["link"]["refuses_times"] == true);
    let mut bench = Bench::new();
    bench.board.let_clock_be_set();
    bench.announce(&times);
    bench.run(4 * SECOND);
    assert_eq!(bench.board.clock_shows(), [61, 56], "with the time since the announcement taken off");
}
