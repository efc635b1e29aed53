//! A client that is started pointed at the gateway.

use std::ffi::OsString;
use std::io;
use std::process::ExitStatus;

use tokio::process::Command;

use crate::recipe::Recipe;

/// Starts a program with the terminal it was called from, and waits until it ends. What points it at the gateway is in
/// the environment and the arguments of this one process: nothing on disk is changed, so there is nothing to undo.
pub async fn run_client(
    recipe: &Recipe,
    program: &OsString,
    arguments: &[OsString],
) -> io::Result<ExitStatus> {
    let environment = recipe.environment.iter().map(|(name, value)| (name, value));
    Command::new(program)
        .args(&recipe.arguments)
        .args(arguments)
        .envs(environment)
        .env("NO_PROXY", "127.0.0.1,localhost")
        .env("no_proxy", "127.0.0.1,localhost")
        .status()
        .await
}
