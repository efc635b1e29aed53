//! Runs the scenarios of the run-level corpus: what really running google-adk 2.13 gave, against what Strata's runtime
//! does.
//!
//! `cargo test -p strata-tests --test runtime [-- TEXT…]` runs all scenarios, or those whose name contains one of the
//! texts. The folder is that of `STRATA_RUNTIME`, else the copy in the project; it holds folders of scenarios.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use strata_model::json;
use strata_oracle::Failure;
use strata_oracle::report::{KnownDifferences, Report};
use strata_oracle::scenario::check;

/// How many the project's own copy holds.
const SCENARIOS: usize = 480;

fn main() -> ExitCode {
    let folder = std::env::var_os("STRATA_RUNTIME")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conformance/runtime"), PathBuf::from);
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_unfiltered = filters.is_empty();
    let mut report = Report::new(filters, KnownDifferences::default());
    for path in scenario_files(&folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if report.wants(&name) {
            let family = path.parent().and_then(Path::file_name).unwrap_or_default();
            report.run(&family.to_string_lossy(), &name, || check_file(&path));
        }
    }
    let is_whole = std::env::var_os("STRATA_RUNTIME").is_none() && is_unfiltered;
    report.print(&folder, if is_whole { SCENARIOS } else { 1 })
}

/// The scenarios of the families in a folder, or of the folder itself.
fn scenario_files(folder: &Path) -> Vec<PathBuf> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let families = entries(folder).into_iter().filter(|path| path.is_dir());
    let files = families.flat_map(|family| entries(&family)).chain(entries(folder));
    files.filter(|path| is_scenario(path)).collect()
}

fn is_scenario(path: &Path) -> bool {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    is_json && !path.ends_with("MANIFEST.json") && !path.ends_with("runtime.schema.json")
}

fn check_file(path: &Path) -> Result<(), Failure> {
    let told = |error: String| vec![format!("{}: {error}", path.display())];
    let text = std::fs::read(path).map_err(|error| told(error.to_string()))?;
    let scenario = json::parse(&text).map_err(|error| told(error.to_string()))?;
    check(&scenario)
}
