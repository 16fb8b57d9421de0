//! Everything that may happen in a scene.

use shakmaty::{
    Bitboard, Board, Chess, Color, EnPassantMode, Piece, Position as _, Rank, Role, Square, attacks,
};

use super::super::{Roamer, Scene};

/// What does not change from scene to scene.
pub(super) struct View {
    pub(super) winner: Color,
    pub(super) roamers: Vec<Roamer>,
}

/// One thing that may happen.
pub(super) struct Step {
    pub(super) scene: Scene,
    pub(super) opening: Opening,
    pub(super) actor: Actor,
}

/// Who makes a step.
#[derive(Clone, Copy)]
pub(super) enum Actor {
    /// A placed man that goes from one square to another.
    Placed(Square, Square),
    /// The roamer of this number.
    Roamer(usize),
    /// Something promoted.
    Promoted,
}

/// Which lines a step may have opened, on which a roamer may give check.
#[derive(Clone, Copy)]
pub(super) enum Opening {
    /// Those through one square, which was left.
    Through(Square),
    /// Any: a roamer moved, or two men left their squares at once.
    Any,
}

impl View {
    /// All pieces roam but those on `placed` squares.
    pub(super) fn new(board: &Board, winner: Color, placed: Bitboard) -> Self {
        let is_roamer = |&(origin, piece): &(Square, Piece)| {
            !matches!(piece.role, Role::King | Role::Pawn) && !placed.contains(origin)
        };
        let roamers = board.iter().filter(is_roamer);
        let roamers = roamers.map(|(origin, Piece { color, role })| Roamer { color, role, origin });
        Self { winner, roamers: roamers.collect() }
    }

    /// The position in question without its roamers, each of which stands where it stands.
    pub(super) fn start(&self, chess: &Chess) -> Scene {
        Scene {
            board: self.placed(chess.board()),
            turn: chess.turn(),
            passed: chess.ep_square(EnPassantMode::Legal),
            has_promoted: false,
            landed: None,
            left: None,
            realms: self.roamers.iter().map(|roamer| Bitboard::from_square(roamer.origin)).collect(),
        }
    }

    fn placed(&self, board: &Board) -> Board {
        let mut placed = board.clone();
        for roamer in &self.roamers {
            placed.discard_piece_at(roamer.origin);
        }
        placed
    }

    /// Where the roamers came from of which there would be no such step, if they were placed: the one that moved, or
    /// those that may have been taken or not have been in the way.
    pub(super) fn moved(&self, scene: &Scene, step: &Step) -> Bitboard {
        let origin = |number: usize| self.roamers[number].origin;
        match step.actor {
            Actor::Roamer(number) => Bitboard::from_square(origin(number)),
            Actor::Placed(from, to) => {
                let way = attacks::between(from, to).with(to);
                let of = |color| self.roamers(scene, color).filter(|(_, _, realm)| !realm.is_disjoint(way));
                Color::ALL.into_iter().flat_map(of).map(|(number, _, _)| origin(number)).collect()
            }
            Actor::Promoted => Bitboard::EMPTY,
        }
    }

    /// The roamers of a side, with their numbers and realms.
    pub(super) fn roamers<'a>(
        &'a self,
        scene: &'a Scene,
        color: Color,
    ) -> impl Iterator<Item = (usize, Role, Bitboard)> {
        let all = self.roamers.iter().zip(&scene.realms).enumerate();
        all.filter(move |(_, (roamer, _))| roamer.color == color)
            .map(|(number, (roamer, &realm))| (number, roamer.role, realm))
    }

    /// Squares on which a side may have roamers.
    fn realm(&self, scene: &Scene, color: Color) -> Bitboard {
        if scene.has_promoted && color != self.winner {
            return scene.left.map_or(Bitboard::FULL, |left| Bitboard::FULL.without(left));
        }
        self.roamers(scene, color).fold(Bitboard::EMPTY, |all, (_, _, realm)| all | realm)
    }

    /// Men of a side, but its king, as many as there may be (of those promoted nobody knows).
    fn men_left(&self, scene: &Scene, color: Color) -> usize {
        let placed = scene.board.by_color(color) & !scene.board.kings();
        placed.count() + self.roamers(scene, color).filter(|(_, _, realm)| realm.any()).count()
    }

    /// The winner has nothing left: it cannot mate any more.
    pub(super) fn is_lost(&self, scene: &Scene) -> bool {
        self.men_left(scene, self.winner) == 0
    }

    /// Everything that may happen; None if a pawn of the winner may promote: then nothing is shown.
    pub(super) fn steps(&self, scene: &Scene) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let us = scene.turn;
        let king = scene.board.king_of(us)?;
        let checkers = self.sure_attackers(scene, &scene.board, king, !us);
        self.roamer_steps(scene, king, checkers, &mut steps);
        for from in scene.board.by_color(us) {
            let role = scene.board.role_at(from)?;
            for to in self.targets(scene, from, role) {
                let mut step = self.placed_step(scene, from, to, role);
                let king = step.scene.board.king_of(us)?;
                if self.sure_attackers(&step.scene, &step.scene.board, king, !us).any() {
                    continue;
                }
                if is_last(role, to) && us == self.winner {
                    return None;
                }
                take_off(scene, &mut step.scene);
                steps.push(step);
            }
        }
        Some(steps)
    }

    /// A roamer moves, or takes one of the placed men.
    fn roamer_steps(&self, scene: &Scene, king: Square, checkers: Bitboard, steps: &mut Vec<Step>) {
        let (us, board) = (scene.turn, &scene.board);
        // Against a check only taking and stepping between help.
        let (prey, helpful) = match (checkers.first(), checkers.count()) {
            (None, _) => (board.by_color(!us), Bitboard::FULL),
            (Some(checker), 1) => (checkers, attacks::between(checker, king)),
            _ => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
        let prey = prey & !board.kings();
        let (opening, actor) = (Opening::Any, Actor::Promoted);
        if scene.has_promoted && us != self.winner {
            // To step between it needs a square on which it may stand: the one that a man of the winner just left.
            if helpful.any() {
                steps.push(Step { scene: after(scene, None), opening, actor });
            }
            for square in prey {
                steps.push(Step { scene: after(scene, Some(square)), opening, actor });
            }
        }
        for (number, role, realm) in self.roamers(scene, us) {
            let actor = Actor::Roamer(number);
            let reach = realm.into_iter().fold(Bitboard::EMPTY, |reach, from| {
                reach | attacks::attacks(from, role.of(us), board.occupied())
            });
            let free = reach & helpful & !board.occupied();
            if free.any() {
                let mut next = after(scene, None);
                next.realms[number] = free;
                steps.push(Step { scene: next, opening, actor });
            }
            for square in reach & prey {
                let mut next = after(scene, Some(square));
                next.realms[number] = Bitboard::EMPTY;
                next.board.set_piece_at(square, role.of(us));
                next.landed = Some((number, square));
                steps.push(Step { scene: next, opening, actor });
            }
        }
    }

    fn targets(&self, scene: &Scene, from: Square, role: Role) -> Bitboard {
        let (us, board) = (scene.turn, &scene.board);
        let others = !(board.by_color(us) | board.kings());
        if role != Role::Pawn {
            return attacks::attacks(from, role.of(us), board.occupied()) & others;
        }
        let mut targets = Bitboard::EMPTY;
        let free = !board.occupied();
        let forward = us.fold_wb(8, -8);
        if let Some(to) = from.offset(forward).filter(|&to| free.contains(to)) {
            targets.add(to);
            let home = us.fold_wb(Rank::Second, Rank::Seventh);
            if from.rank() == home {
                targets |= to.offset(forward).map_or(Bitboard::EMPTY, Bitboard::from_square) & free;
            }
        }
        let prey = board.by_color(!us) | self.roaming_prey(scene, !us);
        let passed = scene.passed.map_or(Bitboard::EMPTY, Bitboard::from_square);
        targets | (attacks::pawn_attacks(us, from) & (prey | passed) & others)
    }

    /// Squares on which a roamer may be taken by a pawn, if that matters: with its last man gone the winner cannot
    /// mate any more.
    fn roaming_prey(&self, scene: &Scene, color: Color) -> Bitboard {
        let is_last = color == self.winner && self.men_left(scene, color) == 1;
        if is_last { Bitboard::EMPTY } else { self.realm(scene, color) }
    }

    /// The scene after a placed man's move, with what has landed still on its square.
    fn placed_step(&self, scene: &Scene, from: Square, to: Square, role: Role) -> Step {
        let us = scene.turn;
        let mut board = scene.board.clone();
        let mut opening = Opening::Through(from);
        let is_pawn = role == Role::Pawn;
        let taken = to.offset(us.fold_wb(-8, 8)).filter(|_| is_pawn && scene.passed == Some(to));
        if let Some(taken) = taken {
            board.discard_piece_at(taken);
            opening = Opening::Any;
        }
        board.discard_piece_at(from);
        let is_last = is_last(role, to);
        if is_last {
            board.discard_piece_at(to);
            opening = Opening::Any;
        } else {
            board.set_piece_at(to, role.of(us));
        }
        let is_double = is_pawn && from.distance(to) == 2;
        let passed = if is_double { from.offset(us.fold_wb(8, -8)) } else { None };
        let has_promoted = scene.has_promoted || is_last;
        // Nobody else stands there now.
        let realms = scene.realms.iter().map(|realm| realm.without(to)).collect();
        let left = Some(from).filter(|&from| scene.has_promoted && has_opened(&board, from, us));
        let scene = Scene { board, turn: !us, passed, has_promoted, landed: None, left, realms };
        Step { scene, opening, actor: Actor::Placed(from, to) }
    }

    /// Placed men of `by` that attack the square wherever the roamers stand.
    pub(super) fn sure_attackers(&self, scene: &Scene, board: &Board, square: Square, by: Color) -> Bitboard {
        let realms = self.realm(scene, Color::White) | self.realm(scene, Color::Black);
        let attackers = board.attacks_to(square, by, board.occupied());
        attackers.into_iter().filter(|&from| (attacks::between(from, square) & realms).is_empty()).collect()
    }
}

/// The same men but what is taken, and it is the other side's turn.
fn after(scene: &Scene, taken: Option<Square>) -> Scene {
    let mut next = Scene { turn: !scene.turn, passed: None, landed: None, left: None, ..scene.clone() };
    if let Some(square) = taken {
        next.board.discard_piece_at(square);
    }
    take_off(scene, &mut next);
    next
}

/// What had landed roams again, from where it stands, unless it was taken.
fn take_off(scene: &Scene, next: &mut Scene) {
    if let Some((number, square)) = scene.landed
        && next.board.by_color(!scene.turn).contains(square)
    {
        next.board.discard_piece_at(square);
        next.realms[number] = Bitboard::from_square(square);
    }
}

/// Has a placed man of `us` that left this square opened a line to the other king?
fn has_opened(board: &Board, from: Square, us: Color) -> bool {
    board.king_of(!us).is_some_and(|king| {
        let attackers = board.attacks_to(king, us, board.occupied());
        attackers.into_iter().any(|attacker| attacks::between(attacker, king).contains(from))
    })
}

fn is_last(role: Role, to: Square) -> bool {
    role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth)
}
