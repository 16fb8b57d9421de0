//! What the tracker and the table ask of four-player chess.

use shakmaty::Role;

use super::army::{Army, FourRules, Parity, Seat, WingDepth};
use super::geometry::Geometry;
use super::moves::{FourMove, Manner};
use super::position::{FourKey, FourPosition, Wing};
use super::reach::FourReach;
use super::{departure, rest};
use crate::rules::departure::Departure;
use crate::rules::legality::Reason;
use crate::rules::mate::Dead;
use crate::rules::start::{self, WrongStart};
use crate::rules::{
    End, Family, Footprint, KingSignal, MateTest, Mirrored, Need, Played, Rest, Seated, Shown, Variant,
};
use crate::sensor::{Content, Side};

/// Four-player team chess on 160 squares. A side is a team: [`Side::White`] are Red and Blue.
#[derive(Debug, Clone, Copy)]
pub struct FourPlayer;

fn board() -> &'static Geometry {
    Geometry::of(WingDepth::Three)
}

impl Variant for FourPlayer {
    const FAMILY: Family = Family::FourPlayer;
    const ARMIES: usize = 4;
    const SQUARES: usize = 160;
    const MEN: usize = 64;
    type Position = FourPosition;
    type Key = FourKey;
    type Move = FourMove;
    type Reach = FourReach;

    fn usual_start() -> FourPosition {
        FourPosition::start(FourRules::default())
    }

    fn legal_moves(position: &FourPosition, moves: &mut Vec<FourMove>) {
        position.legal_moves(moves);
    }

    fn play(position: &FourPosition, mv: FourMove) -> FourPosition {
        position.play(mv)
    }

    fn footprint(position: &FourPosition, mv: FourMove) -> Footprint {
        position.footprint(mv)
    }

    fn content(position: &FourPosition, square: u8) -> Content {
        position.content(square)
    }

    fn turn(position: &FourPosition) -> Side {
        position.army().side()
    }

    fn army(position: &FourPosition) -> u8 {
        position.army() as u8
    }

    fn with_army(position: &FourPosition, army: u8) -> FourPosition {
        let army = Army::ALL.get(usize::from(army)).copied().unwrap_or(Army::Red);
        position.with_seat(position.rules().seat_of(army))
    }

    fn seated(position: &FourPosition, army: u8) -> Option<Seated> {
        let army = Army::ALL.get(usize::from(army)).copied()?;
        Some(Seated { player: army.name(), seat: position.rules().seat_of(army).name() })
    }

    fn mate_threats(position: &FourPosition) -> Vec<u8> {
        position.mate_threats().into_iter().map(|army| army as u8).collect()
    }

    /// Who sits where, and how the squares are coloured, is the position's own.
    fn under(position: &FourPosition, like: &FourPosition) -> FourPosition {
        let FourRules { parity, seat_after_red, .. } = position.rules();
        position.under(FourRules { parity, seat_after_red, ..like.rules() })
    }

    fn end(position: &FourPosition) -> Option<End> {
        position.end()
    }

    fn prior(position: &FourPosition, mv: FourMove) -> i32 {
        position.prior(mv)
    }

    fn reach(contents: &[Content], named: bool) -> FourReach {
        FourReach::new(contents, named)
    }

    fn need(reach: &FourReach, position: &FourPosition) -> Option<Need> {
        reach.need(position)
    }

    fn is_unusual_promotion(mv: FourMove) -> bool {
        matches!(mv.manner, Manner::Promotion(role) if role != Role::Queen)
    }

    fn may_promote(position: &FourPosition, square: u8) -> bool {
        if position.content(square) != position.army().man(Role::Pawn) {
            return false;
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().any(|mv| mv.from == square && matches!(mv.manner, Manner::Promotion(_)))
    }

    fn rest(position: &FourPosition, mv: FourMove) -> Rest {
        position.rest(mv)
    }

    fn last_step(mv: FourMove) -> Option<u8> {
        rest::last_step(board(), mv)
    }

    fn coordinates(square: u8) -> (u8, u8) {
        board().place(square)
    }

    fn square_at(file: u8, rank: u8) -> Option<u8> {
        board().at(file, rank)
    }

    fn departures(mv: FourMove) -> [u8; 2] {
        match mv.manner {
            Manner::Castling { rook, .. } => [mv.from, rook],
            _ => [mv.from; 2],
        }
    }

    fn played(position: &FourPosition, mv: FourMove) -> Played {
        Played::Four { before: Box::new(position.clone()), mv }
    }

    fn stood(before: &FourPosition, contents: &[Content]) -> FourPosition {
        before.stood(contents)
    }

    fn accepted(before: &FourPosition, contents: &[Content], side: Option<Side>) -> FourPosition {
        before.accepted(contents, side)
    }

    fn played_stood(before: &FourPosition, after: &FourPosition) -> Played {
        Played::FourStood(Box::new(super::stood::FourStood { before: before.clone(), after: after.clone() }))
    }

    /// None: on this board kings may well stand in the middle, and results are the arbiter's to enter.
    fn king_signal(_: &[Content]) -> Option<KingSignal> {
        None
    }

    fn recognise_start(contents: &[Content], named: bool, _: bool) -> Option<FourPosition> {
        FourPosition::recognise(FourRules::default(), contents, named)
    }

    fn key(position: &FourPosition) -> FourKey {
        position.key()
    }

    fn halfmoves(position: &FourPosition) -> u32 {
        position.halfmoves()
    }

    fn with_turn(position: &FourPosition, side: Side) -> FourPosition {
        if position.army().side() == side {
            position.clone()
        } else {
            position.with_seat(position.seat().next())
        }
    }

    fn can_mate(position: &FourPosition, winner: Side, _: u32) -> MateTest {
        position.can_mate(winner)
    }

    fn dead(position: &FourPosition, _: u32) -> Dead {
        position.dead()
    }

    /// Several kings in check are nothing illegal here: they are judged one by one, each at his turn.
    fn illegal_position(position: &FourPosition) -> Vec<&'static str> {
        if position.pawns_on_last_rows().is_empty() { Vec::new() } else { vec!["pawn-on-last-rank"] }
    }

    fn castling(_: &FourPosition, mv: FourMove) -> Option<(u8, u8)> {
        match mv.manner {
            Manner::Castling { rook, .. } => Some((mv.from, rook)),
            _ => None,
        }
    }

    fn castling_target(_: &FourPosition, mv: FourMove) -> Option<u8> {
        matches!(mv.manner, Manner::Castling { .. }).then_some(mv.to)
    }

    fn is_castling_step(position: &FourPosition, from: u8, to: u8) -> bool {
        Seat::ALL.into_iter().flat_map(|seat| Wing::BOTH.map(|wing| (seat, wing))).any(|(seat, wing)| {
            let squares = position.castling_squares(seat, wing);
            (squares.king, squares.king_to) == (from, to)
        })
    }

    fn castles_in_any_order(_: &FourPosition) -> bool {
        false
    }

    fn departure(position: &FourPosition, contents: &[Content], named: bool) -> Departure<FourMove> {
        departure::departure(position, contents, named)
    }

    fn fen(position: &FourPosition) -> String {
        position.text()
    }

    fn shown(position: &FourPosition) -> Shown {
        Shown::Four(Box::new(position.clone()))
    }

    fn nearest_array(contents: &[Content], usual: &FourPosition, named: bool) -> FourPosition {
        FourPosition::nearest_start(usual.rules(), contents, named)
    }

    /// Who sits at Red's left hand, told by White's seat, and the colour of the square at his right.
    fn layout(start: &FourPosition) -> Vec<(&'static str, &'static str)> {
        let rules = start.rules();
        let seats = if rules.seat_of(Army::White) == Seat::East { "white-east" } else { "white-west" };
        let squares = match rules.parity {
            Parity::Light => "k1-light",
            Parity::Dark => "k1-dark",
        };
        vec![("seat_after_red", seats), ("board_parity", squares)]
    }

    fn wrong_start(
        contents: &[Content],
        agreed: Option<&FourPosition>,
        named: bool,
        _: bool,
    ) -> Option<WrongStart> {
        let nearest = FourPosition::nearest_start(FourRules::default(), contents, named);
        start::compare(agreed.unwrap_or(&nearest).contents(), contents, named)
    }

    fn array() -> FourPosition {
        Self::usual_start()
    }

    fn start_from(contents: &[Content], agreed: Option<&FourPosition>, _: bool) -> FourPosition {
        let nearest = || FourPosition::nearest_start(FourRules::default(), contents, true);
        agreed.cloned().unwrap_or_else(nearest).start_from(contents)
    }

    /// A king that stands wrong is told by his rooks: a side has two kings.
    fn misplaced(start: &FourPosition, agreed: Option<&FourPosition>) -> Vec<(Side, Option<u8>)> {
        let array = FourPosition::start(start.rules());
        let rooks = start.misplaced_rooks(agreed.unwrap_or(&array));
        rooks.into_iter().map(|(army, rook)| (army.side(), Some(rook))).collect()
    }

    fn impossible_counts(position: &FourPosition) -> Vec<Reason> {
        position.impossible_counts()
    }

    fn moves_before(position: &FourPosition) -> [u32; 2] {
        position.moves_before()
    }

    /// None: the classical game's national rules know it alone.
    fn mirrored_castling(_: &FourPosition, _: &[Content], _: bool) -> Option<Mirrored<FourPosition>> {
        None
    }

    fn turned(square: u8, degrees: u32) -> u8 {
        board().turned(square, degrees)
    }

    fn read(text: &str, like: &FourPosition) -> Result<FourPosition, String> {
        FourPosition::read_in_game(text, like.rules()).map_err(|error| format!("\"{text}\": {error}"))
    }

    fn without_castling(position: &FourPosition, side: Side, rook: Option<u8>) -> FourPosition {
        position.without_castling(side, rook)
    }
}
