//! The same of four-player positions: what the rules know of them, in words, as JSON and as a picture.

use serde_json::{Map, Value, json};

use super::answer::name;
use adoube_rules::four::{FourMove, FourPosition, FourRules, FourTextError, helpmate, legality, man};
use adoube_rules::legality::Verdict;
use adoube_rules::sensor::Side;
use adoube_rules::{CannotMate, End, MateBasis, MateLine, MateReason, MateTest, Position as _};

/// What is known of one position.
pub(in crate::cli) struct FourAnswered {
    /// The text as it was given.
    text: String,
    position: FourPosition,
    pub(super) verdict: Verdict,
    /// Whether each team that was asked for can mate.
    mates: Vec<(Side, MateTest)>,
    dead: &'static str,
    /// Who would be mated if it were his turn.
    threatened: Vec<&'static str>,
    /// Legal moves of the player to move.
    moves: usize,
}

impl FourAnswered {
    /// Whether each of the teams `sides` can mate, looking at `nodes` positions at most for each.
    ///
    /// # Errors
    /// What is no position.
    pub(super) fn new(text: &str, sides: &[Side], nodes: u32) -> Result<Self, FourTextError> {
        let position = FourPosition::read(text, FourRules::default())?;
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mates: Vec<(Side, MateTest)> =
            sides.iter().map(|&side| (side, can_mate(&position, side, nodes))).collect();
        // As in chess: dead is where neither team can mate (T9, R-10).
        let dead = if mates.iter().any(|(_, test)| matches!(test, MateTest::Yes(_))) {
            "no"
        } else if position.is_dead() || mates.iter().all(|(_, test)| test.is_no()) {
            "yes"
        } else {
            "unknown"
        };
        let threatened = position.mate_threats().into_iter().filter_map(|army| position.seated(army));
        Ok(Self {
            text: text.to_owned(),
            verdict: legality::judge(&position),
            mates,
            dead,
            threatened: threatened.map(|seated| seated.player.name()).collect(),
            moves: moves.len(),
            position,
        })
    }

    /// How the position ends the game, if it does.
    fn end(&self) -> Option<&'static str> {
        self.position.end().map(|end| end.name())
    }

    /// An object in a line.
    pub(super) fn json(&self, is_one_team: bool) -> Map<String, Value> {
        let reasons = self.verdict.reasons.iter();
        let reasons: Vec<Value> =
            reasons.map(|reason| json!({"name": reason.name, "text": reason.text})).collect();
        let mut object = Map::new();
        object.insert("fen".into(), self.text.as_str().into());
        object.insert("legal".into(), self.verdict.legal.name().into());
        object.insert("reasons".into(), reasons.into());
        for (side, test) in &self.mates {
            object.insert(format!("{}_can_mate", name(*side)), test.name().into());
        }
        if !is_one_team {
            object.insert("dead".into(), self.dead.into());
        }
        for (side, test) in &self.mates {
            let prefix = if is_one_team { String::new() } else { format!("{}_", name(*side)) };
            let (key, value): (&str, Value) = match test {
                MateTest::Yes(line) => ("line", line.moves.iter().map(|mv| mv.uci.as_str()).collect()),
                MateTest::No(reason) => ("reason", reason.reason.as_str().into()),
                MateTest::Unknown { basis, .. } => ("basis", basis.as_str().into()),
            };
            object.insert(format!("{prefix}{key}"), value);
        }
        object.insert("turn".into(), self.position.player().name().into());
        object.insert("seat".into(), self.position.seat().name().into());
        object.insert("moves".into(), self.moves.into());
        object.insert("end".into(), self.end().into());
        object.insert("mate_threats".into(), self.threatened.clone().into());
        object
    }

    /// The same in lines for people.
    pub(super) fn lines(&self, is_one_team: bool) -> Vec<String> {
        let mut lines = vec![self.text.clone(), format!("  legal    {}", self.verdict.legal.name())];
        lines.extend(self.verdict.reasons.iter().map(|reason| format!("           {reason}")));
        let moves =
            if self.moves == 1 { "1 legal move".to_owned() } else { format!("{} legal moves", self.moves) };
        lines.push(format!("  turn     {}, {moves}", self.position.player().name()));
        lines.extend(self.end().map(|end| format!("  end      {end}")));
        lines.extend(
            self.threatened
                .iter()
                .map(|player| format!("  threat   {player} is mated unless somebody helps before his turn")),
        );
        for (side, test) in &self.mates {
            lines.push(format!("  {}  {}", team(*side), sentence(test)));
        }
        if !is_one_team {
            lines.push(format!("  dead     {}", self.dead));
        }
        lines
    }

    /// The position for who would rather look.
    pub(super) fn board(&self) -> String {
        let board = self.position.geometry();
        let mut text = String::new();
        for rank in (0..board.side()).rev() {
            let cells = (0..board.side()).map(|file| match board.at(file, rank) {
                None => "   ".to_owned(),
                Some(square) => match man(self.position.content(square)) {
                    empty if empty.is_empty() => "  .".to_owned(),
                    man => format!(" {man}"),
                },
            });
            let cells: String = cells.collect();
            text.extend([format!("  {:>2}", rank + 1).as_str(), cells.trim_end(), "\n"]);
        }
        let files: String =
            (b'a'..).take(usize::from(board.side())).map(|file| format!("  {}", char::from(file))).collect();
        text.extend(["    ", &files, "\n"]);
        text
    }

    /// How many series of so many legal moves there are.
    pub(super) fn perft(&self, plies: u32) -> u64 {
        perft(&self.position, plies)
    }
}

/// Whether a team can mate: proved by material, or by moves that are played before they are believed.
fn can_mate(position: &FourPosition, side: Side, nodes: u32) -> MateTest {
    let game_over = MateTest::No(CannotMate { reason: MateReason::GameOver, positions: None });
    let is_mate = |at: &FourPosition| at.end() == Some(End::Checkmate) && at.turn() != side;
    if position.end().is_some() && !is_mate(position) {
        return game_over;
    }
    let test = position.can_mate(side, nodes);
    if test.is_no() {
        return test;
    }
    let Some(line) = helpmate::find(position, side, nodes) else {
        return MateTest::Unknown { basis: MateBasis::NothingFound, nodes };
    };
    match replay(position, &line).filter(is_mate) {
        Some(_) => MateTest::Yes(MateLine::of(position, &line)),
        None => test,
    }
}

/// The position after `line`, if every move of it is legal.
fn replay(position: &FourPosition, line: &[FourMove]) -> Option<FourPosition> {
    line.iter().try_fold(position.clone(), |position, mv| {
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        legal.contains(mv).then(|| position.play(*mv))
    })
}

fn perft(position: &FourPosition, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    match plies {
        1 => moves.len() as u64,
        _ => moves.into_iter().map(|mv| perft(&position.play(mv), plies - 1)).sum(),
    }
}

/// The players of a team, as the record writes them.
fn team(side: Side) -> &'static str {
    match side {
        Side::White => "RB     ",
        Side::Black => "WK     ",
    }
}

fn sentence(test: &MateTest) -> String {
    match test {
        MateTest::Yes(line) if line.moves.is_empty() => "has mated".to_owned(),
        MateTest::Yes(line) => {
            let moves: Vec<&str> = line.moves.iter().map(|mv| mv.san.as_str()).collect();
            let plies = if line.plies == 1 { "ply" } else { "plies" };
            format!("can mate ({} {plies}): {}", line.plies, moves.join(" "))
        }
        MateTest::No(reason) => format!("cannot mate: {}", reason.reason.as_str()),
        MateTest::Unknown { basis, nodes: 0 } => format!("unknown ({})", basis.as_str()),
        MateTest::Unknown { basis, nodes } => {
            format!("unknown ({}, {nodes} positions looked at)", basis.as_str())
        }
    }
}

#[cfg(test)]
mod tests;
