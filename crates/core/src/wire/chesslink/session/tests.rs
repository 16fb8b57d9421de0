use super::*;
use crate::wire::Announcement;
use crate::wire::chesslink::CommandDecoder;
use adoube_rules::ChessPosition;
use adoube_rules::square::Square;

/// A session, and what came of what it was told.
struct Talk {
    session: ChessLinkSession,
    out: Vec<SessionOutput>,
    now_ns: u64,
}

impl Talk {
    fn new() -> Self {
        let mut talk = Self { session: ChessLinkSession::new(), out: Vec::new(), now_ns: 0 };
        talk.tell(SessionInput::LinkUp);
        talk
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        self.session.handle(input, self.now_ns, &mut self.out);
    }

    fn hear(&mut self, message: &Message) {
        self.tell(SessionInput::Bytes(&message.encode()));
    }

    fn wait(&mut self, length_ns: u64) {
        self.now_ns += length_ns;
        self.tell(SessionInput::Wake);
    }

    /// What was said to the board since the last look.
    fn commands(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        for output in self.out.drain(..) {
            if let SessionOutput::Write(bytes) = output {
                CommandDecoder::default().push(&bytes, &mut commands);
            }
        }
        commands
    }

    /// Answers the questions of the beginning.
    fn greet(&mut self) {
        self.wait(SECOND);
        self.hear(&Message::Version { major: 1, minor: 3 });
        SETTINGS.iter().for_each(|&(address, _, value)| self.hear(&Message::Setting { address, value }));
        self.hear(&start());
        self.commands();
    }
}

fn start() -> Message {
    let men = ChessPosition::default().contents();
    Message::Board(men.try_into().expect("a board has 64 squares"))
}

fn without_e2() -> Message {
    let Message::Board(mut contents) = start() else { panic!("no board") };
    contents[12] = Content::EMPTY;
    Message::Board(contents)
}

#[test]
fn a_link_begins_with_questions_and_writes_nothing_to_a_board_that_is_set_right() {
    let mut talk = Talk::new();
    talk.wait(SECOND);
    let asked = talk.commands();
    let settings = [0, 1, 2].map(|address| Command::Read { address });
    assert_eq!(asked, [&[Command::Version][..], &settings, &[Command::Board]].concat());
    talk.hear(&Message::Version { major: 1, minor: 3 });
    talk.hear(&start());
    let identity = Identity { version: Some("1.3".to_owned()), ..Identity::default() };
    assert_eq!(talk.out[0], SessionOutput::Identity(identity));
    assert!(matches!(talk.out[1], SessionOutput::Reading(Reading::Frame(Frame::Identity(_)))));
    assert_eq!(talk.out[2], SessionOutput::Reading(Reading::Clock(None)), "there is no clock");
    talk.commands();
    talk.hear(&Message::Setting { address: 1, value: 20 });
    talk.hear(&Message::Setting { address: 2, value: 0 });
    talk.wait(500 * MS);
    assert_eq!(talk.commands(), [Command::Write { address: 2, value: 3 }]);
}

#[test]
fn what_does_not_tell_its_settings_is_set_all_the_same_and_not_for_ever() {
    let mut talk = Talk::new();
    talk.wait(SECOND);
    talk.commands();
    let mut writes = 0;
    for _ in 0..60 {
        talk.hear(&start());
        talk.wait(SECOND);
        writes += talk.commands().iter().filter(|command| matches!(command, Command::Write { .. })).count();
    }
    assert_eq!(writes, 2 * (usize::from(TRIES) - 1));
}

#[test]
fn a_board_without_checksums_is_told_to_send_them() {
    let mut talk = Talk::new();
    talk.greet();
    talk.hear(&Message::Setting { address: setting::BLOCK_PARITY, value: 0x83 });
    talk.wait(500 * MS);
    assert_eq!(talk.commands(), [Command::Write { address: 0, value: 0x82 }], "the other bits stay");
}

#[test]
fn a_setting_that_a_board_does_not_keep_is_written_three_times() {
    let mut talk = Talk::new();
    talk.greet();
    let mut writes = 0;
    for _ in 0..10 {
        talk.hear(&Message::Setting { address: 2, value: 0 });
        talk.wait(SECOND);
        writes += talk.commands().iter().filter(|command| matches!(command, Command::Write { .. })).count();
    }
    assert_eq!(writes, usize::from(TRIES));
}

#[test]
fn the_board_is_asked_after_a_change_and_now_and_then() {
    let mut talk = Talk::new();
    talk.greet();
    talk.hear(&without_e2());
    talk.wait(900 * MS);
    assert_eq!(talk.commands(), []);
    talk.wait(200 * MS);
    assert_eq!(talk.commands(), [Command::Board]);
    talk.hear(&without_e2());
    assert_eq!(talk.out, [], "nothing new");
    talk.wait(2_900 * MS);
    assert_eq!(talk.commands(), []);
    talk.wait(200 * MS);
    assert_eq!(talk.commands(), [Command::Board]);
}

#[test]
fn a_change_that_only_the_question_brought_out_makes_the_setting_doubtful() {
    let mut talk = Talk::new();
    talk.greet();
    talk.wait(SECOND + 100 * MS);
    assert_eq!(talk.commands(), [Command::Board]);
    talk.hear(&without_e2());
    talk.wait(200 * MS);
    assert_eq!(talk.commands(), [Command::Read { address: 2 }]);
}

#[test]
fn a_frame_that_breaks_off_is_given_up() {
    let mut talk = Talk::new();
    talk.greet();
    let bytes = start().encode();
    talk.tell(SessionInput::Bytes(&bytes[..30]));
    talk.wait(BROKEN_OFF - 1);
    assert_eq!(talk.out, []);
    talk.wait(1);
    assert_eq!(talk.out, [SessionOutput::Skipped { bytes: 30 }]);
    talk.hear(&without_e2());
    assert_eq!(talk.out.len(), 2, "the next one is read");
}

#[test]
fn a_board_that_says_nothing_is_given_up_and_welcome_again() {
    let mut talk = Talk::new();
    talk.greet();
    talk.wait(SILENCE);
    assert!(talk.out.contains(&SessionOutput::Lost(LostReason::Silent)));
    assert_eq!(talk.session.wake_at_ns(), None);
    talk.commands();
    talk.hear(&without_e2());
    assert!(matches!(talk.out[0], SessionOutput::Reading(_)));
    talk.wait(SECOND);
    assert!(talk.commands().contains(&Command::Version));
}

#[test]
fn what_sends_something_else_is_given_up() {
    let mut talk = Talk::new();
    let line = ":0 0 56 0 0 201 0 0 0 0 \r\n".repeat(400);
    talk.tell(SessionInput::Bytes(line.as_bytes()));
    assert_eq!(talk.out.last(), Some(&SessionOutput::Lost(LostReason::Unintelligible)));
    assert!(
        !talk
            .out
            .iter()
            .any(|output| matches!(output, SessionOutput::Identity(_) | SessionOutput::Reading(_)))
    );
}

#[test]
fn lamps_are_repeated_until_they_are_acknowledged_and_stale_ones_never_sent() {
    let mut talk = Talk::new();
    talk.greet();
    let lamps = |commands: &[Command]| -> Vec<Option<usize>> {
        let lit = |command: &Command| match command {
            Command::Lamps(blinking) => Some(Some(blinking.lamps.iter().filter(|&&lamp| lamp != 0).count())),
            Command::LampsOut => Some(None),
            _ => None,
        };
        commands.iter().filter_map(lit).collect()
    };
    for squares in [vec![0], vec![12, 28]] {
        talk.tell(SessionInput::Announce(&Announcement::Squares(
            squares.into_iter().map(Square::new).collect(),
        )));
    }
    talk.wait(500 * MS);
    // One order went out at once; of what came while it was on the line, the last.
    assert_eq!(lamps(&talk.commands()), [Some(4), Some(8)]);
    talk.wait(RETRY);
    assert_eq!(lamps(&talk.commands()), [Some(8)], "not acknowledged");
    talk.hear(&Message::LampsLit);
    talk.wait(3 * RETRY);
    assert_eq!(lamps(&talk.commands()), []);
    // A lost link: the lamps are lit again.
    talk.hear(&start());
    talk.tell(SessionInput::LinkDown);
    talk.tell(SessionInput::LinkUp);
    talk.wait(SECOND);
    assert_eq!(lamps(&talk.commands()), [Some(8)]);
    talk.tell(SessionInput::Announce(&Announcement::Clear));
    talk.wait(SECOND);
    assert_eq!(lamps(&talk.commands()), [None]);
}

#[test]
fn nobody_who_announces_nothing_has_the_lamps_touched() {
    let mut talk = Talk::new();
    talk.wait(SECOND);
    assert!(talk.commands().iter().all(|command| !matches!(command, Command::Lamps(_) | Command::LampsOut)));
}
