//! A whole table: two players, a board with its clock, and the line to whoever reads it.

use std::collections::VecDeque;

use serde_json::Value;

use super::act::TimedAct;
use super::board::FirmwareConfig;
use super::clock::ClockSetting;
use super::device::{Device, model};
use super::fault::Line;
use super::habits::Noise;
use super::player::{Game, Manner, PlyTruth, perform};
use adoube_rules::Variant;
use adoube_rules::stamp::MS;

/// From the host's asking for updates to the hands' beginning: it may still have to ask for the
/// board.
const START_DELAY_NS: u64 = 500 * MS;

/// After the hands are done, time for the last change to be scanned and the clock to be asked.
const REST_NS: u64 = 1_000 * MS;

/// What a virtual board is, and how it is played on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardConfig {
    /// What it speaks: the name of a [`Model`](super::Model).
    pub protocol: &'static str,
    /// How tidily the game is played.
    pub noise: Noise,
    /// The same seed gives the same bytes.
    pub seed: u64,
    /// The serial number, of which five digits are sent.
    pub serial: u32,
    /// The board lies turned by 180°.
    pub turned: bool,
    /// One scan of all squares, milliseconds.
    pub scan_ms: u64,
    /// The clock beside the board.
    pub clock: Option<ClockSetting>,
    /// It only feels whether something stands on a square; of those kinds of which some do.
    pub occupancy: bool,
    /// The kings go to the centre squares at the end.
    pub signal_result: bool,
    /// The chance that a message or a byte suffers on the line, 0 to 1.
    pub fault_rate: f64,
    /// The hands begin at time 0 and do not wait for a host.
    pub start_at_once: bool,
}

impl Default for BoardConfig {
    /// Clean hands on a USB board without a clock and on a good line.
    fn default() -> Self {
        let FirmwareConfig { serial, turned, scan_ms, clock, occupancy, seed } = FirmwareConfig::default();
        Self {
            protocol: "dgt",
            noise: Noise::Clean,
            seed,
            serial,
            turned,
            scan_ms,
            clock,
            occupancy,
            signal_result: false,
            fault_rate: 0.0,
            start_at_once: false,
        }
    }
}

/// A board on which a game is played, from the side of the wire. Sans-I/O: times are nanoseconds
/// on the caller's own line and never go back.
#[derive(Debug)]
pub struct VirtualBoard {
    device: Box<dyn Device>,
    line: Line,
    /// What the hands have not done yet.
    coming: VecDeque<TimedAct>,
    truth: Vec<PlyTruth>,
    end_ns: u64,
    /// When the hands began.
    origin_ns: Option<u64>,
    now_ns: u64,
}

impl VirtualBoard {
    /// A board, just switched on, with the men of `game` on it.
    #[must_use]
    pub fn new<V: Variant>(game: &Game<V>, config: BoardConfig) -> Self {
        let BoardConfig { noise, seed, serial, turned, scan_ms, clock, occupancy, signal_result, .. } =
            config;
        let performance = perform(game, Manner { noise, seed, clock: clock.is_some(), signal_result });
        // Three dice of their own, so that faults do not change the game.
        let firmware =
            FirmwareConfig { serial, turned, scan_ms, clock, occupancy, seed: seed.wrapping_add(1) };
        let model = model(config.protocol).expect("a configuration names a board that can be simulated");
        Self {
            device: (model.device)(firmware, &game.men()),
            line: Line::new(config.fault_rate, seed.wrapping_add(2)),
            coming: performance.acts.into(),
            truth: performance.truth,
            end_ns: performance.end_ns,
            origin_ns: config.start_at_once.then_some(0),
            now_ns: 0,
        }
    }

    /// Takes bytes from the host.
    pub fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        self.device.receive(bytes, now_ns);
        self.begin_if_heard(now_ns);
    }

    /// Appends what arrived from the board until `now_ns`.
    pub fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        // A board that is asked nothing is heard by whoever polls it.
        self.begin_if_heard(now_ns);
        let mut said = Vec::new();
        self.device.poll(now_ns, &mut said);
        self.line.send(&said, now_ns);
        self.line.poll(now_ns, out);
    }

    /// When the board may have something to say, if the host says nothing before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        let act = self.origin_ns.and_then(|origin_ns| Some(origin_ns + self.coming.front()?.at_ns));
        let end = self.finish_ns().filter(|&finish_ns| finish_ns > self.now_ns);
        [act, self.device.wake_at_ns(), self.line.wake_at_ns(), end].into_iter().flatten().min()
    }

    /// The hands are done, and what they did has been said.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finish_ns().is_some_and(|finish_ns| self.now_ns >= finish_ns)
    }

    /// When the hands began, if they have.
    #[must_use]
    pub fn origin_ns(&self) -> Option<u64> {
        self.origin_ns
    }

    /// What really happens on the board, in nanoseconds since [`VirtualBoard::origin_ns`].
    #[must_use]
    pub fn truth(&self) -> &[PlyTruth] {
        &self.truth
    }

    /// The truth as `truth.json` holds it, in milliseconds on the caller's line.
    #[must_use]
    pub(crate) fn truth_json(&self) -> Value {
        let origin_ns = self.origin_ns.unwrap_or(0);
        self.truth.iter().map(|ply| ply.to_json(origin_ns)).collect()
    }

    fn finish_ns(&self) -> Option<u64> {
        Some(self.origin_ns? + self.end_ns + REST_NS)
    }

    fn begin_if_heard(&mut self, now_ns: u64) {
        if self.origin_ns.is_none() && self.device.is_heard() {
            self.origin_ns = Some(now_ns + START_DELAY_NS);
        }
    }

    /// Lets the hands do what they do until `now_ns`.
    fn advance(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        let Some(origin_ns) = self.origin_ns else { return };
        while let Some(TimedAct { at_ns, act, .. }) = self.coming.front().copied() {
            if origin_ns + at_ns > now_ns {
                break;
            }
            self.coming.pop_front();
            self.device.act(act, origin_ns + at_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use adoube_core::wire::dgt::Command;
    use adoube_core::wire::{SessionInput, SessionOutput, protocol};
    use adoube_rules::Position as _;
    use adoube_rules::sensor::{Content, Reading};
    use adoube_rules::stamp::SECOND;

    fn board(start_at_once: bool) -> VirtualBoard {
        let game = samples::game(samples::LONG_CASTLES);
        let clock = Some(ClockSetting::equal(180, 2));
        let config =
            BoardConfig { noise: Noise::Heavy, seed: 3, clock, start_at_once, ..BoardConfig::default() };
        VirtualBoard::new(&game, config)
    }

    /// Everything that is heard when the board is polled every `step_ns`, or when it wants to be.
    fn heard(step_ns: Option<u64>) -> Vec<u8> {
        let mut board = board(false);
        board.receive(&Command::UpdateNice.encode(), SECOND);
        let (mut now_ns, mut bytes) = (SECOND, Vec::new());
        while !board.is_finished() {
            now_ns = match step_ns {
                Some(step_ns) => now_ns + step_ns,
                None => {
                    board.wake_at_ns().expect("an unfinished board has something to wait for").max(now_ns)
                }
            };
            board.poll(now_ns, &mut bytes);
        }
        bytes
    }

    #[test]
    fn hands_wait_for_a_host_that_listens() {
        let mut board = board(false);
        board.receive(&Command::SendBoard.encode(), SECOND);
        let mut out = Vec::new();
        board.poll(500 * SECOND, &mut out);
        assert_eq!((out.len(), board.origin_ns(), board.is_finished()), (67, None, false));
        board.receive(&Command::UpdateBoard.encode(), 501 * SECOND);
        assert_eq!(board.origin_ns(), Some(501 * SECOND + START_DELAY_NS));
        board.poll(900 * SECOND, &mut out);
        assert!(board.is_finished() && out.len() > 67 + 20 * 5);
        assert_eq!(board.wake_at_ns(), None);
        let placed = board.truth_json()[0]["placed"].as_f64().unwrap();
        assert!((501_000.0..520_000.0).contains(&placed), "{placed}");
    }

    #[test]
    fn hands_that_start_at_once_play_for_nobody() {
        let mut board = board(true);
        let mut out = Vec::new();
        board.poll(500 * SECOND, &mut out);
        assert!(board.is_finished() && out.is_empty());
    }

    #[test]
    fn a_late_poll_hears_the_same() {
        let on_time = heard(None);
        assert!(on_time.len() > 200);
        for step_ns in [7 * MS, 990 * MS] {
            let late = heard(Some(step_ns));
            // Polled late, the board is finished later, too, and its clock may be heard once more.
            assert_eq!(late[..on_time.len()], on_time);
        }
    }

    /// A session that knows nothing of simulation gets from handshake to the last position, on a
    /// good line and on a bad one.
    #[test]
    fn a_session_follows_the_game_to_its_end() {
        for (noise, fault_rate) in [(Noise::Clean, 0.0), (Noise::Heavy, 0.0), (Noise::Light, 0.002)] {
            let game = samples::random_game(11, 60);
            let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
            let clock = Some(ClockSetting::equal(180, 2));
            let config = BoardConfig { noise, seed: 8, clock, fault_rate, ..BoardConfig::default() };
            assert_eq!(believed(VirtualBoard::new(&game, config)), last.contents(), "{noise:?} {fault_rate}");
        }
    }

    /// What a session believes to stand on the board, some seconds after the hands are done.
    fn believed(mut board: VirtualBoard) -> Vec<Content> {
        let mut session = (protocol("dgt").expect("adoube speaks DGT").session)();
        let (mut now_ns, mut said, mut picture) = (0, Vec::new(), vec![Content::EMPTY; 64]);
        let mut input = Some(SessionInput::LinkUp);
        let mut end_ns = u64::MAX;
        let mut heard;
        while now_ns < end_ns {
            session.handle(input.unwrap_or(SessionInput::Wake), now_ns, &mut said);
            for output in said.drain(..) {
                match output {
                    SessionOutput::Write(bytes) => board.receive(&bytes, now_ns),
                    SessionOutput::Reading(Reading::Square { square, content }) => {
                        picture[square] = content;
                    }
                    SessionOutput::Reading(Reading::Frame(frame)) => picture = frame.contents().to_vec(),
                    _ => {}
                }
            }
            let wakes = [board.wake_at_ns(), session.wake_at_ns()];
            let Some(next_ns) = wakes.into_iter().flatten().min() else { break };
            now_ns = next_ns.max(now_ns);
            heard = Vec::new();
            board.poll(now_ns, &mut heard);
            input = (!heard.is_empty()).then_some(SessionInput::Bytes(&heard));
            if board.is_finished() {
                end_ns = end_ns.min(now_ns + 10 * SECOND);
            }
        }
        picture
    }
}
