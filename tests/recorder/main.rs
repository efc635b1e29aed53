//! Records what Strata answers to the window, for the tests of the window.
//!
//! `strata-recorder answer FILE` prints the recordings of FILE with the answers of today. `strata-recorder record FILE`
//! answers what it is asked, one JSON a line, and adds it to FILE at the end of its input.

mod again;
mod backend;
mod contexts;
mod plain;
mod recording;

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::again::again;
use crate::backend::{Backend, is_act};
use crate::recording::{Answer, Call, State};

/// Set where nothing of this computer's settings, keys and agents is seen.
const APART: &str = "STRATA_RECORDER_IS_APART";

fn main() -> Result<ExitCode> {
    if env::var_os(APART).is_none() {
        return run_apart();
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["answer", file] => answer(Path::new(file))?,
        ["record", file] => record(Path::new(file))?,
        _ => bail!("usage: strata-recorder answer|record FILE"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs this program without the variables of this process, and in a home of its own.
fn run_apart() -> Result<ExitCode> {
    let home = tempfile::tempdir().context("make a home")?;
    let mut arguments: Vec<_> = env::args_os().skip(1).collect();
    if let Some(file) = arguments.last_mut() {
        *file = std::path::absolute(&*file).context("find the recordings")?.into();
    }
    let status = Command::new(env::current_exe().context("find this program")?)
        .args(arguments)
        .env_clear()
        .env(APART, "yes")
        .env("HOME", home.path())
        .current_dir(home.path())
        .status()
        .context("start this program again")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn answer(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let fresh = again(&State::read(&text)?)?;
    io::stdout().write_all(fresh.write()?.as_bytes())?;
    Ok(())
}

/// A line of the input: a call, and the acts before it.
#[derive(Deserialize)]
struct Wish {
    acts: Vec<Call>,
    #[serde(flatten)]
    call: Call,
}

/// A line of the output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Grant {
    #[serde(flatten)]
    answer: Answer,
    is_act: bool,
    notifications: Vec<Value>,
}

fn record(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut recorded = State::read(&text)?;
    let mut backends: BTreeMap<Vec<Call>, Backend> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let Wish { acts, call } = serde_json::from_str(&line?).context("understand what is asked")?;
        let mut backend = match backends.remove(&acts) {
            Some(backend) => backend,
            None => Backend::after(&acts)?,
        };
        let grant = if is_act(&call) {
            let (answer, notifications) = backend.act(&call)?;
            recorded.after(&acts).add_act(&call, answer.clone(), notifications.clone());
            backends.insert([acts, vec![call]].concat(), backend);
            Grant { answer, is_act: true, notifications }
        } else {
            let answer = backend.ask(&call)?;
            recorded.after(&acts).answers.insert(call, answer.clone());
            backends.insert(acts, backend);
            Grant { answer, is_act: false, notifications: Vec::new() }
        };
        writeln!(io::stdout(), "{}", serde_json::to_string(&grant)?).context("say the answer")?;
    }
    fs::write(file, recorded.write()?).with_context(|| format!("write {}", file.display()))
}
