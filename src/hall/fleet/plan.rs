//! Which boards the hall ought to have: those of the configuration, with what was entered at the desk. Whatever
//! changes there changes the boards that differ, and no others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::sleep;
use utoipa::ToSchema;

use super::entered::Entered;
use super::{BoardStatus, FleetError, Origin};
use crate::config::{Board, Config, ConfigError};
use crate::hall::Hall;
use crate::hall::finder::Wanted;
use crate::link::Port;
use adoube_core::station::Open;
use adoube_core::wire::Identity;

/// What had to wait for the end of a game is tried again after so long.
const AGAIN: Duration = Duration::from_secs(2);

/// Where a configuration comes from, so that it can be read again.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// As it was read last.
    pub config: Config,
    file: Option<PathBuf>,
    set: Vec<(String, String)>,
    /// Where it is still to be written.
    unwritten: Option<PathBuf>,
}

impl Source {
    /// Reads the configuration (see [`Config::load`]) and sets keys of `[tournament]` in it; also gives the file.
    ///
    /// # Errors
    /// [`ConfigError`]
    pub fn load(
        file: Option<PathBuf>,
        set: Vec<(String, String)>,
    ) -> Result<(Self, Option<PathBuf>), ConfigError> {
        let (mut config, found) = Config::load(file.as_deref())?;
        for (key, value) in &set {
            config.set(key, value)?;
        }
        let unwritten = Config::unwritten(file.as_deref());
        Ok((Self { config, file, set, unwritten }, found))
    }

    /// Where the configuration is still to be written (see [`Config::unwritten`]).
    #[must_use]
    pub fn unwritten(&self) -> Option<&Path> {
        self.unwritten.as_deref()
    }

    fn again(&self) -> Result<Self, ConfigError> {
        Ok(Self::load(self.file.clone(), self.set.clone())?.0)
    }
}

/// Which boards there ought to be.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    source: Source,
    entered: Entered,
    /// How each board was opened last, and where it was said to be.
    applied: BTreeMap<String, (Open, Port)>,
    /// Something waits for the end of a game.
    is_due: bool,
}

/// What changed about the boards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Changes {
    /// Boards that were added.
    pub added: Vec<String>,
    /// Boards that were taken away.
    pub removed: Vec<String>,
    /// Boards that are somewhere else.
    pub moved: Vec<String>,
    /// Boards that are configured otherwise, and began afresh.
    pub reopened: Vec<String>,
    /// What has to be known beside that: what waits for the end of a game, what stands in the way.
    pub remarks: Vec<String>,
    /// Keys of the configuration that have no effect before the daemon is started again.
    pub restart: Vec<&'static str>,
}

impl Changes {
    fn is_nothing(&self) -> bool {
        let Self { added, removed, moved, reopened, .. } = self;
        [added, removed, moved, reopened].iter().all(|boards| boards.is_empty())
    }
}

/// What is entered about a board; what is absent stays as it is.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BoardEntry {
    /// Its name.
    #[schema(example = "12")]
    pub id: Option<String>,
    /// Where it is: `serial:PATH`, `tcp://HOST:PORT`, or `auto`.
    #[schema(example = "auto")]
    pub port: Option<String>,
    /// Its own number; empty: none.
    #[schema(example = "10012")]
    pub serial: Option<String>,
    /// Protocol that it speaks; empty: it is found out.
    #[schema(example = "dgt")]
    pub protocol: Option<String>,
    /// Does it lie turned by 180 degrees?
    pub turned: Option<bool>,
}

impl BoardEntry {
    fn over(&self, mut board: Board) -> Result<Board, FleetError> {
        let text = |before: Option<String>, after: &Option<String>| match after {
            Some(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            None => before,
        };
        if let Some(id) = &self.id {
            id.clone_into(&mut board.id);
        }
        if let Some(port) = &self.port {
            board.port = port.parse().map_err(FleetError::Wrong)?;
        }
        board.serial = text(board.serial, &self.serial);
        board.protocol = text(board.protocol, &self.protocol);
        board.turned = self.turned.or(board.turned);
        Ok(board)
    }
}

impl Plan {
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }
}

impl Hall {
    /// Begins with the boards of `source` and with what was entered at the desk.
    pub(crate) async fn begin_plan(&self, source: Source) -> Result<(), FleetError> {
        let mut plan = self.plan.lock().await;
        let entered = Entered::load(&self.folder)?;
        for conflict in entered.conflicts(&source.config, &self.folder) {
            tracing::warn!("{conflict}");
        }
        let config = checked(&source.config, &entered)?;
        for (open, port) in config.open_boards() {
            let name = open.board.clone();
            plan.applied.insert(name.clone(), (open.clone(), port.clone()));
            let open = self.as_spoken(&config, open);
            self.begin_board(open, placed(port), origin(&entered, &name)).await?;
        }
        (plan.source, plan.entered) = (source, entered);
        Ok(())
    }

    /// A board of which nobody says what it speaks speaks what was found out before, also before a restart: a game
    /// that is open there goes on.
    fn as_spoken(&self, config: &Config, open: Open) -> Open {
        if config.boards.iter().any(|board| board.id == open.board && board.protocol.is_some()) {
            return open;
        }
        let found = self.opened(&open.board).map(|opened| opened.protocol.clone());
        let found = found.or_else(|| self.fleet.spoke(&open.board));
        Open { protocol: found.unwrap_or_else(|| open.protocol.clone()), ..open }
    }

    /// The boards that are looked for.
    pub(crate) async fn look_for_plan(&self) {
        let plan = self.plan.lock().await;
        self.look_for(Wanted::of(&plan.entered.over(&plan.source.config)));
    }

    /// Reads the configuration again and changes the boards that differ. A file that is wrong changes nothing.
    ///
    /// # Errors
    /// [`FleetError::Config`] says what is wrong with it, and where.
    pub async fn reload(&self) -> Result<Changes, FleetError> {
        let mut plan = self.plan.lock().await;
        let source = plan.source.again()?;
        let config = checked(&source.config, &plan.entered)?;
        let mut restart = plan.source.config.needs_restart(&source.config);
        let usual = |config: &Config| config.usual_board("", &Port::Auto);
        if config.boards.is_empty() && usual(&plan.source.config) != usual(&source.config) {
            restart.push("[tournament], for boards that were found");
        }
        let conflicts = plan.entered.conflicts(&source.config, &self.folder);
        plan.source = source;
        let mut changes = self.apply(&mut plan, &config).await;
        changes.restart = restart;
        changes.remarks.extend(conflicts);
        Ok(changes)
    }

    /// Adds a board as it was entered at the desk.
    ///
    /// # Errors
    /// [`FleetError`] if there is one of that name, or it cannot be so.
    pub async fn enter_board(&self, entry: &BoardEntry) -> Result<Changes, FleetError> {
        let mut plan = self.plan.lock().await;
        let name = entry.id.clone().unwrap_or_default();
        super::check_name(&name)?;
        if self.board(&name).is_some() {
            return Err(FleetError::Taken(name));
        }
        let mut entered = plan.entered.clone();
        entered.set(&name, entry.over(empty(&name))?, &plan.source.config);
        self.take_over(&mut plan, entered, &name).await
    }

    /// Changes a board as it was entered at the desk: its name, its place, its number, what it speaks.
    ///
    /// # Errors
    /// [`FleetError`] if there is none of that name, it cannot be so, or a game is being played there.
    pub async fn change_board(&self, board: &str, entry: &BoardEntry) -> Result<Changes, FleetError> {
        let mut plan = self.plan.lock().await;
        let known = plan.entered.over(&plan.source.config).boards.into_iter().find(|known| known.id == board);
        let before = known.map_or_else(|| self.as_it_is(board), Ok)?;
        let after = entry.over(before)?;
        let name = after.id.clone();
        let mut entered = plan.entered.clone();
        entered.set(board, after, &plan.source.config);
        let config = checked(&plan.source.config, &entered)?;
        let is_other =
            config.open_boards().into_iter().find(|(open, _)| open.board == name).is_some_and(|(open, _)| {
                let opened = self.opened(board);
                let open = if name == board { self.as_spoken(&config, open) } else { open };
                opened.is_some_and(|opened| Open { port: opened.port.clone(), ..open } != *opened)
            });
        if is_other {
            self.check_not_played(board)?;
        }
        if name != board {
            self.rename_board(board, &name).await?;
            plan.applied.remove(board);
        }
        self.take_over(&mut plan, entered, &name).await
    }

    /// Takes a board away as it was entered at the desk; with `is_forced` also while a game is played there, which
    /// is closed without a result.
    ///
    /// # Errors
    /// [`FleetError`] if there is none of that name, or a game is being played there.
    pub async fn take_board(&self, board: &str, is_forced: bool) -> Result<Changes, FleetError> {
        let mut plan = self.plan.lock().await;
        let mut entered = plan.entered.clone();
        entered.take(board, &plan.source.config);
        let config = checked(&plan.source.config, &entered)?;
        if is_forced {
            self.remove_board_anyway(board).await?;
        } else {
            self.remove_board(board).await?;
        }
        plan.applied.remove(board);
        let mut changes = self.apply(&mut plan, &config).await;
        changes.removed.insert(0, board.to_owned());
        self.store(&mut plan, entered)?;
        Ok(changes)
    }

    /// A board as it was entered at the desk.
    pub(crate) async fn entered_board(&self, name: &str) -> Option<Board> {
        self.plan.lock().await.entered.board(name).cloned()
    }

    /// Other boards are entered at the desk from now on; gives those that were before.
    pub(in crate::hall) async fn enter_instead(&self, entered: Entered) -> Result<Entered, FleetError> {
        let mut plan = self.plan.lock().await;
        let before = plan.entered.clone();
        if before != entered {
            entered.store(&self.folder).map_err(|error| FleetError::NotStored {
                path: Entered::path(&self.folder),
                error: error.to_string(),
            })?;
            plan.entered = entered;
        }
        Ok(before)
    }

    /// What was entered holds from now on; `board` is the one that it is about.
    async fn take_over(&self, plan: &mut Plan, entered: Entered, board: &str) -> Result<Changes, FleetError> {
        let config = checked(&plan.source.config, &entered)?;
        let before = std::mem::replace(&mut plan.entered, entered.clone());
        let changes = self.apply(plan, &config).await;
        if !plan.applied.contains_key(board) {
            plan.entered = before;
            return Err(FleetError::Wrong(changes.remarks.join("; ")));
        }
        self.store(plan, entered)?;
        Ok(changes)
    }

    fn store(&self, plan: &mut Plan, entered: Entered) -> Result<(), FleetError> {
        plan.entered = entered;
        plan.entered.store(&self.folder).map_err(|error| FleetError::NotStored {
            path: Entered::path(&self.folder),
            error: error.to_string(),
        })
    }

    /// A board that is neither configured nor entered, as it is now.
    fn as_it_is(&self, board: &str) -> Result<Board, FleetError> {
        let status = self.boards_now().into_iter().find(|status| status.board == board);
        let status = status.ok_or_else(|| FleetError::Unknown(board.to_owned()))?;
        let port = match status.port {
            // One with a number is found by it.
            Some(port) if status.serial.is_none() => port.parse().map_err(FleetError::Wrong)?,
            _ => Port::Auto,
        };
        Ok(Board { port, serial: status.serial, protocol: Some(status.protocol), ..empty(board) })
    }

    /// Makes the boards those of `config`, as far as that can be done now.
    async fn apply(&self, plan: &mut Plan, config: &Config) -> Changes {
        let mut changes = Changes::default();
        plan.is_due = false;
        let wanted = config.open_boards();
        let is_wanted = |name: &String| wanted.iter().any(|(open, _)| open.board == *name);
        let gone: Vec<String> = plan.applied.keys().filter(|name| !is_wanted(name)).cloned().collect();
        for name in gone {
            match self.remove_free(&name).await {
                Ok(()) => changes.removed.push(name.clone()),
                Err(FleetError::Unknown(_)) => {}
                Err(error) => {
                    plan.is_due = true;
                    changes.remarks.push(format!("board {name} stays until then: {error}"));
                    continue;
                }
            }
            plan.applied.remove(&name);
        }
        for (open, port) in wanted {
            let name = open.board.clone();
            let before = plan.applied.get(&name);
            let is_here = self.board(&name).is_some();
            if is_here && before.is_some_and(|before| *before == (open.clone(), port.clone())) {
                continue;
            }
            let said = (open.clone(), port.clone());
            let is_same =
                before.is_some_and(|(before, _)| Open { port: open.port.clone(), ..before.clone() } == open);
            let open = self.as_spoken(config, open);
            let freed = self.take_found(config, &name, &port).await;
            let done = if let Err(error) = freed {
                Err(error)
            } else if !is_here {
                let origin = origin(&plan.entered, &name);
                self.add_board_from(open, placed(port), origin).await.map(|()| &mut changes.added)
            } else if is_same {
                self.move_board(&name, port);
                Ok(&mut changes.moved)
            } else {
                // One that is found by itself stays where it was found.
                let port = placed(port).or_else(|| self.place_of(&name));
                self.reopen_board(open, port).await.map(|()| &mut changes.reopened)
            };
            match done {
                Ok(list) => {
                    list.push(name.clone());
                    self.fleet.come_from(&name, origin(&plan.entered, &name));
                    plan.applied.insert(name, said);
                }
                Err(error) => {
                    plan.is_due |= matches!(error, FleetError::Playing { .. });
                    changes.remarks.push(format!("board {name} is not changed: {error}"));
                }
            }
        }
        self.look_for(Wanted::of(config));
        changes
    }

    fn move_board(&self, name: &str, port: Port) {
        let is_heard =
            |status: &BoardStatus| status.board == name && matches!(status.state, "fresh" | "stale");
        match placed(port) {
            Some(port) => self.place_board(name, Some(port)),
            // One that is wherever it answers stays until it is found elsewhere.
            None if self.boards_now().iter().any(is_heard) => {}
            None => self.place_board(name, None),
        }
    }

    /// A board that was found before anybody named it is the one that is named now.
    async fn take_found(&self, config: &Config, name: &str, port: &Port) -> Result<(), FleetError> {
        let serial =
            config.boards.iter().find(|board| board.id == name).and_then(|board| board.serial.clone());
        let port = placed(port.clone()).map(|port| port.to_string());
        for other in self.boards_now() {
            let identity = Identity { serial: other.serial.clone(), ..Identity::default() };
            let has_number = serial.as_deref().is_some_and(|serial| identity.has_number(serial));
            let is_there = port.is_some() && other.port == port;
            if other.origin == Origin::Found.name() && other.board != name && (is_there || has_number) {
                self.remove_free(&other.board).await?;
            }
        }
        Ok(())
    }

    /// Tries again what had to wait for the end of a game.
    async fn apply_again(&self) {
        let mut plan = self.plan.lock().await;
        if !plan.is_due {
            return;
        }
        match checked(&plan.source.config, &plan.entered) {
            Ok(config) => {
                let changes = self.apply(&mut plan, &config).await;
                if !changes.is_nothing() {
                    tracing::info!(?changes, "boards are as they are configured now");
                }
            }
            Err(error) => tracing::error!("{error}"),
        }
    }
}

/// Looks after what had to wait, until told to stop.
pub(crate) async fn run(hall: Weak<Hall>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            _ = stop.wait_for(|&stop| stop) => return,
            () = sleep(AGAIN) => {}
        }
        let Some(hall) = hall.upgrade() else { return };
        hall.apply_again().await;
    }
}

/// The configuration with what was entered; both together may be wrong where neither is.
fn checked(config: &Config, entered: &Entered) -> Result<Config, FleetError> {
    let config = entered.over(config);
    config.fault().map_or(Ok(config), |what| Err(FleetError::Wrong(what)))
}

fn origin(entered: &Entered, name: &str) -> Origin {
    if entered.board(name).is_some() { Origin::Added } else { Origin::Configured }
}

/// Where a board is; `None`: it is looked for.
pub(crate) fn placed(port: Port) -> Option<Port> {
    Some(port).filter(|port| *port != Port::Auto)
}

fn empty(name: &str) -> Board {
    Board {
        id: name.to_owned(),
        port: Port::Auto,
        serial: None,
        protocol: None,
        address: None,
        lever_map: None,
        turned: None,
        linked: None,
        pair: None,
        feed_delay_s: None,
        variant: None,
        start: None,
        laws: BTreeMap::new(),
    }
}
