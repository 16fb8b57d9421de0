//! A second generator, slow and plain: the rules of sections 2 to 6 written anew with files and ranks
//! and a map of men. Whoever is to move is turned to the South first, so that every rule stands here
//! once, for him. It shares no table and no line with the one that it checks.

use std::collections::BTreeMap;

use shakmaty::Role;

/// File and rank from 0, seen from the South.
type Place = (i32, i32);

/// Whose man, by seats clockwise from the South, and what.
type Man = (usize, Role);

/// What stands where and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Board {
    pub(super) wing: i32,
    /// The square at South's right hand is light.
    pub(super) is_light: bool,
    pub(super) next_ply_only: bool,
    pub(super) protect_partner: bool,
    pub(super) men: BTreeMap<Place, Man>,
    pub(super) turn: usize,
    /// By seat: short, long.
    pub(super) castling: [[bool; 2]; 4],
    /// By seat: the crossed square and the pawn.
    pub(super) passed: [Option<(Place, Place)>; 4],
}

/// From, to, what a pawn becomes, and the board after it.
pub(super) type Step = (Place, Place, Option<Role>, Board);

impl Board {
    fn exists(&self, (file, rank): Place) -> bool {
        let side = 8 + 2 * self.wing;
        let middle = |n: i32| self.wing <= n && n < self.wing + 8;
        let inside = |n: i32| 0 <= n && n < side;
        inside(file) && inside(rank) && (middle(file) || middle(rank))
    }

    /// A quarter of a turn: what was West is South.
    fn turned_once(&self) -> Self {
        let turn = |(file, rank): Place| (7 + 2 * self.wing - rank, file);
        let seat = |seat: usize| (seat + 3) % 4;
        let mut turned = Self { men: BTreeMap::new(), turn: seat(self.turn), ..self.clone() };
        // The corner at the right hand of the next player has the other colour.
        turned.is_light = !self.is_light;
        for (&place, &(owner, role)) in &self.men {
            turned.men.insert(turn(place), (seat(owner), role));
        }
        for owner in 0..4 {
            turned.castling[seat(owner)] = self.castling[owner];
            turned.passed[seat(owner)] =
                self.passed[owner].map(|(crossed, pawn)| (turn(crossed), turn(pawn)));
        }
        turned
    }

    fn turned(&self, times: usize) -> Self {
        (0..times % 4).fold(self.clone(), |board, _| board.turned_once())
    }

    /// Every legal move.
    pub(super) fn steps(&self) -> Vec<Step> {
        let there = self.turn;
        let back = (4 - there) % 4;
        let south = self.turned(there);
        let place = |place: Place| (0..back).fold(place, |(file, rank), _| (7 + 2 * self.wing - rank, file));
        let steps = south.steps_of_south().into_iter();
        let mut steps: Vec<Step> = steps
            .map(|(from, to, became, board)| (place(from), place(to), became, board.turned(back)))
            .collect();
        steps.sort();
        steps
    }

    /// The legal moves of the South, who is to move; the board after each is still seen from him.
    fn steps_of_south(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (&from, &(owner, role)) in &self.men {
            if owner == 0 {
                match role {
                    Role::Pawn => self.pawn(from, &mut steps),
                    _ => self.piece(from, role, &mut steps),
                }
            }
        }
        self.castle(&mut steps);
        steps.retain(|(_, _, _, after)| self.keeps_kings(after));
        steps
    }

    /// The own king is not attacked; the partner's is not where he is protected and was not before.
    fn keeps_kings(&self, after: &Self) -> bool {
        !after.is_checked(0) && (!self.protect_partner || self.is_checked(2) || !after.is_checked(2))
    }

    fn is_checked(&self, seat: usize) -> bool {
        let kings: Vec<Place> =
            self.men.iter().filter(|&(_, &man)| man == (seat, Role::King)).map(|(&place, _)| place).collect();
        kings.len() == 1 && self.is_attacked(seat, kings[0])
    }

    /// One of the two opponents of `seat` has a man that attacks the square.
    fn is_attacked(&self, seat: usize, target: Place) -> bool {
        self.men.iter().any(|(&from, &(owner, role))| {
            (owner + seat) % 2 == 1 && self.attacked_from(from, owner, role).contains(&target)
        })
    }

    fn attacked_from(&self, from: Place, owner: usize, role: Role) -> Vec<Place> {
        let around = |longest| -> Vec<(Place, i32)> {
            let mut ways = Vec::new();
            for files in -1..=1 {
                for ranks in -1..=1 {
                    if (files, ranks) != (0, 0) {
                        ways.push(((files, ranks), longest));
                    }
                }
            }
            ways
        };
        let ways: Vec<(Place, i32)> = match role {
            Role::Pawn => {
                // Ahead of South, West, North, East.
                let (files, ranks) = [(0, 1), (1, 0), (0, -1), (-1, 0)][owner];
                vec![((files + ranks, ranks - files), 1), ((files - ranks, ranks + files), 1)]
            }
            Role::Knight => {
                let mut ways = Vec::new();
                for files in -2_i32..=2 {
                    for ranks in -2_i32..=2 {
                        if files.abs() + ranks.abs() == 3 {
                            ways.push(((files, ranks), 1));
                        }
                    }
                }
                ways
            }
            Role::King => around(1),
            Role::Queen => around(99),
            Role::Rook => around(99).into_iter().filter(|((files, ranks), _)| files * ranks == 0).collect(),
            Role::Bishop => around(99).into_iter().filter(|((files, ranks), _)| files * ranks != 0).collect(),
        };
        let mut attacked = Vec::new();
        for ((files, ranks), longest) in ways {
            for steps in 1..=longest {
                let place = (from.0 + steps * files, from.1 + steps * ranks);
                if !self.exists(place) {
                    break;
                }
                attacked.push(place);
                if self.men.contains_key(&place) {
                    break;
                }
            }
        }
        attacked
    }

    fn may_take(&self, place: Place) -> bool {
        self.men.get(&place).is_some_and(|&(owner, role)| owner % 2 == 1 && role != Role::King)
    }

    fn piece(&self, from: Place, role: Role, steps: &mut Vec<Step>) {
        for to in self.attacked_from(from, 0, role) {
            if !self.men.contains_key(&to) || self.may_take(to) {
                steps.push((from, to, None, self.after(&[(from, to)], None, None, None)));
            }
        }
    }

    fn pawn(&self, from: Place, steps: &mut Vec<Step>) {
        let (file, rank) = from;
        let is_free = |place: Place| self.exists(place) && !self.men.contains_key(&place);
        let last = 7 + 2 * self.wing;
        // The back rows of West and East.
        let promotes = |to: Place| (to.0 == 0 || to.0 == last) && self.wing <= to.1 && to.1 < self.wing + 8;
        let mut go = |to: Place| {
            if promotes(to) {
                for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                    steps.push((from, to, Some(role), self.after(&[(from, to)], Some(role), None, None)));
                }
            } else {
                steps.push((from, to, None, self.after(&[(from, to)], None, None, None)));
            }
        };
        let (one, two) = ((file, rank + 1), (file, rank + 2));
        if is_free(one) && !promotes(one) {
            go(one);
        }
        for to in [(file - 1, rank + 1), (file + 1, rank + 1)] {
            if self.may_take(to) {
                go(to);
            }
        }
        if rank == 1 && self.wing <= file && file < self.wing + 8 && is_free(one) && is_free(two) {
            steps.push((from, two, None, self.after(&[(from, two)], None, None, Some((one, two)))));
        }
        for (crossed, pawn) in [self.passed[1], self.passed[3]].into_iter().flatten() {
            if crossed.1 == rank + 1 && (crossed.0 - file).abs() == 1 {
                steps.push((from, crossed, None, self.after(&[(from, crossed)], None, Some(pawn), None)));
            }
        }
    }

    fn castle(&self, steps: &mut Vec<Step>) {
        let home = self.wing;
        // Light at the right hand: the queen stands left of the king, four from the corner.
        let (king, corners) =
            if self.is_light { (home + 4, [home + 7, home]) } else { (home + 3, [home, home + 7]) };
        for (may, corner) in self.castling[0].into_iter().zip(corners) {
            let towards = (corner - king).signum();
            let between =
                (king.min(corner) + 1..king.max(corner)).all(|file| !self.men.contains_key(&(file, 0)));
            let stand = self.men.get(&(king, 0)) == Some(&(0, Role::King))
                && self.men.get(&(corner, 0)) == Some(&(0, Role::Rook));
            let mut lifted = self.clone();
            lifted.men.remove(&(king, 0));
            let is_safe = (0..=2).all(|step| {
                let mut with_king = lifted.clone();
                with_king.men.insert((king + step * towards, 0), (0, Role::King));
                !with_king.is_attacked(0, (king + step * towards, 0))
            });
            if may && between && stand && is_safe {
                let (king_to, rook_to) = (king + 2 * towards, king + towards);
                let men = [((king, 0), (king_to, 0)), ((corner, 0), (rook_to, 0))];
                steps.push(((king, 0), (king_to, 0), None, self.after(&men, None, None, None)));
            }
        }
    }

    /// The board after South moved these men, with the next player to move.
    fn after(
        &self,
        moved: &[(Place, Place)],
        became: Option<Role>,
        taken: Option<Place>,
        passed: Option<(Place, Place)>,
    ) -> Self {
        let mut after = self.clone();
        for &(from, to) in moved {
            let (owner, role) = after.men.remove(&from).unwrap();
            after.men.insert(to, (owner, became.unwrap_or(role)));
        }
        if let Some(taken) = taken {
            after.men.remove(&taken);
        }
        if self.next_ply_only {
            after.passed = [None; 4];
        }
        after.passed[0] = passed;
        after.turn = 1;
        after.passed[1] = None;
        after.forget()
    }

    /// Rights end with the men that they need, and a crossed square that is occupied.
    pub(super) fn forget(mut self) -> Self {
        let home = self.wing;
        for seat in 0..4 {
            let stands = |place: Place, role: Role| self.men.get(&place) == Some(&(seat, role));
            // The seats have the queen at their left and at their right in turn.
            let is_queen_left = self.is_light == (seat % 2 == 0);
            let (king, corners) =
                if is_queen_left { (home + 4, [home + 7, home]) } else { (home + 3, [home, home + 7]) };
            let at = |file: i32| {
                (0..(4 - seat) % 4).fold((file, 0), |(file, rank), _| (7 + 2 * home - rank, file))
            };
            let castling =
                corners.map(|corner| stands(at(king), Role::King) && stands(at(corner), Role::Rook));
            let is_alive = self.passed[seat]
                .is_some_and(|(crossed, pawn)| stands(pawn, Role::Pawn) && !self.men.contains_key(&crossed));
            if !is_alive {
                self.passed[seat] = None;
            }
            for (right, stands) in self.castling[seat].iter_mut().zip(castling) {
                *right &= stands;
            }
        }
        self
    }
}
