//! How the game ends at the board, and what else is entered there for the players.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Driver, NAME, Outcome, WRONG};
use crate::feed::view::GameView;
use crate::play::line::Step;
use crate::play::opponent::End;
use adoube_core::ruling::Ruled;

/// For so long the last moves of a game that is over may still be made on the board.
pub(super) const AFTER_END: Duration = Duration::from_mins(2);

impl Driver {
    /// Once the game is over and its moves are on the board, its result is entered there.
    pub(super) async fn over(&self, game: Option<&GameView>, step: &Step) -> Option<Outcome> {
        let end = self.state.end.clone()?;
        let is_late = self.ended.is_some_and(|ended| ended.elapsed() >= self.time(AFTER_END));
        if matches!(step, Step::Make { .. } | Step::TakeBack { .. }) && !is_late {
            return None;
        }
        let is_decided = game.is_none_or(|game| game.result != "*");
        let ends_itself = ["mate", "checkmate", "stalemate", "dead-position"].contains(&end.reason.as_str());
        if !is_decided {
            // A mate that has just been made stands in a moment.
            if ends_itself && !self.is_quiet(WRONG) && !is_late {
                return None;
            }
            if !self.is_ruled {
                self.rule(ruling(&end)).await;
            }
        }
        Some(Outcome::Over(end))
    }

    /// Enters something at the board.
    pub(super) async fn rule(&self, mut ruling: Value) {
        ruling["by"] = NAME.into();
        let ruled = match Ruled::parse(&ruling) {
            Ok(ruling) => self.handle.rule(ruling).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = ruled {
            tracing::warn!(%ruling, error, "not entered");
        }
    }
}

/// The ruling that enters how a game ended.
fn ruling(end: &End) -> Value {
    use adoube_rules::GameResult::{BlackWins, Draw, WhiteWins};
    match (end.result, end.reason.as_str()) {
        (None, reason) => json!({ "name": "annul-game", "reason": reason }),
        (Some(WhiteWins), "resign") => json!({ "name": "resign", "side": "black" }),
        (Some(BlackWins), "resign") => json!({ "name": "resign", "side": "white" }),
        (Some(Draw), "draw") => json!({ "name": "draw-agreed" }),
        (Some(Draw), "outoftime") => json!({ "name": "result", "value": "1/2-1/2", "basis": "time-draw" }),
        (Some(result), "outoftime") => {
            json!({ "name": "result", "value": result.name(), "basis": "time-forfeit" })
        }
        (Some(result), _) => json!({ "name": "result", "value": result.name() }),
    }
}
