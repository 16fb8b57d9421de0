//! Positions as text: `PLACEMENT TURN CASTLING EP HALFMOVES ROUND [LAYOUT]`.
//!
//! | field | as |
//! |---|---|
//! | placement | ranks from the top, `/` between them, only squares that exist; `rQ` is Red's queen, `kP` a pawn of Black, numbers are empty squares |
//! | turn | `r`, `w`, `b`, `k` |
//! | castling | `rKQwKQbKQkKQ`: K away from the queen's square, Q over it; `-` |
//! | en passant | squares that were crossed, from South on, `h3,c5`; `-` |
//! | half-moves | since the last pawn move or capture |
//! | round | from 1; goes up when it is Red's turn again |
//! | layout | seats clockwise from South and the colour of k1: `rkbw-dark`; left out if `rwbk-light` |

use shakmaty::Role;

use super::army::{Army, FourRules, Parity, Seat};
use super::geometry::{Geometry, backwards, forward};
use super::position::{EnPassant, FourPosition, Wing};
use crate::sensor::Content;
use crate::square::Square;

/// Why a text is no position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FourTextError {
    /// Too many fields, or none.
    #[error(
        "a position has one to seven fields (men, turn, castling, en passant, half-moves, round, layout); this has {0}"
    )]
    Fields(usize),
    /// A rank too many or too few.
    #[error("the board has {expected} ranks; this has {found}")]
    Ranks {
        /// How many there are.
        expected: u8,
        /// How many the text has.
        found: usize,
    },
    /// A rank that is not as long as the board's.
    #[error("rank {rank} \"{text}\" has {found} squares, not {expected}")]
    Rank {
        /// Its number.
        rank: u8,
        /// As it is written.
        text: String,
        /// How many squares it has there.
        found: usize,
        /// How many squares there are.
        expected: u8,
    },
    /// Something in a rank that is no man.
    #[error(
        "rank {rank} \"{text}\": \"{found}\" is no man; men are an army (r, w, b, k) and one of PNBRQK, empty squares are numbers"
    )]
    Man {
        /// Its number.
        rank: u8,
        /// As it is written.
        text: String,
        /// What is there.
        found: String,
    },
    /// Other seats or colours than those of the game.
    #[error("layout \"{text}\" is not that of the game, {game}; write that one, or none")]
    Layout {
        /// What is there.
        text: String,
        /// What it has to be.
        game: String,
    },
    /// A field after the men that says nothing.
    #[error("{field} \"{text}\" is not {expected}")]
    Field {
        /// What the field is.
        field: &'static str,
        /// What is there.
        text: String,
        /// What could be there.
        expected: &'static str,
    },
}

/// `rQ`; empty for what is no man.
#[must_use]
pub fn man(content: Content) -> String {
    let letters = Army::of(content).zip(content.role());
    letters.map_or_else(String::new, |(army, role)| format!("{}{}", army.letter(), role.upper_char()))
}

/// The man of two letters such as `rQ`.
#[must_use]
pub fn read_man(text: &str) -> Option<Content> {
    let mut letters = text.chars();
    let army = Army::ALL.into_iter().find(|army| letters.as_str().starts_with(army.letter()))?;
    letters.next();
    let role = letters.next().filter(char::is_ascii_uppercase).and_then(Role::from_char)?;
    letters.next().is_none().then(|| army.man(role))
}

/// The men of a board, as the first field has them. What a sensor cannot name is written as empty.
#[must_use]
pub fn placement(geometry: &Geometry, contents: &[Content]) -> String {
    let row = |rank: u8| {
        let (files, first) = geometry.rank(rank);
        let (mut text, mut empty) = (String::new(), 0_u8);
        for square in first..first + (files.end - files.start) {
            let man = man(contents.get(usize::from(square)).copied().unwrap_or_default());
            if man.is_empty() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text += &man;
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    };
    (0..geometry.side()).rev().map(row).collect::<Vec<_>>().join("/")
}

/// Reads what [`placement`] writes.
///
/// # Errors
/// [`FourTextError`] with the rank that is wrong.
pub fn read_placement(geometry: &Geometry, text: &str) -> Result<Vec<Content>, FourTextError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != usize::from(geometry.side()) {
        return Err(FourTextError::Ranks { expected: geometry.side(), found: rows.len() });
    }
    let mut contents = vec![Content::EMPTY; geometry.squares()];
    for (rank, row) in (0..geometry.side()).rev().zip(rows) {
        let (files, first) = geometry.rank(rank);
        let expected = files.end - files.start;
        let wrong = |found| FourTextError::Rank { rank: rank + 1, text: row.to_owned(), found, expected };
        let men = read_row(row).map_err(|found| FourTextError::Man {
            rank: rank + 1,
            text: row.to_owned(),
            found,
        })?;
        if men.len() != usize::from(expected) {
            return Err(wrong(men.len()));
        }
        let first = usize::from(first);
        contents[first..first + men.len()].copy_from_slice(&men);
    }
    Ok(contents)
}

/// Longer than any rank: more squares than this need not be counted.
const ROW_MAX: usize = 99;

fn read_row(row: &str) -> Result<Vec<Content>, String> {
    let mut men = Vec::new();
    let mut rest = row;
    while let Some(letter) = rest.chars().next() {
        if letter.is_ascii_digit() {
            let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
            let (number, after) = rest.split_at(digits);
            let empty = number.parse::<usize>().ok().filter(|_| !number.starts_with('0'));
            let empty = empty.filter(|&empty| empty <= ROW_MAX).ok_or_else(|| number.to_owned())?;
            men.resize(men.len() + empty, Content::EMPTY);
            rest = after;
        } else {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
            let (man, after) = rest.split_at(end);
            men.push(read_man(man).ok_or_else(|| man.to_owned())?);
            rest = after;
        }
    }
    Ok(men)
}

impl FourPosition {
    pub(super) fn castling_text(&self) -> String {
        let mut text = String::new();
        for army in Army::ALL {
            let seat = self.rules.seat_of(army);
            let rights = Wing::BOTH.map(|wing| self.may_castle(seat, wing));
            if rights != [false; 2] {
                text.push(army.letter());
                text.extend(
                    rights.into_iter().zip("KQ".chars()).filter(|right| right.0).map(|right| right.1),
                );
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }

    pub(super) fn en_passant_text(&self) -> String {
        let rights = self.en_passant.iter().flatten();
        let names: Vec<String> = rights.map(|right| self.square_name(right.crossed)).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(",") }
    }

    /// Reads a position of any kind; fields that are missing at its end are `r - - 0 1 rwbk-light`.
    /// What the text does not tell (the window of en passant, the partner's protection, the depth of
    /// the arms) is as in `rules`. Rights without the men that they need are dropped.
    ///
    /// # Errors
    /// [`FourTextError`] with the field that is wrong.
    pub fn read(text: &str, rules: FourRules) -> Result<Self, FourTextError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let rules = read_layout(fields.get(6).copied().unwrap_or("rwbk-light"), rules)?;
        Self::read_fields(&fields, rules)
    }

    /// Reads a position of a game whose players sit already: the layout is that of `rules`, written or not (R-3).
    ///
    /// # Errors
    /// [`FourTextError`] with the field that is wrong, the layout if it is another one.
    pub fn read_in_game(text: &str, rules: FourRules) -> Result<Self, FourTextError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let game = layout(rules);
        if let Some(&text) = fields.get(6).filter(|&&text| text != game) {
            read_layout(text, rules)?;
            return Err(FourTextError::Layout { text: text.to_owned(), game });
        }
        Self::read_fields(&fields, rules)
    }

    /// All fields but the layout.
    fn read_fields(fields: &[&str], rules: FourRules) -> Result<Self, FourTextError> {
        if !(1..=7).contains(&fields.len()) {
            return Err(FourTextError::Fields(fields.len()));
        }
        let field = |index: usize, usual: &'static str| fields.get(index).copied().unwrap_or(usual);
        let mut position = Self::empty(rules);
        for (square, man) in Square::all().zip(read_placement(position.geometry, field(0, ""))?) {
            position.put(square, man);
        }
        let turn = field(1, "r");
        let army = Army::ALL.into_iter().find(|army| turn.chars().eq([army.letter()]));
        position.turn = rules.seat_of(army.ok_or_else(|| wrong("turn", turn, "r, w, b or k"))?);
        position.read_castling(field(2, "-"))?;
        position.read_en_passant(field(3, "-"))?;
        position.halfmoves = read_number("half-moves", field(4, "0"))?;
        position.round = read_number("round", field(5, "1"))?.max(1);
        position.drop_dead_rights();
        position.en_passant[position.turn.index()] = None;
        Ok(position)
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FourTextError> {
        let error = || wrong("castling", text, "- or letters like rKQwKbQkKQ");
        let mut army = None;
        for letter in text.chars().filter(|_| text != "-") {
            let wing = match (letter, army) {
                ('K', Some(army)) => (army, Wing::Short),
                ('Q', Some(army)) => (army, Wing::Long),
                _ => {
                    army =
                        Some(Army::ALL.into_iter().find(|army| army.letter() == letter).ok_or_else(error)?);
                    continue;
                }
            };
            self.castling[self.rules.seat_of(wing.0).index()][wing.1 as usize] = true;
        }
        if text.ends_with(|letter: char| letter.is_ascii_lowercase()) { Err(error()) } else { Ok(()) }
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FourTextError> {
        for name in text.split(',').filter(|_| text != "-") {
            let right = self.geometry.square(name).and_then(|crossed| self.right_of(crossed));
            let (seat, right) =
                right.ok_or_else(|| wrong("en passant", text, "- or crossed squares like h3,c5"))?;
            self.en_passant[seat.index()] = Some(right);
        }
        Ok(())
    }

    /// Whose pawn crosses that square in a double step.
    pub(super) fn right_of(&self, crossed: Square) -> Option<(Seat, EnPassant)> {
        Seat::ALL.into_iter().find_map(|seat| {
            let ahead = forward(seat);
            let from = self.geometry.step(crossed, backwards(ahead));
            let pawn = self.geometry.step(crossed, ahead);
            self.geometry.pawn_row(seat).contains(from).then_some((seat, EnPassant { crossed, pawn }))
        })
    }
}

fn wrong(field: &'static str, text: &str, expected: &'static str) -> FourTextError {
    FourTextError::Field { field, text: text.to_owned(), expected }
}

fn read_number(field: &'static str, text: &str) -> Result<u32, FourTextError> {
    let number = text.parse().ok().filter(|_| text.starts_with(|first: char| first.is_ascii_digit()));
    number.ok_or_else(|| wrong(field, text, "a number below 4294967296"))
}

/// `rwbk-light`.
pub(super) fn layout(rules: FourRules) -> String {
    let seats: String = Seat::ALL.into_iter().map(|seat| rules.army_at(seat).letter()).collect();
    format!("{seats}-{}", if rules.parity == Parity::Light { "light" } else { "dark" })
}

fn read_layout(text: &str, like: FourRules) -> Result<FourRules, FourTextError> {
    FourPosition::layouts(like)
        .find(|&rules| layout(rules) == text)
        .ok_or_else(|| wrong("layout", text, "rwbk or rkbw with -light or -dark, like rwbk-light"))
}
