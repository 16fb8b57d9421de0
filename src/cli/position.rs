//! `adoube position`: legal or not and why, dead or not, whether each side can still mate.

use std::io::{BufRead, BufWriter, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context as _, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Map, Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _, PositionError, Setup};

use super::Answer;
use super::input::{open, progress};
use crate::rules::fen::read_setup;
use crate::rules::legality::{self, Legal, Verdict};
use crate::rules::mate::{self, Basis, CanMate, Certificate, Effort, Material};
use crate::sensor::Side;

/// Lines that are answered together, so that output keeps their order and memory stays small.
const BLOCK_LINES: usize = 1_024;

/// Say whether positions are legal, and who can still mate
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  adoube position 'k7/P7/K7/8/8/8/8/8 b - -'
  adoube position positions.txt --json > answers.jsonl
  adoube position - --json --winner white < fallen-flags.txt")]
pub(super) struct Position {
    /// A FEN of four to six fields, quoted or not; or a file with one a line; or - for stdin
    #[arg(required = true, value_name = "FEN|FILE|-")]
    input: Vec<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// chess or chess960
    #[arg(long, value_name = "VARIANT", default_value = "chess", value_parser = PossibleValuesParser::new(["chess", "chess960"]))]
    variant: String,
    /// Ask only whether this side can mate, and give the moves
    #[arg(long, value_name = "SIDE", value_parser = PossibleValuesParser::new(["white", "black"]))]
    winner: Option<String>,
    // The value of `mate_search_nodes` in the Laws' parameters: some tenths of a second at most.
    /// Positions that the search for a mate may look at
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    nodes: u32,
}

/// What is known of one position.
struct Answered {
    fen: String,
    verdict: Verdict,
    position: Option<Chess>,
    /// Whether each side that was asked for can mate.
    mates: Vec<(Side, CanMate)>,
}

impl Position {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match self.input.as_slice() {
            [only] if only == "-" => self.answer_all("stdin", std::io::stdin().lock(), 0),
            [first, ..] if first.matches('/').count() == 7 && !Path::new(first).exists() => {
                self.answer_one(&self.input.join(" "))
            }
            [file] if file.contains(' ') && !Path::new(file).exists() => self.answer_one(file),
            [file] => {
                let path = Path::new(file);
                // The bar wants to know how many; a pipe or a device can be read only once.
                let lines = if path.is_file() { open(path)?.lines().count() as u64 } else { 0 };
                self.answer_all(file, open(path)?, lines)
            }
            many => bail!("\"{}\" is no FEN; give one FEN, one file or -", many.join(" ")),
        }
    }

    fn answer_one(&self, fen: &str) -> anyhow::Result<Answer> {
        let answered = self.answer(fen).with_context(|| format!("\"{fen}\""))?;
        let mut out = std::io::stdout().lock();
        out.write_all(self.text(&answered).as_bytes())?;
        Ok(if answered.verdict.legal == Legal::No { Answer::No } else { Answer::Yes })
    }

    /// Answers a line each, in their order.
    fn answer_all(&self, name: &str, lines: impl BufRead, total: u64) -> anyhow::Result<Answer> {
        let bar = progress(total, "looking");
        let mut out = BufWriter::new(std::io::stdout().lock());
        let (mut bad_lines, mut first_bad) = (0_u64, 0);
        let mut lines = lines.lines().enumerate().peekable();
        while lines.peek().is_some() {
            let mut block = Vec::new();
            for (index, line) in lines.by_ref().take(BLOCK_LINES) {
                let line = line.with_context(|| format!("{name}, line {}", index + 1))?;
                block.push((index + 1, line));
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
        block: &[(usize, String)],
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

    fn answer(&self, fen: &str) -> anyhow::Result<Answered> {
        let setup = read_setup(fen)?;
        let mode = if self.variant == "chess960" { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let verdict = legality::judge(&setup, mode);
        let position = playable(&setup, mode);
        let sides = Side::BOTH
            .into_iter()
            .filter(|&side| self.winner.as_ref().is_none_or(|winner| winner == side_name(side)));
        let mates = sides.map(|side| (side, can_mate(&setup, position.as_ref(), side, self.nodes))).collect();
        Ok(Answered { fen: fen.to_owned(), verdict, position, mates })
    }

    fn text(&self, answered: &Answered) -> String {
        if self.json { self.json_line(answered) } else { self.readable(answered) }
    }

    fn json_line(&self, answered: &Answered) -> String {
        let reasons = answered.verdict.reasons.iter();
        let reasons: Vec<Value> =
            reasons.map(|reason| json!({"name": reason.name, "text": reason.text})).collect();
        let mut object = Map::new();
        object.insert("fen".into(), answered.fen.as_str().into());
        object.insert("legal".into(), answered.verdict.legal.name().into());
        object.insert("reasons".into(), reasons.into());
        for (side, can_mate) in &answered.mates {
            object.insert(format!("{}_can_mate", side_name(*side)), word(can_mate).into());
            if let (Some(_), CanMate::Yes(line), Some(position)) =
                (&self.winner, can_mate, &answered.position)
            {
                let mode = position.castles().mode();
                let line: Vec<String> = line.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
                object.insert("line".into(), line.into());
            }
        }
        if self.winner.is_none() {
            object.insert("dead".into(), dead(&answered.mates).into());
        }
        format!("{}\n", Value::Object(object))
    }

    fn error_text(&self, line: &str, number: usize, error: &str) -> String {
        if self.json {
            format!("{}\n", json!({"fen": line, "error": error, "line_number": number}))
        } else {
            format!("{line}\n  error  line {number}: {error}\n")
        }
    }

    fn readable(&self, answered: &Answered) -> String {
        let mut lines = vec![answered.fen.clone(), format!("  legal  {}", answered.verdict.legal.name())];
        lines.extend(answered.verdict.reasons.iter().map(|reason| format!("         {reason}")));
        for (side, can_mate) in &answered.mates {
            let text = match can_mate {
                CanMate::No(proof) => format!("cannot mate: {}", proof.reason().text()),
                CanMate::Yes(line) if line.is_empty() => "has mated".to_owned(),
                CanMate::Yes(line) => {
                    let moves = answered.position.as_ref().map(|position| moves(position, line));
                    format!("can mate: {}", moves.unwrap_or_default())
                }
                CanMate::Unknown(Effort { basis, nodes }) => {
                    format!("unknown ({}, {nodes} positions looked at)", basis.name())
                }
            };
            lines.push(format!("  {}  {text}", side_name(*side)));
        }
        if self.winner.is_none() {
            lines.push(format!("  dead   {}", dead(&answered.mates)));
        }
        lines.join("\n") + "\n"
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

fn word(can_mate: &CanMate) -> &'static str {
    match can_mate {
        CanMate::No(_) => "no",
        CanMate::Yes(_) => "yes",
        CanMate::Unknown(_) => "unknown",
    }
}

/// Dead: neither side can mate (Laws 5.2.2).
fn dead(mates: &[(Side, CanMate)]) -> &'static str {
    if mates.iter().any(|(_, can_mate)| matches!(can_mate, CanMate::Yes(_))) {
        "no"
    } else if mates.iter().all(|(_, can_mate)| matches!(can_mate, CanMate::No(_))) {
        "yes"
    } else {
        "unknown"
    }
}

/// The position to play from, if there is one, without the rights and the en passant field that it cannot have.
fn playable(setup: &Setup, mode: CastlingMode) -> Option<Chess> {
    setup
        .clone()
        .position::<Chess>(mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}

/// What can be said of a position that nobody can play from rests on its men alone.
fn can_mate(setup: &Setup, position: Option<&Chess>, side: Side, nodes: u32) -> CanMate {
    if let Some(position) = position {
        return mate::can_mate(position, side, nodes);
    }
    let color = Color::from_white(side == Side::White);
    let officers = setup.board.by_color(color) & !setup.board.kings();
    if officers.is_empty() {
        CanMate::No(Certificate::Material(Material::BareKing))
    } else {
        CanMate::Unknown(Effort { basis: Basis::MaterialSufficient, nodes: 0 })
    }
}

/// The moves as a score sheet has them.
fn moves(position: &Chess, line: &[Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for (index, &mv) in line.iter().enumerate() {
        let number = position.fullmoves();
        let mark = match position.turn() {
            Color::White => format!("{number}."),
            Color::Black if index == 0 => format!("{number}..."),
            Color::Black => String::new(),
        };
        words.push(format!("{mark}{}", SanPlus::from_move_and_play_unchecked(&mut position, mv)));
    }
    words.join(" ")
}
