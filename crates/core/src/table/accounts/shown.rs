//! What a picture shows beside the position: moves in it, and squares that no move explains.

use crate::infer::View;
use crate::ply::Ply;
use crate::table::scene::Scene;
use adoube_rules::departure::Departure;
use adoube_rules::sensor::{Content, Role, Side};
use adoube_rules::square::Square;
use adoube_rules::touch::side_of;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Scene<V> {
    /// Nobody saw how the picture came about, or it was adopted, and nothing has been played from it.
    pub(in crate::table) fn is_after_gap(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.tracker.is_blind() || game.tracker.is_adopted())
    }

    /// After some legal move everything would stand as it is shown, though the tracker does not believe it yet. It breaks
    /// no rule, in whatever order its squares changed.
    pub(in crate::table) fn is_move_shown(&self) -> bool {
        let Some(game) = self.game.as_ref() else { return false };
        if game.tracker.castled_by_hand_now().is_some() {
            return false;
        }
        let (best, shown) = (game.tracker.best(), game.tracker.contents());
        let mut moves = Vec::new();
        best.legal_moves(&mut moves);
        let is_shown = |&mv: &V::Move| {
            let after = best.play(mv);
            Square::all()
                .zip(shown.iter())
                .all(|(square, &content)| self.view.see(after.content(square)) == content)
        };
        moves
            .into_iter()
            .filter(|mv| self.view == View::Identity || !mv.is_unusual_promotion())
            .any(|mv| is_shown(&mv))
    }

    /// How the picture, with displaced pieces put back, departs from the best explanation.
    pub(in crate::table) fn departure(&self) -> Departure<V::Move> {
        let Some(game) = self.game.as_ref() else { return Departure::None };
        if let Some(castled) = game.tracker.castled_by_hand_now() {
            return castled;
        }
        let named = self.view == View::Identity;
        let departure = game.tracker.best().departure(&game.tracker.contents(), named);
        match &departure {
            // What stood there when the opponent pressed is nothing that the player on move has done.
            Departure::Several { squares } if squares.iter().all(|&square| self.is_of_last_turn(square)) => {
                let squares = squares.clone();
                Departure::Displaced { squares, missing: Vec::new(), extra: Vec::new() }
            }
            Departure::Lifted { squares } if !named => self.captured_illegally(squares).unwrap_or(departure),
            _ => departure,
        }
    }

    /// `square` has not changed since the opponent of whoever has the move pressed, if he has.
    fn is_of_last_turn(&self, square: Square) -> bool {
        let tracker = self.game.as_ref().map(|game| &game.tracker);
        let Some(tracker) = tracker.filter(|tracker| tracker.has_clock()) else { return false };
        let changed_ns = tracker.square_lifted_ns(square).max(tracker.square_placed_ns(square));
        let pressed_ns = tracker.pressed_ns(tracker.best().turn().other());
        // He has moved, and has still to press: the turn is still his.
        let is_to_press = pressed_ns < tracker.made_ns(tracker.plies());
        is_to_press || changed_ns <= Some(pressed_ns)
    }

    /// The only piece that is missing stands, by what was seen before its player pressed, where it captured another: a
    /// square that was taken and is taken looks the same.
    fn captured_illegally(&self, missing: &[Square]) -> Option<Departure<V::Move>> {
        let tracker = &self.game.as_ref()?.tracker;
        let (&[from], best) = (missing, tracker.best()) else { return None };
        let to = tracker.put_down_before_press(from)?;
        let mut contents: Vec<Content> = Square::all().map(|square| best.content(square)).collect();
        contents[to] = std::mem::replace(&mut contents[from], Content::EMPTY);
        let departure = best.departure(&contents, true);
        matches!(departure, Departure::Illegal { .. }).then_some(departure)
    }

    pub(in crate::table) fn ply_to_come(&self) -> Ply {
        self.game.as_ref().map_or(Ply::FIRST, |game| game.tracker.plies().next())
    }

    pub(in crate::table) fn turn(&self) -> Side {
        self.game.as_ref().map_or(Side::White, |game| game.tracker.best().turn())
    }
}

/// Nothing but kings has moved: on their way to the centre squares, to signal a result. Four players have no such
/// signal.
pub(in crate::table) fn only_kings<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> bool {
    let Some(game) = scene.game.as_ref().filter(|_| V::ARMIES == 2) else { return false };
    let is_king = |content: Content| content.is_empty() || content.role() == Some(Role::King);
    let best = game.tracker.best();
    squares.iter().all(|&square| is_king(best.content(square)) && is_king(game.tracker.at(square)))
}

/// The square of a captured piece that stands beside the capture, not yet taken off.
pub(super) fn pushed_aside<V: Variant>(scene: &Scene<V>, squares: &[Square]) -> Option<Square> {
    let (mv, rest) = move_among(scene, squares)?;
    let game = scene.game.as_ref()?;
    let best = game.tracker.best();
    let victim = best
        .footprint(mv)
        .changes()
        .iter()
        .map(|change| change.1)
        .find(|&content| side_of(content) == Some(best.turn().other()))?;
    let &[square] = &rest[..] else { return None };
    (scene.view.see(victim) == game.tracker.at(square)).then_some(square)
}

/// The legal move that the picture shows among these changed squares, and the squares that it does
/// not explain; `None` if there is none, or more than one that explain as many.
pub(in crate::table) fn move_among<V: Variant>(
    scene: &Scene<V>,
    squares: &[Square],
) -> Option<(V::Move, Vec<Square>)> {
    let game = scene.game.as_ref()?;
    let best = game.tracker.best();
    let mut moves = Vec::new();
    best.legal_moves(&mut moves);
    let explained = |mv: V::Move| -> Option<usize> {
        let footprint = best.footprint(mv);
        let changes = footprint.changes();
        let is_shown = changes.iter().all(|&(square, before, after)| {
            game.tracker.at(square) == scene.view.see(after)
                && (squares.contains(&square) || scene.view.see(before) == scene.view.see(after))
        });
        is_shown.then(|| changes.iter().filter(|change| squares.contains(&change.0)).count())
    };
    let most = moves.iter().filter_map(|&mv| explained(mv)).max().filter(|&most| most > 1)?;
    let mut best_moves = moves.into_iter().filter(|&mv| explained(mv) == Some(most));
    let mv = best_moves.next()?;
    if best_moves.next().is_some() {
        return None;
    }
    let footprint = best.footprint(mv);
    let explains = |square: Square| footprint.changes().iter().any(|change| change.0 == square);
    Some((mv, squares.iter().copied().filter(|&square| !explains(square)).collect()))
}
