//! Running other programs.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::repository::Repository;

/// A program to run, shown to the person as they would type it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    program: String,
    arguments: Vec<OsString>,
    /// Folder inside the repository; empty for its root.
    folder: &'static str,
    environment: Vec<(&'static str, String)>,
}

impl Call {
    pub(crate) fn new(program: &str, arguments: &[&str]) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: "",
            environment: Vec::new(),
        }
    }

    /// Cargo, with arguments as in a shell, without quotes.
    pub(crate) fn cargo(arguments: &str) -> Self {
        Self::new("cargo", &arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// npm, with arguments as in a shell, without quotes, in a folder of the repository.
    pub(crate) fn npm(arguments: &str, folder: &'static str) -> Self {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        Self::new(npm, &arguments.split_whitespace().collect::<Vec<_>>()).within(folder)
    }

    pub(crate) fn within(mut self, folder: &'static str) -> Self {
        self.folder = folder;
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    pub(crate) fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Runs it with the terminal's input and output. It must succeed.
    pub(crate) fn run(&self, repository: &Repository) -> Result<()> {
        println!("$ {self}");
        let status =
            self.command(repository).status().with_context(|| format!("start `{}`", self.program))?;
        if !status.success() {
            bail!("`{self}` failed ({status})");
        }
        Ok(())
    }

    /// What it prints, whether it succeeds or not; none when it cannot be started.
    pub(crate) fn output(&self, repository: &Repository) -> Option<String> {
        let output = self.command(repository).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn command(&self, repository: &Repository) -> Command {
        let mut folder: PathBuf = repository.root().to_owned();
        folder.extend((!self.folder.is_empty()).then_some(self.folder));
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(folder);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        words.extend(self.environment.iter().map(|(name, value)| format!("{name}={value}")));
        words.push(self.program.clone());
        words.extend(self.arguments.iter().map(|argument| argument.display().to_string()));
        let line = words.join(" ");
        if self.folder.is_empty() { f.write_str(&line) } else { write!(f, "(cd {} && {line})", self.folder) }
    }
}
