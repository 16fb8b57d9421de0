//! A daemon that starts on a journal: a process of its own, so that nothing else takes memory there.
//!
//! It is told the ports of the boards on its input, and prints how long it took until the first page could be asked and
//! until every board was heard, and what it took.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

use super::super::Answer;
use super::orders::{self, Orders};
use super::{PATIENCE, start};
use crate::process;

/// The restart of "bench hall"
#[derive(Debug, Args)]
pub(in crate::cli) struct Restart {
    #[arg(long)]
    journal: PathBuf,
}

/// What a start took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Started {
    /// Until pages could be asked.
    pub(super) ready_s: f64,
    /// Until each board had said something.
    pub(super) heard_s: f64,
    /// Memory then, and the most until then.
    pub(super) resident_kib: u64,
    pub(super) peak_kib: u64,
}

impl Restart {
    #[tokio::main]
    pub(in crate::cli) async fn run(&self) -> anyhow::Result<Answer> {
        process::allow_many_files();
        let ports = Orders::read().next().await.context("no boards")?;
        let began = Instant::now();
        let daemon = start(&ports, &self.journal, 1.0).await?;
        let ready_s = began.elapsed().as_secs_f64();
        let heard = async {
            while daemon.hall.boards_now().iter().any(|board| board.state != "fresh") {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, heard).await.context("not every board was heard")?;
        let heard_s = began.elapsed().as_secs_f64();
        let [resident_kib, peak_kib] =
            [process::resident_kib, process::peak_kib].map(|of| of(std::process::id()));
        daemon.stop().await;
        let started = Started { ready_s, heard_s, resident_kib, peak_kib };
        orders::answer(&serde_json::to_string(&started)?)?;
        Ok(Answer::Yes)
    }
}
