//! Which app configuration a session is compiled with, and where it is from.

use std::path::Path;
use std::sync::Arc;

use strata_engine::{ConfigTarget, InferredApp, check_config, writer};
use strata_import::read_app_config;
use strata_measure::prices::Prices;
use strata_measure::tokens::Tokenizer;
use strata_model::app::AdkRelease;
use strata_model::{App, Diagnostic, FromJson as _, Session, json};
use strata_store::{AppConfig, AppConfigOrigin};

use super::assumed_model::{names_no_model, with_model};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::beside::SessionServices;
use crate::error::{AppError, sentence};

/// From this release on, histories are built as by the known one.
const FENCED: AdkRelease = AdkRelease::new(2, 9);

/// An app configuration with its source.
#[derive(Clone)]
pub(crate) struct AppSource {
    pub app: Arc<App>,
    pub is_inferred: bool,
    /// The file it was read from.
    pub location: Option<String>,
    /// What was inferred and what could not be, a sentence each.
    pub notes: Vec<String>,
    /// Nothing says which model some agent called.
    pub names_no_model: bool,
    /// The model that was chosen for them.
    pub as_if: Option<String>,
}

impl AppSource {
    /// The configuration somebody gave, else what is inferred from the events and the recorded requests. A given one that cannot be read is reported.
    pub(crate) fn of(
        given: Option<AppConfig>,
        session: &Session,
        inferred: impl FnOnce() -> InferredApp,
        diagnostics: &mut Vec<DiagnosticRow>,
    ) -> Self {
        if let Some(config) = given {
            match read_app_config(config.text.as_bytes(), &|_| None) {
                Ok(read) => {
                    diagnostics.extend(read.diagnostics.iter().map(DiagnosticRow::from));
                    return Self::given(read.app, config.location, session);
                }
                Err(reason) => diagnostics.push(DiagnosticRow {
                    severity: DiagnosticSeverity::Error,
                    code: "app-config".to_owned(),
                    message: format!(
                        "The app configuration of this session cannot be read: {reason}. It is compiled with what can be inferred; choose the file again."
                    ),
                    at: config.location.unwrap_or_default(),
                }),
            }
        }
        let inferred = inferred();
        Self {
            names_no_model: names_no_model(&inferred.app),
            notes: inferred.notes.into_iter().chain(note_on_release(&inferred.app)).collect(),
            app: inferred.app,
            is_inferred: true,
            location: None,
            as_if: None,
        }
    }

    /// A configuration that somebody gave for a session, and the file it was read from.
    pub(crate) fn given(app: App, location: Option<String>, session: &Session) -> Self {
        let app = App { writer: app.writer.clone().or_else(|| writer(session)), ..app };
        Self {
            names_no_model: names_no_model(&app),
            notes: note_on_release(&app).into_iter().collect(),
            app: Arc::new(app),
            is_inferred: false,
            location,
            as_if: None,
        }
    }
}

impl AppSource {
    /// With a model in place of those that nothing names; one that is known.
    pub(crate) fn with_model(self, model: &str, prices: &Prices) -> Result<Self, AppError> {
        if !self.names_no_model {
            return Err(AppError::bad_input(format!(
                "All models of this session are known, so it cannot be counted as if sent to {model}. To try another \
                 model, give an app configuration that names it."
            )));
        }
        if !Tokenizer::of_model(model).is_known() && prices.of_model(model).is_none() {
            return Err(AppError::bad_input(format!(
                "{model} is no model whose tokenizer or price is known here. Name one as its provider does: gpt-4o, \
                 claude-sonnet-5, gemini-2.5-pro."
            )));
        }
        Ok(self.assuming(model))
    }

    fn assuming(self, model: &str) -> Self {
        let app = Arc::new(with_model(&self.app, model));
        let note = format!("No model is named: counted and priced as if sent to {model}.");
        let notes = self.notes.into_iter().chain([note]).collect();
        Self { app, notes, as_if: Some(model.to_owned()), ..self }
    }

    /// With a word on what else it is compiled with.
    pub(crate) fn with_services(self, services: &SessionServices) -> Self {
        let notes = self.notes.into_iter().chain(services.notes()).collect();
        Self { notes, ..self }
    }

    /// With the model that somebody chose for the session, if it still lacks one.
    pub(crate) fn with_chosen_model(self, model: Option<&str>) -> Self {
        match model {
            Some(model) if self.names_no_model => self.assuming(model),
            _ => self,
        }
    }
}

/// What has to be said of an app that another google-adk ran than the one whose rules are known.
fn note_on_release(app: &App) -> Option<String> {
    let writer = app.other_writer()?;
    let release = app.release();
    let by_its_events = if writer.contains('.') { "" } else { ", as the way its events are written says" };
    let histories = if app.writer_of_unknown_histories().is_some() {
        "Histories are built as google-adk 1.20 builds them, the oldest release whose rules are known here: in older ones \
         thoughts in quotations, events without text and what agents are told of each other may have been otherwise."
    } else if release < FENCED {
        "Histories are built as that release builds them, with quotations and summaries in its words."
    } else {
        "Histories are built by the rules of google-adk 2.13."
    };
    Some(format!(
        "This app ran on {writer}{by_its_events}. {histories} Everything else is compiled by the rules of google-adk \
         2.13; where a request was recorded, that is what counts, and the stages before it may differ."
    ))
}

/// Reads a configuration file, and those it refers to. What google-adk would not start with is refused for its reason.
pub(crate) fn read_app(path: &Path) -> Result<strata_import::AppConfig, AppError> {
    let unreadable = |reason: String| {
        AppError::unreadable(format!("{} cannot be used as an app configuration: {reason}.", path.display()))
    };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = read_app_config(&bytes, &|name| std::fs::read(folder.join(name)).ok()).map_err(unreadable)?;
    let refused = |reason: String| unreadable(format!("google-adk would not start with it: {reason}"));
    // The rules are those of 2.13: an app that another google-adk ran is fine by that one's.
    if let Some(document) = read.document.as_ref().filter(|_| read.app.other_writer().is_none()) {
        check_config(ConfigTarget::App, document).map_err(|error| refused(error.to_string()))?;
    }
    for file in &read.agent_files {
        let place = if file.path.is_empty() { String::new() } else { format!("{}: ", file.path) };
        check_config(ConfigTarget::AgentFile, &file.document)
            .map_err(|error| refused(format!("{place}{error}")))?;
    }
    match read.refusal() {
        Some(refusal) => Err(refused(refusal.message.clone())),
        None => Ok(read),
    }
}

/// Reads the configuration of an app that is to run, as [`read_app`]; it is refused as well where a part of it is not
/// understood.
pub(crate) fn read_app_to_run(path: &Path) -> Result<strata_import::AppConfig, AppError> {
    let read = read_app(path)?;
    match read.unread() {
        Some(refusal) => Err(AppError::bad_input(format!(
            "{} cannot be run as it stands: {} ({})",
            path.display(),
            sentence(&refusal.message),
            refusal.at,
        ))),
        None => Ok(read),
    }
}

/// A configuration as the store has it: in one document, whatever files it was made of. `path` is the first of them.
pub(crate) fn stored_app(app: &App, path: &Path) -> AppConfig {
    AppConfig {
        origin: AppConfigOrigin::Given,
        format: "json".to_owned(),
        text: json::to_pretty(&app.to_json()),
        location: Some(path.display().to_string()),
    }
}

impl From<&Diagnostic> for DiagnosticRow {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity.into(),
            code: diagnostic.code.to_owned(),
            message: diagnostic.message.clone(),
            at: diagnostic.at.clone(),
        }
    }
}
