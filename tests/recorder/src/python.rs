//! Running the Python half.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use strata_model::{Json, json};

/// All apps, run by one google-adk.
pub(crate) struct Runs {
    pub adk: String,
    pub python: String,
    /// Where their recordings are.
    pub folder: PathBuf,
    pub apps: Vec<AppRun>,
}

pub(crate) struct AppRun {
    pub name: String,
    pub is_ok: bool,
    pub skipped: Option<String>,
    pub error: Option<String>,
    /// What the recorder took of the app's time.
    pub recorder_seconds: f64,
    pub n_bytes: i64,
}

/// Something the recorder promises to the app, tried out.
pub(crate) struct Promise {
    pub text: String,
    pub is_kept: bool,
    pub error: Option<String>,
}

pub(crate) fn run_apps(python: &Path, scripts: &Path, folder: &Path, apps: &[String]) -> Result<Runs> {
    let folder = std::path::absolute(folder)?;
    let answers = answers(python, &scripts.join("run.py"), &folder, apps)?;
    let (head, rest) = answers.split_first().context("run.py said nothing")?;
    let apps = rest.iter().map(|answer| AppRun {
        name: text(answer, "app").unwrap_or_default(),
        is_ok: answer.get("ok").and_then(Json::as_bool) == Some(true),
        skipped: text(answer, "skipped"),
        error: text(answer, "error"),
        recorder_seconds: answer.get("recorderSeconds").and_then(Json::as_f64).unwrap_or(0.0),
        n_bytes: answer.get("bytes").and_then(Json::as_i64).unwrap_or(0),
    });
    Ok(Runs {
        adk: text(head, "adk").context("run.py did not say its google-adk")?,
        python: text(head, "python").unwrap_or_default(),
        apps: apps.collect(),
        folder,
    })
}

pub(crate) fn check_promises(python: &Path, scripts: &Path, folder: &Path) -> Result<Vec<Promise>> {
    let answers = answers(python, &scripts.join("robust.py"), &folder.join("promises"), &[])?;
    let promises = answers.iter().map(|answer| Promise {
        text: text(answer, "promise").unwrap_or_default(),
        is_kept: answer.get("ok").and_then(Json::as_bool) == Some(true),
        error: text(answer, "error"),
    });
    Ok(promises.collect())
}

/// The lines of JSON that a script puts out.
pub(crate) fn answers(
    python: &Path,
    script: &Path,
    folder: &Path,
    arguments: &[String],
) -> Result<Vec<Json>> {
    let mut command = Command::new(python);
    command.arg(script).arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("start {}", python.display()))?;
    if !output.status.success() {
        bail!("{} ended with {}", script.display(), output.status);
    }
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| json::parse(line).context("read what the script put out")).collect()
}

pub(crate) fn text(answer: &Json, key: &str) -> Option<String> {
    answer.get(key).and_then(Json::as_str).map(str::to_owned)
}
