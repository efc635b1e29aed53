//! `vectors/<family>/*.json`: the format is `conformance/FORMAT.md`.

mod adapter;
mod cache;
mod compaction;
mod compile;
mod config;
mod given;
mod memory_search;
mod outcome;
mod rewind;
mod route;
mod stages;
mod state;
mod then;
mod tool_result;

use std::path::{Path, PathBuf};

use strata_model::{Json, json};

use crate::report::{Failure, Report};

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

fn check(vector: &Json) -> Result<(), Failure> {
    match vector.get("kind").and_then(Json::as_str) {
        Some("compile") => compile::check_vector(vector),
        Some("conversation") => compile::check_conversation(vector),
        Some("compaction") => compaction::check_vector(vector),
        Some("cache") => cache::check_vector(vector),
        Some("config") => config::check_vector(vector),
        Some("state") => state::check_vector(vector),
        Some("rewind") => rewind::check_vector(vector),
        Some("route") => route::check_vector(vector),
        Some("memory_search") => memory_search::check_vector(vector),
        Some("tool_result") => tool_result::check_vector(vector),
        kind => Err(vec![format!("vectors of kind {} are not known", kind.unwrap_or("(none)"))]),
    }
}
