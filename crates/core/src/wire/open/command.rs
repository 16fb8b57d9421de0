//! What the host says, line by line.

use serde::{Deserialize, Serialize};

use super::message::VERSION;
use super::shape::Shape;
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;

/// The longest text for a display, characters.
pub const TEXT_MAX: usize = 8;

/// The most lamps in one line: with four characters each it stays well below the longest.
pub const LAMPS_MAX: usize = 64;

/// A line of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Say who you are, and then what stands on the board.
    Hello,
    /// Say what stands on the board.
    Board,
    /// Light these squares and no others.
    Lamps(Vec<Square>),
    /// Show this; nothing: show what you would show without a host.
    Text(String),
    /// Make a short sound.
    Beep,
    /// Somebody else's clock, for a display.
    Times {
        /// Milliseconds left, White's and Black's.
        left_ms: [u64; 2],
        /// Whose time runs.
        runs: Option<Side>,
    },
}

impl Command {
    /// Writes it for a board of that shape.
    #[must_use]
    pub fn text(&self, shape: Shape) -> String {
        match self {
            Self::Hello => format!("hello open/{VERSION}"),
            Self::Board => "board".to_owned(),
            Self::Lamps(squares) => {
                let names = squares.iter().take(LAMPS_MAX).filter_map(|&square| shape.name(square));
                std::iter::once("lamps".to_owned()).chain(names).collect::<Vec<_>>().join(" ")
            }
            Self::Text(text) if text.is_empty() => "text".to_owned(),
            Self::Text(text) => format!("text {text}"),
            Self::Beep => "beep".to_owned(),
            Self::Times { left_ms: [white, black], runs } => {
                format!("times white={white} black={black} runs={}", runs.map_or("none", Side::name))
            }
        }
    }

    /// Reads a line as a board of that shape does; `None`: one that it does not know.
    #[must_use]
    pub fn read(text: &str, shape: Shape) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let (first, rest) = words.split_first()?;
        match (*first, rest) {
            // Whatever version the host speaks: the board says which one it speaks itself.
            ("hello", [version, ..]) if version.starts_with("open/") => Some(Self::Hello),
            ("board", []) => Some(Self::Board),
            ("lamps", names) => {
                names.iter().map(|name| shape.square(name)).collect::<Option<_>>().map(Self::Lamps)
            }
            ("text", words) => Some(words.join(" ")).filter(|text| text.len() <= TEXT_MAX).map(Self::Text),
            ("beep", []) => Some(Self::Beep),
            ("times", [white, black, runs]) => {
                let ms = |word: &str, key| word.strip_prefix(key)?.parse().ok();
                let runs = match runs.strip_prefix("runs=")? {
                    "none" => None,
                    name => Some(Side::BOTH.into_iter().find(|side| side.name() == name)?),
                };
                Some(Self::Times { left_ms: [ms(white, "white=")?, ms(black, "black=")?], runs })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let times = Command::Times { left_ms: [300_000, 295_400], runs: Some(Side::Black) };
        for (command, text) in [
            (Command::Hello, "hello open/1"),
            (Command::Board, "board"),
            (Command::Lamps(vec![Square::new(12), Square::new(28)]), "lamps e2 e4"),
            (Command::Lamps(Vec::new()), "lamps"),
            (Command::Text("e7-e5".to_owned()), "text e7-e5"),
            (Command::Text(String::new()), "text"),
            (Command::Beep, "beep"),
            (times, "times white=300000 black=295400 runs=black"),
        ] {
            assert_eq!(command.text(Shape::Square), text);
            assert_eq!(Command::read(text, Shape::Square), Some(command));
        }
        assert_eq!(Command::Lamps(vec![Square::new(159)]).text(Shape::Cross), "lamps k14");
        assert!(
            Command::Lamps(Square::all().take(160).collect()).text(Shape::Cross).len()
                <= crate::wire::open::LINE_MAX
        );
        for unknown in ["", "hello", "hello you", "lamps e9", "text far too long", "times", "square e2 ."] {
            assert_eq!(Command::read(unknown, Shape::Square), None, "{unknown}");
        }
    }

    #[test]
    fn the_hello_disturbs_no_board_of_another_protocol() {
        // A DGT board takes upper-case letters and ` to c; a key or a lamp would wait for more bytes.
        let text = Command::Hello.text(Shape::Square);
        assert!(
            text.bytes().all(|byte| !(0x40..=0x60).contains(&byte) && byte != b'c' && byte != b'+'),
            "{text}"
        );
    }
}
