//! What holds for all bytes.

use proptest::prelude::*;

use super::worked_examples::decode;
use super::*;
use crate::wire::{Session as _, SessionInput, SessionOutput};
use adoube_rules::ChessPosition;

/// Whole frames, beginnings of frames, and noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let start = ChessPosition::default().contents();
    let board = Message::Board(start.try_into().expect("a board has 64 squares")).encode();
    let beginning = board.clone();
    let part = prop_oneof![
        2 => Just(board),
        1 => (0..67usize).prop_map(move |length| beginning[..length].to_vec()),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(major, minor)| Message::Version { major, minor }.encode()),
        1 => Just(Message::LampsLit.encode()),
        2 => prop::collection::vec(prop::sample::select(b"slxvwr0123456789ABCDEF.kqrbnp".to_vec()), 0..30),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_messages(bytes in stream(), size in 1usize..80) {
        let (messages, skipped) = decode(&bytes);
        let (mut decoder, mut pieces, mut missed) = (Decoder::default(), Vec::new(), 0);
        for chunk in bytes.chunks(size) {
            missed += decoder.push(chunk, &mut pieces);
        }
        prop_assert_eq!((pieces, missed), (messages, skipped));
    }

    #[test]
    fn every_byte_is_accounted_for(bytes in stream()) {
        let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
        let skipped = decoder.push(&bytes, &mut messages);
        let said: usize = messages.iter().map(|message| message.encode().len()).sum();
        prop_assert_eq!(said as u64 + skipped + decoder.pending() as u64, bytes.len() as u64);
        prop_assert!(decoder.pending() < 67);
        prop_assert!(decoder.abandon() < 67);
    }

    #[test]
    fn a_session_takes_anything_and_says_only_what_was_said(
        parts in prop::collection::vec((stream(), 0u64..3_000), 0..8),
    ) {
        let (mut session, mut out, mut at_ns) = (ChessLinkSession::new(), Vec::new(), 0);
        session.handle(SessionInput::LinkUp, at_ns, &mut out);
        let mut written = 0;
        for (bytes, ms) in &parts {
            at_ns += ms * adoube_rules::stamp::MS;
            session.handle(SessionInput::Bytes(bytes), at_ns, &mut out);
            prop_assert!(session.wake_at_ns().is_none_or(|wake_ns| wake_ns > at_ns));
        }
        for output in &out {
            written += u64::from(matches!(output, SessionOutput::Write(_)));
        }
        prop_assert!(written <= 10 * (1 + at_ns / adoube_rules::stamp::SECOND), "{written} commands");
    }

    #[test]
    fn noise_is_never_a_board(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let (messages, _) = decode(&bytes);
        prop_assert!(!messages.iter().any(|message| matches!(message, Message::Board(_))));
    }
}
