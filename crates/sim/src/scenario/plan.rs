//! From tokens to what happens at which instant: hands at their pace, seen by a sensor that scans
//! the board every 50 ms (scenario-format.md, "Time").

use super::fault::Fault;
use super::format::{Relation, Scenario};
use super::hands::{self, Hand, Written};
use super::script::{End, Man, Picture, Placed, Setting, Token, Touch};
use adoube_core::ruling::{LinkState, Ruling};
use adoube_rules::sensor::{Army, Content, Side};
use adoube_rules::stamp::MS;

/// How often the sensor looks, as `sim::frames` does.
const SCAN_NS: u64 = 50 * MS;

/// Time runs on so long after the last token.
const AFTER_NS: u64 = 10_000 * MS;

/// Where events still belong to the moves of `before`.
pub(super) const BEFORE_NS: u64 = 1_000 * MS;

/// What happens, in order of time.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// Up to here everything belongs to `before`.
    pub(super) before_ns: Option<u64>,
    pub(super) end_ns: u64,
    /// The game has begun.
    pub(super) in_progress: bool,
    /// Whose clock runs when it begins.
    pub(super) running: Option<Side>,
    /// Parameters that a `cfg(…)` sets, with the place of the token.
    pub(super) settings: Vec<(usize, String, String)>,
}

/// What happens on one board.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) at_ns: u64,
    pub(super) board: usize,
    pub(super) act: Act,
}

/// What happens.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// The sensor sees these men.
    Show(Vec<Content>),
    Press(Side),
    Halt(Option<Side>),
    /// That side's clock is started.
    Run(Side),
    /// The clock's cable is out, or in.
    Plug(bool),
    Flag(Vec<Side>),
    Set(Vec<(Side, Setting)>),
    Order(Ruling),
    /// The link is lost or back; then the men as they stand, unless a whole frame comes next.
    Link(Option<Vec<Content>>, bool),
}

/// What happened last, as far as the next gap depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Lift,
    Place,
    Brief,
    Wait,
    Other,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Lift,
    Place,
    Press,
    Clock,
    Order,
}

fn gap_ms(last: Last, next: Next) -> u64 {
    match (last, next) {
        (Last::Wait, _) => 0,
        (Last::Nothing, _) => 2_000,
        (_, Next::Order) => 0,
        (_, Next::Press) => 500,
        (_, Next::Clock) => 1_000,
        (Last::Brief, Next::Lift) => 200,
        (Last::Lift, _) | (_, Next::Place) => 800,
        // The hand has let go, or the player thinks.
        (Last::Place | Last::Other, Next::Lift) => 2_000,
    }
}

/// A board of the scenario as it really stands.
#[derive(Debug, Clone)]
struct Board {
    men: Vec<Content>,
    /// The army to move.
    turn: Army,
    /// What hands hold, the last lifted last.
    held: Vec<Content>,
}

struct Planner<'a> {
    scenario: &'a Scenario,
    boards: Vec<Board>,
    plan: Plan,
    now_ns: u64,
    last: Last,
}

/// What the tokens of `scenario` make happen.
pub(super) fn plan(scenario: &Scenario) -> Result<Plan, Fault> {
    let board = Board { men: scenario.start.men.clone(), turn: scenario.start.turn, held: Vec::new() };
    let (in_progress, running) = opening(scenario);
    let plan = Plan { in_progress, running, ..Plan::default() };
    let boards = vec![board; scenario.boards.len()];
    let mut planner = Planner { scenario, boards, plan, now_ns: 0, last: Last::Nothing };
    planner.before()?;
    for (index, placed) in scenario.events.iter().enumerate() {
        let rest = &scenario.events[index + 1..];
        planner.token(placed, rest).map_err(|fault| fault.inside(scenario.places[0]))?;
    }
    let mut plan = planner.plan;
    plan.end_ns = planner.now_ns + AFTER_NS;
    // A picture is seen at the next scan, a press at once.
    plan.steps.sort_by_key(|step| step.at_ns);
    Ok(plan)
}

/// Has the game begun, and whose clock runs (scenario-format.md, "State at the start")?
fn opening(scenario: &Scenario) -> (bool, Option<Side>) {
    let start = &scenario.start;
    let is_array = start.fen.is_none();
    let turn = start.turn.side();
    let is_first = start.number == 1 && start.turn == Army::default() && scenario.before.is_empty();
    if let Some(running) = scenario.clock.running {
        return (!is_array || running.is_some(), running);
    }
    // An array that is not the agreed one is put right before anybody starts a clock.
    let is_wrong_array = is_first && start.men != scenario.agreed.men;
    let deciding = scenario.events.iter().find(|placed| match &placed.token {
        Token::Configure(_) | Token::Clock(_) | Token::Plug(_) | Token::Wait(_) => false,
        Token::Order(ruling) => {
            matches!(ruling, Ruling::RoundStart { .. } | Ruling::ClockStart { .. })
        }
        Token::Touch(_) => !is_wrong_array,
        _ => true,
    });
    let stands = deciding.is_some_and(|placed| match placed.token {
        Token::Press(side) => side == turn.other() && start.turn == Army::default(),
        Token::Lever(_) => is_first,
        Token::Order(_) => true,
        _ => false,
    });
    let stands = stands && scenario.before.is_empty();
    (!(stands && is_first), (!stands).then_some(turn))
}

impl Planner<'_> {
    fn before(&mut self) -> Result<(), Fault> {
        let scenario = self.scenario;
        if scenario.before.is_empty() {
            return Ok(());
        }
        let boards: Vec<usize> = (0..self.boards.len()).collect();
        self.play(&scenario.before, &boards).map_err(|fault| fault.inside(scenario.places[1]))?;
        self.plan.before_ns = Some(self.now_ns + BEFORE_NS);
        self.last = Last::Nothing;
        Ok(())
    }

    fn board(&self, placed: &Placed) -> Result<usize, Fault> {
        let boards = &self.scenario.boards;
        let Some(name) = &placed.board else { return Ok(0) };
        boards.iter().position(|board| board == name).ok_or_else(|| {
            Fault::new(placed.at, format!("no board is called \"{name}\"; boards are {}", boards.join(", ")))
        })
    }

    fn token(&mut self, placed: &Placed, rest: &[Placed]) -> Result<(), Fault> {
        let board = self.board(placed)?;
        match &placed.token {
            Token::Touch(touches) => self.touch(board, touches, placed.at)?,
            Token::Press(side) => self.act(board, Next::Press, Act::Press(*side)),
            // The left end is White's unless somebody said otherwise (DESIGN 5.5, `lever_map`).
            Token::Lever(End::Left) => self.act(board, Next::Press, Act::Press(Side::White)),
            Token::Lever(End::Right) => self.act(board, Next::Press, Act::Press(Side::Black)),
            Token::Halt(by) => self.act(board, Next::Clock, Act::Halt(*by)),
            Token::Run(side) => self.act(board, Next::Clock, Act::Run(*side)),
            Token::Flag(sides) => self.act(board, Next::Clock, Act::Flag(sides.clone())),
            Token::Plug(is_in) => self.act(board, Next::Clock, Act::Plug(*is_in)),
            Token::Clock(settings) => self.act(board, Next::Clock, Act::Set(settings.clone())),
            Token::Wait(ms) => {
                self.now_ns += ms * MS;
                self.last = Last::Wait;
            }
            Token::Frame(picture) => self.frame(board, picture, placed.at)?,
            Token::Play(moves) => {
                self.play(moves, &[board]).map_err(|fault| fault.inside(placed.at))?;
            }
            Token::Order(order) => self.order(board, order, rest),
            Token::Configure(settings) => self.configure(settings, placed.at)?,
        }
        Ok(())
    }

    /// Lets the gap before `next` pass.
    fn pass(&mut self, next: Next) {
        self.now_ns += gap_ms(self.last, next) * MS;
    }

    fn act(&mut self, board: usize, next: Next, act: Act) {
        if let Act::Press(side) = act {
            self.boards[board].turn = self.scenario.turn_after_press(self.boards[board].turn, side);
        }
        self.pass(next);
        self.plan.steps.push(Step { at_ns: self.now_ns, board, act });
        self.last = Last::Other;
    }

    fn show(&mut self, board: usize) {
        let at_ns = self.now_ns.next_multiple_of(SCAN_NS);
        let men = self.boards[board].men.clone();
        // What falls into one scan is seen at once.
        let same = self.plan.steps.iter_mut().rev().take_while(|step| step.at_ns >= at_ns);
        for step in same {
            if let Act::Show(seen) = &mut step.act
                && step.board == board
            {
                *seen = men;
                return;
            }
        }
        self.plan.steps.push(Step { at_ns, board, act: Act::Show(men) });
    }

    fn touch(&mut self, board: usize, touches: &[Touch], at: usize) -> Result<(), Fault> {
        let lifts = touches.iter().any(|touch| matches!(touch, Touch::Lift(_)));
        self.pass(if lifts { Next::Lift } else { Next::Place });
        for touch in touches {
            let place = &mut self.boards[board];
            match *touch {
                Touch::Lift(square) => {
                    let man = std::mem::take(&mut place.men[square]);
                    if man.is_empty() {
                        return Err(Fault::new(
                            at,
                            format!("nothing stands on {}", self.scenario.family().square_name(square)),
                        ));
                    }
                    place.held.push(man);
                }
                Touch::Place { square, man, .. } => {
                    let man = man.map(|man| match man {
                        Man::Of(man) => man,
                        Man::Movers(role) => Content::man(place.turn, role),
                    });
                    let index = man.and_then(|man| place.held.iter().rposition(|held| *held == man));
                    let held = index.or_else(|| place.held.len().checked_sub(1).filter(|_| man.is_none()));
                    let held = held.map(|index| place.held.remove(index));
                    let Some(man) = man.or(held) else {
                        let name = self.scenario.family().square_name(square);
                        return Err(Fault::new(
                            at,
                            format!("no piece was lifted for {name}; say which one: +{name}=P"),
                        ));
                    };
                    place.men[square] = man;
                }
            }
        }
        self.show(board);
        let places = touches.iter().any(|touch| matches!(touch, Touch::Place { .. }));
        let brief = touches.iter().any(|touch| matches!(touch, Touch::Place { brief: true, .. }));
        self.last = match (places, brief) {
            (false, _) => Last::Lift,
            (true, true) => Last::Brief,
            (true, false) => Last::Place,
        };
        Ok(())
    }

    /// Clean moves, on several boards at once if they show one game.
    fn play(&mut self, moves: &[Written], boards: &[usize]) -> Result<(), Fault> {
        for written in moves {
            for &board in boards {
                self.boards[board].held.clear();
            }
            let first = &self.boards[boards[0]];
            let army = written.army.unwrap_or(first.turn);
            let side = army.side();
            let hands = hands::act(&first.men, army, &written.mv).map_err(|problem| {
                let text = &written.text;
                Fault::new(written.at, format!("\"{text}\" {problem}: {} to move", side.name()))
            })?;
            for hand in hands {
                let (next, last) = match hand {
                    Hand::Lift(_) => (Next::Lift, Last::Lift),
                    Hand::Place(..) => (Next::Place, Last::Place),
                };
                self.pass(next);
                for &board in boards {
                    self.boards[board].carry_out(hand);
                    self.show(board);
                }
                self.last = last;
            }
            self.pass(Next::Press);
            for &board in boards {
                self.boards[board].turn = self.scenario.next_army(army);
                self.plan.steps.push(Step { at_ns: self.now_ns, board, act: Act::Press(side) });
            }
            self.last = Last::Other;
        }
        Ok(())
    }

    fn frame(&mut self, board: usize, picture: &Picture, at: usize) -> Result<(), Fault> {
        self.pass(Next::Clock);
        let agreed = &self.scenario.agreed;
        let place = &mut self.boards[board];
        match picture {
            Picture::Men(men) => place.men.clone_from(men),
            Picture::After(moves) => {
                (place.men, place.turn) = (agreed.men.clone(), agreed.turn);
                for written in moves {
                    let army = written.army.unwrap_or(place.turn);
                    let hands = hands::act(&place.men, army, &written.mv)
                        .map_err(|problem| Fault::new(at, format!("\"{}\" {problem}", written.text)))?;
                    hands.into_iter().for_each(|hand| place.carry_out(hand));
                    place.turn = self.scenario.next_army(army);
                }
            }
        }
        place.held.clear();
        self.show(board);
        self.last = Last::Other;
        Ok(())
    }

    fn order(&mut self, board: usize, ruling: &Ruling, rest: &[Placed]) {
        let act = match ruling {
            Ruling::Link { state } => {
                let is_frame = rest.first().is_some_and(|next| matches!(next.token, Token::Frame(_)));
                let is_back = *state == LinkState::Back;
                let shown = (is_back && !is_frame).then(|| self.boards[board].men.clone());
                Act::Link(shown, is_back)
            }
            _ => Act::Order(ruling.clone()),
        };
        self.act(board, Next::Order, act);
        if let Ruling::ClockStart { side } = ruling {
            self.plan.steps.push(Step { at_ns: self.now_ns, board, act: Act::Run(*side) });
        }
    }

    fn configure(&mut self, settings: &[(String, String)], at: usize) -> Result<(), Fault> {
        let has_begun = self.plan.steps.iter().any(|step| !matches!(step.act, Act::Order(_)));
        if has_begun && self.plan.before_ns.is_none() {
            return Err(Fault::new(at, "cfg(…) stands before the first token that takes time"));
        }
        let settings = settings.iter().map(|(key, value)| (at, key.clone(), value.clone()));
        self.plan.settings.extend(settings);
        Ok(())
    }
}

impl Board {
    fn carry_out(&mut self, hand: Hand) {
        match hand {
            Hand::Lift(square) => self.men[square] = Content::EMPTY,
            Hand::Place(square, man) => self.men[square] = man,
        }
    }
}

/// The boards that share a clock with `board`.
pub(super) fn clock_of(scenario: &Scenario, board: usize) -> usize {
    if scenario.relation == Some(Relation::Pair) { 0 } else { board }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::placement;

    fn steps(start: &str, events: &str) -> Vec<String> {
        let text =
            format!("id = \"x\"\ntitle = \"x\"\nquiet = true\nstart = \"{start}\"\nevents = '''{events}'''");
        let scenario = Scenario::parse(&text).unwrap();
        let line = |step: &Step| {
            let what = match &step.act {
                Act::Show(men) => placement(men),
                Act::Press(side) => format!("press {}", side.name()),
                other => format!("{other:?}"),
            };
            format!("{} {what}", step.at_ns / MS)
        };
        scenario.plan.steps.iter().map(line).collect()
    }

    #[test]
    fn hands_take_their_time() {
        assert_eq!(
            steps("4k3/8/8/8/8/8/8/R3K3", "-a1 +a3=R~ -a3 wait(80ms) +a8=R PW"),
            [
                "2000 4k3/8/8/8/8/8/8/4K3",
                "2800 4k3/8/8/8/8/R7/8/4K3",
                "3000 4k3/8/8/8/8/8/8/4K3",
                "3100 R3k3/8/8/8/8/8/8/4K3",
                "3580 press white",
            ]
        );
    }

    #[test]
    fn play_is_hands_too() {
        assert_eq!(
            steps("4k3/8/8/8/8/8/8/4K2R", "play(1.O-O) {-e8 -f1}"),
            [
                "2000 4k3/8/8/8/8/8/8/7R",
                "2800 4k3/8/8/8/8/8/8/6KR",
                "4800 4k3/8/8/8/8/8/8/6K1",
                "5600 4k3/8/8/8/8/8/8/5RK1",
                "6100 press white",
                "8100 8/8/8/8/8/8/8/6K1",
            ]
        );
    }

    #[test]
    fn the_first_token_says_whether_the_game_has_begun() {
        let opening = |start: &str, events: &str| {
            let text = format!("id = \"x\"\ntitle = \"x\"\nquiet = true\n{start}\nevents = '''{events}'''");
            let plan = Scenario::parse(&text).unwrap().plan;
            (plan.in_progress, plan.running)
        };
        let (white, black) = (Some(Side::White), Some(Side::Black));
        assert_eq!(opening("", "PB -e2"), (false, None));
        assert_eq!(opening("", "clock(W 1:00:00) PB -e2"), (false, None));
        assert_eq!(opening("", "op(round-start) PW"), (false, None));
        assert_eq!(opening("", "-e2 +e4=P -e7 +e5=p PW PB"), (true, white));
        assert_eq!(opening("start = '4k3/8/8/8/8/8/8/4K3 b - - 0 9'", "-e8 +e7=k PB"), (true, black));
        assert_eq!(opening("start = '4k3/8/8/8/8/8/8/4K3 w - - 0 9'", "PB"), (true, None));
        assert_eq!(opening("start = '4k3/8/8/8/8/8/8/4K3'\nagreed = 'start'", "-e1 +e2=K PB"), (false, None));
        assert_eq!(opening("before = '1.e4'", "PB"), (true, white));
        assert_eq!(opening("clock = { running = 'none' }", "-e2"), (false, None));
    }
}
