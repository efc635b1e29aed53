//! Reports of what is open. They are those of the command line: what is known of the session is only not found out again.

use std::sync::Arc;

use strata_store::RecordedRequest;
use tokio_util::sync::CancellationToken;

use crate::api::common::DiagnosticRow;
use crate::api::experiment::{Exported, ReportForm};
use crate::error::AppError;
use crate::open::OpenSession;
use crate::report::{ExportReport, OpenedSession, page_of};
use crate::tables::Tables;
use crate::watch::Unseen;

/// A report of a session or an experiment, once all of its calls are compiled. `requests` were really sent.
pub(crate) fn report_of_open(
    open: &OpenSession,
    requests: Vec<RecordedRequest>,
    tables: &Arc<Tables>,
    form: ReportForm,
    masks_secrets: bool,
) -> Result<Exported, AppError> {
    let opened = OpenedSession::of_open(open, requests, tables)?;
    let unseen = Unseen(CancellationToken::new());
    let ExportReport { file, text, diagnostics } = page_of(&opened, form, masks_secrets, &unseen)?;
    Ok(Exported { file, text, diagnostics: diagnostics.into_iter().map(DiagnosticRow::from).collect() })
}
