//! `strata export --as html`: a session as one page that needs nothing but a browser, and its pictures alone.
//!
//! Every number in it is one of the documents of `strata show`, `tokens`, `compile`, `cache`, `findings` and `sweep`.

mod breaks;
mod calls;
mod change;
mod findings;
mod frame;
mod map;
mod pictures;
mod strip;
mod summary;
mod sweep;
mod texts;

use maud::{Markup, html};

use super::Watch;
use super::cache::cache_of;
use super::diagnostic::FileDiagnostic;
use super::export::ExportReport;
use super::findings::findings_of;
use super::opened::OpenedSession;
use super::source::Source;
use super::tokens::{TokensReport, tokens_of};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::experiment::ReportForm;
use crate::error::AppError;
use crate::show::words;
use texts::Texts;

/// Makes a report of a source's only session, or of the one called `session`, with the edits laid over it.
/// `masks_secrets` puts a mask in place of each key, token and password, and says how many there are.
pub fn page(
    source: &Source,
    session: Option<&str>,
    form: ReportForm,
    masks_secrets: bool,
    watch: &dyn Watch,
) -> Result<ExportReport, AppError> {
    page_of(&OpenedSession::read(source, session, watch)?, form, masks_secrets, watch)
}

/// As [`page`], of a session that was read already.
pub(crate) fn page_of(
    opened: &OpenedSession,
    form: ReportForm,
    masks_secrets: bool,
    watch: &dyn Watch,
) -> Result<ExportReport, AppError> {
    let texts = Texts::new(masks_secrets);
    let tokens = tokens_of(opened);
    let title = texts.line(&tokens.title, 120);
    let (extension, made) = match form {
        ReportForm::Html => (".html", frame::page(&title, &body(opened, &tokens, watch, &texts)?)),
        ReportForm::StripSvg => (".strip.svg", pictures::strip(&title, &tokens)),
        ReportForm::MapSvg => (".map.svg", pictures::map(&title, opened, &tokens, &texts)),
    };
    let text = made.into_string();
    let mut diagnostics = opened.diagnostics().to_vec();
    let n_masked = texts.masked_in(&text);
    if n_masked > 0 {
        let message = format!("{} masked.", words::counted(n_masked, "secret"));
        let code = "masked-secrets".to_owned();
        let row = DiagnosticRow { severity: DiagnosticSeverity::Info, code, message, at: String::new() };
        diagnostics.push(FileDiagnostic::new("", row));
    }
    Ok(ExportReport { file: format!("{}{extension}", texts::file_stem(&title)), text, diagnostics })
}

fn body(
    opened: &OpenedSession,
    tokens: &TokensReport,
    watch: &dyn Watch,
    texts: &Texts,
) -> Result<Markup, AppError> {
    let (cache, found) = (cache_of(opened), findings_of(opened));
    Ok(html! {
        (summary::section(opened, tokens, &cache, &found, texts))
        (change::section(opened))
        (strip::section(tokens, texts))
        (map::section(opened, tokens, texts))
        (calls::section(opened, tokens, texts)?)
        (breaks::section(&cache, texts))
        (findings::section(&found, texts))
        (sweep::section(opened, watch, texts))
        (summary::notes(opened, texts))
    })
}
