//! What is known of one position, every proof checked before it is said.

use shakmaty::{CastlingMode, Chess, Color, Move, Position as _, PositionError, Setup};

use adoube_rules::fen::{FenTextError, read_setup};
use adoube_rules::legality::{self, Verdict};
use adoube_rules::mate::{self, Basis, CanMate, Certificate, Effort, Material};
use adoube_rules::sensor::Side;

/// What is known of one position.
pub(in crate::cli) struct Answered {
    /// The FEN as it was given.
    pub(in crate::cli) fen: String,
    pub(in crate::cli) setup: Setup,
    pub(in crate::cli) verdict: Verdict,
    /// The position to play from, if there is one.
    pub(in crate::cli) position: Option<Chess>,
    /// Whether each side that was asked for can mate.
    pub(in crate::cli) mates: Vec<(Side, CanMate)>,
}

impl Answered {
    /// Whether each of `sides` can mate, looking at `nodes` positions at most for each.
    ///
    /// A proof that does not hold is an error of this program: it says so, and knows nothing.
    pub(super) fn new(
        fen: &str,
        mode: CastlingMode,
        sides: &[Side],
        nodes: u32,
    ) -> Result<Self, FenTextError> {
        let setup = read_setup(fen)?;
        let verdict = legality::judge(&setup, mode);
        let position = playable(&setup, mode);
        let ask = |&side: &Side| {
            let Some(position) = &position else { return (side, by_men(&setup, side)) };
            let answer = mate::can_mate(position, side.into(), nodes);
            let Err(flaw) = check(position, side, &answer) else { return (side, answer) };
            eprintln!("adoube: internal error: \"{fen}\", {}: {flaw}; please report it", name(side));
            (side, CanMate::Unknown(Effort { basis: Basis::MaterialSufficient, nodes }))
        };
        let mates = sides.iter().map(ask).collect();
        Ok(Self { fen: fen.to_owned(), setup, verdict, position, mates })
    }

    /// `yes`, `no` or `unknown`: dead is where neither side can mate (Laws 5.2.2).
    pub(super) fn dead(&self) -> &'static str {
        let answers = || self.mates.iter().map(|(_, answer)| answer);
        if answers().any(|answer| matches!(answer, CanMate::Yes(_))) {
            "no"
        } else if answers().all(|answer| matches!(answer, CanMate::No(_))) {
            "yes"
        } else {
            "unknown"
        }
    }
}

pub(in crate::cli) fn name(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// The position to play from, if there is one, without the rights and the en passant field that it cannot
/// have. Too many men and checks that no move gives are illegal, but the game can go on from them.
pub(in crate::cli) fn playable(setup: &Setup, mode: CastlingMode) -> Option<Chess> {
    setup
        .clone()
        .position::<Chess>(mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}

/// What can be said of a position that nobody can play from: who has nothing but kings mates nobody.
fn by_men(setup: &Setup, side: Side) -> CanMate {
    let men = setup.board.by_color(Color::from(side)) & !setup.board.kings();
    if men.is_empty() {
        CanMate::No(Certificate::Material(Material::BareKing))
    } else {
        CanMate::Unknown(Effort { basis: Basis::MaterialSufficient, nodes: 0 })
    }
}

/// Whether an answer is what it says: the moves mate, the certificate proves it.
///
/// # Errors
/// What is wrong with it, for people.
pub(in crate::cli) fn check(position: &Chess, side: Side, answer: &CanMate) -> Result<(), String> {
    match answer {
        CanMate::Yes(line) => replay(position, side, line),
        CanMate::No(certificate) => mate::check(position, side.into(), certificate)
            .map_err(|flaw| format!("the certificate does not hold: {flaw}")),
        CanMate::Unknown(_) => Ok(()),
    }
}

fn replay(position: &Chess, side: Side, line: &[Move]) -> Result<(), String> {
    let mut position = position.clone();
    for (ply, &mv) in (1..).zip(line) {
        if !position.legal_moves().contains(&mv) {
            return Err(format!("ply {ply} of the line is not legal"));
        }
        position.play_unchecked(mv);
    }
    let is_mated = position.is_checkmate() && position.turn() == Color::from(side.other());
    if is_mated { Ok(()) } else { Err("the line does not end in mate".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Chess {
        playable(&read_setup(fen).unwrap(), CastlingMode::Standard).unwrap()
    }

    #[test]
    fn a_line_is_played_before_it_is_believed() {
        let position = position("7k/5K2/8/6Q1/8/8/8/8 w - -");
        let CanMate::Yes(line) = mate::can_mate(&position, Color::White, 2_000) else { panic!() };
        let yes = |line: &[Move]| CanMate::Yes(line.to_vec());
        assert_eq!(check(&position, Side::White, &yes(&line)), Ok(()));
        let wrong = Err("the line does not end in mate".to_owned());
        assert_eq!(check(&position, Side::White, &yes(&line[..line.len() - 1])), wrong);
        assert_eq!(check(&position, Side::Black, &yes(&line)), wrong);
        let stranger = Chess::default().legal_moves()[0];
        let illegal = Err("ply 1 of the line is not legal".to_owned());
        assert_eq!(check(&position, Side::White, &yes(&[stranger])), illegal);
    }

    /// Illegal, but somebody may ask.
    #[test]
    fn what_shakmaty_refuses_is_played_from_where_it_can_be() {
        for fen in [
            "2bqkbn1/pppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQq -", // nine pawns, a right without its rook
            "4k3/8/8/8/8/8/3n1n2/4K2Q w - -", // no check, and the next is none that a move gives
            "4k3/8/8/4r3/8/3n1n2/8/4K2Q w - -",
            "4k3/8/8/8/8/8/8/4K2R w KQkq e6",
        ] {
            let answered = Answered::new(fen, CastlingMode::Standard, &Side::BOTH, 200_000).unwrap();
            assert!(answered.position.is_some(), "{fen}");
        }
        let both_in_check = "4k3/4R3/8/8/8/8/4r3/4K3 w - -";
        let answered = Answered::new(both_in_check, CastlingMode::Standard, &Side::BOTH, 2_000).unwrap();
        assert_eq!((answered.position.is_none(), answered.dead()), (true, "unknown"));
    }
}
