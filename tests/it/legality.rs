//! Whether positions can have arisen: what is called illegal is, and much of it is found.

use adoube_rules::Position as _;
use adoube_rules::fen::read_setup;
use adoube_rules::legality::{Legal, Verdict, judge};
use rstest::rstest;
use shakmaty::{Board, CastlingMode, EnPassantMode, Position as _, Role, Setup};

use crate::data;
use crate::depth::sampled;
use crate::slots::computing;

fn verdict(fen: &str, mode: CastlingMode) -> Verdict {
    judge(&read_setup(fen).unwrap(), mode)
}

fn names(verdict: &Verdict) -> Vec<&'static str> {
    verdict.reasons.iter().map(|reason| reason.name).collect()
}

#[rstest]
#[case::no_king("8/8/8/8/8/8/8/4K3 w - -", "king-missing")]
#[case::two_kings("4k3/4k3/8/8/8/8/8/4K3 w - -", "kings-too-many")]
#[case::too_many_men("4k3/8/8/8/8/QQQQQQQQ/QQQQQQQQ/4K3 w - -", "men-too-many")]
#[case::nine_pawns("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", "pawns-too-many")]
#[case::pawn_on_the_first_rank("4k3/8/8/8/8/8/8/P3K3 w - -", "pawn-on-outer-rank")]
#[case::two_queens_all_pawns("3qkq2/8/8/8/8/PPPPPPPP/8/QQ2K3 w - -", "promotions-too-many")]
#[case::bishops_of_one_colour("4k3/8/8/8/8/8/PPPPPPPP/2B1KB1B w - - 0 20", "same-colour-bishops")]
#[case::kings_side_by_side("8/8/8/3kK3/8/8/8/8 w - -", "kings-adjacent")]
#[case::moved_into_check("4k3/8/8/8/8/8/4R3/4K3 w - -", "side-not-to-move-in-check")]
#[case::both_in_check("4k3/4R3/8/8/8/8/4r3/4K3 w - -", "both-in-check")]
#[case::three_checks("4k3/8/3N1N2/1B6/8/8/8/4RK2 b - -", "triple-check")]
#[case::two_knights_check("4k3/8/3N1N2/8/8/8/8/4K3 b - -", "impossible-check")]
#[case::check_through_a_double_step("8/3k4/8/2n1rpP1/1P6/1NB5/2QP4/R3K2R w KQ f6", "impossible-check")]
#[case::nothing_moved("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq -", "no-last-move")]
#[case::rook_not_at_home("4k3/8/8/8/8/8/8/R3K1R1 w KQ -", "castling-rights")]
#[case::no_double_step("8/7k/8/7p/8/8/8/K7 w - h6", "en-passant-square")]
#[case::cage("4k3/8/8/8/8/4P3/1K1PRP2/4b3 b - -", "man-shut-in")]
#[case::bishop_past_its_pawns("4k3/8/8/8/5B2/8/1P1PPPPP/4K3 w - -", "nothing")]
#[case::king_behind_pawns("8/8/8/8/8/P3P2P/1PPP1PP1/2k2K2 w - -", "man-shut-in")]
#[case::doubled_without_capture("rnbqkbnr/pppppppp/8/8/8/P7/P1PPPPPP/RNBQKBNR w KQkq -", "man-shut-in")]
#[case::tripled_by_one_capture("rnbqkbnr/ppppppp1/8/8/P7/P7/P2PPPPP/RNBQKBNR w KQkq -", "pawn-captures")]
#[case::passed_without_capture("rnbqkbnr/pppp1ppp/8/4P3/4p3/8/PPPP1PPP/RNBQKBNR w KQkq -", "man-shut-in")]
#[case::promoted_without_a_way(
    "rnbqkbnr/ppp2ppp/3p1p2/R7/4N3/8/PPPPQPPP/2B1KB1R w Kkq -",
    "promotions-blocked"
)]
fn impossible_positions_say_why(#[case] fen: &str, #[case] name: &str) {
    let verdict = verdict(fen, CastlingMode::Standard);
    if name == "nothing" {
        assert_eq!((verdict.legal, names(&verdict)), (Legal::Unknown, vec![]));
    } else {
        assert_eq!(verdict.legal, Legal::No);
        assert!(names(&verdict).contains(&name), "{:?}", verdict.reasons);
    }
}

#[rstest]
#[case("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", CastlingMode::Standard)]
#[case("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3", CastlingMode::Standard)]
#[case("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -", CastlingMode::Standard)]
#[case("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq -", CastlingMode::Chess960)]
fn a_short_game_is_found(#[case] fen: &str, #[case] mode: CastlingMode) {
    assert_eq!(verdict(fen, mode), Verdict { legal: Legal::Yes, reasons: Vec::new() });
}

/// Judges the lines of a table of verdicts: how many illegal positions are found, of how many.
fn found(name: &str, every: usize) -> Option<(usize, usize)> {
    let text = data::text(name)?;
    let (mut found, mut illegal) = (0, 0);
    for line in sampled(name, text.lines().filter(|line| !line.starts_with('#')), every) {
        let mut fields = line.split('\t');
        let (fen, truth) = (fields.next().unwrap(), fields.next().unwrap());
        let verdict = verdict(fen, CastlingMode::Standard);
        if truth == "legal" {
            assert_ne!(verdict.legal, Legal::No, "{fen} is legal, but {:?}", verdict.reasons);
        } else if truth.starts_with("illegal") {
            assert_ne!(verdict.legal, Legal::Yes, "{fen} is illegal");
            illegal += 1;
            found += usize::from(verdict.legal == Legal::No);
        }
    }
    println!("{name}: {found} of {illegal} illegal positions found");
    Some((found, illegal))
}

#[test]
fn random_positions_are_judged_as_they_were_by_others() {
    let _slot = computing();
    let Some((found, illegal)) = found("legality/tromp10k.tsv", 5) else { return };
    assert!(found * 100 >= illegal * 98, "{found} of {illegal}");
}

#[test]
fn composed_positions_are_judged_as_they_were_by_others() {
    let Some((found, illegal)) = found("legality/sherlock.tsv", 1) else { return };
    assert!(found >= 6, "{found} of {illegal}");
}

#[test]
fn whatever_a_library_refuses_is_illegal() {
    let _slot = computing();
    let Some(text) = data::text("legality/status-flags.tsv") else { return };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for line in sampled("legality/status-flags", lines, 4) {
        let fields: Vec<&str> = line.split('\t').collect();
        for (status, mode) in [(fields[1], CastlingMode::Standard), (fields[2], CastlingMode::Chess960)] {
            let legal = verdict(fields[0], mode).legal;
            assert!(status == "valid" || legal == Legal::No, "{} {status} {mode:?}: {legal:?}", fields[0]);
        }
    }
}

#[track_caller]
fn assert_not_refused(position: &shakmaty::Chess, mode: CastlingMode) {
    for field in [EnPassantMode::Legal, EnPassantMode::Always] {
        let setup = position.to_setup(field);
        let verdict = judge(&setup, mode);
        assert_ne!(verdict.legal, Legal::No, "{mode:?} {setup:?}: {:?}", verdict.reasons);
    }
}

#[test]
fn no_position_of_a_real_game_is_called_illegal() {
    let _slot = computing();
    for name in ["games/fide-world-cup-2025-livechess.pgn", "games/twic1599.pgn"] {
        let Some(games) = data::games(name) else { return };
        for game in sampled(name, games.iter().step_by(29), 3) {
            let mut position = game.start.clone();
            for (ply, &mv) in game.moves.iter().enumerate() {
                position = position.play(mv);
                if ply < 12 || ply % 7 == 0 {
                    assert_not_refused(position.regular().unwrap(), CastlingMode::Standard);
                    assert_not_refused(position.regular().unwrap(), CastlingMode::Chess960);
                }
            }
        }
    }
}

/// Games at random reach what players avoid: promotions by the dozen, kings in the middle, cages.
#[test]
fn no_position_of_a_random_game_is_called_illegal() {
    let _slot = computing();
    for game in sampled("random games", 0..24, 3) {
        let mut random = fastrand::Rng::with_seed(23 + game);
        let mode = if game % 2 == 0 { CastlingMode::Standard } else { CastlingMode::Chess960 };
        let board = if mode.is_chess960() { Board::chess960(random.u32(..960)) } else { Board::new() };
        let castling_rights = board.rooks();
        let start = Setup { board, castling_rights, ..Setup::initial() };
        let mut position: shakmaty::Chess = start.position(mode).unwrap();
        for ply in 0..160 {
            let moves = position.legal_moves();
            let pawns_first = moves.iter().find(|mv| mv.role() == Role::Pawn && random.bool());
            let Some(&mv) = pawns_first.or_else(|| random.choice(&moves)) else { break };
            position.play_unchecked(mv);
            if ply % 5 == 0 {
                assert_not_refused(&position, mode);
            }
        }
    }
}
