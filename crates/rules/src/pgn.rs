//! Games of a PGN file: the main line of each, checked move by move.

pub mod lines;

use std::io;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{Move, Position as _};

use super::{ChessPosition, GameResult, four};

/// A game as a PGN file tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct PgnGame {
    /// Its place in the file, from 1.
    pub number: usize,
    /// Tags, in the order in which they stand.
    pub tags: Vec<(String, String)>,
    /// The position from which it starts.
    pub start: ChessPosition,
    /// The main line, as far as it is legal.
    pub moves: Vec<Move>,
    /// The result of the `Result` tag.
    pub result: Option<GameResult>,
    /// Why the moves end early, if they do.
    pub fault: Option<String>,
}

impl PgnGame {
    /// The value of a tag; `None` if it is absent or unknown (`?`).
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = self.tags.iter().find(|(tag, _)| tag == name)?.1.as_str();
        (!value.is_empty() && value != "?").then_some(value)
    }

    /// `Carlsen – Nakamura`, for messages.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} – {}", self.tag("White").unwrap_or("?"), self.tag("Black").unwrap_or("?"))
    }
}

/// Reads every game of `source`. A move that cannot be is a fault of its game; the others are read.
///
/// # Errors
/// What reading the source gave.
pub fn read_games(source: impl io::Read) -> io::Result<Vec<PgnGame>> {
    let mut reader = Reader::new(source);
    let mut collector = Collector;
    let mut games = Vec::new();
    while let Some(mut game) = reader.read_game(&mut collector)? {
        game.number = games.len() + 1;
        games.push(game);
    }
    Ok(games)
}

struct Collector;

struct Movetext {
    game: PgnGame,
    position: shakmaty::Chess,
}

impl Visitor for Collector {
    type Tags = Vec<(String, String)>;
    type Movetext = Movetext;
    type Output = PgnGame;

    fn begin_tags(&mut self) -> ControlFlow<PgnGame, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<PgnGame> {
        tags.push((String::from_utf8_lossy(name).into_owned(), value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<PgnGame, Movetext> {
        let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
        let is_chess960 = find("Variant").is_some_and(|variant| {
            let variant = variant.to_lowercase();
            variant.contains("960") || variant.contains("fischer")
        });
        let result = find("Result").and_then(|result| result.parse().ok());
        let start = match find("FEN") {
            _ if find("Variant").as_deref() == Some(four::record::VARIANT) => {
                Err("a game of four-player chess is no game of chess; say --variant four-player".to_owned())
            }
            None => Ok(ChessPosition::default()),
            Some(fen) => ChessPosition::start_from_fen(&fen, is_chess960)
                .map_err(|error| format!("FEN \"{fen}\": {error}")),
        };
        let (start, fault) = match start {
            Ok(start) => (start, None),
            Err(fault) => (ChessPosition::default(), Some(fault)),
        };
        let position = start.regular().cloned().unwrap_or_default();
        let game = PgnGame { number: 0, tags, start, moves: Vec::new(), result, fault };
        if game.fault.is_some() {
            return ControlFlow::Break(game);
        }
        ControlFlow::Continue(Movetext { game, position })
    }

    fn san(&mut self, movetext: &mut Movetext, san: SanPlus) -> ControlFlow<PgnGame> {
        match san.san.to_move(&movetext.position) {
            Ok(mv) => {
                movetext.position.play_unchecked(mv);
                movetext.game.moves.push(mv);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let ply = movetext.game.moves.len();
                let number = ply / 2 + 1;
                let dots = if ply.is_multiple_of(2) { "." } else { "..." };
                let mut game = movetext.game.clone();
                game.fault = Some(format!("{number}{dots}{san} cannot be played: {error}"));
                ControlFlow::Break(game)
            }
        }
    }

    fn begin_variation(&mut self, _: &mut Movetext) -> ControlFlow<PgnGame, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, movetext: Movetext) -> PgnGame {
        movetext.game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_illegal_move_is_a_fault_of_its_game_alone() {
        let pgn = "[White \"A\"]\n\n1. e4 e5 2. Ke3 d6 *\n\n[White \"B\"]\n[Result \"1-0\"]\n\n1. d4 (1. c4) d5 1-0\n";
        let games = read_games(pgn.as_bytes()).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].moves.len(), 2);
        assert!(games[0].fault.as_ref().unwrap().starts_with("2.Ke3 cannot be played"));
        assert_eq!((games[1].number, games[1].moves.len(), &games[1].fault), (2, 2, &None));
        assert_eq!(games[1].result, Some(GameResult::WhiteWins));
        assert_eq!(games[1].title(), "B – ?");
    }

    #[test]
    fn a_start_position_that_cannot_be_is_a_fault() {
        let games = read_games("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n".as_bytes()).unwrap();
        assert!(games[0].fault.as_ref().unwrap().contains("not a position to play from"));
    }
}
