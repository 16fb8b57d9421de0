//! Moves of the four-player game as scenarios write them, and what hands do for them, whatever stands there.
//!
//! A move is two squares: nothing has to be found out, and the position need not be one that could be played
//! from. What is taken in passing, and where a rook goes, follows from the board alone.

use super::hands::{Hand, Move, Written, plain, words};
use adoube_rules::four::{Army, FourRules, Geometry, Seat, WingDepth, geometry::forward};
use adoube_rules::sensor::{self, Content, Role};
use adoube_rules::square::Square;
use adoube_rules::touch::{is_of_army, side_of};

/// A move from square to square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// A man goes from one square to another, and may become one of another kind there.
    Move {
        /// From here.
        from: Square,
        /// To there.
        to: Square,
        /// The kind of man that a pawn becomes.
        becomes: Option<Role>,
    },
    /// Castling: away from the queen's square (short), or over it.
    Castling {
        /// Short.
        is_short: bool,
    },
}

fn board() -> &'static Geometry {
    Geometry::of(WingDepth::Three)
}

/// Reads `1. R h2-h4 W b7-d7 B g13-g11`; numbers and letters may be left out.
pub(super) fn movetext(text: &str) -> Result<Vec<Written>, (usize, String)> {
    let mut moves = Vec::new();
    let mut army = None;
    for (at, word) in words(text) {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let is_number = digits > 0 && word[digits..].trim_matches('.').is_empty();
        let mut letters = word.chars();
        let letter = letters.next().filter(|_| letters.as_str().is_empty()).and_then(Army::from_letter);
        if let Some(letter) = letter {
            army = Some(letter.number());
        } else if !is_number {
            let coordinates = read(&plain(word)).ok_or_else(|| (at, word.to_owned()))?;
            moves.push(Written { at, army, mv: Move::Coordinates(coordinates), text: word.to_owned() });
            army = None;
        }
    }
    Ok(moves)
}

/// `h2-h4`, `b8xa9=Q`, `h2h4`, `b8a9q`, `O-O`.
fn read(text: &str) -> Option<Coordinates> {
    match text {
        "O-O" | "0-0" => return Some(Coordinates::Castling { is_short: true }),
        "O-O-O" | "0-0-0" => return Some(Coordinates::Castling { is_short: false }),
        _ => {}
    }
    let (from, rest) = square(text)?;
    let (to, rest) = square(rest.trim_start_matches(['-', 'x']))?;
    let kind = rest.trim_start_matches('=');
    let becomes = match kind.to_ascii_uppercase().as_str() {
        "" => None,
        kind => Some(role(kind)?),
    };
    Some(Coordinates::Move { from, to, becomes })
}

/// The kind of piece of that letter: `P N B R Q K`.
pub(super) fn role(letter: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| letter == role.upper_char().to_string())
}

/// The square at the beginning of `text`, and what follows it.
fn square(text: &str) -> Option<(Square, &str)> {
    let digits = text.get(1..)?.bytes().take_while(u8::is_ascii_digit).count();
    let (name, rest) = text.split_at_checked(1 + digits)?;
    Some((board().square(name)?, rest))
}

/// What the player of `army` does for it, in order: the victim goes first, the king castles first.
pub(super) fn act(
    contents: &[Content],
    army: sensor::Army,
    mv: &Coordinates,
) -> Result<Vec<Hand>, &'static str> {
    match *mv {
        Coordinates::Move { from, to, becomes } => {
            let man = contents[from];
            let Some((of, _)) = man.seat_role() else { return Err("cannot be played: nothing stands there") };
            let arrives = becomes.map_or(man, |role| Content::man(of, role));
            let victim = victim(contents, man, from, to);
            let lifts = victim.into_iter().chain([from]).map(Hand::Lift);
            Ok(lifts.chain([Hand::Place(to, arrives)]).collect())
        }
        Coordinates::Castling { is_short } => castle(contents, army, is_short),
    }
}

/// The square of the man that is captured; in passing it is not the square of arrival.
fn victim(contents: &[Content], man: Content, from: Square, to: Square) -> Option<Square> {
    if !contents[to].is_empty() {
        return Some(to);
    }
    let ((file, rank), (to_file, to_rank)) = (board().place(from), board().place(to));
    let is_capture = man.role() == Some(Role::Pawn) && file != to_file && rank != to_rank;
    let passed = |seat: Seat| {
        let square = board().step(to, forward(seat));
        let pawn = *contents.get(square.index())?;
        let is_enemy = side_of(pawn) != side_of(man);
        (is_enemy
            && pawn.role() == Some(Role::Pawn)
            && seats().any(|rules| rules.seat_of(Army::of(pawn).unwrap_or(Army::Red)) == seat))
        .then_some(square)
    };
    Seat::ALL.into_iter().filter(|_| is_capture).find_map(passed)
}

/// Either order of seats.
fn seats() -> impl Iterator<Item = FourRules> {
    [Army::White, Army::Black]
        .into_iter()
        .map(|seat_after_red| FourRules { seat_after_red, ..FourRules::default() })
}

/// King and rook on one home row, wherever that is.
fn castle(contents: &[Content], army: sensor::Army, is_short: bool) -> Result<Vec<Hand>, &'static str> {
    let is = |square: Square, role: Role| {
        let man = contents[square];
        is_of_army(man, army) && man.role() == Some(role)
    };
    let row = Seat::ALL.into_iter().map(|seat| board().home(seat)).find(|row| {
        // The king stands on one of the two middle squares of his own row.
        [3, 4].into_iter().any(|place| is(row[place], Role::King))
    });
    let row = row.ok_or("needs a king on his own square")?;
    let king: usize = if is(row[3], Role::King) { 3 } else { 4 };
    // Short is away from the queen: to the nearer end.
    let (rook, step) = match (king, is_short) {
        (3, true) | (4, false) => (0, -1_isize),
        _ => (7, 1),
    };
    if !is(row[rook], Role::Rook) {
        return Err("needs a rook on that side of the king");
    }
    let to = |steps: isize| row[king.saturating_add_signed(steps * step)];
    Ok(vec![
        Hand::Lift(row[king]),
        Hand::Place(to(2), Content::man(army, Role::King)),
        Hand::Lift(row[rook]),
        Hand::Place(to(1), Content::man(army, Role::Rook)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::Family;
    use adoube_rules::four::FourPosition;

    fn hands(men: &str, army: u8, text: &str) -> String {
        let mut contents = vec![Content::EMPTY; 160];
        for man in men.split_whitespace() {
            let (man, square) = man.split_at(2);
            contents[board().square(square).unwrap()] = Family::FourPlayer.man(man).unwrap();
        }
        written(&contents, army, text)
    }

    fn written(contents: &[Content], army: u8, text: &str) -> String {
        let moves = movetext(text).unwrap();
        let Move::Coordinates(mv) = &moves[0].mv else { panic!("{text}") };
        let family = Family::FourPlayer;
        let text = |hand: &Hand| match *hand {
            Hand::Lift(square) => format!("-{}", family.square_name(square)),
            Hand::Place(square, man) => {
                format!("+{}={}", family.square_name(square), family.man_name(man).unwrap())
            }
        };
        act(contents, sensor::Army::new(army), mv)
            .map_or_else(str::to_owned, |hands| hands.iter().map(text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn hands_do_what_is_written() {
        let start = FourPosition::start(FourRules::default());
        assert_eq!(written(start.contents(), 0, "1. R h2-h4"), "-h2 +h4=rP");
        assert_eq!(hands("rPb8 wRa9", 0, "b8xa9=Q"), "-a9 -b8 +a9=rQ");
        assert_eq!(hands("rPb8 wRa9", 0, "b8a9n"), "-a9 -b8 +a9=rN");
        // In passing: the crossed square says whose pawn goes.
        assert_eq!(hands("rPh4 wPg4", 1, "g4xh3"), "-h4 -g4 +h3=wP");
        assert_eq!(hands("rPh4 kPi2", 3, "i2-h3"), "-h4 -i2 +h3=kP");
        assert_eq!(hands("bPg11 wPf13", 1, "f13xg12"), "-g11 -f13 +g12=wP");
        assert_eq!(hands("wPg4", 1, "g4xh3"), "-g4 +h3=wP", "nothing was crossed");
    }

    #[test]
    fn castling_goes_by_the_home_row() {
        let row = "rRd1 rRk1 rKh1 wRa11 wRa4 wKa8 bRk14 bRd14 bKg14 kRn4 kRn11 kKn7";
        for (army, short, long) in [
            (0, "-h1 +j1=rK -k1 +i1=rR", "-h1 +f1=rK -d1 +g1=rR"),
            (1, "-a8 +a10=wK -a11 +a9=wR", "-a8 +a6=wK -a4 +a7=wR"),
            (2, "-g14 +e14=bK -d14 +f14=bR", "-g14 +i14=bK -k14 +h14=bR"),
            (3, "-n7 +n5=kK -n4 +n6=kR", "-n7 +n9=kK -n11 +n8=kR"),
        ] {
            assert_eq!(hands(row, army, "O-O"), short);
            assert_eq!(hands(row, army, "0-0-0"), long);
        }
        assert_eq!(hands("rKh1 rRd1", 0, "O-O"), "needs a rook on that side of the king");
    }

    #[test]
    fn letters_and_numbers_say_whose_move_it_is() {
        let moves = movetext("1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 2. d2-d4 2... b11-d11").unwrap();
        let armies: Vec<Option<usize>> = moves.iter().map(|written| Some(written.army?.index())).collect();
        assert_eq!(armies, [Some(0), Some(1), Some(2), Some(3), None, None]);
        assert_eq!(movetext("h2-h4 Nf3").unwrap_err(), (6, "Nf3".to_owned()));
        assert_eq!(movetext("a1-a2").unwrap_err(), (0, "a1-a2".to_owned()), "a corner");
    }
}
