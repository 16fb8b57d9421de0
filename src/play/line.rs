//! Two lists of moves, and what follows from their difference.

use shakmaty::uci::UciMove;

use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::{ChessPosition, Played, Position as _};

/// A text that is no move in its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is no legal move in {fen}")]
pub struct LineError {
    /// What was given.
    pub text: String,
    /// The position.
    pub fen: String,
}

/// A move of the agreed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// From-to notation as the board's events have it: `e1g1`, in Chess960 king takes rook.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
    /// The squares that change, the ones that are left first.
    pub squares: Vec<Square>,
    /// Whose it is.
    pub side: Side,
    /// FEN after it.
    pub fen: String,
}

/// The moves that are agreed, from a start position.
#[derive(Debug, Clone)]
pub struct Line {
    start: ChessPosition,
    position: ChessPosition,
    ours: Side,
    plies: Vec<Ply>,
    /// So many are agreed; one more may have been sent and not answered.
    agreed: usize,
    /// A ply of the board, from 1, that must not be sent (again).
    rejected: Option<(usize, String)>,
}

/// What has to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// We are to move.
    Ours,
    /// The opponent is to move.
    Theirs,
    /// Our move was sent and is not agreed yet.
    Sent(Ply),
    /// The board shows this move of ours: it is to be sent once it stands.
    Send {
        /// Its number.
        ply: usize,
        /// From-to notation.
        uci: String,
    },
    /// This move has to be made on the board: it is the opponent's, or one of ours that was sent.
    Make {
        /// Its number.
        ply: usize,
        /// The move.
        mv: Ply,
    },
    /// From this ply on, the board shows what is not agreed: it has to be taken back.
    TakeBack {
        /// The first ply that has to go.
        ply: usize,
        /// What was made.
        made: String,
        /// What has to be there instead, if anything.
        instead: Option<Ply>,
    },
}

impl Line {
    /// Nothing agreed yet.
    #[must_use]
    pub fn new(start: ChessPosition, ours: Side) -> Self {
        let position = start.clone();
        Self { start, position, ours, plies: Vec::new(), agreed: 0, rejected: None }
    }

    /// The side that we play.
    #[must_use]
    pub fn ours(&self) -> Side {
        self.ours
    }

    /// Whose turn it is, as far as is agreed or sent.
    #[must_use]
    pub fn turn(&self) -> Side {
        self.position.turn()
    }

    /// The agreed moves, and the one that was sent.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// FEN after the first `plies` agreed moves.
    #[must_use]
    pub fn fen_after(&self, plies: usize) -> String {
        match plies.checked_sub(1) {
            Some(last) => self.plies.get(last).map_or_else(|| self.position.fen(), |ply| ply.fen.clone()),
            None => self.start.fen(),
        }
    }

    /// Takes the opponent's list of all agreed moves. True if it is shorter than it was: something was taken
    /// back.
    ///
    /// # Errors
    /// [`LineError`] if one of them is none.
    pub fn agree(&mut self, moves: &[String], board: &[String]) -> Result<bool, LineError> {
        let mut line = Self::new(self.start.clone(), self.ours);
        for text in moves {
            line.push(text)?;
        }
        let is_shorter = line.plies.len() < self.agreed;
        if is_shorter {
            // What the board still shows of it is not sent again.
            let next = line.plies.len();
            self.rejected = board.get(next).map(|uci| (next + 1, uci.clone()));
        }
        // A list that was on its way while we sent a move does not have it yet.
        let is_late = self.plies.len() == self.agreed + 1
            && line.plies.len() == self.agreed
            && line.plies.iter().zip(&self.plies).all(|(one, other)| one.uci == other.uci);
        if !is_late {
            (self.plies, self.position) = (line.plies, line.position);
        }
        self.agreed = moves.len();
        Ok(is_shorter)
    }

    /// Notes that ply `ply` was sent; false if it cannot be.
    pub fn sent(&mut self, ply: usize, uci: &str) -> bool {
        ply == self.plies.len() + 1 && self.plies.len() == self.agreed && self.push(uci).is_ok()
    }

    /// Ply `ply` was sent and refused.
    pub fn refused(&mut self, ply: usize) {
        if ply == self.plies.len() && self.plies.len() > self.agreed {
            let Some(last) = self.plies.pop() else { return };
            self.rejected = Some((ply, last.uci));
            self.position = self.position_after(self.agreed);
        }
    }

    fn position_after(&self, plies: usize) -> ChessPosition {
        let mut line = Self::new(self.start.clone(), self.ours);
        for ply in &self.plies[..plies] {
            line.push(&ply.uci).expect("it was legal when it was pushed");
        }
        line.position
    }

    /// Adds a move that is legal.
    fn push(&mut self, text: &str) -> Result<(), LineError> {
        let error = || LineError { text: text.to_owned(), fen: self.position.fen() };
        let uci: UciMove = text.parse().map_err(|_| error())?;
        let chess = self.position.regular().ok_or_else(error)?;
        let mv = uci.to_move(chess).map_err(|_| error())?;
        let played = Played::Chess { before: self.position.clone(), mv };
        let mut squares: Vec<(bool, Square)> = self
            .position
            .footprint(mv)
            .changes()
            .iter()
            .map(|&(square, _, after)| (!after.is_empty(), square))
            .collect();
        squares.sort_unstable();
        let ply = Ply {
            uci: played.uci(),
            san: played.san(),
            squares: squares.into_iter().map(|(_, square)| square).collect(),
            side: played.side(),
            fen: played.fen(),
        };
        self.position = self.position.play(mv);
        self.plies.push(ply);
        Ok(())
    }

    /// What has to be done next, if the board shows these moves.
    pub fn step(&mut self, board: &[String]) -> Step {
        let common = self.plies.iter().zip(board).take_while(|(ply, made)| ply.uci == **made).count();
        // It was taken back: from now on it may be made again.
        if self.rejected.as_ref().is_some_and(|(ply, uci)| board.get(ply - 1) != Some(uci)) {
            self.rejected = None;
        }
        let is_sent = self.plies.len() > self.agreed;
        if let Some(made) = board.get(common) {
            let ply = common + 1;
            let instead = self.plies.get(common).cloned();
            let is_ours = instead.as_ref().map_or_else(|| self.turn(), |ply| ply.side) == self.ours;
            let is_rejected = self.rejected.as_ref().is_some_and(|(rejected, _)| *rejected == ply);
            let is_new = instead.is_none() && is_ours && !is_sent && !is_rejected;
            // A second move of ours made at once waits for the opponent's between them.
            return if is_new {
                Step::Send { ply, uci: made.clone() }
            } else if is_sent && instead.is_none() {
                Step::Sent(self.plies[self.agreed].clone())
            } else {
                Step::TakeBack { ply, made: made.clone(), instead }
            };
        }
        if let Some(mv) = self.plies.get(common) {
            return Step::Make { ply: common + 1, mv: mv.clone() };
        }
        match self.plies.last() {
            Some(last) if is_sent => Step::Sent(last.clone()),
            _ if self.turn() == self.ours => Step::Ours,
            _ => Step::Theirs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn line(ours: Side, agreed: &str) -> Line {
        let mut line = Line::new(ChessPosition::default(), ours);
        line.agree(&moves(agreed), &[]).unwrap();
        line
    }

    fn make(step: Step) -> (usize, String) {
        match step {
            Step::Make { ply, mv } => (ply, mv.uci),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_side_moves_in_turn() {
        let mut white = line(Side::White, "");
        assert_eq!(white.step(&[]), Step::Ours);
        assert_eq!(white.step(&moves("e2e4")), Step::Send { ply: 1, uci: "e2e4".to_owned() });
        assert!(white.sent(1, "e2e4"));
        assert!(matches!(white.step(&moves("e2e4")), Step::Sent(ply) if ply.san == "e4"));
        white.agree(&moves("e2e4"), &[]).unwrap();
        assert_eq!(white.step(&moves("e2e4")), Step::Theirs);
        white.agree(&moves("e2e4 e7e5"), &[]).unwrap();
        assert_eq!(make(white.step(&moves("e2e4"))), (2, "e7e5".to_owned()));
        assert_eq!(white.step(&moves("e2e4 e7e5")), Step::Ours);
    }

    #[test]
    fn another_move_for_the_opponent_goes_back_and_is_not_sent() {
        let mut line = line(Side::White, "e2e4 e7e5");
        let Step::TakeBack { ply: 2, made, instead: Some(instead) } = line.step(&moves("e2e4 e7e6")) else {
            panic!("no wrong move")
        };
        assert_eq!((made.as_str(), instead.uci.as_str()), ("e7e6", "e7e5"));
        // Before it is known what the opponent plays, nothing is right.
        let mut early = self::line(Side::White, "e2e4");
        assert!(matches!(early.step(&moves("e2e4 e7e6")), Step::TakeBack { ply: 2, instead: None, .. }));
    }

    #[test]
    fn what_was_sent_must_stand() {
        let mut line = line(Side::White, "");
        assert!(line.sent(1, "g1f3"));
        assert_eq!(make(line.step(&[])), (1, "g1f3".to_owned()));
        assert!(matches!(line.step(&moves("b1c3")), Step::TakeBack { ply: 1, instead: Some(_), .. }));
        // A list that does not know of it yet changes nothing.
        line.agree(&[], &[]).unwrap();
        assert_eq!(make(line.step(&[])), (1, "g1f3".to_owned()));
        assert!(!line.sent(1, "b1c3"), "one at a time");
    }

    #[test]
    fn what_was_refused_is_not_sent_again_until_it_was_taken_back() {
        let mut line = line(Side::White, "");
        assert!(line.sent(1, "g1f3"));
        line.refused(1);
        assert!(matches!(line.step(&moves("g1f3")), Step::TakeBack { ply: 1, instead: None, .. }));
        assert_eq!(line.step(&moves("b1c3")), Step::Send { ply: 1, uci: "b1c3".to_owned() });
        assert_eq!(line.step(&moves("g1f3")), Step::Send { ply: 1, uci: "g1f3".to_owned() });
    }

    #[test]
    fn a_move_taken_back_by_agreement_is_not_sent_again() {
        let board = moves("e2e4 e7e5 g1f3 b8c6");
        let mut line = line(Side::White, "e2e4 e7e5 g1f3 b8c6");
        assert!(line.agree(&moves("e2e4 e7e5"), &board).unwrap());
        assert!(matches!(line.step(&board), Step::TakeBack { ply: 3, .. }));
        assert!(matches!(line.step(&moves("e2e4 e7e5 g1f3")), Step::TakeBack { ply: 3, .. }));
        assert_eq!(line.step(&moves("e2e4 e7e5")), Step::Ours);
        assert!(matches!(line.step(&moves("e2e4 e7e5 g1f3")), Step::Send { ply: 3, .. }));
    }

    #[test]
    fn castling_is_understood_either_way() {
        let opening = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        for castling in ["e1g1", "e1h1"] {
            let mut line = line(Side::Black, &format!("{opening} {castling}"));
            assert_eq!(make(line.step(&moves(opening))), (7, "e1g1".to_owned()));
        }
        let start = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1";
        let mut line = Line::new(ChessPosition::from_fen(start, true).unwrap(), Side::Black);
        line.agree(&moves("b2b4 b7b5 e1f1"), &[]).expect_err("the rook stands there, and no castling yet");
        line.agree(&moves("g2g4 g7g5 g1g2 g8g7 e1f1"), &[]).unwrap();
        assert_eq!(line.plies().last().map(|ply| ply.uci.as_str()), Some("e1f1"));
    }

    #[test]
    fn squares_that_are_left_come_first() {
        let line = line(Side::White, "e2e4");
        assert_eq!(line.plies()[0].squares, [12, 28].map(Square::new));
    }

    #[test]
    fn nonsense_is_named_with_its_position() {
        let mut line = line(Side::White, "e2e4");
        for text in ["e2e4", "", "0000", "castles", "e7e8q"] {
            let error =
                line.agree(&moves("e2e4").into_iter().chain([text.to_owned()]).collect::<Vec<_>>(), &[]);
            let error = error.unwrap_err().to_string();
            assert!(error.contains("no legal move in rnbqkbnr/pppppppp/8/8/4P3"), "{text}: {error}");
        }
        assert_eq!(line.plies().len(), 1, "nothing of it is taken");
    }
}
