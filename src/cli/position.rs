//! `adoube position`: legal or not and why, dead or not, whether each side can still mate.
//!
//! `lines` reads what a batch asks, `answer` knows it and checks every proof, `print` says it, `proof` says
//! what a "no" rests on; `four` is all of that for four-player positions.

pub(super) mod answer;
mod four;
mod lines;
mod print;
mod proof;

use std::io::{BufWriter, IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use serde_json::json;
use shakmaty::CastlingMode;

use super::Answer;
use super::input::{counter, open, progress};
use super::to_play::FOUR_PLAYER;
use adoube_rules::legality::Legal;
use adoube_rules::sensor::Side;
use answer::Answered;
use four::FourAnswered;
use lines::{Lines, Numbered};
use print::Manner;

/// Lines that are answered together, so that output keeps their order and memory stays small.
const BLOCK_LINES: usize = 1_024;

/// Say whether positions are legal, and who can still mate
///
/// A yes comes with the moves, a no with the reason; both are checked before they are printed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  adoube position 'k7/P7/K7/8/8/8/8/8 b - -'
  adoube position positions.txt --json > answers.jsonl
  adoube position - --json --winner white < fallen-flags.txt
  adoube position --variant four-player positions.txt")]
pub(super) struct Position {
    /// A FEN of four to six fields (of four players one to seven), quoted or not; or a file with one a line; or -
    /// for stdin
    #[arg(required = true, value_name = "FEN|FILE|-")]
    input: Vec<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// chess, chess960 or four-player
    #[arg(long, value_name = "VARIANT", default_value = "chess", value_parser = PossibleValuesParser::new(["chess", "chess960", FOUR_PLAYER]))]
    variant: String,
    /// Ask only whether this side can mate; of four players white is the team of Red and Blue
    #[arg(long, value_name = "SIDE", value_parser = PossibleValuesParser::new(["white", "black"]))]
    winner: Option<String>,
    // The value of `mate_search_nodes` in the Laws' parameters: some tenths of a second at most.
    /// Positions that the search for a mate may look at
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    nodes: u32,
    /// Give the whole proof of each "cannot mate": every man's squares, or every position
    #[arg(long)]
    proof: bool,
    /// Count the series of N legal moves, too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=PERFT_MAX))]
    perft: Option<u32>,
}

/// More plies are counted by nobody who waits.
const PERFT_MAX: i64 = 10;

/// What is known of a position, whatever the game.
enum Known {
    Chess(Box<Answered>),
    Four(Box<FourAnswered>),
}

impl Known {
    fn legal(&self) -> Legal {
        match self {
            Self::Chess(answered) => answered.verdict.legal,
            Self::Four(answered) => answered.verdict.legal,
        }
    }

    fn boards(&self) -> String {
        match self {
            Self::Chess(answered) => print::boards(answered),
            Self::Four(answered) => answered.board(),
        }
    }

    /// How many series of so many legal moves there are; `None` where nobody can play.
    fn perft(&self, plies: u32) -> Option<u64> {
        match self {
            Self::Chess(answered) => {
                answered.position.as_ref().map(|position| shakmaty::perft(position, plies))
            }
            Self::Four(answered) => Some(answered.perft(plies)),
        }
    }
}

impl Position {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match self.input.as_slice() {
            [only] if only == "-" => {
                self.answer_all("stdin", Lines::new(std::io::stdin().lock()), &counter("looking"))
            }
            [first, ..] if is_fen(first) => self.answer_one(&self.input.join(" ")),
            [file] if file.trim().is_empty() => bail!("nothing is given; give one FEN, one file or -"),
            [file] if file.contains(' ') && !Path::new(file).exists() => self.answer_one(file),
            [file] => {
                let path = Path::new(file);
                // The bar wants to know how many; a pipe or a device can be read only once.
                let bar = if path.is_file() {
                    progress(Lines::new(open(path)?).count()?, "looking")
                } else {
                    counter("looking")
                };
                self.answer_all(file, Lines::new(open(path)?), &bar)
            }
            many => bail!("\"{}\" is no FEN; give one FEN, one file or -", many.join(" ")),
        }
    }

    fn answer_one(&self, fen: &str) -> anyhow::Result<Answer> {
        let answered = self.answer(fen).with_context(|| format!("\"{fen}\""))?;
        let mut out = std::io::stdout().lock();
        out.write_all(self.text(&answered).as_bytes())?;
        if !self.json && out.is_terminal() {
            out.write_all(format!("\n{}", answered.boards()).as_bytes())?;
        }
        Ok(if answered.legal() == Legal::No { Answer::No } else { Answer::Yes })
    }

    /// Answers a line each, in their order.
    fn answer_all<R: Read>(
        &self,
        name: &str,
        mut lines: Lines<R>,
        bar: &ProgressBar,
    ) -> anyhow::Result<Answer> {
        let stdout = std::io::stdout().lock();
        // Where the answers themselves run over the screen they are the progress.
        let bar = if stdout.is_terminal() { &ProgressBar::hidden() } else { bar };
        let mut out = BufWriter::new(stdout);
        let (mut bad_lines, mut first_bad) = (0_u64, 0);
        loop {
            let block = lines.block(BLOCK_LINES);
            let block = block.with_context(|| format!("{name}, line {}", lines.number() + 1))?;
            if block.is_empty() {
                break;
            }
            let mut write = |index: usize, result: Result<String, String>| -> anyhow::Result<()> {
                let (number, line) = &block[index];
                bar.inc(1);
                let text = result.unwrap_or_else(|error| {
                    bad_lines += 1;
                    if bad_lines == 1 {
                        first_bad = *number;
                    }
                    self.error_text(line, *number, &error)
                });
                Ok(out.write_all(text.as_bytes())?)
            };
            self.answer_block(&block, &mut write)?;
            out.flush()?;
        }
        bar.finish_and_clear();
        match bad_lines {
            0 => Ok(Answer::Yes),
            1 => bail!("{name}, line {first_bad}: not a FEN; the others are answered"),
            _ => bail!(
                "{name}: {bad_lines} lines are not FENs, the first is line {first_bad}; the others are answered"
            ),
        }
    }

    /// Answers the lines on all cores and hands the texts over in order.
    fn answer_block(
        &self,
        block: &[Numbered],
        write: &mut dyn FnMut(usize, Result<String, String>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(block.len());
        // A block is all that ever waits here.
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    let take = || {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        block.get(index).map(|(_, line)| (index, line))
                    };
                    while let Some((index, line)) = take() {
                        let text = match line.trim() {
                            "" => Ok(String::new()),
                            fen => self
                                .answer(fen)
                                .map(|answered| self.text(&answered))
                                .map_err(|error| error.to_string()),
                        };
                        // Nobody listens any more once writing failed.
                        if sender.send((index, text)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting = std::collections::BTreeMap::new();
            let mut due = 0;
            for (index, text) in receiver {
                waiting.insert(index, text);
                while let Some(text) = waiting.remove(&due) {
                    write(due, text)?;
                    due += 1;
                }
            }
            Ok(())
        })
    }

    fn answer(&self, fen: &str) -> anyhow::Result<Known> {
        let mode = CastlingMode::from_chess960(self.variant == "chess960");
        let is_asked = |side: &Side| self.winner.as_ref().is_none_or(|winner| winner == answer::name(*side));
        let sides: Vec<Side> = Side::BOTH.into_iter().filter(is_asked).collect();
        if self.variant == FOUR_PLAYER {
            let answered = FourAnswered::new(fen, &sides, self.nodes);
            return answered
                .map(|answered| Known::Four(Box::new(answered)))
                .map_err(|error| anyhow!("{error}{}", self.hint(fen)));
        }
        let answered = Answered::new(fen, mode, &sides, self.nodes);
        answered
            .map(|answered| Known::Chess(Box::new(answered)))
            .map_err(|error| anyhow!("{error}{}", self.hint(fen)))
    }

    /// What to do about a position of the other game.
    fn hint(&self, fen: &str) -> &'static str {
        match (rows(fen.split_whitespace().next().unwrap_or_default()), self.variant == FOUR_PLAYER) {
            (FOUR_RANKS, false) => "; this looks like the four-player game: --variant four-player",
            (CHESS_RANKS, true) => "; this looks like chess: leave out --variant",
            _ => "",
        }
    }

    fn text(&self, known: &Known) -> String {
        let manner = Manner { is_one_side: self.winner.is_some(), has_proofs: self.proof };
        let counts: Vec<Option<u64>> =
            (1..=self.perft.unwrap_or(0)).map(|plies| known.perft(plies)).collect();
        if self.json {
            let mut object = match known {
                Known::Chess(answered) => print::json(answered, manner),
                Known::Four(answered) => answered.json(manner.is_one_side),
            };
            if self.perft.is_some() {
                object.insert("perft".into(), counts.into());
            }
            return format!("{}\n", serde_json::Value::Object(object));
        }
        let mut lines = match known {
            Known::Chess(answered) => print::readable(answered, manner),
            Known::Four(answered) => answered.lines(manner.is_one_side),
        };
        let counts = (1..).zip(counts).filter_map(|(plies, count)| Some((plies, count?)));
        lines.extend(counts.map(|(plies, count): (u32, u64)| format!("  perft {plies}  {count}")));
        lines.join("\n") + "\n"
    }

    fn error_text(&self, line: &str, number: usize, error: &str) -> String {
        if self.json {
            format!("{}\n", json!({"fen": line, "error": error, "line_number": number}))
        } else {
            format!("{line}\n  error  line {number}: {error}\n")
        }
    }
}

/// Ranks of the board of 64 squares.
const CHESS_RANKS: usize = 8;

/// Ranks of the cross.
const FOUR_RANKS: usize = 14;

/// A FEN begins with the rows of the board; a path may have as many strokes, but says where it starts.
fn is_fen(text: &str) -> bool {
    matches!(rows(text), CHESS_RANKS | FOUR_RANKS)
        && !text.starts_with(['/', '.', '~'])
        && !Path::new(text).exists()
}

fn rows(text: &str) -> usize {
    text.matches('/').count() + 1
}
