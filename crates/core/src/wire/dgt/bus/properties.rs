//! What holds for all bytes.

use proptest::prelude::*;

use super::*;

fn packets() -> impl Strategy<Value = Vec<u8>> {
    let packet =
        (0u16..0x4000, prop::sample::select(vec![0x85, 0x8b, 0x86]), prop::collection::vec(0u8..0x80, 0..80))
            .prop_map(|(address, id, data)| {
                Packet::new(address, &Message::Unknown { id, data }).bytes().to_vec()
            });
    let part = prop_oneof![
        3 => packet,
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => prop::collection::vec(prop::sample::select(vec![0x83, 0x85, 0x87, 0, 6, 8, 1, 0x16]), 0..12),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn read(bytes: &[u8], sizes: &[usize]) -> (Vec<Packet>, u64) {
    let (mut decoder, mut found, mut rest) = (Decoder::default(), Vec::new(), bytes);
    for &size in sizes.iter().cycle() {
        let (piece, later) = rest.split_at(size.min(rest.len()));
        decoder.push(piece, &mut found);
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    decoder.abandon();
    (found, decoder.skipped())
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_packets(bytes in packets(), sizes in prop::collection::vec(1usize..9, 1..40)) {
        let (whole, skipped) = read(&bytes, &[usize::MAX]);
        prop_assert_eq!(read(&bytes, &sizes), (whole.clone(), skipped));
        let used: usize = whole.iter().map(|packet| packet.bytes().len()).sum();
        prop_assert_eq!(used as u64 + skipped, bytes.len() as u64, "every byte is in a packet or counted");
    }

    #[test]
    fn a_packet_survives_the_line(address in 0u16..0x4000, records in prop::collection::vec(0u8..0x80, 0..300)) {
        let message = Message::Changes { records, even: true };
        let (found, skipped) = read(Packet::new(address, &message).bytes(), &[1]);
        prop_assert_eq!(skipped, 0);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!((found[0].address(), found[0].message()), (address, message));
    }

    /// A session takes whatever comes and does not fall over.
    #[test]
    fn no_bytes_harm_a_session(bytes in packets()) {
        use crate::wire::{Session as _, SessionInput};
        let (mut session, mut out) = (BusSession::new(), Vec::new());
        session.handle(SessionInput::LinkUp, 0, &mut out);
        session.handle(SessionInput::Bytes(&bytes), 1, &mut out);
        session.handle(SessionInput::Wake, 60_000_000_000, &mut out);
    }

    /// Nor does a master, and it goes on asking.
    #[test]
    fn no_bytes_harm_a_master(bytes in packets()) {
        let (mut master, mut out) = (Master::new(), Vec::new());
        master.handle(Input::Add(1_025), 0, &mut out);
        master.handle(Input::LinkUp, 0, &mut out);
        master.handle(Input::Bytes(&bytes), 1, &mut out);
        prop_assert!(master.wake_at_ns().is_some());
    }
}
