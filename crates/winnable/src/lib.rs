//! Can a side still mate? (Articles 5.1.2, 5.2.2, 6.9, 7.5.5; laws-model 9.)
//!
//! Answered from cheap to dear, and never by a guess: men that cannot mate, forced lines, where the men can ever get
//! to (`mobility`, `roaming`), searches of what can be played (`search`, `deepening`; `nets` leads both to mates in
//! corners), what is forced (`forced`), and all that can be played (`exhaustion`). "No" comes with a proof that [`check`]
//! checks, "yes" with the moves, and what the budget does not settle is unknown. `docs/mate.md` has the order and the
//! reasons.
//!
//! White's flag has fallen. With nothing but a knight Black mates a king that its own rook shuts in, and never one that
//! has a queen beside it:
//!
//! ```
//! use adoube_winnable::{CanMate, can_mate, check};
//! use shakmaty::fen::Fen;
//! use shakmaty::{CastlingMode, Chess, Color, Position as _};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let position = |fen: &str| -> Result<Chess, Box<dyn std::error::Error>> {
//!     Ok(fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?)
//! };
//! let rook = position("4k3/8/8/8/8/8/8/n3K2R w - - 0 1")?;
//! let CanMate::Yes(line) = can_mate(&rook, Color::Black, 200_000) else { panic!("it can") };
//! let mut end = rook.clone();
//! for mv in line {
//!     end = end.play(mv)?;
//! }
//! assert!(end.is_checkmate() && end.turn() == Color::White);
//!
//! let queen = position("4k3/8/8/8/8/8/8/n3K2Q w - - 0 1")?;
//! let CanMate::No(proof) = can_mate(&queen, Color::Black, 200_000) else { panic!("it cannot") };
//! check(&queen, Color::Black, &proof)?;
//! # Ok(())
//! # }
//! ```

#[cfg(test)]
mod cases;
mod certificate;
mod checker;
mod deepening;
mod exhaustion;
mod forced;
mod key;
mod material;
mod mobility;
mod nets;
mod roaming;
mod search;
mod seen;
#[cfg(test)]
mod testing;
mod ways;

use shakmaty::{Chess, Color, Move, Position as _};

use exhaustion::Exhausted;

pub use certificate::{Certificate, Closed, Fence, Fenced, Material, Roamed, Roamer, Scene};
pub use checker::{Flaw, check};
pub use key::Key;

/// Whether a side can mate by any series of legal moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanMate {
    /// No series of legal moves mates: the proof.
    No(Certificate),
    /// These moves, both sides helping, end in mate.
    Yes(Vec<Move>),
    /// The budget did not settle it.
    Unknown(Effort),
}

/// What was done for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// What the answer rests on.
    pub basis: Basis,
    /// Positions that were looked at.
    pub nodes: u32,
}

/// Why a side cannot mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The game is over on the board.
    NoLegalMove,
    /// It has nothing but its king.
    BareKing,
    /// It has one knight, and the other side at most queens.
    LoneKnight,
    /// All bishops on the board stand on squares of one colour, and there is nothing else.
    OneColouredBishops,
    /// The pawns shut both kings off.
    Blocked,
    /// Every legal continuation was played out: this many positions.
    Exhausted(u32),
}

/// What an unknown answer rests on; the arbiter decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The material would suffice.
    MaterialSufficient,
    /// No pawn of that side gets through as the pawns stand.
    Blocked,
}

impl Reason {
    /// The reason in words, as part of a sentence.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::NoLegalMove => "the game is over".into(),
            Self::BareKing => "a bare king".into(),
            Self::LoneKnight => "one knight against queens at most".into(),
            Self::OneColouredBishops => "bishops on squares of one colour".into(),
            Self::Blocked => "blocked by pawns".into(),
            Self::Exhausted(count) => format!("none of {count} positions that can be reached"),
        }
    }
}

impl Basis {
    /// The basis as events write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaterialSufficient => "material sufficient",
            Self::Blocked => "blocked",
        }
    }
}

/// Can `winner` still mate? Each way of finding out looks at no more than `nodes` positions
/// (`mate_search_nodes`) that have to be weighed, at a few times as many where a position costs a fraction of that,
/// and what is tried first looks at fewer.
#[must_use]
pub fn can_mate(chess: &Chess, winner: Color, nodes: u32) -> CanMate {
    if chess.legal_moves().is_empty() {
        let is_won = chess.is_check() && chess.turn() != winner;
        return if is_won { CanMate::Yes(Vec::new()) } else { CanMate::No(Certificate::GameOver) };
    }
    if let Some(certificate) = at_a_glance(chess, winner) {
        return CanMate::No(certificate);
    }
    let first = |search: Search, limit: u32| search(chess, winner, nodes.min(limit));
    if let Found::Mate(line) = first(search::helpmate, FIRST_NODES) {
        return CanMate::Yes(line);
    }
    if let Found::Mate(line) = first(deepening::helpmate, FIRST_NODES_IN_DEPTH) {
        return CanMate::Yes(line);
    }
    let prove = |chess: &Chess| {
        let material = material::insufficient(chess.board(), winner).map(Certificate::Material);
        material.or_else(|| structure(chess, winner, nodes))
    };
    if let Some(certificate) = structure(chess, winner, nodes) {
        return CanMate::No(certificate);
    }
    if let Some(closed) = forced::forced(chess, winner, prove) {
        return CanMate::No(Certificate::Closed(Box::new(closed)));
    }
    if let Found::Mate(line) = deepening::helpmate(chess, winner, DEEPENING_FACTOR.saturating_mul(nodes)) {
        return CanMate::Yes(line);
    }
    if let Some(answer) = exhausted(chess, winner, exhaustion_limit(chess, nodes)) {
        return answer;
    }
    if nodes > FIRST_NODES
        && let Found::Mate(line) = search::helpmate(chess, winner, nodes)
    {
        return CanMate::Yes(line);
    }
    CanMate::Unknown(Effort { basis: basis(chess, winner), nodes })
}

/// Looks for a mate over so many positions at most.
type Search = fn(&Chess, Color, u32) -> Found;

/// A first search finds all but the rarest mates; what it does not find is more likely none.
const FIRST_NODES: u32 = 2_500;
/// What takes it long as a rule takes the other as good as nothing.
const FIRST_NODES_IN_DEPTH: u32 = 20_000;
/// A position that is only passed costs a fraction of one that is weighed.
const DEEPENING_FACTOR: u32 = 4;
/// What comes before something dear takes this part of the budget at most.
const FRACTION: u32 = 4;
/// A position that is only to be counted costs less than one that a search has to weigh: in halves.
const EXHAUSTION_HALVES: u32 = 3;
/// With fewer pawns there is hardly anything that keeps the men from being anywhere.
const EXHAUSTIBLE_PAWNS: usize = 4;
/// What a structure shows, it shows with so many looks at scenes, or hardly ever.
const SCENES: u32 = 20_000;

/// What shows in microseconds.
fn at_a_glance(chess: &Chess, winner: Color) -> Option<Certificate> {
    if let Some(material) = material::insufficient(chess.board(), winner) {
        return Some(Certificate::Material(material));
    }
    if exhaustion::ends_soon(chess, winner).is_some()
        && let Exhausted::Closed(closed) = exhaustion::exhaust(chess, winner, u32::MAX)
    {
        return Some(Certificate::Closed(Box::new(closed)));
    }
    let is_worth_it = mobility::may_be_shut_off(chess, winner);
    is_worth_it.then(|| mobility::fence(chess, winner)).flatten().map(Box::new).map(Certificate::Fence)
}

/// What the pawns, and pieces that are shut in, show by themselves.
fn structure(chess: &Chess, winner: Color, nodes: u32) -> Option<Certificate> {
    if let Some(fence) = mobility::fence(chess, winner) {
        return Some(Certificate::Fence(Box::new(fence)));
    }
    let looks = nodes.min(SCENES);
    roaming::roamed(chess, winner, looks).map(Box::new).map(Certificate::Roamed)
}

/// How many positions are worth playing out.
fn exhaustion_limit(chess: &Chess, nodes: u32) -> u32 {
    if chess.board().pawns().count() < EXHAUSTIBLE_PAWNS {
        nodes / FRACTION
    } else {
        EXHAUSTION_HALVES.saturating_mul(nodes / 2)
    }
}

/// Everything that can be played, if there are no more than `limit` positions.
fn exhausted(chess: &Chess, winner: Color, limit: u32) -> Option<CanMate> {
    match exhaustion::exhaust(chess, winner, limit) {
        Exhausted::Closed(closed) => Some(CanMate::No(Certificate::Closed(Box::new(closed)))),
        Exhausted::Mate(line) => Some(CanMate::Yes(line)),
        Exhausted::Limit => None,
    }
}

/// What a search came to.
enum Found {
    /// These moves mate.
    Mate(Vec<Move>),
    /// Everything was looked at, in so many positions: there is none.
    Nothing { nodes: u32 },
    /// So many positions were looked at, and there are more.
    Limit { nodes: u32 },
}

/// Pawns, and pieces that cannot do it without them, do not suffice where no pawn gets through.
fn basis(chess: &Chess, winner: Color) -> Basis {
    let ours = chess.board().by_color(winner);
    let needs_pawns = (ours & chess.board().rooks_and_queens()).is_empty();
    let has_pawns = (ours & chess.board().pawns()).any();
    if needs_pawns && has_pawns && mobility::is_held(chess, winner) {
        Basis::Blocked
    } else {
        Basis::MaterialSufficient
    }
}

/// Why `winner` can certainly not mate, as far as it shows without playing: for every ply of a game
/// that is not over.
#[must_use]
pub fn cannot_mate(chess: &Chess, winner: Color) -> Option<Reason> {
    // Men who never could may have mated all the same, in a position that no game leads to.
    if chess.turn() != winner && chess.is_checkmate() {
        return None;
    }
    let soon = || exhaustion::ends_soon(chess, winner).map(Reason::Exhausted);
    let by_material = material::insufficient(chess.board(), winner);
    by_material.map(|material| Certificate::Material(material).reason()).or_else(soon).or_else(|| {
        let is_shut_off = mobility::may_be_shut_off(chess, winner) && mobility::is_shut_off(chess, winner);
        is_shut_off.then_some(Reason::Blocked)
    })
}

/// Whether neither side can mate (5.2.2): `None` if the budget did not settle it.
///
/// A budget of some dozen nodes for every ply finds forced lines as well.
#[must_use]
pub fn is_dead(chess: &Chess, nodes: u32) -> Option<bool> {
    let mut is_settled = true;
    for side in Color::ALL {
        match can_mate(chess, side, nodes) {
            CanMate::Yes(_) => return Some(false),
            CanMate::No(_) => {}
            CanMate::Unknown(_) => is_settled = false,
        }
    }
    is_settled.then_some(true)
}

/// Whether a position is dead, as it is asked after every ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dead {
    /// Neither side can mate: proved.
    Yes,
    /// It looks so, and the budget did not settle it.
    Suspected,
    /// A side can mate, or nothing speaks against it.
    No,
}

/// What a proof from the pawns alone costs, in positions of a search.
const STRUCTURE_NODES: u32 = 64;
/// What looks dead is searched at every ply as long as it stands: some milliseconds each time.
const DEAD_NODES: u32 = 5_000;

/// Is the position dead (5.2.2)? What shows at a glance first; a search of at most `nodes` positions only where the
/// pawns are locked.
#[must_use]
pub fn dead(chess: &Chess, nodes: u32) -> Dead {
    let colours = [Color::White, Color::Black];
    let suffices = |winner: &Color| material::insufficient(chess.board(), *winner).is_none();
    let open: Vec<Color> = colours.into_iter().filter(suffices).collect();
    if open.is_empty() {
        return Dead::Yes;
    }
    let board = chess.board();
    // Walls of pawns shut off kings and bishops; anything else hardly ever, and is not looked for.
    let has_others = (board.rooks_and_queens() | board.knights()).any();
    let is_locked = |winner: &Color| !has_others && mobility::may_be_shut_off(chess, *winner);
    if nodes < STRUCTURE_NODES {
        let is_shut = |winner: &Color| is_locked(winner) && mobility::is_shut_off(chess, *winner);
        return if open.iter().all(is_shut) { Dead::Suspected } else { Dead::No };
    }
    let open: Vec<Color> =
        open.into_iter().filter(|&winner| exhaustion::ends_soon(chess, winner).is_none()).collect();
    if !open.iter().all(is_locked) {
        return Dead::No;
    }
    let mut dead = Dead::Yes;
    for winner in open {
        match can_mate(chess, winner, nodes.min(DEAD_NODES)) {
            CanMate::Yes(_) => return Dead::No,
            CanMate::No(_) => {}
            CanMate::Unknown(_) => dead = Dead::Suspected,
        }
    }
    dead
}

/// What a search need not look at any further.
fn quick_no(chess: &Chess, winner: Color) -> Option<Reason> {
    let is_shut_off = || mobility::may_be_shut_off(chess, winner) && mobility::is_shut_off(chess, winner);
    let by_material = material::insufficient(chess.board(), winner);
    by_material
        .map(|material| Certificate::Material(material).reason())
        .or_else(|| is_shut_off().then_some(Reason::Blocked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    /// `mate_search_nodes` of laws-editions.
    const NODES: u32 = 200_000;

    fn ask(fen: &str, winner: Color, nodes: u32) -> CanMate {
        can_mate(&read(fen), winner, nodes)
    }

    fn is_no(fen: &str, winner: Color) -> bool {
        matches!(ask(fen, winner, NODES), CanMate::No(_))
    }

    /// S-073: what is forced decides, whatever the material.
    #[test]
    fn forced_lines_are_played_out() {
        let taken = "7k/8/8/8/8/8/6q1/7K w - - 0 1";
        assert!(is_no(taken, Color::Black) && is_no(taken, Color::White));
        let stalemate = "1r6/8/8/8/8/3p4/1Qk5/K2b4 b - - 0 1";
        assert!(is_no(stalemate, Color::Black));
        let open = "r3k2r/8/8/8/8/8/8/4K2Q w kq - 0 1";
        let nothing = Effort { basis: Basis::MaterialSufficient, nodes: 0 };
        assert_eq!(ask(open, Color::Black, 0), CanMate::Unknown(nothing));
        assert!(matches!(ask(open, Color::Black, NODES), CanMate::Yes(_)));
    }

    /// S-102: bare kings with a bishop, and a wall of pawns, are dead; the wall still open is not.
    #[test]
    fn dead_positions() {
        let dead = |fen: &str| is_dead(&read(fen), NODES);
        assert_eq!(dead("8/8/4k3/8/8/3K4/8/8 b - - 0 1"), Some(true));
        assert_eq!(dead("8/5k2/8/p1p1p1p1/P1P1P1P1/8/5K2/8 b - - 0 1"), Some(true));
        assert_eq!(dead("8/5k2/8/p1p1p1p1/P1P1P3/6P1/5K2/8 w - - 0 1"), Some(false));
        assert_eq!(dead("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), Some(false));
    }

    /// The rows of the table that need no search, and their neighbours that can mate.
    #[test]
    fn men_that_do_not_suffice() {
        let no = |fen: &str, reason| {
            let position = read(fen);
            assert_eq!(cannot_mate(&position, Color::White), Some(reason), "{fen}");
        };
        no("4k3/8/8/8/8/8/8/q3K3 w - - 0 1", Reason::BareKing);
        no("4k3/8/8/8/8/8/8/q3K1N1 w - - 0 1", Reason::LoneKnight);
        no("4k3/r7/8/8/8/8/8/4KB2 w - - 0 1", Reason::OneColouredBishops);
        for fen in [
            "4k3/8/8/8/8/8/8/r3K1N1 w - - 0 1",
            "4k3/8/8/8/8/8/8/n3KB2 w - - 0 1",
            "4k3/8/8/8/8/8/8/b3KB2 w - - 0 1",
            "4k3/7p/8/8/8/8/8/4KB2 w - - 0 1",
            "4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
            "4k3/8/8/8/8/8/7P/4K3 w - - 0 1",
        ] {
            assert!(matches!(ask(fen, Color::White, NODES), CanMate::Yes(_)), "{fen}");
        }
    }

    /// A published verdict that is wrong: Black takes on g3 or h3 with help and mates.
    #[test]
    fn a_wall_with_a_hole_is_none() {
        assert!(matches!(ask("8/8/5p1p/5PkP/6P1/6PP/6K1/8 w - - 0 1", Color::Black, NODES), CanMate::Yes(_)));
    }

    #[test]
    fn a_game_that_is_over() {
        let mate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
        assert_eq!(ask(mate, Color::White, 0), CanMate::Yes(Vec::new()));
        assert_eq!(ask(mate, Color::Black, 0), CanMate::No(Certificate::GameOver));
        // Two bishops of one colour give check at once: no game comes to this.
        let impossible = "8/8/8/8/8/2b1k1b1/8/3RKR2 w - - 0 1";
        let position = read(impossible);
        assert_eq!(cannot_mate(&position, Color::Black), None);
        assert_eq!(ask(impossible, Color::Black, 0), CanMate::Yes(Vec::new()));
    }
}
