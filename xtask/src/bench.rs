//! `cargo xtask bench`: what criterion measured, each beside its yardstick of the same run; and the real window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::oracle;
use crate::process::Call;
use crate::repository::Repository;

/// What a group is measured against is the benchmark whose name starts so. A ratio above 1 is slower than that.
const YARDSTICKS: [&str; 5] = ["yardstick", "google_adk", "bare", "naive", "tiktoken_rs"];

/// Criterion's `benchmark.json`.
#[derive(Debug, Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
}

/// Criterion's `estimates.json`.
#[derive(Debug, Deserialize)]
struct Estimates {
    median: Estimate,
}

/// Nanoseconds.
#[derive(Debug, Deserialize)]
struct Estimate {
    point_estimate: f64,
}

#[derive(Debug, Clone, PartialEq)]
struct Measured {
    group: String,
    /// The size or other value a group was measured at; empty if there is none.
    value: String,
    name: String,
    median_ns: f64,
}

/// Runs the benchmarks, then prints a table of what this run measured.
pub(crate) fn run(repository: &Repository, filter: Option<&str>, python: Option<&Path>) -> Result<ExitCode> {
    let start = SystemTime::now();
    let mut benches = Call::cargo("bench --workspace --benches --").arguments(filter);
    if let Some(python) = python {
        benches = benches.env("STRATA_ORACLE_PYTHON", oracle::found_from_root(python)?.to_string_lossy());
    }
    benches.run(repository)?;
    let mut measured = read(&repository.target().join("criterion"), start)?;
    measured.sort_by(|a, b| (&a.group, &a.value, &a.name).cmp(&(&b.group, &b.value, &b.name)));
    print!("{}", table(&measured));
    Ok(ExitCode::SUCCESS)
}

/// Reads the results that were written since `start`: older ones may be of benchmarks that are gone.
fn read(folder: &Path, start: SystemTime) -> Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for results in result_folders(folder)? {
        let file = results.join("estimates.json");
        if file.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|written| written < start) {
            continue;
        }
        let Benchmark { group_id, function_id, value_str } = read_json(&results.join("benchmark.json"))?;
        let Estimates { median } = read_json(&file)?;
        measured.push(Measured {
            name: function_id.unwrap_or_else(|| group_id.clone()),
            group: group_id,
            value: value_str.unwrap_or_default(),
            median_ns: median.point_estimate,
        });
    }
    Ok(measured)
}

/// The folders `…/new` that hold both files. Groups, functions and values nest differently from case to case.
fn result_folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.context("read criterion's folder")?.path();
        if path.ends_with("new")
            && path.join("benchmark.json").exists()
            && path.join("estimates.json").exists()
        {
            found.push(path);
        } else if path.is_dir() {
            found.extend(result_folders(&path)?);
        }
    }
    Ok(found)
}

fn read_json<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<T> {
    let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("understand {}", file.display()))
}

/// One line a benchmark, grouped; the yardstick has the ratio 1.
fn table(measured: &[Measured]) -> String {
    let mut text = format!("\n{:32} {:32} {:>12} {:>8}\n", "group", "benchmark", "median", "ratio");
    for group in measured.chunk_by(|a, b| (&a.group, &a.value) == (&b.group, &b.value)) {
        let yardstick =
            YARDSTICKS.iter().find_map(|prefix| group.iter().find(|row| row.name.starts_with(prefix)));
        for Measured { group, value, name, median_ns } in group {
            let group = format!("{group} {value}");
            let ratio = yardstick.map_or_else(|| "-".into(), |by| format!("{:.3}", median_ns / by.median_ns));
            text += &format!("{:32} {name:32} {:>12} {ratio:>8}\n", group.trim_end(), show(*median_ns));
        }
    }
    text
}

fn show(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.0} ns"),
        ..1e6 => format!("{:.2} µs", ns / 1e3),
        ..1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(group: &str, name: &str, median_ns: f64) -> Measured {
        Measured { group: group.into(), value: String::new(), name: name.into(), median_ns }
    }

    #[test]
    fn rows_are_set_beside_the_yardstick_of_their_group() {
        let rows = [row("page", "bare", 200.0), row("page", "store", 250.0), row("parse", "parse", 3.2e6)];
        let table = table(&rows);
        let cells: Vec<Vec<&str>> =
            table.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            cells,
            [
                vec!["page", "bare", "200", "ns", "1.000"],
                vec!["page", "store", "250", "ns", "1.250"],
                vec!["parse", "parse", "3.20", "ms", "-"],
            ]
        );
    }
}
