use super::*;
use crate::wire::LostReason;
use adoube_rules::stamp::SECOND;

const START: &str = ":255 255 0 0 0 0 255 255 \r\n";
/// The a-pawn of the second rank is away.
const LIFTED: &str = ":255 255 0 0 0 0 127 255 \r\n";

/// Tells a session lines, each at its time in milliseconds; which squares are empty in each frame that came.
fn frames(lines: &[(u64, &str)]) -> Vec<(usize, Vec<usize>)> {
    let (mut session, mut frames) = (SentioSession::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut Vec::new());
    for (index, (at_ms, line)) in lines.iter().enumerate() {
        let mut out = Vec::new();
        session.handle(SessionInput::Bytes(line.as_bytes()), at_ms * MS, &mut out);
        for output in out {
            if let SessionOutput::Reading(Reading::Frame(Frame::Occupancy(contents))) = output {
                frames.push((index, (0..64).filter(|&square| contents[square].is_empty()).collect()));
            }
        }
    }
    frames
}

#[test]
fn the_eighth_rank_comes_first_and_its_a_file_is_the_highest_bit() {
    let frames = frames(&[(0, ":1 0 0 0 0 0 0 128 \r\n"), (10, ":1 0 0 0 0 0 0 128 \r\n")]);
    let (a1, h8) = (0, 63);
    assert_eq!(frames, [(1, (0..64).filter(|&square| square != a1 && square != h8).collect())]);
}

#[test]
fn a_line_holds_once_it_was_said_twice() {
    let middle: Vec<usize> = (16..48).collect();
    let lifted: Vec<usize> = [8].into_iter().chain(16..48).collect();
    let spoilt = ":255 55 0 0 0 0 255 255 \r\n";
    let lines = [START, START, spoilt, START, LIFTED, LIFTED, LIFTED];
    let lines: Vec<(u64, &str)> = (0..).step_by(100).zip(lines).collect();
    assert_eq!(frames(&lines), [(1, middle), (5, lifted)]);
}

#[test]
fn the_last_line_of_a_board_that_speaks_of_changes_only_holds_after_a_while() {
    let mut session = SentioSession::new();
    session.handle(SessionInput::LinkUp, 0, &mut Vec::new());
    session.handle(SessionInput::Bytes(START.as_bytes()), SECOND, &mut Vec::new());
    assert_eq!(session.wake_at_ns(), Some(SECOND + ALONE));
    let mut out = Vec::new();
    session.handle(SessionInput::Wake, SECOND + ALONE, &mut out);
    assert!(matches!(
        out[..],
        [SessionOutput::Reading(Reading::Frame(_)), SessionOutput::Reading(Reading::Clock(None))]
    ));
    out.clear();
    // The players think.
    session.handle(SessionInput::Wake, 600 * SECOND, &mut out);
    assert_eq!((out, session.wake_at_ns()), (vec![], None));
}

#[test]
fn a_board_that_streams_is_given_up_when_it_is_silent() {
    let (mut session, mut out) = (SentioSession::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut out);
    for at_ns in [SECOND, 2 * SECOND] {
        session.handle(SessionInput::Bytes(START.as_bytes()), at_ns, &mut out);
    }
    out.clear();
    session.handle(SessionInput::Wake, 20 * SECOND, &mut out);
    assert_eq!(out, [SessionOutput::Lost(LostReason::Silent)]);
}

#[test]
fn what_sends_something_else_is_given_up() {
    let mut session = SentioSession::new();
    let mut out = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut out);
    session.handle(SessionInput::Bytes(&b"AT+NAME?\r\nOK\r\n".repeat(800)), 1, &mut out);
    assert_eq!(out.last(), Some(&SessionOutput::Lost(LostReason::Unintelligible)));
}
