//! Bytes that a board says again and again, and that say nothing: one input in the journal.
//!
//! A clock that stands still speaks once a second, a board that is asked answers several times a second, and between two
//! rounds that is all there is. The station hears each of them when it comes, and again in a replay.

use adoube_core::station::Input;
use adoube_rules::stamp::{SECOND, Stamp};

use crate::journal::Place;

/// So long the first of them waits for the others at most: so much of saying nothing a kill may lose.
const LONG_NS: u64 = 10 * SECOND;
/// So many at most: what comes oftener is written oftener.
const MANY: usize = 256;

/// The same bytes, heard at these instants, and their place in the journal.
#[derive(Debug)]
pub(super) struct Quiet {
    bytes: Vec<u8>,
    at_ns: Vec<u64>,
    place: Place,
}

impl Quiet {
    pub(super) fn new(bytes: Vec<u8>, at: Stamp, place: Place) -> Self {
        Self { bytes, at_ns: vec![at.mono_ns], place }
    }

    /// When it is an input, whether more came or not.
    pub(super) fn due_ns(&self) -> u64 {
        self.at_ns[0] + LONG_NS
    }

    /// They were heard once more; false if that is to be another input.
    pub(super) fn again(&mut self, bytes: &[u8], at: Stamp) -> bool {
        let is_room = self.at_ns.len() < MANY && at.mono_ns < self.due_ns();
        let is_same = is_room && self.bytes == bytes;
        if is_same {
            self.at_ns.push(at.mono_ns);
        }
        is_same
    }

    /// How they lie in the journal as an input of `stamp`, and where: how many there were (32 bits), how long before it
    /// each was heard (64 bits of nanoseconds, the lowest byte first), and the bytes.
    pub(super) fn stored(self, stamp: Stamp) -> (Vec<u8>, Place) {
        let count = u32::try_from(self.at_ns.len()).expect("there are no more than MANY");
        let mut data = count.to_le_bytes().to_vec();
        for at_ns in self.at_ns {
            data.extend(stamp.mono_ns.saturating_sub(at_ns).to_le_bytes());
        }
        data.extend(self.bytes);
        (data, self.place)
    }
}

/// What [`Quiet::stored`] wrote: the inputs, each with its stamp. `None` if it is none of that.
pub(super) fn heard(data: &[u8], stamp: Stamp) -> Option<Vec<(Input, Stamp)>> {
    let (count, rest) = data.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*count)).ok()?.checked_mul(size_of::<u64>())?;
    let (before, bytes) = rest.split_at_checked(length)?;
    let (before, _) = before.as_chunks();
    let heard = before.iter().map(|before| {
        let at_ns = stamp.mono_ns.saturating_sub(u64::from_le_bytes(*before));
        (Input::Bytes(bytes.to_vec()), stamp.at(at_ns))
    });
    Some(heard.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Journal, JournalHandle};

    fn at(mono_ns: u64) -> Stamp {
        Stamp { mono_ns, utc_ns: 1_000_000 + i64::try_from(mono_ns).unwrap() }
    }

    async fn quiet(journal: &JournalHandle, bytes: &[u8], first: Stamp) -> Quiet {
        Quiet::new(bytes.to_vec(), first, journal.place(first).await.unwrap())
    }

    #[tokio::test]
    async fn what_was_heard_comes_back_with_its_instants() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(folder.path(), 1, |_| ()).unwrap();
        let mut said = quiet(&journal, b"ab", at(7)).await;
        assert!(said.again(b"ab", at(9)) && said.again(b"ab", at(7 + LONG_NS - 1)));
        assert!(!said.again(b"a", at(9)), "other bytes are another input");
        assert_eq!(said.due_ns(), 7 + LONG_NS);
        assert!(!said.again(b"ab", at(7 + LONG_NS)), "nothing waits for ever");
        let row = at(3 * LONG_NS);
        let (data, _) = said.stored(row);
        let bytes = || Input::Bytes(b"ab".to_vec());
        let expected = [7, 9, 7 + LONG_NS - 1].map(|at_ns| (bytes(), at(at_ns)));
        assert_eq!(heard(&data, row), Some(expected.to_vec()));
        // What is cut off is nothing at all.
        assert_eq!(heard(&data[..20], row), None);
        assert_eq!(heard(&[u8::MAX; 8], row), None);
    }

    #[tokio::test]
    async fn it_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(folder.path(), 1, |_| ()).unwrap();
        let mut said = quiet(&journal, &[0; 512], at(0)).await;
        let again = (1..).take_while(|&ns| said.again(&[0; 512], at(ns))).count();
        assert_eq!(again, MANY - 1);
        assert!(said.stored(at(1)).0.len() < 4_096);
    }
}
