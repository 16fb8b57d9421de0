//! `adoube man`: the manual, made from what the commands say of themselves.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_mangen::Man as Page;

use super::{Answer, Arguments};

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube man | man -l -\n  adoube man --out /usr/local/share/man/man1")]
pub(super) struct Man {
    /// Write a page for each command into this folder instead
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        match &self.out {
            Some(folder) => write(folder).with_context(|| folder.display().to_string())?,
            None => std::io::stdout().write_all(&whole()?)?,
        }
        Ok(Answer::Yes)
    }
}

/// `adoube.1`, and pages such as `adoube-run.1` and `adoube-config-check.1`.
fn write(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Arguments::command(), folder)
}

/// One page with a section for each command.
fn whole() -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    Page::new(Arguments::command()).render(&mut out)?;
    for command in Arguments::command().get_subcommands() {
        let page = Page::new(command.clone().display_name(format!("adoube {}", command.get_name())));
        page.render_name_section(&mut out)?;
        page.render_synopsis_section(&mut out)?;
        page.render_options_section(&mut out)?;
        page.render_extra_section(&mut out)?;
    }
    Ok(out)
}
