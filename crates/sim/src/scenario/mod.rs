//! Scenario files: one test of the Laws, or a bug as an arbiter reports it (DESIGN 5.4).
//!
//! [`Scenario::parse`] reads a file; [`Scenario::cases`] are the runs that it asks for, one for each
//! edition and kind of board; [`Scenario::run`] puts one of them through the real core and holds
//! what came out against what the file expects. Text in, verdict out: no file, no clock.
//!
//! `format` knows the keys, `script` the tokens of `events`, `order` the rulings in them; `plan`
//! turns tokens into what happens at which instant; `clock` and `hands` are the clock and the hands
//! of it; `run` plays it to the core; `pattern`, `value`, `expect` and `outcome` judge.

mod clock;
mod cross;
mod duration;
mod expect;
mod fault;
mod format;
mod hands;
mod order;
mod outcome;
mod pattern;
mod plan;
mod registry;
mod run;
mod script;
mod standing;
mod value;

pub use expect::Unmet;
pub use fault::ScenarioError;
pub use format::{Scenario, Sensor};
pub use run::{Case, Lit, RunError, Verdict};
