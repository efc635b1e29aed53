//! `strata manual`: man pages and completions of shells, made from the commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Command};
use clap_complete::Shell;

/// Where each shell looks for completions below `share`, and under which name.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/strata"),
    (Shell::Zsh, "zsh/vendor-completions/_strata"),
    (Shell::Fish, "fish/vendor_completions.d/strata.fish"),
];

/// Writes the man pages and the completions for bash, zsh and fish into a folder, laid out as below /usr/share
///
/// The Debian package has them already. Elsewhere: `strata manual ~/.local/share`.
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Manual {
    /// `commands` are all of the program.
    pub(crate) fn run(&self, commands: Command) -> Result<ExitCode> {
        write_pages(&commands, &self.folder.join("man/man1"))?;
        write_completions(commands, &self.folder)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// One page a command, also for commands of commands: `strata-lessons-check.1`.
fn write_pages(commands: &Command, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    // What `help` tells is in the pages.
    let commands = commands.clone().disable_help_subcommand(true);
    clap_mangen::generate_to(commands, folder)
        .with_context(|| format!("write man pages into {}", folder.display()))
}

fn write_completions(mut commands: Command, folder: &Path) -> Result<()> {
    for (shell, place) in COMPLETIONS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut commands, "strata", &mut text);
        let file = folder.join(place);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).with_context(|| format!("make {}", parent.display()))?;
        fs::write(&file, text).with_context(|| format!("write {}", file.display()))?;
    }
    Ok(())
}
