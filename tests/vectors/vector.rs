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
