//! `strata export --as html`: a session as one page that needs nothing but a browser.
//!
//! Every number in it is one of the documents of `strata show`, `tokens`, `compile`, `cache`, `findings` and `sweep`.

mod breaks;
mod calls;
mod change;
mod findings;
mod frame;
mod map;
mod strip;
mod summary;
mod sweep;
mod texts;

use maud::html;

use super::Watch;
use super::cache::cache_of;
use super::diagnostic::FileDiagnostic;
use super::export::ExportReport;
use super::findings::findings_of;
use super::opened::OpenedSession;
use super::source::Source;
use super::tokens::tokens_of;
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::show::words;
use texts::Texts;

/// Makes the page of a source's only session, or of the one called `session`, with the edits laid over it.
/// `masks_secrets` puts a mask in place of each key, token and password, and says how many there are.
pub fn page(
    source: &Source,
    session: Option<&str>,
    masks_secrets: bool,
    watch: &dyn Watch,
) -> Result<ExportReport, AppError> {
    let opened = OpenedSession::read(source, session, watch)?;
    let texts = Texts::new(masks_secrets);
    let (tokens, cache, found) = (tokens_of(&opened), cache_of(&opened), findings_of(&opened));
    let body = html! {
        (summary::section(&opened, &tokens, &cache, &found, &texts))
        (change::section(&opened))
        (strip::section(&tokens, &texts))
        (map::section(&opened, &tokens, &texts))
        (calls::section(&opened, &tokens, &texts)?)
        (breaks::section(&cache, &texts))
        (findings::section(&found, &texts))
        (sweep::section(&opened, watch, &texts))
        (summary::notes(&opened, &texts))
    };
    let title = texts.line(&tokens.title, 120);
    let text = frame::page(&title, &body).into_string();
    let mut diagnostics = opened.diagnostics().to_vec();
    let n_masked = texts.masked_in(&text);
    if n_masked > 0 {
        let message = format!("{} masked.", words::counted(n_masked, "secret"));
        let code = "masked-secrets".to_owned();
        let row = DiagnosticRow { severity: DiagnosticSeverity::Info, code, message, at: String::new() };
        diagnostics.push(FileDiagnostic::new("", row));
    }
    Ok(ExportReport { file: format!("{}.html", texts::file_stem(&title)), text, diagnostics })
}
