//! A game played to its end in virtual time, with a host that says the least it can: what a
//! capture file holds.

use serde_json::Value;

use super::bus::{Chain, Conversation, Sessions};
use super::player::Game;
use super::virtual_board::{BoardConfig, VirtualBoard};
use adoube_core::wire::dgt::Command;
use adoube_core::wire::{SessionInput, SessionOutput, protocol};
use adoube_rules::Variant;
use adoube_rules::stamp::{MS, SECOND};

/// What the host says: who are you, what stands there, tell me what changes.
const HOST: [Command; 7] = [
    Command::Reset,
    Command::Serial,
    Command::LongSerial,
    Command::Version,
    Command::UpdateNice,
    Command::SendBoard,
    Command::SendClock,
];

/// Between two commands: boards have small buffers (dgt-protocol 2: 75 to 100 ms).
const HOST_PACE_NS: u64 = 75 * MS;

/// A game on a line that is all faults ends some time: two days.
const LONGEST_NS: u64 = 48 * 3_600 * SECOND;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The board: `rx` in a capture.
    FromBoard,
    /// The host: `tx` in a capture.
    ToBoard,
}

/// Bytes and when they passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Milliseconds since the beginning.
    pub t_ms: f64,
    /// Who said them.
    pub direction: Direction,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A whole conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What was said, in the order of time.
    pub chunks: Vec<Chunk>,
    /// What really happened, as `truth.json` holds it.
    pub truth: Value,
}

/// Plays `game` on a board and writes down what passes on the line.
#[must_use]
pub fn record<V: Variant>(game: &Game<V>, config: BoardConfig) -> Recording {
    match config.protocol {
        "dgt" => {}
        "dgt-bus" => return on_bus(game, config),
        _ => return overheard(game, config),
    }
    let mut board = VirtualBoard::new(game, config);
    let mut chunks = Vec::new();
    let mut questions =
        (1u64..).zip(HOST).map(|(number, command)| (number * HOST_PACE_NS, command)).peekable();
    let mut now_ns = 0;
    while !board.is_finished() {
        let wake_ns = board.wake_at_ns();
        let question = questions.next_if(|(at_ns, _)| wake_ns.is_none_or(|wake_ns| *at_ns <= wake_ns));
        let Some(next_ns) = question.map(|(at_ns, _)| at_ns).or(wake_ns) else { break };
        now_ns = next_ns.max(now_ns);
        let mut note = |direction, bytes: Vec<u8>| {
            if !bytes.is_empty() {
                chunks.push(Chunk { t_ms: ms(now_ns), direction, bytes });
            }
        };
        let mut heard = Vec::new();
        board.poll(now_ns, &mut heard);
        note(Direction::FromBoard, heard);
        if let Some((_, command)) = question {
            board.receive(&command.encode(), now_ns);
            note(Direction::ToBoard, command.encode());
        }
    }
    Recording { truth: board.truth_json(), chunks }
}

/// The same between a board and the session that adoube would hold with it.
fn overheard<V: Variant>(game: &Game<V>, config: BoardConfig) -> Recording {
    let mut board = VirtualBoard::new(game, config);
    let protocol = protocol(config.protocol).expect("a board that can be simulated speaks a known protocol");
    let mut session = (protocol.session)();
    let (mut chunks, mut said, mut heard, mut now_ns) = (Vec::new(), Vec::new(), Vec::new(), 0);
    session.handle(SessionInput::LinkUp, now_ns, &mut said);
    while !board.is_finished() {
        for output in said.drain(..) {
            if let SessionOutput::Write(bytes) = output {
                board.receive(&bytes, now_ns);
                chunks.push(Chunk { t_ms: ms(now_ns), direction: Direction::ToBoard, bytes });
            }
        }
        let wakes = [board.wake_at_ns(), session.wake_at_ns()];
        let Some(next_ns) = wakes.into_iter().flatten().min() else { break };
        now_ns = next_ns.max(now_ns);
        board.poll(now_ns, &mut heard);
        let input = if heard.is_empty() { SessionInput::Wake } else { SessionInput::Bytes(&heard) };
        session.handle(input, now_ns, &mut said);
        if !heard.is_empty() {
            let bytes = std::mem::take(&mut heard);
            chunks.push(Chunk { t_ms: ms(now_ns), direction: Direction::FromBoard, bytes });
        }
    }
    Recording { truth: board.truth_json(), chunks }
}

/// The same with a board that is alone on its bus: what its session hears and says.
fn on_bus<V: Variant>(game: &Game<V>, config: BoardConfig) -> Recording {
    let chain = Chain::new(&[(game.clone(), config)], config.fault_rate, config.seed.wrapping_add(2));
    let address = chain.addresses().next().unwrap_or_default();
    let (mut line, mut sessions) = (Conversation::new(chain, [address]), Sessions::default());
    line.open(&mut sessions);
    while !line.chain.is_finished() && line.now_ns() < LONGEST_NS {
        line.run(line.now_ns() + SECOND, &mut sessions);
    }
    let truth = line.chain.boards().map(VirtualBoard::truth_json).next().unwrap_or_default();
    Recording { truth, chunks: sessions.take(address).map(|held| held.chunks).unwrap_or_default() }
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::super::{ClockSetting, Noise, samples};
    use super::*;
    use adoube_core::wire::dgt::{Decoder, Message};
    use adoube_rules::Position as _;
    use adoube_rules::sensor::Content;

    fn config(noise: Noise, seed: u64) -> BoardConfig {
        BoardConfig { noise, seed, clock: Some(ClockSetting::equal(180, 2)), ..BoardConfig::default() }
    }

    fn heard(recording: &Recording) -> Vec<u8> {
        let said = |chunk: &&Chunk| chunk.direction == Direction::FromBoard;
        recording.chunks.iter().filter(said).flat_map(|chunk| chunk.bytes.clone()).collect()
    }

    /// The board as a host sees it who believes everything.
    fn picture(recording: &Recording) -> Vec<Content> {
        let mut messages = Vec::new();
        assert_eq!(Decoder::default().push(&heard(recording), &mut messages), 0);
        let mut picture = vec![Content::EMPTY; 64];
        for message in messages {
            match message {
                Message::Dump(contents) => picture = contents.to_vec(),
                Message::FieldUpdate { square, content } => picture[square] = content,
                _ => {}
            }
        }
        picture
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let game = samples::game(samples::CASTLES_AND_PROMOTES);
        let again = record(&game, config(Noise::Heavy, 5));
        assert_eq!(record(&game, config(Noise::Heavy, 5)), again);
        assert_ne!(heard(&record(&game, config(Noise::Heavy, 6))), heard(&again));
    }

    #[test]
    fn what_was_heard_ends_in_the_last_position() {
        for (game, noise) in
            samples::games().into_iter().zip([Noise::Clean, Noise::Light, Noise::Heavy].into_iter().cycle())
        {
            let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
            let recording = record(&game, config(noise, 9));
            assert_eq!(picture(&recording), last.contents());
            let turned = record(&game, BoardConfig { turned: true, ..config(noise, 9) });
            assert!(picture(&turned).iter().eq(last.contents().iter().rev()));
            assert_eq!(recording.truth.as_array().map(Vec::len), Some(game.moves.len()));
            assert!(recording.chunks.windows(2).all(|pair| pair[0].t_ms <= pair[1].t_ms));
        }
    }

    #[test]
    fn faults_change_bytes_and_neither_the_game_nor_the_truth() {
        let game = samples::game(samples::LONG_CASTLES);
        let good = record(&game, config(Noise::Light, 2));
        let bad = record(&game, BoardConfig { fault_rate: 0.01, ..config(Noise::Light, 2) });
        assert_eq!(good.truth, bad.truth);
        assert_ne!(heard(&good), heard(&bad));
        let off = record(&game, BoardConfig { fault_rate: 0.0, ..config(Noise::Light, 2) });
        assert_eq!(good, off);
    }

    #[test]
    fn the_host_introduces_itself_first() {
        let recording = record(&samples::game("e4"), config(Noise::Clean, 1));
        let asked: Vec<u8> = recording
            .chunks
            .iter()
            .filter(|chunk| chunk.direction == Direction::ToBoard)
            .flat_map(|chunk| chunk.bytes.clone())
            .collect();
        assert_eq!(asked, [0x40, 0x45, 0x55, 0x4d, 0x4b, 0x42, 0x41]);
    }

    /// Captures look on the wire as on the recorded boards (dgt-protocol 4.1): most often the
    /// code of the square changes and it is never seen empty.
    #[test]
    fn most_captures_are_seen_as_one_change_of_code() {
        let (mut direct, mut all) = (0u32, 0u32);
        for seed in 0..20 {
            let game = samples::random_game(seed, 120);
            let mut picture = game.start.contents();
            let mut messages = Vec::new();
            Decoder::default().push(&heard(&record(&game, config(Noise::Clean, seed))), &mut messages);
            for message in messages {
                if let Message::FieldUpdate { square, content } = message {
                    let before = std::mem::replace(&mut picture[square], content);
                    direct += u32::from(!before.is_empty() && !content.is_empty());
                }
            }
            let captures =
                |mv: &&shakmaty::Move| mv.is_capture() && !mv.is_en_passant() && !mv.is_promotion();
            all += game.moves.iter().filter(captures).count() as u32;
        }
        let share = f64::from(direct) / f64::from(all);
        assert!(all > 200 && (0.55..0.80).contains(&share), "{direct} of {all}");
    }
}
