//! How much space what is kept takes.

use std::collections::BTreeMap;

use crate::Strata;
use crate::api::app::{Storage, StorageInfo, StoragePart};
use crate::command::Handler;
use crate::error::AppError;

impl Handler for Storage {
    fn run(self, strata: &Strata) -> Result<StorageInfo, AppError> {
        let sizes = strata.workspace.with_reader(|store| store.sizes())?;
        let mut parts: BTreeMap<&str, u64> = BTreeMap::new();
        for (table, bytes) in &sizes.tables {
            *parts.entry(part_of(table)).or_default() += bytes;
        }
        let mut parts: Vec<_> = parts
            .into_iter()
            .map(|(name, bytes)| StoragePart { name: name.to_owned(), bytes: bytes as f64 })
            .collect();
        parts.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
        Ok(StorageInfo {
            path: strata.workspace.database().map(|path| path.display().to_string()),
            bytes: sizes.bytes as f64,
            free_bytes: sizes.free_bytes as f64,
            parts,
            sessions: sizes.sessions,
            events: sizes.events as f64,
        })
    }
}

/// What people call what is in a table.
fn part_of(table: &str) -> &'static str {
    match table {
        "events" | "event_packs" | "event_json" => "events",
        "source_packs" | "raw_records" => "files as they were read",
        "requests" | "request_packs" | "request_pieces" => "recorded requests",
        "token_counts" | "measured_calls" => "token counts",
        "lab_runs" | "paid_answers" => "answers that were paid for",
        "experiments" | "edits" => "experiments",
        table if table.starts_with("search") => "search index",
        _ => "all else",
    }
}
