//! `vectors/<family>/*.json`: the format is `conformance/FORMAT.md`.

use std::path::{Path, PathBuf};

use strata_model::json;
use strata_oracle::Failure;
use strata_oracle::vector::check;

use strata_oracle::report::Report;

pub(crate) fn run(folder: &Path, report: &mut Report) {
    for path in vector_files(folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !report.wants(&name) {
            continue;
        }
        let family =
            path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        report.run(&family, &name, || check_file(&path));
    }
}

fn vector_files(folder: &Path) -> Vec<PathBuf> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let is_vector = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    entries(folder).iter().flat_map(|family| entries(family)).filter(is_vector).collect()
}

fn check_file(path: &Path) -> Result<(), Failure> {
    let text = std::fs::read(path).map_err(|error| vec![format!("{}: {error}", path.display())])?;
    let vector = json::parse(&text).map_err(|error| vec![format!("{}: {error}", path.display())])?;
    check(&vector)
}
