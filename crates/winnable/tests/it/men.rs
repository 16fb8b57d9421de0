//! Who can still mate, against every position with three men and a sample of those with four, solved backwards.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use adoube_winnable::{CanMate, can_mate, cannot_mate, check};
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, File, FromSetup as _, Piece, Position as _, PositionError, Rank,
    Role, Setup, Square,
};

use crate::depth::sampled;
use crate::proven::{self, EVERY, on_all_cores};
use crate::retrograde::{Men, Solution};

/// `mate_search_nodes`, as every profile of the Laws has it.
const NODES: u32 = 200_000;

/// Asks the quick form and the full one; fails on a wrong answer and on none. Gives the answer, to the last move.
fn agrees(chess: &Chess, can: bool, winner: Color) -> String {
    if cannot_mate(chess, winner).is_some() {
        assert!(!can, "{chess:?} {winner:?}");
    }
    match can_mate(chess, winner, NODES) {
        CanMate::Yes(line) => {
            assert!(can, "{chess:?} {winner:?}: {line:?}");
            let mut after = chess.clone();
            for &mv in &line {
                after = after.play(mv).unwrap();
            }
            assert!(after.is_checkmate() && after.turn() != winner);
            format!("{line:?}")
        }
        CanMate::No(proof) => {
            assert!(!can, "{chess:?} {winner:?}: {proof:?}");
            assert_eq!(check(chess, winner, &proof), Ok(()), "{chess:?} {winner:?}");
            format!("{:?}", proof.reason())
        }
        CanMate::Unknown(effort) => panic!("{chess:?} {winner:?}: {effort:?}"),
    }
}

/// The positions with three men are asked about in so many chunks.
const CHUNKS: usize = 64;

/// Rights to castle included.
#[test]
fn positions_with_three_men_are_answered_rightly() {
    let solution = Solution::with_men(3);
    let parts: Vec<(Men, usize)> = Men::groups(3)
        .concat()
        .into_iter()
        .flat_map(|men| (0..solution.parts(men)).map(move |part| (men, part)))
        .collect();
    let asked = AtomicUsize::new(0);
    // Neighbours are alike: each chunk has some of all.
    proven::holds("three-men", CHUNKS, |chunk| {
        let mut answers = String::new();
        for &(men, part) in parts.iter().skip(chunk).step_by(CHUNKS) {
            for (chess, can) in solution.positions(men, part) {
                writeln!(answers, "{}", agrees(&chess, can, Color::White)).unwrap();
                asked.fetch_add(1, Ordering::Relaxed);
            }
        }
        answers
    });
    let all: usize = parts.iter().map(|&(men, part)| solution.positions(men, part).len()).sum();
    assert_eq!(all, 736_158);
    println!("{} of {all} positions", asked.into_inner());
}

/// So many positions with four men, in blocks that have a generator each, and are asked about when it is their turn.
const SAMPLE: usize = 2_000_000;
const BLOCK: usize = 2_000;
/// Where a side can mate the full form has to search: it is asked about one such position in so many, and about all
/// others; the quick form about all. In one position of so many the solution itself is looked into, too.
const SEARCHED: usize = 16;
/// In one position of so many kings and rooks are at home.
const AT_HOME: usize = 8;
/// So few positions that come of one are all played out.
const FEW: usize = 20;

/// All sets of men alike, on any squares, either side to move and to win.
fn block(sets: &[Men], block: usize) -> impl Iterator<Item = (Chess, Color)> {
    let mut random = fastrand::Rng::with_seed(block as u64);
    (block * BLOCK..(block + 1) * BLOCK).map(move |index| {
        let is_at_home = (index / sets.len()).is_multiple_of(AT_HOME);
        let mut placed =
            std::iter::repeat_with(|| placed(sets[index % sets.len()].men(), is_at_home, &mut random));
        (placed.find_map(|chess| chess).unwrap(), Color::ALL[random.usize(..2)])
    })
}

/// The men on random squares, with the rights that they may have there; `None` if that is not legal to have.
fn placed(men: &[Piece], is_at_home: bool, random: &mut fastrand::Rng) -> Option<Chess> {
    let mut setup = Setup { turn: Color::from_white(random.bool()), ..Setup::empty() };
    for &piece in men {
        let home = piece.color.relative_rank(Rank::First);
        let file = match piece.role {
            Role::King if is_at_home => Some(File::E),
            Role::Rook if is_at_home => Some([File::A, File::H][random.usize(..2)]),
            _ => None,
        };
        let square =
            file.map_or_else(|| Square::new(random.u32(..64)), |file| Square::from_coords(file, home));
        setup.board.set_piece_at(square, piece);
    }
    if setup.board.occupied().count() < men.len() {
        return None;
    }
    setup.castling_rights = setup.board.rooks() & Bitboard::CORNERS;
    let pushed = Bitboard::from((!setup.turn).relative_rank(Rank::Fourth))
        & setup.board.pawns()
        & setup.board.by_color(!setup.turn);
    setup.ep_square = pushed.shift(setup.turn.fold_wb(8, -8)).first();
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Solves every position with four men, then asks about the sample.
#[test]
fn a_sample_of_positions_with_four_men_is_answered_rightly() {
    let mut solution = Solution::with_men(3);
    for group in Men::groups(4) {
        let solved = Mutex::new(Vec::new());
        on_all_cores(group.len(), |index| {
            let set = solution.solve(group[index]);
            solved.lock().unwrap().push(set);
        });
        solved.into_inner().unwrap().into_iter().for_each(|set| solution.insert(set));
    }
    let sets = Men::groups(4).concat();
    let counts: [AtomicUsize; 4] = Default::default();
    let due = sampled("four-men", 0..SAMPLE / BLOCK, EVERY);
    on_all_cores(due.len(), |number| {
        for (index, (chess, winner)) in block(&sets, due[number]).enumerate() {
            let can = solution.can_mate(&chess, winner).unwrap();
            let is_searched = index % SEARCHED == 0;
            if is_searched {
                assert_eq!(can, follows(&solution, &chess, winner), "{chess:?} {winner:?}");
            }
            if is_searched || !can {
                agrees(&chess, can, winner);
            } else {
                assert_eq!(cannot_mate(&chess, winner), None, "{chess:?} {winner:?}");
            }
            let has_castling = chess.castles().any();
            let has_passing = chess.legal_ep_square().is_some();
            let is_played_out = is_searched && !can && plays_out(&chess, winner);
            for (count, is_so) in counts.iter().zip([can, has_castling, has_passing, is_played_out]) {
                count.fetch_add(usize::from(is_so), Ordering::Relaxed);
            }
        }
    });
    // Neither half is empty, and rights and forced lines are among them.
    let [can, castling, passing, played_out] = counts.map(AtomicUsize::into_inner);
    println!(
        "{can} can mate, {castling} may castle, {passing} may take in passing, {played_out} were played out"
    );
    let asked = due.len() * BLOCK;
    let rare = asked / 40_000;
    assert!((asked / 4..asked * 3 / 4).contains(&can) && castling > 100 * rare, "{asked}");
    assert!(passing > rare && played_out > rare, "{asked}");
}

/// What the solution says of a position follows from what it says of those that moves lead to.
fn follows(solution: &Solution, chess: &Chess, winner: Color) -> bool {
    let is_won = |mv| solution.can_mate(&chess.clone().play(mv).unwrap(), winner) == Some(true);

    chess.is_checkmate() && chess.turn() != winner || chess.legal_moves().into_iter().any(is_won)
}

/// Plays everything that can be played, as long as that is little, and sees that nothing mates.
fn plays_out(chess: &Chess, winner: Color) -> bool {
    let is_bare = |chess: &Chess| chess.board().by_color(winner).count() == 1;
    if is_bare(chess) {
        return false;
    }
    let mut seen = vec![chess.clone()];
    let mut index = 0;
    while let Some(chess) = seen.get(index).cloned() {
        assert!(!chess.is_checkmate() || chess.turn() == winner, "{chess:?}");
        for mv in chess.legal_moves() {
            let after = chess.clone().play(mv).unwrap();
            if !is_bare(&after) && !seen.contains(&after) {
                seen.push(after);
            }
        }
        index += 1;
        if seen.len() > FEW {
            return false;
        }
    }
    true
}
