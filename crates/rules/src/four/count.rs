//! What the number of men alone rules out (3.10.3).

use crate::Position as _;
use shakmaty::Role;

use super::army::Army;
use super::position::FourPosition;
use crate::legality::Reason;
use crate::square::{Square, Squares};

/// The officers with which a player starts, but for bishops, which count by the colour of their squares.
const OFFICERS: [(Role, usize); 3] = [(Role::Queen, 1), (Role::Rook, 2), (Role::Knight, 2)];

/// Numbers of men that no series of moves gives.
pub(super) fn impossible_counts(position: &FourPosition) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for army in Army::ALL {
        let count = |role: Role| position.squares_with(army, role).count();
        let (men, pawns) = (position.squares_of(army).count(), count(Role::Pawn));
        let name = capitalised(army.name());
        let mut add = |name, text| reasons.push(Reason { name, text });
        match count(Role::King) {
            0 => add("king-missing", format!("{name} has no king.")),
            1 => {}
            kings => add("kings-too-many", format!("{name} has {kings} kings.")),
        }
        if men > 16 {
            add("men-too-many", format!("{name} has {men} men, more than 16."));
        }
        if pawns > 8 {
            add("pawns-too-many", format!("{name} has {pawns} pawns, more than 8."));
            continue;
        }
        let (missing, promoted) = (8 - pawns as usize, position.promoted(army));
        if promoted > missing {
            let text = format!(
                "Of {name}'s men at least {promoted} came from promotions, but pawns are missing: {missing}."
            );
            add("promotions-too-many", text);
        }
    }
    let outer = position.pawns_on_last_rows().union(position.pawns_at_home());
    if !outer.is_empty() {
        let names: Vec<String> = outer.iter().map(|square| position.square_name(square)).collect();
        let text = format!("No pawn can stand on {}.", names.join(", "));
        reasons.push(Reason { name: "pawn-on-outer-rank", text });
    }
    reasons
}

impl FourPosition {
    /// Men that only promotion can have brought.
    pub(super) fn promoted(&self, army: Army) -> usize {
        let beyond = |(role, start)| self.squares_with(army, role).iter().count().saturating_sub(start);
        let officers: usize = OFFICERS.into_iter().map(beyond).sum();
        let (light, dark): (Vec<Square>, Vec<Square>) = self
            .squares_with(army, Role::Bishop)
            .iter()
            .partition(|&square| self.geometry.same_colour(square, Square::default()));
        officers + light.len().saturating_sub(1) + dark.len().saturating_sub(1)
    }

    pub(super) fn squares_with(&self, army: Army, role: Role) -> Squares {
        let is_meant = |&square: &Square| self.content(square) == army.man(role);
        self.squares_of(army).iter().filter(is_meant).collect()
    }

    /// Pawns that ought to have become other men.
    pub(super) fn pawns_on_last_rows(&self) -> Squares {
        let of = |army: Army| {
            let rows = self.geometry.promotions(self.rules.seat_of(army));
            self.squares_with(army, Role::Pawn).intersection(rows)
        };
        Army::ALL.into_iter().map(of).fold(Squares::EMPTY, Squares::union)
    }

    /// Pawns on the home row of their own player, to which none ever gets.
    fn pawns_at_home(&self) -> Squares {
        let of = |army: Army| {
            let home = self.geometry.home(self.rules.seat_of(army)).into_iter().collect();
            self.squares_with(army, Role::Pawn).intersection(home)
        };
        Army::ALL.into_iter().map(of).fold(Squares::EMPTY, Squares::union)
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
