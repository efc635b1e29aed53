//! `vectors/<family>/*.json`: the format is `conformance/FORMAT.md`.

use std::path::{Path, PathBuf};

use strata_model::{Json, json};
use strata_oracle::vector::check;

use crate::report::Report;

pub(crate) fn run(folder: &Path, report: &mut Report) {
    for path in vector_files(folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !report.wants(&name) {
            continue;
        }
        let text = std::fs::read(&path).expect("a vector file can be read");
        let vector = json::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let family = vector.get("family").and_then(Json::as_str).unwrap_or("?").to_owned();
        report.run(&family, &name, || check(&vector));
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
