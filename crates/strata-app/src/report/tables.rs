//! `strata export --as parquet`: calls, parts, breaks and findings of any number of sessions, for engines of elsewhere.
//!
//! Every number is one of the documents of `strata tokens`, `cache` and `findings` of the same session.

mod breaks;
mod calls;
mod findings;
mod parts;
mod said;

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_parquet::{Column, ParquetError, TableFile};
use strata_store::Store;

use super::cache::cache_of;
use super::diagnostic::FileDiagnostic;
use super::findings::findings_of;
use super::inputs::{Recording, Recordings};
use super::opened::OpenedSession;
use super::source::{Source, nothing_in};
use super::tokens::tokens_of;
use super::{VERSION, Watch};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::data_folder::existing_database;
use crate::error::AppError;
use crate::show::words::counted;
use said::{Of, Said};

/// What was written.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TablesReport {
    pub version: u32,
    pub folder: String,
    pub sessions: u64,
    pub tables: Vec<ExportedTable>,
    /// Something that was named could not be read, and is in no table.
    pub incomplete: bool,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A file of rows.
#[derive(Debug, Clone, Serialize)]
pub struct ExportedTable {
    /// In the folder.
    pub file: String,
    pub rows: u64,
}

/// A table, with what its columns mean.
pub struct TableColumns {
    pub name: &'static str,
    /// What a row is of.
    pub row: &'static str,
    pub columns: &'static [Column],
}

static TABLES: [TableColumns; 4] = [
    TableColumns { name: "calls", row: "A call of a model.", columns: calls::COLUMNS },
    TableColumns {
        name: "parts",
        row: "Everything of one kind that has one source, over all prompts of a session that carried it.",
        columns: parts::COLUMNS,
    },
    TableColumns {
        name: "breaks",
        row: "A call of which less was found in a cache than the prompt before it held.",
        columns: breaks::COLUMNS,
    },
    TableColumns { name: "findings", row: "What is worth a person's time.", columns: findings::COLUMNS },
];

/// The tables, with what their columns mean.
pub fn table_columns() -> &'static [TableColumns] {
    &TABLES
}

/// Writes the tables of what `names` name, or of all stored sessions where nothing is named, into `folder`. What is there
/// of an earlier export is replaced once all is written. `masks_secrets` puts a mask in place of each key, token and
/// password, and says how many there were.
pub fn export_tables(
    names: &[String],
    source: &Source,
    session: Option<&str>,
    folder: &Path,
    masks_secrets: bool,
    watch: &dyn Watch,
) -> Result<TablesReport, AppError> {
    let stored;
    let names = if names.is_empty() {
        stored = stored_sessions(source)?;
        &stored[..]
    } else {
        names
    };
    if session.is_some() && names.len() != 1 {
        return Err(AppError::bad_input("--session chooses from one file; name that one alone."));
    }
    let _unfinished = Unfinished(folder);
    let mut export = Export::begin(folder, Said::new(masks_secrets))?;
    let mut recordings = Recordings::default();
    for name in names {
        match recordings.add(name, source, watch) {
            Ok(()) => {}
            Err(error) if names.len() == 1 || watch.is_cancelled() => return Err(error),
            Err(error) => recordings.failed(name, error.message),
        }
        if let Some(session) = session {
            recordings.choose(name, session)?;
        }
        recordings.lay(source, names.len() == 1)?;
        // What a name names is written before the next is read.
        for recording in std::mem::take(&mut recordings.all) {
            export.session(recording, watch)?;
        }
    }
    if export.n_sessions == 0 {
        return Err(nothing_in(&names.join(", "), &recordings.diagnostics));
    }
    let mut diagnostics = recordings.diagnostics;
    if export.said.n_masked() > 0 {
        let message = format!("{} masked.", counted(export.said.n_masked(), "secret"));
        let code = "masked-secrets".to_owned();
        let row = DiagnosticRow { severity: DiagnosticSeverity::Info, code, message, at: String::new() };
        diagnostics.push(FileDiagnostic::new("", row));
    }
    let (sessions, tables) = (export.n_sessions, export.finish()?);
    Ok(TablesReport {
        version: VERSION,
        folder: folder.display().to_string(),
        sessions,
        tables,
        incomplete: recordings.is_incomplete,
        diagnostics,
    })
}

fn stored_sessions(source: &Source) -> Result<Vec<String>, AppError> {
    let database = source.database.clone().or_else(existing_database).filter(|path| path.exists());
    let none =
        || AppError::not_found("No session is stored. `strata import FILE` stores some, or name files.");
    let store = Store::open(&database.ok_or_else(none)?)?;
    let entries = store.sessions("", 0..u32::MAX)?.entries;
    if entries.is_empty() {
        return Err(none());
    }
    Ok(entries.into_iter().map(|entry| entry.id.to_string()).collect())
}

/// The files while they are written.
struct Export {
    folder: PathBuf,
    said: Said,
    calls: TableFile,
    parts: TableFile,
    breaks: TableFile,
    findings: TableFile,
    n_sessions: u64,
}

impl Export {
    fn begin(folder: &Path, said: Said) -> Result<Self, AppError> {
        let cannot = |error: &dyn std::fmt::Display| {
            AppError::unreadable(format!(
                "{} cannot be written: {error}. Nothing was exported.",
                folder.display()
            ))
        };
        std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
        let file = |at: usize| {
            let table = &TABLES[at];
            let path = unfinished(folder, table.name);
            TableFile::create(&path, table.name, table.columns).map_err(|error| cannot(&error))
        };
        let (calls, parts, breaks, findings) = (file(0)?, file(1)?, file(2)?, file(3)?);
        Ok(Self { folder: folder.to_owned(), said, calls, parts, breaks, findings, n_sessions: 0 })
    }

    fn session(&mut self, recording: Recording, watch: &dyn Watch) -> Result<(), AppError> {
        let Recording { subject, file, tables } = recording;
        let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
        let opened = OpenedSession { subject, tables, compiled, diagnostics: Vec::new() };
        let of = Of { source: self.said.text(&file), session_id: opened.subject.id.clone() };
        let (tokens, cache, found) = (tokens_of(&opened), cache_of(&opened), findings_of(&opened));
        let Self { said, calls, parts, breaks, findings, .. } = self;
        calls::write(calls, &of, &opened, (&tokens, &cache), said)
            .and_then(|()| parts::write(parts, &of, &tokens, said))
            .and_then(|()| breaks::write(breaks, &of, &cache, said))
            .and_then(|()| findings::write(findings, &of, &found, said))
            .map_err(|error| self.failed(&error))?;
        self.n_sessions += 1;
        Ok(())
    }

    fn failed(&self, error: &ParquetError) -> AppError {
        let folder = self.folder.display();
        AppError::unreadable(format!(
            "A table could not be written into {folder}: {error}. Nothing was exported."
        ))
    }

    fn finish(self) -> Result<Vec<ExportedTable>, AppError> {
        let Self { folder, calls, parts, breaks, findings, .. } = self;
        let failed = |error: &dyn std::fmt::Display| {
            let folder = folder.display();
            AppError::unreadable(format!("A table could not be written into {folder}: {error}."))
        };
        let files = [calls, parts, breaks, findings];
        let rows = files.each_ref().map(TableFile::n_rows);
        for file in files {
            file.finish().map_err(|error| failed(&error))?;
        }
        let mut tables = Vec::new();
        for (table, rows) in TABLES.iter().zip(rows) {
            let file = format!("{}.parquet", table.name);
            std::fs::rename(unfinished(&folder, table.name), folder.join(&file))
                .map_err(|error| failed(&error))?;
            tables.push(ExportedTable { file, rows });
        }
        Ok(tables)
    }
}

/// Goes with what is left of files that were not finished.
struct Unfinished<'f>(&'f Path);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        for table in &TABLES {
            let _ = std::fs::remove_file(unfinished(self.0, table.name));
        }
    }
}

fn unfinished(folder: &Path, table: &str) -> PathBuf {
    folder.join(format!("{table}.parquet.part"))
}
