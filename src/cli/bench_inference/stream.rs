//! What one board said in one game, and what really happened in it.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use serde::Deserialize;

use super::super::input::CaptureFile;
use super::super::to_play::ToPlay;
use super::score::{Listener, Ply, Said, Sick, Truth};
use adoube_core::capture::{Header, Item, Line};
use adoube_core::replay::{Replay, open};
use adoube_core::station::{Announce, FRAMES, Open};
use adoube_rules::four::FourPlayer;
use adoube_rules::laws::Profile;
use adoube_rules::mate::Dead;
use adoube_rules::sensor::Frame;
use adoube_rules::stamp::MS;
use adoube_rules::{Chess, ChessPosition, GameKind, Position as _, Rest, Variant};
use adoube_sim::{ClockSetting, Manner, SickSquare, Sickness};

/// Seconds for each side, and for each move: nobody loses on time, the moves are what is measured.
const TIME_S: (u64, u64) = (5_400, 30);

/// A variant that is measured.
pub(super) trait Measured: Variant {
    /// The position of a capture's first line.
    fn start(text: &str, variant: GameKind) -> Result<Self::Position, String>;
}

impl Measured for Chess {
    fn start(text: &str, variant: GameKind) -> Result<ChessPosition, String> {
        ChessPosition::from_fen(text, variant == GameKind::Chess960).map_err(|error| error.to_string())
    }
}

impl Measured for FourPlayer {
    fn start(text: &str, _: GameKind) -> Result<Self::Position, String> {
        Self::read(text, &Self::array())
    }
}

/// What one board said in one game, and what really happened in it.
#[derive(Debug, Clone)]
pub(super) struct Stream<V: Variant> {
    pub(super) open: Open,
    pub(super) start: V::Position,
    pub(super) lines: Vec<Line>,
    pub(super) truth: Truth,
}

/// A ply as `truth.json` holds it, milliseconds.
#[derive(Debug, Deserialize)]
pub(super) struct WrittenPly {
    uci: String,
    placed: f64,
    #[serde(default)]
    pressed: Option<f64>,
}

impl<V: Measured> Stream<V> {
    /// `game` by simulated hands, before a neutral sensor that looks each `scan_ms`, no faster than [`adoube_sim::SCAN_MS`].
    /// One square is sick where that is asked for.
    pub(super) fn simulated(
        game: &ToPlay<V>,
        manner: Manner,
        (occupancy, scan_ms): (bool, u64),
        sickness: Option<Sickness>,
    ) -> Self {
        let performance = adoube_sim::perform(&game.game, manner);
        let mut frames =
            adoube_sim::frames(&game.game, &performance, adoube_sim::View { occupancy, turned: false });
        if scan_ms > adoube_sim::SCAN_MS {
            frames = adoube_sim::slowed(&frames, scan_ms as f64);
        }
        let sick = sickness.map(|sickness| {
            let sick = SickSquare::choose(sickness, &game.game, &performance, manner.seed);
            frames = sick.spoil(&frames);
            Sick {
                square: V::FAMILY.square_name(sick.square),
                matters: sick.matters(&game.game, &performance, occupancy),
            }
        });
        let mut items: Vec<(f64, Item)> =
            frames.into_iter().map(|(t_ms, frame)| (t_ms, Item::Frame(frame))).collect();
        if manner.clock {
            let readings = adoube_sim::clock_readings(&performance, ClockSetting::equal(TIME_S.0, TIME_S.1));
            items.extend(readings.into_iter().map(|(t_ms, reading)| (t_ms, Item::Clock(Some(reading)))));
            items.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let mut open = Open::new("bench", FRAMES, "bench");
        open.turned = Some(0);
        open.time_control = manner.clock.then(|| format!("{}+{}", TIME_S.0, TIME_S.1));
        open.start.clone_from(&game.start);
        open.variant = game.variant;
        let times = performance.truth.iter().map(|truth| (truth.placed_ns, truth.pressed_ns));
        Self {
            open,
            start: game.game.start.clone(),
            lines: items
                .into_iter()
                .map(|(t_ms, item)| Line { t_ns: (t_ms * MS as f64).round() as u64, items: vec![item] })
                .collect(),
            truth: Truth { sick, ..truth::<V>(&game.game.start, game.game.moves.iter().copied().zip(times)) },
        }
    }

    /// The lines of a capture of it.
    pub(super) fn capture(&self) -> String {
        let header = Header {
            board: self.open.board.clone(),
            protocol: self.open.protocol.clone(),
            variant: (self.open.variant != GameKind::Chess).then_some(self.open.variant),
            start: self.open.start.clone(),
            time_control: self.open.time_control.clone(),
            turned: self.open.turned,
            ..Header::default()
        };
        let lines = std::iter::once(header.to_line()).chain(self.lines.iter().map(Line::to_line));
        lines.map(|line| line + "\n").collect()
    }

    /// A capture, with what `truth.json` beside it says about it.
    pub(super) fn recorded(path: &Path, written: &[WrittenPly]) -> anyhow::Result<Self> {
        let mut capture = CaptureFile::open(path)?;
        let start = start::<V>(&capture.header).with_context(|| path.display().to_string())?;
        let mut lines = Vec::new();
        while let Some(line) = capture.next()? {
            lines.push(line);
        }
        let mut position = start.clone();
        let mut plies = Vec::new();
        for (number, ply) in (1..).zip(written) {
            let mv = legal_move::<V>(&position, &ply.uci).ok_or_else(|| {
                anyhow!("{}: its truth is wrong: ply {number}, {}, is no legal move", path.display(), ply.uci)
            })?;
            position = position.play(mv);
            let ns = |ms: f64| (ms * MS as f64) as u64;
            plies.push((mv, (ns(ply.placed), ply.pressed.map(ns))));
        }
        if plies.is_empty() {
            bail!("{}: its truth has no moves", path.display());
        }
        let truth = truth::<V>(&start, plies.into_iter());
        // The replay itself may still refuse what the first line says.
        Replay::new(open(&capture.header), 0).with_context(|| path.display().to_string())?;
        Ok(Self { open: open(&capture.header), start, lines, truth })
    }

    /// True if the sensor feels only whether something stands on a square.
    pub(super) fn is_occupancy(&self) -> bool {
        self.items().any(|item| matches!(item, Item::Frame(Frame::Occupancy(_))))
    }

    /// True if there is a clock beside the board.
    pub(super) fn has_clock(&self) -> bool {
        self.truth.plies.iter().any(|ply| ply.pressed_ns.is_some())
            || self.items().any(|item| matches!(item, Item::Clock(Some(_))))
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.lines.iter().flat_map(|line| &line.items)
    }

    /// What is said about the moves when a station reads it all, and when.
    pub(super) fn said(&self, announce: Announce) -> anyhow::Result<Vec<(u64, Said)>> {
        let mut open = self.open.clone();
        open.announce = announce;
        let mut replay = Replay::new(open, 0)?;
        let mut events = Vec::new();
        let mut listener = Listener::default();
        let mut said = Vec::new();
        for line in &self.lines {
            replay.line(line, &mut events);
            said.extend(events.drain(..).filter_map(|event| listener.hear(&event)));
        }
        replay.finish(&mut events);
        said.extend(events.drain(..).filter_map(|event| listener.hear(&event)));
        Ok(said)
    }
}

fn start<V: Measured>(header: &Header) -> anyhow::Result<V::Position> {
    let variant = header.variant.unwrap_or_default();
    if (variant == GameKind::FourPlayer) != (V::SQUARES == FourPlayer::SQUARES) {
        bail!("its variant is {variant}; say so with --variant");
    }
    let Some(fen) = &header.start else { return Ok(V::array()) };
    V::start(fen, variant).map_err(|error| anyhow!("start position \"{fen}\": {error}"))
}

fn legal_move<V: Variant>(position: &V::Position, uci: &str) -> Option<V::Move> {
    let mut legal = Vec::new();
    position.legal_moves(&mut legal);
    legal.into_iter().find(|&mv| position.played(mv).uci() == uci)
}

/// The plies, each with its move and when it was placed and pressed.
fn truth<V: Variant>(
    start: &V::Position,
    played: impl Iterator<Item = (V::Move, (u64, Option<u64>))>,
) -> Truth {
    let mut position = start.clone();
    let mut plies = Vec::new();
    let mut lawful = None;
    for (mv, (placed_ns, pressed_ns)) in played {
        if lawful.is_none() && is_over::<V>(&position) {
            lawful = Some(plies.len());
        }
        let is_king_to_centre = position.rest(mv) == Rest::Centre;
        let uci = position.played(mv).uci();
        plies.push(Ply { uci, placed_ns, pressed_ns, is_king_to_centre });
        position = position.play(mv);
    }
    Truth { lawful: lawful.unwrap_or(plies.len()), plies, sick: None }
}

/// The game ends by itself here, whatever its source says: mate, stalemate, a dead position.
fn is_over<V: Variant>(position: &V::Position) -> bool {
    let nodes = Profile::default().mate_search_nodes;
    position.end().is_some() || matches!(position.dead(nodes), Dead::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::PublishAt;
    use adoube_rules::pgn::read_games;
    use adoube_sim::Noise;

    fn game(pgn: &str) -> ToPlay {
        ToPlay::from(&read_games(pgn.as_bytes()).unwrap()[0])
    }

    fn figures(stream: &Stream<Chess>) -> super::super::score::Figures {
        super::super::score::Figures::of(
            &stream.truth,
            stream.said(Announce::Balanced).unwrap(),
            PublishAt::Made,
        )
    }

    #[test]
    fn simulated_hands_are_read_and_their_presses_too() {
        let game = game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *");
        for occupancy in [false, true] {
            let manner = Manner { noise: Noise::Clean, seed: 1, clock: true, signal_result: false };
            let stream = Stream::simulated(&game, manner, (occupancy, adoube_sim::SCAN_MS), None);
            assert_eq!((stream.is_occupancy(), stream.has_clock()), (occupancy, true));
            let figures = figures(&stream);
            assert_eq!((figures.games_right, figures.plies_right, figures.wrong), (1, 6, 0));
            assert_eq!((figures.made_ns.len(), figures.completed_ns.len()), (6, 6));
            assert!(figures.made_ns.iter().all(|&ns| ns < 1_000 * MS), "{:?}", figures.made_ns);
        }
    }

    #[test]
    fn a_truth_that_is_another_game_is_not_right() {
        let manner = Manner { noise: Noise::Clean, seed: 1, clock: false, signal_result: false };
        let mut stream =
            Stream::simulated(&game("1. e4 e5 2. Nf3 Nc6 *"), manner, (false, adoube_sim::SCAN_MS), None);
        stream.truth.plies[2].uci = "f1c4".to_owned();
        let figures = figures(&stream);
        assert_eq!((figures.games_right, figures.plies_right, figures.wrong), (0, 2, 1));
    }

    #[test]
    fn a_game_that_goes_on_without_mating_material_is_compared_up_to_there() {
        let game = game("[SetUp \"1\"]\n[FEN \"8/8/8/3p4/4K3/8/8/k7 w - - 0 1\"]\n\n1. Kxd5 Ka2 2. Kd4 *");
        let manner = Manner { noise: Noise::Clean, seed: 1, clock: false, signal_result: false };
        let stream = Stream::simulated(&game, manner, (false, adoube_sim::SCAN_MS), None);
        assert_eq!((stream.truth.plies.len(), stream.truth.lawful), (3, 1));
        let centre: Vec<bool> = stream.truth.plies.iter().map(|ply| ply.is_king_to_centre).collect();
        assert_eq!(centre, [true, false, true]);
    }
}
