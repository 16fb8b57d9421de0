//! What holds for all bytes.

use adoube_rules::stamp::SECOND;
use proptest::prelude::*;

use super::worked_examples::decode;
use super::*;
use crate::wire::sentio::SentioSession;
use crate::wire::{Session, SessionInput, SessionOutput};

fn line(count: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), count).prop_map(|numbers| encode_line(numbers).into_bytes())
}

/// Whole lines, lines cut short, markers, and noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        3 => line(8),
        2 => line(320),
        1 => (line(320), 0usize..400).prop_map(|(mut line, length)| {
            line.truncate(length);
            line
        }),
        2 => prop::collection::vec(prop::sample::select(b":0123456789 \r\nLD*".to_vec()), 0..60),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(part, 0..10).prop_map(|parts| parts.concat())
}

fn heard(mut session: impl Session, chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<SessionOutput> {
    let mut out = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut out);
    for chunk in chunks {
        session.handle(SessionInput::Bytes(&chunk), 1, &mut out);
    }
    out.retain(|output| !matches!(output, SessionOutput::Skipped { .. } | SessionOutput::Lost(_)));
    out
}

/// What a session reads of eight equal lines, each with that end, and a scan between them.
fn read(end: &str) -> Vec<SessionOutput> {
    let mut session = CertaboSession::new();
    let mut out = Vec::new();
    session.handle(SessionInput::LinkUp, 0, &mut out);
    let line = encode_line((0..320).map(|number| if number < 80 { 7 } else { 0 }));
    for scan in 1..=8 {
        let at_ns = scan * SECOND;
        // Nobody wakes it but itself.
        while let Some(wake_ns) = session.wake_at_ns().filter(|wake_ns| *wake_ns < at_ns) {
            session.handle(SessionInput::Wake, wake_ns, &mut out);
        }
        session.handle(SessionInput::Bytes(format!("{}{end}", line.trim_end()).as_bytes()), at_ns, &mut out);
    }
    let pause = session.wake_at_ns().filter(|wake_ns| *wake_ns < 9 * SECOND);
    assert_eq!(pause.is_some(), end.is_empty(), "a pause is awaited only where nothing else ends a line");
    out.retain(|output| matches!(output, SessionOutput::Reading(_) | SessionOutput::Skipped { .. }));
    out
}

/// A Bluetooth box ends no line.
#[test]
fn lines_without_an_end_say_the_same() {
    let ended = read(" \r\n");
    assert!(!ended.is_empty());
    assert_eq!(read(""), ended);
}

/// It speaks of changes only, and the players think: that it is silent says nothing.
#[test]
fn a_board_that_has_said_one_line_without_an_end_is_not_taken_for_gone() {
    let (mut session, mut out) = (SentioSession::new(), Vec::new());
    session.handle(SessionInput::LinkUp, 0, &mut out);
    session.handle(SessionInput::Bytes(b":255 255 0 0 0 0 255 255"), SECOND, &mut out);
    session.handle(SessionInput::Wake, 100 * SECOND, &mut out);
    assert!(!out.iter().any(|output| matches!(output, SessionOutput::Lost(_))), "{out:?}");
    assert!(out.iter().any(|output| matches!(output, SessionOutput::Reading(_))), "{out:?}");
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_lines(bytes in stream(), size in 1usize..400, count in prop::sample::select(vec![8usize, 320])) {
        let whole = decode(count, &bytes);
        let (mut decoder, mut said, mut skipped) = (line::LineDecoder::new(count), Vec::new(), 0);
        for chunk in bytes.chunks(size) {
            skipped += decoder.push(chunk, &mut said);
        }
        prop_assert_eq!((said, skipped), whole);
    }

    #[test]
    fn any_cutting_gives_the_same_readings(bytes in stream(), size in 1usize..400) {
        let cut = || bytes.chunks(size).map(<[u8]>::to_vec);
        prop_assert_eq!(heard(CertaboSession::new(), cut()), heard(CertaboSession::new(), [bytes.clone()]));
        prop_assert_eq!(heard(SentioSession::new(), cut()), heard(SentioSession::new(), [bytes.clone()]));
    }

    #[test]
    fn noise_is_never_a_line(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let is_line = |said: &line::Said| matches!(said, line::Said::Numbers(_));
        prop_assert!(!decode(8, &bytes).0.iter().any(is_line));
        prop_assert!(!decode(320, &bytes).0.iter().any(is_line));
    }
}
