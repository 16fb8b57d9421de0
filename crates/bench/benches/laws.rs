//! What the Laws cost: `cargo bench -p adoube-bench --bench laws`, explained in docs/performance.md.
//!
//! Games of the demonstration, played by simulated hands. Each row is the median of several rounds,
//! because one core of a shared machine is rarely left alone.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use adoube_core::event::{Body, Event};
use adoube_core::infer::{self, Parameters, Tracker};
use adoube_core::ruling::Ruled;
use adoube_core::table::{Derived, Setting, Table};
use adoube_rules::departure::Departure;
use adoube_rules::draw::{History, Key, is_fifty_claimable, is_threefold_claimable};
use adoube_rules::laws::Profile;
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::sensor::{Content, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND, Stamp};
use adoube_rules::{Chess, ChessPosition, Irregular, Position as _, Variant as _};
use adoube_sim::{Manner, Noise};
use serde_json::json;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

/// A game on each board of the demonstration.
const GAMES: &str = include_str!("../../../src/demo/games.pgn");

/// Rounds of which the median counts.
const ROUNDS: usize = 9;
/// A round lasts at least so long: many times what a clock of the system can tell.
const ROUND_MIN: Duration = Duration::from_millis(60);
/// After the last reading every timer of a table has fired.
const AFTER_NS: u64 = 60 * SECOND;
/// So long that no flag falls.
const TIME_CONTROL: &str = "36000+30";

fn main() -> Result<(), Box<dyn Error>> {
    let games = read_games(GAMES.as_bytes())?;
    let positions: Vec<ChessPosition> = games.iter().flat_map(line).collect();
    println!("{} games, {} positions; median of {ROUNDS} rounds", games.len(), positions.len());
    legal_moves(&positions);
    laws(&games)?;
    repetitions(&games);
    dead_positions(&positions);
    departures(&positions);
    undoing()
}

/// Every position of the main line, the start included.
fn line(game: &PgnGame) -> Vec<ChessPosition> {
    let mut line = vec![game.start.clone()];
    for &mv in &game.moves {
        line.push(line[line.len() - 1].play(mv));
    }
    line
}

/// Finding the legal moves and the squares that they change, as the tracker does after each ply. The
/// same positions once as `shakmaty` plays them, once as those that it refuses are played.
fn legal_moves(positions: &[ChessPosition]) {
    let both: Vec<(&ChessPosition, Irregular)> = positions
        .iter()
        .filter_map(|position| {
            let setup = position.regular()?.to_setup(EnPassantMode::Always);
            Some((position, Irregular::from_setup(setup, CastlingMode::Standard)))
        })
        .collect();
    for has_footprints in [false, true] {
        let mut moves = Vec::new();
        let mut measured = |is_irregular: bool| {
            nanoseconds_each(both.len(), || {
                for (position, irregular) in &both {
                    moves.clear();
                    if is_irregular {
                        irregular.legal_moves(&mut moves);
                    } else {
                        position.legal_moves(&mut moves);
                    }
                    if has_footprints {
                        moves.iter().for_each(|&mv| {
                            black_box(position.footprint(mv));
                        });
                    }
                    black_box(&moves);
                }
            })
        };
        let (regular_ns, irregular_ns) = (measured(false), measured(true));
        let name = if has_footprints { "legal moves and footprints" } else { "legal moves" };
        row(&format!("{name}, regular"), regular_ns, "position");
        row(&format!("{name}, irregular"), irregular_ns, "position");
        ratio(irregular_ns, regular_ns, "regular");
    }
}

/// What was read of one game: when, nanoseconds, and what.
struct Stream {
    readings: Vec<(u64, Reading)>,
    /// Presses, as they were.
    presses: Vec<(u64, Side)>,
    start: ChessPosition,
    plies: usize,
}

impl Stream {
    fn new(game: &PgnGame, seed: u64, has_clock: bool) -> Result<Self, Box<dyn Error>> {
        let played = adoube_sim::Game::<Chess> {
            start: game.start.clone(),
            moves: game.moves.clone(),
            result: game.result,
        };
        let manner = Manner { noise: Noise::Light, seed, clock: has_clock, signal_result: false };
        let performance = adoube_sim::perform(&played, manner);
        let mut readings = Vec::new();
        let mut shown = game.start.contents();
        for (at_ms, frame) in adoube_sim::frames(&played, &performance, adoube_sim::View::default()) {
            let at_ns = (at_ms * MS as f64) as u64;
            let contents = frame.contents().to_vec();
            if readings.is_empty() {
                readings.push((at_ns, Reading::Frame(frame)));
                continue;
            }
            let squares = Square::all().zip(shown.iter().zip(&contents)).filter(|(_, (old, new))| old != new);
            readings
                .extend(squares.map(|(square, (_, &content))| (at_ns, Reading::Square { square, content })));
            shown = contents;
        }
        if has_clock {
            let setting = TIME_CONTROL.parse()?;
            let clock = adoube_sim::clock_readings(&performance, setting).into_iter();
            readings.extend(
                clock.map(|(at_ms, reading)| ((at_ms * MS as f64) as u64, Reading::Clock(Some(reading)))),
            );
            readings.sort_by_key(|(at_ns, _)| *at_ns);
        }
        let presses = (performance.truth.iter().zip([Side::White, Side::Black].into_iter().cycle()))
            .filter_map(|(ply, side)| Some((ply.pressed_ns?, side)))
            .collect();
        Ok(Self { readings, presses, start: game.start.clone(), plies: game.moves.len() })
    }

    /// Lets a table read it all: inference, and everything that the Laws say of it.
    fn through_table(&self, profile: &Profile, mut take: impl FnMut(&mut Vec<Event>)) {
        let mut table = Table::<Chess>::new(setting(profile.clone()), Stamp::default());
        let mut events = Vec::new();
        for (at_ns, reading) in &self.readings {
            table.reading(reading, Stamp::default().at(*at_ns), &mut events);
            take(&mut events);
        }
        table.advance(Stamp::default().at(self.end_ns()), &mut events);
        take(&mut events);
    }

    /// The number of plies that a table announces and does not withdraw.
    fn announced(&self, profile: &Profile) -> u32 {
        let mut plies = 0;
        self.through_table(profile, |events| {
            for event in events.drain(..) {
                match event.body {
                    Body::MoveMade(made) => plies = made.ply.number(),
                    Body::MoveRetracted(retracted) => plies = retracted.ply.before().number(),
                    _ => {}
                }
            }
        });
        plies
    }

    /// Lets a tracker read it all, and gives the number of plies that it found.
    fn through_tracker(&self) -> u32 {
        let mut tracker =
            Tracker::<Chess>::new(infer::View::Identity, self.start.clone(), Parameters::default(), 0);
        let mut steps = Vec::new();
        let mut presses = self.presses.iter().peekable();
        for (at_ns, reading) in &self.readings {
            while let Some(&(press_ns, side)) = presses.next_if(|(press_ns, _)| press_ns <= at_ns) {
                tracker.advance(press_ns, &mut steps);
                tracker.pressed(side, press_ns, &mut steps);
            }
            tracker.advance(*at_ns, &mut steps);
            if let Reading::Square { square, content } = reading {
                tracker.changed(&[(*square, *content)], *at_ns, &mut steps);
            }
            black_box(&steps);
            steps.clear();
        }
        tracker.advance(self.end_ns(), &mut steps);
        tracker.plies().number()
    }

    fn end_ns(&self) -> u64 {
        self.readings.last().map_or(0, |(at_ns, _)| *at_ns) + AFTER_NS
    }
}

fn setting(profile: Profile) -> Setting<Chess> {
    Setting {
        board: "bench".to_owned(),
        profile,
        agreed: None,
        in_progress: false,
        illegal: Default::default(),
        usual: Chess::array(),
        layout_set: Default::default(),
        variant: adoube_rules::GameKind::Chess,
        start: None,
        shuffled: false,
        turned: Some(0),
        clock_swapped: false,
        parameters: Parameters::default(),
        board_results: true,
        time_control: Some(TIME_CONTROL.to_owned()),
        pairing: None,
        pair: None,
    }
}

/// A game through the tracker alone, and through the table that holds every ply against the Laws.
fn laws(games: &[PgnGame]) -> Result<(), Box<dyn Error>> {
    let profile = Profile::default();
    for (has_clock, name) in [(false, "board"), (true, "board and clock")] {
        let streams = (1..)
            .zip(games)
            .map(|(seed, game)| Stream::new(game, seed, has_clock))
            .collect::<Result<Vec<Stream>, _>>()?;
        let plies: usize = streams.iter().map(|stream| stream.plies).sum();
        let found: u32 = streams.iter().map(Stream::through_tracker).sum();
        let announced: u32 = streams.iter().map(|stream| stream.announced(&profile)).sum();
        println!("{name}: {plies} plies; the tracker finds {found}, the table {announced}");
        let tracker_ns = nanoseconds_each(plies, || {
            for stream in &streams {
                black_box(stream.through_tracker());
            }
        });
        let table_ns = nanoseconds_each(plies, || {
            for stream in &streams {
                stream.through_table(&profile, |events| {
                    black_box(&*events);
                    events.clear();
                });
            }
        });
        row(&format!("{name}: tracker alone"), tracker_ns, "ply");
        row(&format!("{name}: table, with the Laws"), table_ns, "ply");
        ratio(table_ns, tracker_ns, "the tracker alone");
    }
    Ok(())
}

/// The key of a position, and what Article 9 asks after each ply.
fn repetitions(games: &[PgnGame]) {
    let lines: Vec<Vec<ChessPosition>> = games.iter().map(line).collect();
    let plies: usize = lines.iter().map(|line| line.len() - 1).sum();
    let key_ns = nanoseconds_each(plies, || {
        for position in lines.iter().flat_map(|line| &line[1..]) {
            black_box(Key::from(position));
        }
    });
    let history_ns = nanoseconds_each(plies, || {
        for line in &lines {
            let mut history = History::<Chess>::new(&line[0]);
            for position in &line[1..] {
                history.push(position);
                let ply = history.ply();
                black_box((history.occurrences(ply), history.same(ply), history.halfmoves(ply)));
            }
        }
    });
    let claims_ns = nanoseconds_each(plies, || {
        for line in &lines {
            let mut history = History::<Chess>::new(&line[0]);
            for position in &line[1..] {
                history.push(position);
                black_box((is_threefold_claimable(&history), is_fifty_claimable(&history)));
            }
        }
    });
    row("repetition key", key_ns, "ply");
    row("history: repetitions and counts", history_ns, "ply");
    row("history: what may be claimed", claims_ns, "ply");
}

/// The question after each ply whether the position is dead.
fn dead_positions(positions: &[ChessPosition]) {
    // As `mate_search_nodes` has it.
    let nodes = 200_000;
    let dead_ns = nanoseconds_each(positions.len(), || {
        for position in positions {
            black_box(position.dead(nodes));
        }
    });
    row("dead position, as asked after a ply", dead_ns, "position");
}

/// What an illegal picture shows: in each position one man of the side to move stands on an empty
/// square that no legal move takes him to.
fn departures(positions: &[ChessPosition]) {
    let pictures: Vec<(&ChessPosition, Vec<Content>)> =
        positions.iter().filter_map(|position| Some((position, illegal_picture(position)?))).collect();
    let illegal = (pictures.iter())
        .filter(|(position, picture)| matches!(position.departure(picture, true), Departure::Illegal { .. }))
        .count();
    println!("{} pictures, {illegal} of them illegal moves", pictures.len());
    let departure_ns = nanoseconds_each(pictures.len(), || {
        for (position, picture) in &pictures {
            black_box(position.departure(picture, true));
        }
    });
    row("departure of an illegal picture", departure_ns, "picture");
}

fn illegal_picture(position: &ChessPosition) -> Option<Vec<Content>> {
    let chess = position.regular()?;
    let moves = chess.legal_moves();
    let (from, to) = chess.us().into_iter().find_map(|from| {
        let is_legal = |to| moves.iter().any(|mv| mv.from() == Some(from) && mv.to() == to);
        let to = (!chess.board().occupied()).into_iter().find(|&to| !is_legal(to))?;
        Some((usize::from(from), usize::from(to)))
    })?;
    let mut picture = position.contents();
    picture.swap(from, to);
    Some(picture)
}

/// What the arbiter waits for who takes a ruling back late in a long game: it is derived again from its start.
fn undoing() -> Result<(), Box<dyn Error>> {
    const PLIES: usize = 300;
    const RULINGS: usize = 20;
    let stream = Stream::new(&wandering(PLIES), 1, true)?;
    let hour = |side: &str| json!({ "name": "add-time-opponent", "side": side, "ms": 60_000 });
    let read_to = |with_rulings: bool| -> Result<Derived<Chess>, Box<dyn Error>> {
        let mut table = Derived::<Chess>::new(setting(Profile::default()), Stamp::default());
        let (mut out, mut ruled) = (Vec::new(), 0);
        for (index, (at_ns, reading)) in stream.readings.iter().enumerate() {
            let at = Stamp::default().at(*at_ns);
            table.reading(reading, at, &mut out);
            if with_rulings && index >= (ruled + 1) * stream.readings.len() / (RULINGS + 1) {
                ruled += 1;
                table.ruling(&Ruled::parse(&hour(["white", "black"][ruled % 2]))?, at, &mut out)?;
            }
            out.clear();
        }
        Ok(table)
    };
    let ruled = read_to(true)?;
    let played_ns = nanoseconds_each(PLIES, || {
        black_box(read_to(true).is_ok());
    });
    let end = Stamp::default().at(stream.end_ns());
    // The last is undone first; `ruling` is its place among the rulings.
    let undo = |number: usize| Ruled::parse(&json!({ "name": "undo", "ruling": number }));
    let all = || -> Result<usize, Box<dyn Error>> {
        let (mut table, mut out) = (ruled.clone(), Vec::new());
        for number in (1..=RULINGS).rev() {
            table.ruling(&undo(number)?, end, &mut out)?;
        }
        Ok(out.len())
    };
    println!("a game of {PLIES} plies with {RULINGS} rulings, each undone at the end: {} events", all()?);
    let undo_ns = nanoseconds_each(RULINGS, || {
        black_box(all().is_ok());
    });
    row("reading it", played_ns, "ply");
    row("undoing, each time from the start", undo_ns, "ruling");
    Ok(())
}

/// A legal game of so many plies that has no end.
fn wandering(plies: usize) -> PgnGame {
    let mut game = read_games(GAMES.as_bytes()).into_iter().flatten().next().expect("there are games");
    let mut position = game.start.clone();
    game.moves.clear();
    for ply in 0..plies {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let lasting: Vec<_> = moves.into_iter().filter(|&mv| position.play(mv).end().is_none()).collect();
        let mv = lasting[(ply * 7 + 3) % lasting.len()];
        position = position.play(mv);
        game.moves.push(mv);
    }
    game
}

/// Nanoseconds of one of the `units` that `work` goes through: the median of the rounds.
fn nanoseconds_each(units: usize, mut work: impl FnMut()) -> f64 {
    let mut times = 1_u32;
    while seconds(times, &mut work) < ROUND_MIN.as_secs_f64() {
        times *= 2;
    }
    let mut rounds: Vec<f64> = (0..ROUNDS).map(|_| seconds(times, &mut work)).collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2] * 1e9 / f64::from(times) / units as f64
}

#[expect(clippy::disallowed_methods, reason = "a benchmark is about time")]
fn seconds(times: u32, work: &mut impl FnMut()) -> f64 {
    let started = Instant::now();
    for _ in 0..times {
        work();
    }
    started.elapsed().as_secs_f64()
}

fn row(name: &str, ns: f64, unit: &str) {
    let (value, unit_of_time) = if ns < 10_000.0 { (ns, "ns") } else { (ns / 1e3, "µs") };
    println!("  {name:<40}{value:>9.1} {unit_of_time} a {unit}");
}

fn ratio(one_ns: f64, other_ns: f64, other: &str) {
    println!("  {:<40}{:>9.2} times {other}", "", one_ns / other_ns);
}
