//! The Universal Chess Interface, as far as a game needs it: lines to and from an engine.

use super::opponent::Times;

/// How long an engine may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// So many milliseconds a move.
    MoveTime(u64),
    /// So many plies deep.
    Depth(u32),
    /// Its clock: base and increment in milliseconds.
    Clock {
        /// What each side has at the beginning.
        base_ms: u64,
        /// What a move adds.
        increment_ms: u64,
    },
}

/// Something that an engine says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// Its name.
    Name(String),
    /// An option that it has.
    Option(String),
    /// It has said who it is.
    Ok,
    /// It has done what it was told before.
    Ready,
    /// What it thinks of its position, in hundredths of a pawn; a mate is far beyond any.
    Score(i32),
    /// What it plays; `None` if it has no move.
    BestMove(Option<String>),
}

/// A mate is worth more than all men.
const MATE: i32 = 100_000;

/// What a line means, if it is of interest.
pub(super) fn heard(line: &str) -> Option<Heard> {
    let mut words = line.split_whitespace();
    Some(match words.next()? {
        "id" if words.next() == Some("name") => Heard::Name(words.collect::<Vec<_>>().join(" ")),
        "option" if words.next() == Some("name") => {
            Heard::Option(words.take_while(|word| *word != "type").collect::<Vec<_>>().join(" "))
        }
        "uciok" => Heard::Ok,
        "readyok" => Heard::Ready,
        "info" => {
            let mut words = words.skip_while(|word| *word != "score").skip(1);
            match (words.next()?, words.next()?.parse::<i32>().ok()?) {
                ("cp", score) => Heard::Score(score.clamp(-MATE, MATE)),
                ("mate", moves) => Heard::Score(if moves > 0 { MATE } else { -MATE }),
                _ => return None,
            }
        }
        "bestmove" => {
            let mv = words.next().filter(|mv| !["(none)", "0000", "none", "NULL"].contains(mv));
            Heard::BestMove(mv.map(str::to_owned))
        }
        _ => return None,
    })
}

/// The line that sets up a position.
pub(super) fn position(start: Option<&str>, moves: &[String]) -> String {
    let start = start.map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
    let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
    format!("position {start}{moves}")
}

/// The line that has it think.
pub(super) fn go(limit: Limit, times: Option<Times>) -> String {
    match limit {
        Limit::MoveTime(ms) => format!("go movetime {ms}"),
        Limit::Depth(plies) => format!("go depth {plies}"),
        Limit::Clock { base_ms, increment_ms } => {
            let Times { white_ms, black_ms } =
                times.unwrap_or(Times { white_ms: base_ms, black_ms: base_ms });
            format!("go wtime {white_ms} btime {black_ms} winc {increment_ms} binc {increment_ms}")
        }
    }
}

/// The line that sets an option.
pub(super) fn option(name: &str, value: &str) -> String {
    if value.is_empty() {
        format!("setoption name {name}")
    } else {
        format!("setoption name {name} value {value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_engines_are_understood() {
        let lines = "id name Some Engine 1.0\nid author A\noption name Skill Level type spin default 20\nuciok\n\
                     info depth 5 seldepth 7 score cp -34 nodes 100 pv e7e5\ninfo score mate -2\ninfo string hello\n\
                     bestmove e7e8q ponder a2a1\nbestmove (none)\nbestmove 0000\nreadyok\nhello\n";
        let heard: Vec<Heard> = lines.lines().filter_map(heard).collect();
        assert_eq!(
            heard,
            [
                Heard::Name("Some Engine 1.0".to_owned()),
                Heard::Option("Skill Level".to_owned()),
                Heard::Ok,
                Heard::Score(-34),
                Heard::Score(-MATE),
                Heard::BestMove(Some("e7e8q".to_owned())),
                Heard::BestMove(None),
                Heard::BestMove(None),
                Heard::Ready,
            ]
        );
    }

    #[test]
    fn positions_and_limits_are_written() {
        let moves = ["e2e4".to_owned(), "e7e5".to_owned()];
        assert_eq!(position(None, &[]), "position startpos");
        assert_eq!(position(None, &moves), "position startpos moves e2e4 e7e5");
        assert_eq!(
            position(Some("8/8/8/8/8/8/8/8 w - - 0 1"), &moves[..1]),
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4"
        );
        let clock = Limit::Clock { base_ms: 600_000, increment_ms: 5_000 };
        let times = Times { white_ms: 1, black_ms: 2 };
        assert_eq!(go(clock, Some(times)), "go wtime 1 btime 2 winc 5000 binc 5000");
        assert_eq!(go(Limit::Depth(3), Some(times)), "go depth 3");
        assert_eq!(option("Clear Hash", ""), "setoption name Clear Hash");
    }
}
