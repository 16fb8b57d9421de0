//! Repetition, move counts and en passant as published games and positions have them.

use adoube_rules::draw::{self, History, Key};
use adoube_rules::{Chess, ChessPosition, Position as _};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

use crate::data;

fn rows(name: &str) -> Vec<Vec<String>> {
    let text = data::text(name).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn plies(text: &str) -> Vec<usize> {
    text.split(',').filter(|ply| *ply != "-").map(|ply| ply.parse().unwrap()).collect()
}

/// Every row of the table, from its start to its final position.
#[test]
fn repetitions_and_counts_are_those_of_the_table() {
    for name in ["repetition/repetition.tsv", "repetition/generated-repetition.tsv"] {
        let rows = rows(name);
        println!("{name}: {} rows", rows.len());
        for row in rows {
            let position = ChessPosition::from_fen(&row[1], false).unwrap();
            let mut history = History::<Chess>::new(&position);
            for uci in row[2].split(' ').filter(|uci| *uci != "-") {
                let last = history.position(history.ply()).unwrap();
                let mv = uci.parse::<UciMove>().unwrap().to_move(last.regular().unwrap()).unwrap();
                let next = last.play(mv);
                let intended = draw::claim_threefold_intended(&history, mv);
                history.push(&next);
                assert_eq!(intended.is_correct, history.threefold(history.ply()), "{row:?}");
            }
            let all = 0..=history.ply();
            let times =
                |count| all.clone().filter(|&ply| history.occurrences(ply) == count).collect::<Vec<_>>();
            // The table looks only at positions that a move led to.
            let first = |count| (1..=history.ply()).find(|&ply| history.halfmoves(ply) >= count);
            assert_eq!(times(draw::THREEFOLD), plies(&row[3]), "{row:?}");
            assert_eq!(times(draw::FIVEFOLD), plies(&row[4]), "{row:?}");
            let fifty = first(draw::FIFTY_MOVES_HALFMOVES);
            let seventy_five = first(draw::SEVENTY_FIVE_MOVES_HALFMOVES);
            assert_eq!(fifty, plies(&row[5]).first().copied(), "{row:?}");
            assert_eq!(seventy_five, plies(&row[6]).first().copied(), "{row:?}");
            assert_eq!(history.position(history.ply()).unwrap().fen(), row[7], "{row:?}");
        }
    }
}

/// A pawn that can be taken in passing makes another key, one that cannot be does not.
#[test]
fn en_passant_is_in_the_key_only_where_it_is_legal() {
    for name in ["ep/ep.tsv", "ep/generated-ep.tsv"] {
        let rows = rows(name);
        println!("{name}: {} rows", rows.len());
        for row in rows {
            let position = ChessPosition::from_fen(&format!("{} 0 1", row[0]), false).unwrap();
            let chess = position.regular().unwrap();
            let legal = (row[3] != "-").then(|| row[3].parse::<shakmaty::Square>().unwrap());
            assert_eq!(chess.ep_square(EnPassantMode::Legal), legal, "{row:?}");
            let captures = chess.en_passant_moves();
            let mut captures: Vec<String> =
                captures.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string()).collect();
            let mut expected: Vec<&str> = row[2].split(',').filter(|uci| *uci != "-").collect();
            captures.sort();
            expected.sort_unstable();
            assert_eq!(captures, expected, "{row:?}");
            let without: Vec<&str> = row[0].split(' ').take(3).collect();
            let without = ChessPosition::from_fen(&format!("{} - 0 1", without.join(" ")), false).unwrap();
            assert_eq!(
                Key::from(chess) == Key::from(without.regular().unwrap()),
                row[1] != "legal",
                "{row:?}"
            );
        }
    }
}
