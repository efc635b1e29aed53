//! An experiment as a Python module for google-adk 2.13.

mod agents;
mod events;
mod literal;
mod patch;
mod processors;

use std::collections::BTreeSet;

use strata_engine::adk_text::FOREIGN_PREAMBLE;
use strata_engine::{AgentId, Edit, FlowEdit, Step};
use strata_model::{FromJson as _, Json};

use super::subject::Subject;
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::show::edit_words::title;
use literal::{lines, literal};

/// What is being written.
struct Module<'s> {
    subject: &'s Subject<'s>,
    /// Helpers that the agents use, by the names of their sections.
    used: BTreeSet<&'static str>,
    imports: BTreeSet<&'static str>,
    /// Agents, in the order in which they have to be made.
    agents: String,
    diagnostics: Vec<DiagnosticRow>,
}

/// The module, and what of the experiment it does not hold.
pub(super) fn module(subject: &Subject<'_>) -> (String, Vec<DiagnosticRow>) {
    let mut module = Module::of(subject);
    let app = module.app();
    (module.text(&app), module.diagnostics)
}

/// A module that makes an app of somebody's do what the experiment does, and what of it that does not hold. It is
/// imported as `stem`.
pub(super) fn patch(subject: &Subject<'_>, stem: &str) -> Result<(String, Vec<DiagnosticRow>), AppError> {
    let mut module = Module::of(subject);
    let text = module.patch(stem)?;
    Ok((text, module.diagnostics))
}

/// Edits that an app configuration cannot hold: those of events, and all processors.
pub(super) fn beyond_the_app(subject: &Subject<'_>) -> Vec<DiagnosticRow> {
    // What is taken out again was put in by an edit that is named.
    let of_flow = subject.edits.iter().filter(|edit| match edit {
        Edit::Flow(FlowEdit::Remove { .. }) => false,
        Edit::Flow(_) => true,
        Edit::App(_) | Edit::Events(_) | Edit::Compaction(_) => false,
    });
    let flow = of_flow.map(|edit| {
        left_out(format!(
            "\"{}\": an app configuration has no place for processors. The Python form has.",
            title(edit)
        ))
    });
    events(subject).into_iter().chain(flow).collect()
}

/// Edits of events belong to the session and not to the app.
fn events(subject: &Subject<'_>) -> Vec<DiagnosticRow> {
    let is_of_event = |edit: &&Edit| matches!(edit, Edit::Events(_));
    let rows = subject.edits.iter().filter(is_of_event);
    rows.map(|edit| left_out(format!(
            "\"{}\": it changes the session, and an app configuration holds none. The Python form has a plugin for it.",
            title(edit)
        )))
        .collect()
}

fn left_out(message: String) -> DiagnosticRow {
    DiagnosticRow {
        severity: DiagnosticSeverity::Warning,
        code: "not-exported".to_owned(),
        message,
        at: String::new(),
    }
}

/// Modules, then names of modules.
fn import_lines(imports: BTreeSet<&'static str>) -> String {
    let (plain, from): (Vec<&str>, Vec<&str>) =
        imports.into_iter().partition(|import| import.starts_with("import "));
    let between = if plain.is_empty() { "" } else { "\n" };
    format!("{}{between}{}", lines(&plain, ("", "\n")), lines(&from, ("", "\n")))
}

impl<'s> Module<'s> {
    fn of(subject: &'s Subject<'s>) -> Self {
        Self {
            subject,
            used: BTreeSet::new(),
            imports: BTreeSet::new(),
            agents: String::new(),
            diagnostics: Vec::new(),
        }
    }
}

impl Module<'_> {
    fn app(&mut self) -> String {
        let app = self.subject.experiment.app().clone();
        let mut fields = vec![format!("name={}", literal(&Json::String(app.name.clone()), 0))];
        if let Some(root) = &app.root_agent {
            let root = self.agent(root);
            fields.push(format!("root_agent={root}"));
        }
        let mut plugins: Vec<String> = self.edited_events().into_iter().collect();
        plugins.extend(app.plugins().iter().filter_map(|plugin| self.plugin(plugin)));
        if !plugins.is_empty() {
            fields.push(format!("plugins=[{}]", plugins.join(", ")));
        }
        if let Some(config) = &app.events_compaction_config {
            self.imports.insert("from google.adk.apps.app import EventsCompactionConfig");
            if config.summarizer.is_some() {
                self.diagnostics.push(left_out(
                    "The summarizer of the compaction: the module uses ADK's own.".to_owned(),
                ));
            }
            let mut config = config.clone();
            config.summarizer = None;
            fields.push(format!(
                "events_compaction_config=EventsCompactionConfig.model_validate({})",
                literal(&literal::snake_case_keys(&config.to_json()), 1)
            ));
        }
        if let Some(config) = &app.context_cache_config {
            self.imports.insert("from google.adk.agents.context_cache_config import ContextCacheConfig");
            let config = literal::snake_case_keys(&config.to_json());
            fields.push(format!(
                "context_cache_config=ContextCacheConfig.model_validate({})",
                literal(&config, 1)
            ));
        }
        let fields = lines(&fields, ("    ", ",\n"));
        format!("app = App(\n{fields})\n")
    }

    fn text(&self, app: &str) -> String {
        let mut imports = self.imports.clone();
        imports.insert("from google.adk.apps.app import App");
        let helpers = self.helpers(&mut imports);
        let name = self.subject.name.replace(['\\', '"'], "'");
        let edits: Vec<String> =
            self.subject.edits.iter().map(|edit| format!("- {}", title(edit).replace('\\', "/"))).collect();
        let edits = if edits.is_empty() {
            String::new()
        } else {
            format!("\nEdits:\n\n{}\n", edits.join("\n")).replace("\"\"\"", "'''")
        };
        let missing = self.diagnostics.iter().map(|row| row.message.replace('\n', " "));
        let missing = lines(missing, ("# Not in here: ", "\n"));
        format!(
            "\"\"\"{name}, written by Strata for google-adk 2.13.\n{edits}\"\"\"\n\n{}\n\n{missing}\n{helpers}{}{app}",
            import_lines(imports),
            self.agents,
        )
    }

    /// What the agents use.
    fn helpers(&self, imports: &mut BTreeSet<&'static str>) -> String {
        let helpers = processors::sections(&self.used, imports);
        if !self.used.contains("strip_agent_traffic") {
            return helpers;
        }
        let preamble = literal(&Json::from(FOREIGN_PREAMBLE), 0);
        format!("PREAMBLES = {{\"for_context\": \"For context:\", \"fenced\": {preamble}}}\n\n\n{helpers}")
    }

    /// The steps of an agent's flow.
    fn steps(&self, agent: AgentId) -> &[Step] {
        self.subject.experiment.flow(agent).steps()
    }
}
