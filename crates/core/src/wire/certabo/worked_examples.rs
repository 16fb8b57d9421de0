//! Lines as boards send them (other-boards, section 2).

use super::line::{LampKind, LineDecoder, Said};
use super::*;

pub(super) fn decode(count: usize, bytes: &[u8]) -> (Vec<Said>, u64) {
    let (mut decoder, mut said) = (LineDecoder::new(count), Vec::new());
    let skipped = decoder.push(bytes, &mut said);
    (said, skipped)
}

#[test]
fn a_line_is_as_long_as_it_should_be() {
    let line = b":0 0 56 0 0 255 201 7 \r\n";
    assert_eq!(decode(8, line), (vec![Said::Numbers(vec![0, 0, 56, 0, 0, 255, 201, 7])], 0));
    let other = [&line[..], b":"].concat();
    assert_eq!(decode(320, &other), (vec![], line.len() as u64), "a board of the other kind");
    let tags = encode_line((0..=255).cycle().take(320));
    assert_eq!(decode(320, tags.as_bytes()), (vec![Said::Numbers((0..=255).cycle().take(320).collect())], 0));
    assert_eq!(decode(8, tags.as_bytes()), (vec![], tags.len() as u64));
}

#[test]
fn what_lines_may_lack_they_may_lack() {
    let numbers = vec![1, 2, 3, 4, 5, 6, 7, 8];
    for line in [
        ":1 2 3 4 5 6 7 8\r\n",
        ":1 2 3 4 5 6 7 8 \n",
        ": 1  2 3 4 5 6 7 8 \r\n",
        ":1 2 3 4 5 6 7 8\r",
        ":1 2 3 4 5 6 7 8:",
        ":1 2 3 4 5 6 7 8 :",
        ":1 2 3\n4 5 6 7 8 \r\n",
        ":1 2 3 \r\n4 5 6 7 8:",
    ] {
        assert_eq!(decode(8, line.as_bytes()), (vec![Said::Numbers(numbers.clone())], 0), "{line:?}");
    }
}

#[test]
fn lines_without_a_colon_begin_after_a_line_end() {
    let numbers = Said::Numbers(vec![1, 2, 3, 4, 5, 6, 7, 8]);
    let line = "1 2 3 4 5 6 7 8 \r\n";
    // Of the first nobody knows whether it is whole.
    let (said, skipped) = decode(8, line.repeat(3).as_bytes());
    assert_eq!((said, skipped), (vec![numbers.clone(), numbers.clone()], line.len() as u64 - 1));
    // Where lines have colons, what has none is a piece of one that was broken.
    let (said, _) = decode(8, format!(":1 2 3 4 5 6 7 8 \r\n9 9\r\n{line}").as_bytes());
    assert_eq!(said, [numbers]);
}

#[test]
fn a_pause_ends_a_line_that_has_all_its_numbers() {
    let numbers = Said::Numbers(vec![1, 2, 3, 4, 5, 6, 7, 88]);
    let (mut decoder, mut said) = (LineDecoder::new(8), Vec::new());
    for (bytes, is_over) in [(":1 2 3 4 5 6 7", false), (" ", false), ("8", true), ("8", true)] {
        decoder.push(bytes.as_bytes(), &mut said);
        assert_eq!(decoder.awaits_pause(), is_over, "{bytes}");
    }
    assert_eq!((decoder.pause(), decoder.pause()), (Some(numbers.clone()), None));
    assert_eq!(decoder.push(b":1 2 3 4 5 6 7 88\r\n:1 2 3 4 5 6 7 8", &mut said), 0);
    assert_eq!(said, [numbers], "a line end was heard, and will be");
    assert!(!decoder.awaits_pause());
}

#[test]
fn letters_between_the_characters_tell_the_lamps() {
    let (said, skipped) = decode(8, b":1 2L 3 4 5*1 6 7 8 \r*\nD");
    let numbers = Said::Numbers(vec![1, 2, 3, 4, 51, 6, 7, 8]);
    assert_eq!(said, [Said::Lamps(LampKind::Plain), numbers, Said::Lamps(LampKind::Coloured)]);
    assert_eq!(skipped, 0);
}

#[test]
fn a_spoilt_line_is_dropped_and_the_next_one_read() {
    let good = ":1 2 3 4 5 6 7 8 \r\n";
    for spoilt in [
        ":1 2 3 4 5 6 7 \r\n",
        ":1 2 3 4 5 6 7 8 9 \r\n",
        ":1 2 3 4 5 6 7 256 \r\n",
        ":1 2 3 4 5 6 7 8 x\r\n",
        ":1 2 3",
        ":1 2 -3 4 5 6 7 8 \r\n",
        "12 3 4 5 6 7 8 \r\n",
        ":",
    ] {
        let (said, skipped) = decode(8, format!("{spoilt}{good}").as_bytes());
        assert_eq!(said.len(), 1, "{spoilt:?}");
        assert!(skipped > 0, "{spoilt:?}");
    }
}
