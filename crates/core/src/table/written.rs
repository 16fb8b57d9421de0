//! Moves as players and arbiters write them: for a claim, in an envelope, in a ruling.

use crate::event::finding::SealFault;
use adoube_rules::{Family, Position as _, Variant};

/// The legal move of `position` that `text` means: from-to notation, or algebraic with or without the
/// optional signs (C.9.1, C.13).
pub(super) fn read<V: Variant>(position: &V::Position, text: &str) -> Result<V::Move, SealFault> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let text = plain(text);
    let written = |mv: V::Move| {
        let played = position.played(mv);
        (played.uci(), plain(&played.bare_san()))
    };
    let is_exact = |&mv: &V::Move| {
        let (uci, san) = written(mv);
        uci == text || san == text
    };
    if let Some(&mv) = moves.iter().find(|mv| is_exact(mv)) {
        return Ok(mv);
    }
    if text.starts_with('O') || is_from_to(&text, V::FAMILY) {
        return Err(SealFault::Illegal);
    }
    // Elsewhere a move is always written from square to square.
    if V::FAMILY != Family::Chess {
        return Err(SealFault::Unclear);
    }
    let wanted = Written::parse(&text).ok_or(SealFault::Unclear)?;
    let mut fitting = moves.into_iter().filter(|&mv| {
        let (uci, san) = written(mv);
        !san.starts_with('O') && wanted.fits(&uci, &san)
    });
    match (fitting.next(), fitting.next()) {
        (Some(mv), None) => Ok(mv),
        (Some(_), Some(_)) => Err(SealFault::Ambiguous),
        (None, _) => Err(SealFault::Illegal),
    }
}

/// Without the signs that may be left out; castling with letters.
fn plain(text: &str) -> String {
    let text = text.trim().trim_end_matches("e.p.");
    let is_optional = |letter: char| "x:-=+#!? .".contains(letter);
    let text: String = text.chars().filter(|letter| !is_optional(*letter)).collect();
    match text.as_str() {
        "00" | "OO" => "OO".to_owned(),
        "000" | "OOO" => "OOO".to_owned(),
        _ => text,
    }
}

/// `e2e4`, `e7e8q`, `b13b11`.
fn is_from_to(text: &str, family: Family) -> bool {
    let is_square = |name: Option<&str>| name.is_some_and(|name| family.square(name).is_some());
    // A square has two letters or three, and a promotion one more behind both.
    let ends = [text.len(), text.len().saturating_sub(1)];
    ends.into_iter()
        .any(|end| (2..=3).any(|half| is_square(text.get(..half)) && is_square(text.get(half..end))))
}

/// Algebraic notation, taken apart.
struct Written {
    /// `None`: a pawn.
    man: Option<char>,
    /// File and rank that it says of the square of departure.
    from: String,
    to: String,
    promotion: Option<char>,
}

impl Written {
    fn parse(text: &str) -> Option<Self> {
        let man = text.chars().next().filter(|letter| "KQRBN".contains(*letter));
        let rest = if man.is_some() { &text[1..] } else { text };
        let promotion = rest.chars().last().filter(|letter| "QRBN".contains(*letter) && man.is_none());
        let rest = if promotion.is_some() { &rest[..rest.len() - 1] } else { rest };
        let letters: Vec<char> = rest.chars().collect();
        if letters.len() < 2 || !rest.is_ascii() {
            return None;
        }
        let (from, to) = rest.split_at(rest.len() - 2);
        let is_file = |letter: char| ('a'..='h').contains(&letter);
        let is_rank = |letter: char| ('1'..='8').contains(&letter);
        let (file, rank) = (letters[letters.len() - 2], letters[letters.len() - 1]);
        let is_origin = match from.chars().collect::<Vec<_>>().as_slice() {
            [] => true,
            [one] => is_file(*one) || is_rank(*one),
            [file, rank] => is_file(*file) && is_rank(*rank),
            _ => false,
        };
        (is_file(file) && is_rank(rank) && is_origin).then(|| Self {
            man,
            from: from.to_owned(),
            to: to.to_owned(),
            promotion,
        })
    }

    fn fits(&self, uci: &str, san: &str) -> bool {
        let man = san.chars().next().filter(|letter| "KQRBN".contains(*letter));
        let promotion = uci.chars().nth(4).map(|letter| letter.to_ascii_uppercase());
        man == self.man
            && uci.get(2..4) == Some(self.to.as_str())
            && self.from.chars().all(|letter| uci[..2].contains(letter))
            && promotion == self.promotion
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::{Chess, ChessPosition};

    fn read(fen: &str, text: &str) -> Result<String, SealFault> {
        let position = ChessPosition::from_fen(fen, false).unwrap();
        super::read::<Chess>(&position, text).map(|mv| position.played(mv).uci())
    }

    #[test]
    fn moves_are_read_as_people_write_them() {
        let rooks = "3r2k1/5ppp/8/8/8/3Q4/5PPP/4K2R w K - 0 41";
        assert_eq!(read(rooks, "Qxd8#"), Ok("d3d8".into()));
        assert_eq!(read(rooks, "Qd8"), Ok("d3d8".into()));
        assert_eq!(read(rooks, "Qd3-d8"), Ok("d3d8".into()));
        assert_eq!(read(rooks, "d3d8"), Ok("d3d8".into()));
        assert_eq!(read(rooks, "0-0"), Ok("e1g1".into()));
        assert_eq!(read(rooks, "Qd9"), Err(SealFault::Unclear));
        assert_eq!(read(rooks, "Queen takes"), Err(SealFault::Unclear));
        assert_eq!(read(rooks, "O-O-O"), Err(SealFault::Illegal));
        assert_eq!(read(rooks, "Nf3"), Err(SealFault::Illegal));
        assert_eq!(read("4k3/8/8/8/8/8/8/K3N1N1 w - - 0 1", "Nf3"), Err(SealFault::Ambiguous));
        assert_eq!(read("4k3/8/8/8/8/8/8/K3N1N1 w - - 0 1", "Ngf3"), Ok("g1f3".into()));
        assert_eq!(read("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8Q"), Ok("e7e8q".into()));
        assert_eq!(read("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8"), Err(SealFault::Illegal));
    }
}
