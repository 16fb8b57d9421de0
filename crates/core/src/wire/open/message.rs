//! What a board says, line by line.

use serde::{Deserialize, Serialize};

use super::shape::{Shape, content, content_text};
use adoube_rules::sensor::{ClockReading, Content, Side};
use adoube_rules::square::Square;

/// The version of the protocol that this is.
pub const VERSION: u32 = 1;

/// The word before the version in the first line of a board.
const NAME: &str = "open/";
/// The longest name, serial number and firmware that are taken over: labels, not texts.
const LABEL_MAX: usize = 32;
/// The longest time of a clock, milliseconds: 99:59:59.
const TIME_MAX_MS: u64 = 359_999_000;

/// Who a board is and what it can do: its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// What its builder calls it.
    pub name: Option<String>,
    /// The number that names it, if it has one.
    pub serial: Option<String>,
    /// Its firmware, as its builder counts it.
    pub firmware: Option<String>,
    /// Which squares it has.
    pub shape: Shape,
    /// It tells the men apart.
    pub names_men: bool,
    /// What else it can do.
    pub can: Abilities,
}

/// What a board can do beside feeling its squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Abilities(u8);

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Ability {
    /// It feels fingers on men that stay where they are.
    Touch = 1,
    /// It has a clock.
    Clock = 2,
    /// It can light squares.
    Lamps = 4,
    /// It can show a short text.
    Display = 8,
    /// It can make a sound.
    Beep = 16,
    /// Its lines have checksums, and it wants them on those of the host.
    Checksum = 32,
}

impl Ability {
    const ALL: [(&'static str, Self); 6] = [
        ("touch", Self::Touch),
        ("clock", Self::Clock),
        ("lamps", Self::Lamps),
        ("display", Self::Display),
        ("beep", Self::Beep),
        ("checksum", Self::Checksum),
    ];
}

impl Abilities {
    /// These.
    #[must_use]
    pub fn of(abilities: &[Ability]) -> Self {
        Self(abilities.iter().fold(0, |all, &one| all | one as u8))
    }

    /// Is that one of them?
    #[must_use]
    pub fn has(self, ability: Ability) -> bool {
        self.0 & ability as u8 != 0
    }

    /// Abilities of later versions are left out.
    fn read(text: &str) -> Self {
        let known = |word| Ability::ALL.iter().find(|(name, _)| *name == word);
        Self(text.split(',').filter_map(known).fold(0, |all, &(_, one)| all | one as u8))
    }

    fn text(self) -> String {
        let names = Ability::ALL.iter().filter(|(_, one)| self.has(*one)).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(",")
    }
}

impl Hello {
    /// Reads what follows the version; keys of later versions are passed over.
    fn read(words: &[&str]) -> Option<Self> {
        let value = |key: &str| {
            let pairs = words.iter().filter_map(|word| word.split_once('='));
            pairs.filter(|(name, _)| *name == key).map(|(_, value)| value).next_back()
        };
        let label =
            |key| value(key).filter(|text| !text.is_empty() && text.len() <= LABEL_MAX).map(str::to_owned);
        Some(Self {
            name: label("name"),
            serial: label("serial"),
            firmware: label("firmware"),
            shape: Shape::of(value("squares")?.parse().ok()?)?,
            names_men: match value("sensing")? {
                "occupancy" => false,
                "identity" => true,
                _ => return None,
            },
            can: value("can").map(Abilities::read).unwrap_or_default(),
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{NAME}{VERSION}");
        let mut add = |key: &str, value: &str| text.extend([" ", key, "=", value]);
        for (key, label) in [("name", &self.name), ("serial", &self.serial), ("firmware", &self.firmware)] {
            if let Some(label) = label {
                add(key, label);
            }
        }
        add("squares", &self.shape.squares().to_string());
        add("sensing", if self.names_men { "identity" } else { "occupancy" });
        if self.can != Abilities::default() {
            add("can", &self.can.text());
        }
        text
    }

    /// Can the board say that of a square?
    fn knows(&self, content: Content) -> bool {
        content.is_empty() || (content == Content::OCCUPIED) != self.names_men
    }
}

/// A line of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Who it is.
    Hello(Hello),
    /// It speaks this version of the protocol, of which nothing is known.
    Newer(u32),
    /// The whole position, by square number.
    Board(Vec<Content>),
    /// One square changed.
    Square {
        /// Which.
        square: Square,
        /// What is there now.
        content: Content,
    },
    /// A finger touched the man on this square, who stays.
    Touch(Square),
    /// What the clock shows, or that none is connected.
    Clock(Option<ClockReading>),
    /// Nothing has changed.
    Alive,
    /// A text for whoever reads the log.
    Note,
    /// A line that this version does not know.
    Unknown,
}

impl Message {
    /// Reads a line; what it means depends on how the board introduced itself. `None`: a line that this
    /// version knows and that is wrong.
    #[must_use]
    pub fn read(text: &str, hello: Option<&Hello>) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let (first, rest) = words.split_first()?;
        if let Some(version) = first.strip_prefix(NAME) {
            return match version.parse().ok()? {
                VERSION => Hello::read(rest).map(Self::Hello),
                0 => None,
                newer => Some(Self::Newer(newer)),
            };
        }
        match (*first, rest) {
            ("alive", []) => Some(Self::Alive),
            ("note", _) => Some(Self::Note),
            ("clock", ["none"]) => Some(Self::Clock(None)),
            ("clock", _) => clock(rest).map(|reading| Self::Clock(Some(reading))),
            ("board" | "square" | "touch", _) => Self::read_squares(first, rest, hello?),
            ("alive", _) => None,
            _ => Some(Self::Unknown),
        }
    }

    fn read_squares(first: &str, rest: &[&str], hello: &Hello) -> Option<Self> {
        match (first, rest) {
            ("board", [rows]) => {
                let contents = hello.shape.read(rows)?;
                contents.iter().all(|&content| hello.knows(content)).then_some(Self::Board(contents))
            }
            ("square", [name, what]) => {
                let content = content(what).filter(|&content| hello.knows(content))?;
                Some(Self::Square { square: hello.shape.square(name)?, content })
            }
            ("touch", [name]) => hello.shape.square(name).map(Self::Touch),
            _ => None,
        }
    }

    /// Writes it as a board of that shape does.
    #[must_use]
    pub fn text(&self, shape: Shape) -> String {
        let name = |square: Square| shape.name(square).unwrap_or_default();
        match self {
            Self::Hello(hello) => hello.text(),
            Self::Newer(version) => format!("{NAME}{version}"),
            Self::Board(contents) => format!("board {}", shape.write(contents)),
            Self::Square { square, content } => {
                format!("square {} {}", name(*square), content_text(*content))
            }
            Self::Touch(square) => format!("touch {}", name(*square)),
            Self::Clock(None) => "clock none".to_owned(),
            Self::Clock(Some(reading)) => clock_text(reading),
            Self::Alive => "alive".to_owned(),
            Self::Note | Self::Unknown => "note".to_owned(),
        }
    }
}

fn side(name: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.name() == name)
}

/// Reads `white=MS black=MS runs=SIDE|none [lever=SIDE] [flags=SIDE,…] [moves=N,N]`.
fn clock(words: &[&str]) -> Option<ClockReading> {
    let mut left_ms = [None; 2];
    let (mut runs, mut lever, mut flags, mut counter) = (None, None, [false; 2], None);
    for word in words {
        let (key, value) = word.split_once('=')?;
        match key {
            "white" | "black" => {
                let ms = value.parse().ok().filter(|&ms: &u64| ms <= TIME_MAX_MS)?;
                left_ms[side(key)?.index()] = Some(ms);
            }
            "runs" if value == "none" => runs = Some(None),
            "runs" => runs = Some(Some(side(value)?)),
            "lever" => lever = Some(side(value)?),
            "flags" => {
                for fallen in value.split(',') {
                    flags[side(fallen)?.index()] = true;
                }
            }
            "moves" => {
                let (white, black) = value.split_once(',')?;
                counter = Some([white.parse().ok()?, black.parse().ok()?]);
            }
            // A key of a later version.
            _ => {}
        }
    }
    let running = runs?;
    Some(ClockReading {
        left_ms: [left_ms[0]?, left_ms[1]?],
        running,
        lever: lever.or(running),
        flags,
        counter,
        // A board does not know how it lies: white is the end at its rank 1.
        by_end: true,
    })
}

fn clock_text(reading: &ClockReading) -> String {
    let [white, black] = reading.left_ms;
    let runs = reading.running.map_or("none", Side::name);
    let mut words =
        vec!["clock".to_owned(), format!("white={white}"), format!("black={black}"), format!("runs={runs}")];
    words.extend(
        reading
            .lever
            .filter(|_| reading.lever != reading.running)
            .map(|side| format!("lever={}", side.name())),
    );
    let fallen = Side::BOTH.into_iter().filter(|side| reading.flags[side.index()]).map(Side::name);
    let fallen: Vec<&str> = fallen.collect();
    words.extend((!fallen.is_empty()).then(|| format!("flags={}", fallen.join(","))));
    words.extend(reading.counter.map(|[white, black]| format!("moves={white},{black}")));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(text: &str) -> Hello {
        match Message::read(text, None) {
            Some(Message::Hello(hello)) => hello,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_hello_is_read_and_what_later_versions_add_is_passed_over() {
        let text = "open/1 name=Kitchen serial=17 firmware=0.3 squares=64 sensing=occupancy can=lamps,beep";
        let known = hello(text);
        assert_eq!(Message::Hello(known.clone()).text(known.shape), text);
        assert_eq!(known.can, Abilities::of(&[Ability::Lamps, Ability::Beep]));
        let later =
            text.replace("can=", "colour=blue can=telepathy,").replace("name", "pet name") + " and more";
        assert_eq!(hello(&later), known);
        let four = hello("open/1  squares=160 sensing=identity");
        assert_eq!(
            (four.shape, four.names_men, four.name, four.can.has(Ability::Lamps)),
            (Shape::Cross, true, None, false)
        );
    }

    #[test]
    fn a_hello_without_what_is_needed_is_none() {
        for wrong in [
            "open/1",
            "open/1 squares=64",
            "open/1 sensing=identity",
            "open/1 squares=63 sensing=identity",
            "open/1 squares=64 sensing=magic",
            "open/0 squares=64 sensing=identity",
            "open/x squares=64 sensing=identity",
            "open/1 squares=99999999999 sensing=identity",
            "open/1squares=64 sensing=identity",
        ] {
            assert_eq!(Message::read(wrong, None), None, "{wrong}");
        }
        assert_eq!(Message::read("open/2 whatever", None), Some(Message::Newer(2)));
    }

    #[test]
    fn squares_mean_nothing_before_the_hello_and_nothing_that_the_board_cannot_sense() {
        let rows = "xxxxxxxx/xxxxxxxx/......../......../......../......../xxxxxxxx/xxxxxxxx";
        let occupancy = hello("open/1 squares=64 sensing=occupancy");
        let identity = hello("open/1 squares=64 sensing=identity");
        let read = |text: &str, hello| Message::read(text, hello);
        for text in [&format!("board {rows}"), "square e2 .", "touch e2"] {
            assert_eq!(read(text, None), None);
            assert!(read(text, Some(&occupancy)).is_some());
        }
        assert_eq!(read(&format!("board {rows}"), Some(&identity)), None);
        for (text, of_occupancy, of_identity) in [
            ("square e2 .", true, true),
            ("square e2 x", true, false),
            ("square e2 P", false, true),
            ("square e2 +k", false, true),
        ] {
            assert_eq!(read(text, Some(&occupancy)).is_some(), of_occupancy, "{text}");
            assert_eq!(read(text, Some(&identity)).is_some(), of_identity, "{text}");
        }
        for wrong in [
            "square",
            "square e2",
            "square e9 .",
            "square e2 . .",
            "square e2 ..",
            "touch",
            "touch i1",
            "board",
            "alive now",
        ] {
            assert_eq!(read(wrong, Some(&identity)), None, "{wrong}");
        }
        for unknown in ["", "hello open/1", "battery 80", "SQUARE e2 ."] {
            assert!(matches!(read(unknown, Some(&identity)), None | Some(Message::Unknown)), "{unknown}");
        }
    }

    #[test]
    fn a_clock_is_read() {
        let text = "clock white=300000 black=295400 runs=none lever=black flags=white moves=12,11";
        let Some(Message::Clock(Some(reading))) = Message::read(text, None) else { panic!("no clock") };
        assert_eq!(Message::Clock(Some(reading)).text(Shape::Square), text);
        assert_eq!(
            (reading.left_ms, reading.lever, reading.flags),
            ([300_000, 295_400], Some(Side::Black), [true, false])
        );
        let Some(Message::Clock(Some(running))) =
            Message::read("clock black=5 runs=black white=7 sound=off", None)
        else {
            panic!("no clock")
        };
        assert_eq!(
            (running.left_ms, running.running, running.lever),
            ([7, 5], Some(Side::Black), Some(Side::Black))
        );
        for wrong in [
            "clock",
            "clock white=1 black=2",
            "clock white=1 runs=none",
            "clock white=-1 black=2 runs=none",
            "clock none now",
            "clock white=1 black=2 runs=both",
            "clock white=1 black=2 runs=none moves=3",
            "clock white=359999001 black=2 runs=none",
        ] {
            assert_eq!(Message::read(wrong, None), None, "{wrong}");
        }
    }
}
