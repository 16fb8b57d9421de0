//! Who can still mate, beside the published program for it: `cargo bench -p adoube-bench`, explained in
//! docs/performance.md.
//!
//! Both answer the same questions in one run, a block after the other, so that whatever else the machine does
//! meets both. The questions are files of the test data (`ADOUBE_DATA`, else `../shared/data`), and so are the
//! right answers. `-- --sample 10` asks every tenth, `-- --rounds 1` asks once.

use std::error::Error;
use std::fmt;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Instant;

use adoube_winnable::{CanMate, can_mate, cannot_mate};
use chasolver::Winnability;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Color, PositionError};

/// The files, and what a line of each says.
const FILES: [(&str, Line); 3] = [
    ("lost-on-time-30k", Line::Waiting),
    ("unfair-timeouts", Line::WaitingCannot),
    ("cha-positions", Line::Both),
];
/// Published as "cannot", but Black can mate: the line is in the tests.
const WRONGLY_PUBLISHED: &str = "8/8/5p1p/5PkP/6P1/6PP/6K1/8 w - -";
/// `mate_search_nodes` of the Laws' parameters.
const NODES: u32 = 200_000;
/// Questions that one answers before the other does: some milliseconds, less than a turn of the scheduler.
const BLOCK: usize = 64;
/// Rounds, of which the median of each question counts.
const ROUNDS: usize = 3;
/// The median and the slowest hundredth, in per cent.
const P50: usize = 50;
const P99: usize = 99;

/// What a line of a file asks and answers.
#[derive(Clone, Copy)]
enum Line {
    /// `w` or `u`, FEN: whether the side not to move can mate.
    Waiting,
    /// FEN: the side not to move cannot mate.
    WaitingCannot,
    /// `WB`, `W-`, `-B` or `--`, FEN: who can mate.
    Both,
}

/// A question as each program wants it, and the right answer.
struct Question {
    chess: shakmaty::Chess,
    board: chess::Board,
    side: Color,
    can_mate: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Quick,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Ours,
    Published,
}

/// What a program did with the questions of a file.
#[derive(Default)]
struct Figures {
    /// Nanoseconds for each question, a row for each round.
    rounds: Vec<Vec<u64>>,
    unknown: usize,
    wrong: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (sample, rounds) = (option("--sample")?.unwrap_or(1), option("--rounds")?.unwrap_or(ROUNDS));
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ADOUBE_DATA").map_or_else(beside, PathBuf::from).join("unwin");
    println!(
        "one core; {NODES} positions looked at at most; median of {rounds} rounds; times in µs; the last column"
    );
    println!("says how many times longer the published program's median is\n");
    println!("| file | form | program | positions/s | p50 | p99 | worst | unknown | wrong | times |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut is_wrong = false;
    for (name, line) in FILES {
        let file = folder.join(name).with_extension("txt");
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("skipped: no test data at {}", file.display());
            continue;
        };
        let (questions, left_out) = questions(&text, line, sample);
        if left_out > 0 {
            eprintln!(
                "{name}: {left_out} questions left out, about positions that one of the two does not read"
            );
        }
        for form in [Form::Quick, Form::Full] {
            let [ours, published] = measure(&questions, form, rounds);
            is_wrong |= ours.wrong > 0;
            let times = ratio(published.share(P50), ours.share(P50));
            println!("| {name} | {form} | adoube | {ours} | {times:.2} |");
            println!("| | | chasolver | {published} | |");
        }
    }
    if is_wrong { Err("a wrong answer is an error, however fast".into()) } else { Ok(()) }
}

/// The number after `name` on the command line, at least 1.
fn option(name: &str) -> Result<Option<usize>, Box<dyn Error>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    if arguments.next().is_none() {
        return Ok(None);
    }
    let value: usize = arguments.next().ok_or_else(|| format!("{name} needs a number"))?.parse()?;
    Ok(Some(value.max(1)))
}

/// What the lines ask, and how many questions were left out.
fn questions(text: &str, line: Line, sample: usize) -> (Vec<Question>, usize) {
    let mut asked = Vec::new();
    for text in text.lines().step_by(sample) {
        match line {
            Line::Waiting => asked.push((&text[2..], waiting(&text[2..]), text.starts_with('w'))),
            Line::WaitingCannot => asked.push((text, waiting(text), false)),
            Line::Both => {
                let (verdict, fen) = text.split_at(3);
                asked.push((fen, Color::White, verdict.starts_with('W')));
                asked.push((fen, Color::Black, verdict[1..].starts_with('B')));
            }
        }
    }
    let count = asked.len();
    let questions: Vec<Question> =
        asked.into_iter().filter_map(|(fen, side, can)| Question::new(fen, side, can)).collect();
    let left_out = count - questions.len();
    (questions, left_out)
}

/// The side not to move.
fn waiting(fen: &str) -> Color {
    if fen.split(' ').nth(1) == Some("w") { Color::Black } else { Color::White }
}

impl Question {
    fn new(fen: &str, side: Color, can_mate: bool) -> Option<Self> {
        let whole = format!("{fen} 0 1");
        let chess = whole.parse::<Fen>().ok()?.into_position(CastlingMode::Standard);
        let chess = chess.or_else(PositionError::ignore_too_much_material);
        let chess = chess.or_else(PositionError::ignore_impossible_check).ok()?;
        let board = chess::Board::from_str(&whole).ok()?;
        let can_mate = can_mate || fen == WRONGLY_PUBLISHED && side == Color::Black;
        Some(Self { chess, board, side, can_mate })
    }

    /// The answer of a program and the nanoseconds that it took.
    #[expect(clippy::disallowed_methods, reason = "a benchmark is about time")]
    fn ask(&self, program: Program, form: Form) -> (Option<bool>, u64) {
        let color = self.side.fold_wb(chess::Color::White, chess::Color::Black);
        let (chess, board) = (black_box(&self.chess), black_box(&self.board));
        let started = Instant::now();
        let answer = match (program, form) {
            (Program::Ours, Form::Quick) => cannot_mate(chess, self.side).map(|_| false),
            (Program::Published, Form::Quick) => chasolver::is_unwinnable_fast(board, color).then_some(false),
            (Program::Ours, Form::Full) => match can_mate(chess, self.side, NODES) {
                CanMate::Yes(_) => Some(true),
                CanMate::No(_) => Some(false),
                CanMate::Unknown(_) => None,
            },
            (Program::Published, Form::Full) => {
                chasolver::winnability(board, color).map(|answer| answer != Winnability::Unwinnable)
            }
        };
        let ns = u64::try_from(black_box(started.elapsed()).as_nanos()).unwrap_or(u64::MAX);
        (answer, ns)
    }
}

/// What ours and the published program do with the questions.
fn measure(questions: &[Question], form: Form, rounds: usize) -> [Figures; 2] {
    let mut figures = [Figures::default(), Figures::default()];
    for round in 0..rounds {
        figures.iter_mut().for_each(|figures| figures.rounds.push(Vec::with_capacity(questions.len())));
        for (number, block) in questions.chunks(BLOCK).enumerate() {
            // Who begins finds the caches cold: in turns.
            let mut order = [(0, Program::Ours), (1, Program::Published)];
            if (round + number) % 2 == 1 {
                order.reverse();
            }
            for (index, program) in order {
                for question in block {
                    let (answer, ns) = question.ask(program, form);
                    figures[index].note(round, question, form, answer, ns);
                }
            }
        }
    }
    figures
}

impl Figures {
    /// Answers are the same in every round: those of the first count.
    fn note(&mut self, round: usize, question: &Question, form: Form, answer: Option<bool>, ns: u64) {
        self.rounds[round].push(ns);
        if round > 0 {
            return;
        }
        // The quick form says only who cannot.
        let is_silent = answer.is_none() && (form == Form::Full || !question.can_mate);
        self.unknown += usize::from(is_silent);
        self.wrong += usize::from(answer.is_some_and(|answer| answer != question.can_mate));
    }

    /// The median of each question, the shortest first.
    fn medians(&self) -> Vec<u64> {
        let median = |question: usize| {
            let mut all: Vec<u64> = self.rounds.iter().map(|round| round[question]).collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        let mut medians: Vec<u64> = (0..self.rounds.first().map_or(0, Vec::len)).map(median).collect();
        medians.sort_unstable();
        medians
    }

    /// So many of a hundred questions took no longer, in nanoseconds.
    fn share(&self, percent: usize) -> u64 {
        let medians = self.medians();
        medians.get(medians.len() * percent / 100).copied().unwrap_or(0)
    }

    fn sum(&self) -> u64 {
        self.medians().iter().sum()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let medians = self.medians();
        let a_second = ratio(1_000_000_000 * medians.len() as u64, self.sum());
        let us = |ns: u64| ns as f64 / 1e3;
        let worst = medians.last().copied().unwrap_or(0);
        write!(
            out,
            "{a_second:.0} | {:.2} | {:.1} | {:.0} | {} | {}",
            us(self.share(P50)),
            us(self.share(P99)),
            us(worst),
            self.unknown,
            self.wrong
        )
    }
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Quick => "quick",
            Self::Full => "full",
        })
    }
}

fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other.max(1) as f64
}
