use super::*;
use crate::wire::dgt::bus::CommandDecoder;

/// A board that a test answers for.
const ONE: u16 = 1_025;
const TWO: u16 = 1_026;

struct Bench {
    master: Master,
    now_ns: u64,
    packets: Vec<Packet>,
}

impl Bench {
    fn new(addresses: &[u16]) -> Self {
        let mut bench = Self { master: Master::new(), now_ns: 0, packets: Vec::new() };
        for &address in addresses {
            assert_eq!(bench.give(Input::Add(address)), []);
        }
        bench
    }

    /// Past the search: everybody who is to be there answers, and play begins.
    fn playing(addresses: &[u16]) -> Self {
        let mut bench = Self::new(addresses);
        let mut orders = bench.give(Input::LinkUp);
        while !matches!(bench.master.phase, Phase::Playing) {
            for order in std::mem::take(&mut orders) {
                if order.address != BROADCAST {
                    orders.extend(bench.say(order.address, &Message::Ping));
                }
            }
            if orders.is_empty() {
                orders = bench.wake();
            }
        }
        // What was said before is owed.
        for _ in addresses {
            let order = orders.pop().unwrap_or_else(|| bench.next());
            assert_eq!(order.command, Command::RepeatChanges);
            orders = bench.say(order.address, &changes("", false));
        }
        assert!(orders.is_empty(), "each board has its pace");
        bench
    }

    fn give(&mut self, input: Input<'_>) -> Vec<Order> {
        let (mut said, mut orders) = (Vec::new(), Vec::new());
        self.master.handle(input, self.now_ns, &mut said);
        for output in said {
            match output {
                Output::Write(bytes) => CommandDecoder::default().push(&bytes, &mut orders),
                Output::Packet(packet) => self.packets.push(packet),
                _ => {}
            }
        }
        orders
    }

    fn wake(&mut self) -> Vec<Order> {
        self.now_ns = self.master.wake_at_ns().unwrap().max(self.now_ns);
        self.give(Input::Wake)
    }

    /// The next command, and the time that it takes until then.
    fn next(&mut self) -> Order {
        loop {
            if let Some(order) = self.wake().pop() {
                return order;
            }
        }
    }

    fn say(&mut self, address: u16, message: &Message) -> Vec<Order> {
        self.now_ns += 8 * MS;
        let packet = Packet::new(address, message);
        self.give(Input::Bytes(packet.bytes()))
    }

    fn heard(&mut self) -> Vec<Message> {
        self.packets.drain(..).map(|packet| packet.message()).collect()
    }
}

fn changes(text: &str, even: bool) -> Message {
    Message::Changes { records: crate::wire::dgt::worked_examples::hex(text), even }
}

#[test]
fn who_is_known_is_called_and_hushed_before_all_are_pinged() {
    let mut bench = Bench::new(&[ONE, TWO]);
    let mut orders = bench.give(Input::LinkUp);
    let mut asked = Vec::new();
    for _ in 0..40 {
        for order in std::mem::take(&mut orders) {
            asked.push((order.address, order.command));
            // The second board is not there.
            if order.address == ONE {
                orders.extend(bench.say(ONE, &Message::Ping));
            }
        }
        if asked.last() == Some(&(BROADCAST, Ping)) {
            break;
        }
        if orders.is_empty() {
            orders = bench.wake();
        }
    }
    use Command::{IgnoreNextPing, Ping};
    assert_eq!(asked, [(ONE, Ping), (TWO, Ping), (TWO, Ping), (ONE, IgnoreNextPing), (BROADCAST, Ping)]);
    let began_ns = bench.now_ns;
    assert_eq!(bench.next().command, Command::RepeatChanges, "what was said last may have been lost");
    assert!(bench.now_ns - began_ns >= 1_100 * MS, "answers may take so long");
}

#[test]
fn what_was_lost_is_asked_for_again_and_told_once() {
    let mut bench = Bench::playing(&[ONE]);
    let e2 = changes("40 34", false);
    assert_eq!(bench.next().command, Command::SendChanges);
    assert_eq!(bench.next().command, Command::RepeatChanges, "no answer");
    bench.say(ONE, &e2);
    bench.heard();
    assert_eq!(bench.next().command, Command::SendChanges);
    assert_eq!(bench.next().command, Command::RepeatChanges, "the command was lost");
    bench.say(ONE, &e2);
    assert_eq!(bench.heard(), [], "the board repeats what is known");
    assert_eq!(bench.next().command, Command::SendChanges, "and has not been asked for news");
    let e4 = changes("41 24", false);
    bench.say(ONE, &e4);
    assert_eq!(bench.heard(), [e4]);
}

#[test]
fn a_wrong_checksum_is_answered_by_a_repetition() {
    let mut bench = Bench::playing(&[ONE]);
    assert_eq!(bench.next().command, Command::SendChanges);
    let mut bytes = Packet::new(ONE, &changes("40 34", false)).bytes().to_vec();
    bytes[6] ^= 1;
    let before_ns = bench.now_ns;
    bench.give(Input::Bytes(&bytes));
    assert_eq!(bench.next().command, Command::RepeatChanges);
    assert!(bench.now_ns - before_ns <= PACE, "nobody waits for a time-out");
}

#[test]
fn a_session_s_question_follows_the_changes() {
    let mut bench = Bench::playing(&[ONE]);
    for _ in 0..3 {
        bench.give(Input::Ask(Order { address: ONE, command: Command::SendBoard }));
    }
    assert_eq!(bench.next().command, Command::SendChanges);
    assert_eq!(bench.say(ONE, &changes("", false)), []);
    assert_eq!(bench.next().command, Command::SendBoard);
    let dump = Message::Dump(Box::new([adoube_rules::sensor::Content::EMPTY; 64]));
    bench.say(ONE, &dump);
    assert!(bench.heard().contains(&dump));
    assert_eq!(bench.next().command, Command::SendChanges, "asked once");
}

#[test]
fn a_number_that_is_missing_sends_for_the_memory() {
    let mut bench = Bench::playing(&[ONE]);
    for (text, even) in [("40 34", true), ("41 24", false)] {
        assert_eq!(bench.next().command, Command::SendChanges);
        bench.say(ONE, &changes(text, even));
    }
    assert_eq!(bench.heard().len(), 2 + 1, "and a sign of life at the beginning");
    assert_eq!(bench.next().command, Command::SendChanges);
    bench.say(ONE, &changes("42 25", false));
    assert_eq!(bench.heard(), [], "it waits for what was before it");
    assert_eq!(bench.next().command, Command::SendFromStart);
    let memory = Message::FromStart(vec![0x7b]);
    bench.say(ONE, &memory);
    assert_eq!(bench.heard(), [memory]);
}

#[test]
fn a_silent_board_is_asked_less_and_less_and_reset_once() {
    let mut bench = Bench::playing(&[ONE, TWO]);
    let mut asked = Vec::new();
    let end_ns = bench.now_ns + 120 * SECOND;
    let mut served: u64 = 0;
    while bench.now_ns < end_ns {
        let order = bench.next();
        if order.address == ONE {
            let before_ns = bench.now_ns;
            bench.say(
                ONE,
                &if order.command == Command::IgnoreNextPing { Message::Ping } else { changes("", false) },
            );
            served += 1;
            assert!(bench.now_ns - before_ns < 10 * MS);
        } else if order.address == TWO {
            asked.push((bench.now_ns, order.command));
        }
    }
    let resets = asked.iter().filter(|(_, command)| *command == Command::Reset).count();
    assert_eq!(resets, 1);
    assert!((10..25).contains(&asked.len()), "{}", asked.len());
    assert!(served > 1_000, "the other is asked ten times a second: {served}");
}

#[test]
fn a_line_that_breaks_loses_nothing() {
    let mut bench = Bench::playing(&[ONE]);
    assert_eq!(bench.next().command, Command::SendChanges);
    assert_eq!(bench.give(Input::LinkDown), []);
    assert_eq!(bench.master.wake_at_ns(), None);
    bench.now_ns += 60 * SECOND;
    let mut orders = bench.give(Input::LinkUp);
    while !orders.iter().any(|order| order.command == Command::RepeatChanges) {
        let pings: Vec<Order> = orders.drain(..).filter(|order| order.address == ONE).collect();
        for order in pings {
            orders.extend(bench.say(order.address, &Message::Ping));
        }
        if orders.is_empty() {
            orders = bench.wake();
        }
    }
    let lost = changes("40 34", false);
    bench.say(ONE, &lost);
    assert_eq!(bench.heard().last(), Some(&lost));
}
