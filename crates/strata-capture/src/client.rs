//! A client that is started pointed at the gateway.

use std::ffi::OsString;
use std::io;
use std::process::ExitStatus;

use tokio::process::{Child, Command};

use crate::recipe::Recipe;

/// A client at work.
#[derive(Debug)]
pub struct Client(Child);

impl Client {
    /// Starts a program with the terminal it was called from. What points it at the gateway is in the environment and the
    /// arguments of this one process: nothing on disk is changed, so there is nothing to undo.
    pub fn start(recipe: &Recipe, program: &OsString, arguments: &[OsString]) -> io::Result<Self> {
        let environment = recipe.environment.iter().map(|(name, value)| (name, value));
        Command::new(program)
            .args(&recipe.arguments)
            .args(arguments)
            .envs(environment)
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("no_proxy", "127.0.0.1,localhost")
            .spawn()
            .map(Self)
    }

    pub async fn ended(mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }
}
