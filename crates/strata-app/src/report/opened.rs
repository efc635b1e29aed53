//! A session that is read and compiled once, for as many documents as are asked of it.

use super::Watch;
use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::source::{Compiled, Source, Subject};
use crate::error::AppError;
use crate::tables::Tables;

/// A source's only session, or the one that was chosen, as it was when it was read.
pub struct OpenedSession {
    pub(super) subject: Subject,
    pub(super) tables: Tables,
    pub(super) compiled: Compiled,
    pub(super) diagnostics: Vec<FileDiagnostic>,
}

impl OpenedSession {
    /// Reads a source's only session, or the one called `session`, and compiles all of its calls.
    pub fn read(source: &Source, session: Option<&str>, watch: &dyn Watch) -> Result<Self, AppError> {
        let (subject, diagnostics) = source.read_one(session, watch)?;
        let tables = source.tables()?;
        let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
        Ok(Self { subject, tables, compiled, diagnostics })
    }

    /// Its numbers, as lists show them.
    pub fn session(&self) -> SessionReport {
        (&self.subject).into()
    }

    /// The folder it was recorded in, where its file says so.
    pub fn folder(&self) -> Option<&str> {
        self.subject.summary.folder.as_deref()
    }

    /// What a person should know about how it was read.
    pub fn diagnostics(&self) -> &[FileDiagnostic] {
        &self.diagnostics
    }
}
