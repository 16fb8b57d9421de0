//! Players who know little but the rules: games to try hands and boards with, as many as one likes, where no real ones
//! are at hand.
//!
//! They take what hangs, leave little of their own, like moves that leave the opponent few replies, checks first, and
//! see a mate in one: enough for castlings, captures, promotions and mates to come about by themselves.

use fastrand::Rng;

use super::deed::Deed;
use super::player::Game;
use adoube_rules::sensor::Side;
use adoube_rules::{End, GameResult, Move as _, Position as _, Variant};

/// Moves that a player thinks about, of all that he could make.
const CANDIDATES: usize = 6;

/// How often a player makes the one of them that leaves the fewest replies, and not the first that he thought of.
const RESTRICTS: f64 = 0.6;

/// Nats that each pawn of [`gain`](adoube_rules::Position::gain) makes a move likelier to be thought of. Whoever can
/// take one of two men takes the better one, all but once in some games.
const SENSE: f64 = 2.0;

/// How much likelier a move is that castles or promotes, and how much of that is left where a queen would do as well.
const NOTABLE: f64 = 30.0;
const UNUSUAL: f64 = 0.01;

/// A game of at most so many plies from the start array; the same seed gives the same game. It has a result if it ended
/// by itself.
#[must_use]
pub fn random_play<V: Variant>(seed: u64, plies: usize) -> Game<V> {
    random_play_from(V::array(), seed, plies)
}

/// The same from another start.
#[must_use]
pub fn random_play_from<V: Variant>(start: V::Position, seed: u64, plies: usize) -> Game<V> {
    let mut players = Players::<V> { rng: Rng::with_seed(seed), replies: Vec::new() };
    let mut position = start.clone();
    let (mut moves, mut legal, mut result) = (Vec::new(), Vec::new(), None);
    loop {
        result = result.or_else(|| ended::<V>(&position));
        if result.is_some() || moves.len() >= plies {
            return Game { start, moves, result };
        }
        legal.clear();
        position.legal_moves(&mut legal);
        let Some(mv) = players.choose(&position, &legal) else { return Game { start, moves, result } };
        position = position.play(mv);
        moves.push(mv);
    }
}

/// The result, if the position ends the game by itself.
fn ended<V: Variant>(position: &V::Position) -> Option<GameResult> {
    Some(match (position.end()?, position.turn()) {
        (End::Checkmate, Side::White) => GameResult::BlackWins,
        (End::Checkmate, Side::Black) => GameResult::WhiteWins,
        (End::Stalemate | End::DeadPosition, _) => GameResult::Draw,
    })
}

struct Players<V: Variant> {
    rng: Rng,
    replies: Vec<V::Move>,
}

impl<V: Variant> Players<V> {
    fn choose(&mut self, position: &V::Position, legal: &[V::Move]) -> Option<V::Move> {
        let weights: Vec<f64> = legal.iter().map(|&mv| weight::<V>(position, mv)).collect();
        let all: f64 = weights.iter().sum();
        let first = self.draw(legal, &weights, all)?;
        let mut best = (usize::MAX, first);
        for index in 0..CANDIDATES {
            let mv = if index == 0 { first } else { self.draw(legal, &weights, all)? };
            let after = position.play(mv);
            if after.end() == Some(End::Checkmate) {
                return Some(mv);
            }
            self.replies.clear();
            after.legal_moves(&mut self.replies);
            // A stalemate is nothing to be sought.
            let replies = if self.replies.is_empty() { usize::MAX } else { self.replies.len() };
            best = if replies < best.0 { (replies, mv) } else { best };
        }
        Some(if self.rng.f64() < RESTRICTS { best.1 } else { first })
    }

    /// One of the moves, by its weight.
    fn draw(&mut self, legal: &[V::Move], weights: &[f64], all: f64) -> Option<V::Move> {
        let mut rest = self.rng.f64() * all;
        let chosen = legal.iter().zip(weights).find(|(_, weight)| {
            rest -= **weight;
            rest <= 0.0
        });
        chosen.map(|(mv, _)| mv).or_else(|| legal.last()).copied()
    }
}

fn weight<V: Variant>(position: &V::Position, mv: V::Move) -> f64 {
    let is_notable = match Deed::of::<V>(position, mv) {
        Deed::Bring { man, arrives, .. } => man != arrives,
        Deed::Castle { .. } => true,
        Deed::EnPassant { .. } => false,
    };
    let liking = if is_notable { NOTABLE } else { 1.0 };
    let liking = if mv.is_unusual_promotion() { liking * UNUSUAL } else { liking };
    liking * (f64::from(position.gain(mv)) * SENSE).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::Chess;
    use adoube_rules::four::FourPlayer;

    #[test]
    fn the_same_seed_gives_the_same_game_and_every_move_is_legal() {
        let game = random_play::<Chess>(3, 80);
        let again = random_play::<Chess>(3, 80);
        assert_eq!((&game.moves, game.result), (&again.moves, again.result));
        assert_ne!(game.moves, random_play::<Chess>(4, 80).moves);
        let mut position = game.start.clone();
        for &mv in &game.moves {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            assert!(legal.contains(&mv));
            position = position.play(mv);
        }
    }

    #[test]
    fn games_castle_capture_and_end_in_mates() {
        let games: Vec<Game> = (0..12).map(|seed| random_play::<Chess>(seed, 300)).collect();
        let mated = |game: &&Game| {
            let last = game.moves.iter().fold(game.start.clone(), |position, &mv| position.play(mv));
            last.end() == Some(End::Checkmate)
        };
        let mates = games.iter().filter(mated).count();
        assert!(mates >= 6, "{mates} of 12 end in mate");
        let moves = || games.iter().flat_map(|game| &game.moves);
        assert!(moves().any(|mv| mv.is_castle()) && moves().any(|mv| mv.is_promotion()));
        assert!(games.iter().filter(|game| game.result.is_some()).all(|game| game.moves.len() < 300));
    }

    #[test]
    fn four_players_mate_each_other_too() {
        let games: Vec<Game<FourPlayer>> = (0..6).map(|seed| random_play(seed, 400)).collect();
        let mates =
            games.iter().filter(|game| game.result.is_some_and(|result| result != GameResult::Draw)).count();
        assert!(mates >= 3, "{mates} of 6 end in mate");
    }
}
