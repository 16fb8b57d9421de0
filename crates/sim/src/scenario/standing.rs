//! A position with which a scenario begins.

use super::script;
use adoube_rules::four::{Army, FourPosition, FourRules};
use adoube_rules::sensor::{self, Content};
use adoube_rules::{Family, Position as _};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A position: its text with all fields, and its men.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// `None`: the start array, which needs no text.
    pub(super) fen: Option<String>,
    pub(super) men: Vec<Content>,
    /// The army to move.
    pub(super) turn: sensor::Army,
    /// The number of the move, or of the round.
    pub(super) number: u32,
    /// What each side has behind it, by [`sensor::Side::index`].
    pub(super) moves_before: [u32; 2],
    /// By which rules four play; `None`: the game is chess.
    rules: Option<FourRules>,
    /// The configuration says how they sit, or how the squares are coloured.
    is_layout_given: bool,
}

impl Standing {
    /// The start array of a game with these parameters.
    pub(super) fn usual(family: Family, config: &[(usize, String, String)]) -> Self {
        if family == Family::Chess {
            // The array is a placement that can be read.
            let men = script::men(START, family).unwrap_or_default();
            return Self {
                fen: None,
                men,
                turn: sensor::Army::default(),
                number: 1,
                moves_before: [0; 2],
                rules: None,
                is_layout_given: false,
            };
        }
        let is = |key: &str, value: &str| config.iter().any(|(_, known, set)| known == key && set == value);
        let mut rules = FourRules::default();
        if is("seat_after_red", "black") {
            rules.seat_after_red = Army::Black;
        }
        if is("board_parity", "dark") {
            rules.parity = adoube_rules::four::Parity::Dark;
        }
        let is_layout_given =
            config.iter().any(|(_, key, _)| ["seat_after_red", "board_parity"].contains(&key.as_str()));
        Self { fen: None, is_layout_given, ..Self::of(&FourPosition::start(rules)) }
    }

    fn of(position: &FourPosition) -> Self {
        Self {
            fen: Some(position.fen()),
            men: position.contents().to_vec(),
            turn: position.army(),
            number: position.round(),
            moves_before: position.moves_before(),
            rules: Some(position.rules()),
            is_layout_given: false,
        }
    }

    /// Reads a position of the same game; fields that are missing at its end are as usual.
    pub(super) fn read(&self, text: &str) -> Result<Self, String> {
        if let Some(rules) = self.rules {
            let read = if self.is_layout_given { FourPosition::read_in_game } else { FourPosition::read };
            return read(text, rules)
                .map(|position| Self::of(&position))
                .map_err(|error| format!("\"{text}\": {error}"));
        }
        let men = script::men(text, Family::Chess)?;
        let missing = ["", "w", "-", "-", "0", "1"];
        let mut fields: Vec<&str> = text.split_whitespace().collect();
        fields.extend(missing.iter().skip(fields.len()));
        let fault = |what: String| format!("\"{text}\": {what}");
        let turn = match fields[1] {
            "w" => 0,
            "b" => 1,
            other => return Err(fault(format!("\"{other}\" is no side to move; use w or b"))),
        };
        let number: u32 =
            fields[5].parse().map_err(|_| fault(format!("\"{}\" is no move number", fields[5])))?;
        if fields.len() > 6 {
            return Err(fault("a FEN has six fields".to_owned()));
        }
        let both = number.saturating_sub(1);
        let moves_before = [both + u32::from(turn), both];
        Ok(Self {
            fen: Some(fields.join(" ")),
            men,
            turn: sensor::Army::new(turn),
            number,
            moves_before,
            rules: None,
            is_layout_given: false,
        })
    }

    pub(super) fn fen(&self) -> String {
        match (&self.fen, self.rules) {
            (Some(fen), _) => fen.clone(),
            (None, Some(rules)) => FourPosition::start(rules).fen(),
            (None, None) => START.to_owned(),
        }
    }

    /// The army that moves after `army`.
    pub(super) fn next_army(&self, army: sensor::Army) -> sensor::Army {
        let Some(rules) = self.rules else { return army.side().other().into() };
        rules.army_at(rules.seat_of(Army::numbered(army)).next()).number()
    }
}
