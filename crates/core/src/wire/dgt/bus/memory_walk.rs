//! What a board's memory of the game tells that was not read yet.

use crate::wire::dgt::eeprom::Record;
use crate::wire::dgt::square::SQUARES;
use adoube_rules::sensor::Content;

/// The records of a game from its start on that come after the last one at which the board looked as
/// `picture`; `None` if it never did, so that nobody can say where to go on.
pub(super) fn unread<'a>(memory: &'a [Record], picture: &[Content; SQUARES]) -> Option<&'a [Record]> {
    let start = memory.iter().rposition(|record| *record == Record::StartTag).map_or(0, |tag| tag + 1);
    let memory = &memory[start..];
    let mut board = [Content::EMPTY; SQUARES];
    let mut read = None;
    for (index, record) in memory.iter().enumerate() {
        if let Record::Square { square, content, .. } = *record {
            board[square.index()] = content;
        }
        if board == *picture {
            read = Some(index + 1);
        }
    }
    read.map(|read| &memory[read..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;
    use adoube_rules::square::Square;

    fn set(square: u8, content: Content) -> Record {
        Record::Square { square: Square::new(square), content, quick: false }
    }

    #[test]
    fn it_goes_on_where_the_board_looked_as_it_was_known() {
        let (rook, pawn) = (Content::man(Army::new(0), Role::Rook), Content::man(Army::new(0), Role::Pawn));
        let memory = [
            set(0, pawn),
            Record::StartTag,
            set(0, rook),
            set(8, pawn),
            set(8, Content::EMPTY),
            set(16, pawn),
            set(0, Content::EMPTY),
        ];
        let mut picture = [Content::EMPTY; SQUARES];
        assert_eq!(unread(&memory, &picture), None, "an empty board was never there");
        (picture[0], picture[8]) = (rook, pawn);
        assert_eq!(unread(&memory, &picture), Some(&memory[4..]));
        (picture[0], picture[8], picture[16]) = (Content::EMPTY, Content::EMPTY, pawn);
        assert_eq!(unread(&memory, &picture), Some(&[][..]), "all was read");
    }
}
