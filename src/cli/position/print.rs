//! Answers as lines for people and as JSON.

use serde_json::{Map, Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Board, CastlingMode, Chess, Color, File, Move, Position as _, Rank, Square};

use super::answer::{Answered, name};
use super::proof;
use adoube_rules::mate::{CanMate, Effort};
use adoube_rules::sensor::Side;

/// How much is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Only one side was asked for.
    pub(super) is_one_side: bool,
    /// Proofs with all that somebody needs to check them.
    pub(super) has_proofs: bool,
}

/// An object. What is said of one side has its name before it, unless it is the only one.
pub(super) fn json(answered: &Answered, manner: Manner) -> Map<String, Value> {
    let reasons = answered.verdict.reasons.iter();
    let reasons: Vec<Value> =
        reasons.map(|reason| json!({"name": reason.name, "text": reason.text})).collect();
    let mut object = Map::new();
    object.insert("fen".into(), answered.fen.as_str().into());
    object.insert("legal".into(), answered.verdict.legal.name().into());
    object.insert("reasons".into(), reasons.into());
    for (side, answer) in &answered.mates {
        object.insert(format!("{}_can_mate", name(*side)), word(answer).into());
    }
    if !manner.is_one_side {
        object.insert("dead".into(), answered.dead().into());
    }
    for (side, answer) in &answered.mates {
        let prefix = if manner.is_one_side { String::new() } else { format!("{}_", name(*side)) };
        for (key, value) in grounds(answered.position.as_ref(), answer, manner.has_proofs) {
            object.insert(format!("{prefix}{key}"), value);
        }
    }
    object
}

/// What an answer rests on.
fn grounds(position: Option<&Chess>, answer: &CanMate, has_proofs: bool) -> Vec<(&'static str, Value)> {
    match answer {
        CanMate::Yes(line) => {
            let mode = position.map_or(CastlingMode::Standard, |position| position.castles().mode());
            let line: Vec<String> = line.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
            vec![("line", line.into())]
        }
        CanMate::No(certificate) => vec![
            ("reason", certificate.reason().text().into()),
            ("proof", proof::json(certificate, has_proofs)),
        ],
        CanMate::Unknown(Effort { basis, nodes }) => {
            vec![("basis", basis.name().into()), ("nodes", (*nodes).into())]
        }
    }
}

/// The same in lines for people.
pub(super) fn readable(answered: &Answered, manner: Manner) -> Vec<String> {
    let mut lines = vec![answered.fen.clone(), format!("  legal  {}", answered.verdict.legal.name())];
    lines.extend(answered.verdict.reasons.iter().map(|reason| format!("         {reason}")));
    for (side, answer) in &answered.mates {
        lines.push(format!("  {}  {}", name(*side), sentence(answered.position.as_ref(), answer)));
        if let CanMate::No(certificate) = answer
            && manner.has_proofs
        {
            lines.extend(proof::lines(certificate).into_iter().map(|line| format!("         {line}")));
        }
    }
    if !manner.is_one_side {
        lines.push(format!("  dead   {}", answered.dead()));
    }
    lines
}

fn word(answer: &CanMate) -> &'static str {
    match answer {
        CanMate::No(_) => "no",
        CanMate::Yes(_) => "yes",
        CanMate::Unknown(_) => "unknown",
    }
}

fn sentence(position: Option<&Chess>, answer: &CanMate) -> String {
    match answer {
        CanMate::No(certificate) => format!("cannot mate: {}", certificate.reason().text()),
        CanMate::Yes(line) if line.is_empty() => "has mated".to_owned(),
        CanMate::Yes(line) => {
            let moves = position.map(|position| score(position, line)).unwrap_or_default();
            let plies = if line.len() == 1 { "ply" } else { "plies" };
            format!("can mate ({} {plies}): {moves}", line.len())
        }
        CanMate::Unknown(Effort { basis, nodes: 0 }) => format!("unknown ({})", basis.name()),
        CanMate::Unknown(Effort { basis, nodes }) => {
            format!("unknown ({}, {nodes} positions looked at)", basis.name())
        }
    }
}

/// The moves as a score sheet has them.
fn score(position: &Chess, line: &[Move]) -> String {
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

/// The position and, beside it, the mate of each side that can mate: for who would rather look.
pub(super) fn boards(answered: &Answered) -> String {
    let mut boards = vec![("now", answered.setup.board.clone())];
    for (side, answer) in &answered.mates {
        if let (CanMate::Yes(line), Some(position)) = (answer, &answered.position)
            && !line.is_empty()
        {
            let mut position = position.clone();
            line.iter().for_each(|&mv| position.play_unchecked(mv));
            boards.push((
                if *side == Side::White { "White mates" } else { "Black mates" },
                position.board().clone(),
            ));
        }
    }
    let row = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:18}")).collect();
        format!("  {}\n", cells.join("    ").trim_end())
    };
    let mut text = row(boards.iter().map(|(title, _)| format!("  {title}")).collect());
    for rank in Rank::ALL.into_iter().rev() {
        text += &row(boards.iter().map(|(_, board)| rank_of(board, rank)).collect());
    }
    text + &row(vec!["  a b c d e f g h".to_owned(); boards.len()])
}

fn rank_of(board: &Board, rank: Rank) -> String {
    let man = |file: File| board.piece_at(Square::from_coords(file, rank)).map_or('.', |piece| piece.char());
    let men: String = File::ALL.into_iter().flat_map(|file| [' ', man(file)]).collect();
    format!("{}{men}", rank.char())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mate_stands_beside_the_position() {
        let fen = "k1K5/8/8/8/8/8/8/1Q6 w - - 0 60";
        let answered = Answered::new(fen, CastlingMode::Standard, &Side::BOTH, 2_000).unwrap();
        insta::assert_snapshot!(boards(&answered), @r"
          now                   White mates
        8 k . K . . . . .     8 k . K . . . . .
        7 . . . . . . . .     7 . . . . . . . .
        6 . . . . . . . .     6 . . . . . . . .
        5 . . . . . . . .     5 . . . . . . . .
        4 . . . . . . . .     4 . . . . . . . .
        3 . . . . . . . .     3 . . . . . . . .
        2 . . . . . . . .     2 . . . . . . . .
        1 . Q . . . . . .     1 Q . . . . . . .
          a b c d e f g h       a b c d e f g h
        ");
    }
}
