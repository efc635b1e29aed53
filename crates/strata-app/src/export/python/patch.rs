//! Only what an experiment changes, as a module for an app whose code somebody has.

use strata_engine::{AgentId, AppEdit, CompactionEdit, Edit, Experiment, FlowEdit, Step};
use strata_model::app::Instruction;
use strata_model::{Agent, FromJson as _, Json, Object, Tool};

use super::literal::{lines, literal, snake_case_keys, text};
use super::{Module, left_out, processors};
use crate::error::AppError;
use crate::show::edit_words::title;

/// Changes of an agent or of the app, each an expression that makes a function of it.
type Changes = Vec<String>;

impl Module<'_> {
    /// The module. `stem` is the name it is imported by.
    pub(super) fn patch(&mut self, stem: &str) -> Result<String, AppError> {
        let nothing = |why: &str| AppError::bad_input(format!("There is nothing to patch: {why}"));
        let experiment = self.subject.experiment;
        let Some(base) = experiment.laid_over() else {
            return Err(nothing("no edits are laid over this session."));
        };
        self.tell_of_events();
        let app = self.app_changes(base);
        let mut agents: Vec<(String, Changes)> = Vec::new();
        for id in experiment.index().ids() {
            let agent = experiment.index().agent(id).clone();
            let changes = if agent.is_llm() { self.agent_changes(&agent, id, base) } else { Changes::new() };
            if !changes.is_empty() && agents.iter().all(|(name, _)| **name != *agent.name) {
                agents.push((agent.name.to_string(), changes));
            }
        }
        if agents.is_empty() && app.is_empty() {
            let left: Vec<&str> = self.diagnostics.iter().map(|row| &*row.message).collect();
            let why = if left.is_empty() {
                "the edits change no request of the app."
            } else {
                "no edit is one of the app's code."
            };
            return Err(AppError { detail: (!left.is_empty()).then(|| left.join("\n")), ..nothing(why) });
        }
        self.used.insert("apply");
        Ok(self.patch_text(stem, &agents, &app))
    }

    /// Edits of a session that no code of an app holds.
    fn tell_of_events(&mut self) {
        for edit in self.subject.edits {
            let Some(why) = of_session_alone(edit) else { continue };
            self.diagnostics.push(left_out(format!("\"{}\": {why}, and no code of an app.", title(edit))));
        }
    }

    /// Whether the patch has what an edit changes; of all others a remark says that it has not.
    fn holds(&self, edit: &Edit) -> bool {
        match edit {
            Edit::Events(_) | Edit::Compaction(_) => of_session_alone(edit).is_none(),
            // The text of a recorded prompt is no template.
            Edit::App(
                AppEdit::Instruction { .. }
                | AppEdit::StaticInstruction { .. }
                | AppEdit::GlobalInstruction { .. },
            ) => !self.subject.is_inferred,
            Edit::Flow(FlowEdit::Insert { kind, params, .. }) => processors::call(kind, params).is_some(),
            Edit::App(_) | Edit::Flow(_) => true,
        }
    }

    fn app_changes(&mut self, base: &Experiment) -> Changes {
        let (before, now) = (base.app().clone(), self.subject.experiment.app().clone());
        let mut changes = Changes::new();
        let json = |config: Option<Json>| config.map(|config| literal(&snake_case_keys(&config), 1));
        let cache = json(now.context_cache_config.as_ref().map(|config| config.to_json()));
        if json(before.context_cache_config.as_ref().map(|config| config.to_json())) != cache {
            let value = cache.map_or("None".to_owned(), |config| {
                self.imports.insert("from google.adk.agents.context_cache_config import ContextCacheConfig");
                format!("ContextCacheConfig.model_validate({config})")
            });
            self.used.insert("set_fields");
            changes.push(format!("set_fields(context_cache_config={value})"));
        }
        let compaction = |app: &strata_model::App| {
            app.events_compaction_config.as_ref().map(|config| {
                let mut config = config.clone();
                config.summarizer = None;
                config.to_json()
            })
        };
        let config = compaction(&now);
        if compaction(&before) != config {
            self.used.insert("set_compaction");
            changes.push(format!("set_compaction({})", json(config).unwrap_or("None".to_owned())));
        }
        changes
    }

    fn agent_changes(&mut self, agent: &Agent, id: AgentId, base: &Experiment) -> Changes {
        let Some(known) = base.index().find(&agent.name) else { return Changes::new() };
        let before = base.index().agent(known).clone();
        let steps = self.steps(id).to_vec();
        let mut changes = Changes::new();
        let fields = self.changed_fields(agent, &before);
        if !fields.is_empty() {
            self.used.insert("set_fields");
            let fields = lines(&fields, ("            ", ",\n"));
            changes.push(format!("set_fields(\n{fields}        )"));
        }
        if let Some(maps) = self.state_maps(&steps) {
            changes.push(maps);
        }
        let order = self.order(agent, &steps);
        if let Some(order) = order {
            self.used.insert("order_processors");
            changes.push(format!("order_processors({})", literal(&order, 2)));
        }
        let mut callbacks = self.tool_callbacks(agent, &before);
        callbacks.extend(self.inserted(&steps, &agent.name));
        if !callbacks.is_empty() {
            self.used.insert("add_callbacks");
            let callbacks = lines(&callbacks, ("            ", ",\n"));
            changes.push(format!("add_callbacks(\n{callbacks}        )"));
        }
        changes
    }

    fn changed_fields(&mut self, agent: &Agent, before: &Agent) -> Vec<String> {
        let mut fields = Vec::new();
        let template =
            |instruction: &Option<Instruction>| instruction.as_ref().map(|known| known.text().clone());
        let fixed = |agent: &Agent| {
            let known = agent.static_instruction.as_ref().filter(|known| known.is_set);
            known.and_then(|known| match known.content.parts() {
                [only] => only.text.clone(),
                _ => None,
            })
        };
        let texts = [
            ("instruction", template(&before.instruction), template(&agent.instruction), "\"\""),
            ("static_instruction", fixed(before), fixed(agent), "None"),
            (
                "global_instruction",
                template(&before.global_instruction),
                template(&agent.global_instruction),
                "\"\"",
            ),
        ];
        for (name, was, now, nothing) in texts {
            if was == now {
                continue;
            }
            if self.subject.is_inferred {
                self.diagnostics.push(left_out(format!(
                    "The {} of {}: the app's configuration is not known, so the edited text is that of a recorded \
                     prompt, with values of this session where your code has {{keys}}. Give the configuration with \
                     the session, or change the text in your code.",
                    name.replace('_', " "),
                    agent.name
                )));
                continue;
            }
            let value = now.map_or(nothing.to_owned(), |now| literal(&Json::String(now), 3));
            fields.push(format!("{name}={value}"));
        }
        let schema = |agent: &Agent| agent.output_schema.as_ref().map(|schema| schema.json_schema.clone());
        if schema(before) != schema(agent) {
            let value = schema(agent).map_or("None".to_owned(), |schema| literal(&schema, 3));
            fields.push(format!("output_schema={value}"));
        }
        if before.include_contents != agent.include_contents {
            let value = agent.include_contents.map_or("default", |value| value.as_str());
            fields.push(format!("include_contents={}", text(value)));
        }
        fields
    }

    /// Tools that are taken away or declared otherwise. The tools themselves are the app's code, so requests are changed.
    fn tool_callbacks(&mut self, agent: &Agent, before: &Agent) -> Vec<String> {
        let declared = |agent: &Agent| -> Vec<(String, Object)> {
            let functions = agent.tools().iter().filter_map(|tool| match tool {
                Tool::Function { declaration, .. } | Tool::LongRunningFunction { declaration } => {
                    Some((tool.name().to_string(), declaration.clone()))
                }
                _ => None,
            });
            functions.collect()
        };
        let (was, now) = (declared(before), declared(agent));
        let find = |list: &[(String, Object)], name: &str| {
            list.iter().find(|(known, _)| known == name).map(|(_, declaration)| declaration.clone())
        };
        let mut removed: Vec<Json> = Vec::new();
        let mut others = Object::new();
        for (name, declaration) in &was {
            match find(&now, name) {
                None => removed.push(Json::from(&**name)),
                Some(other) if other != *declaration => others.push(name.clone(), Json::Object(other)),
                Some(_) => {}
            }
        }
        let mut callbacks = Vec::new();
        if !removed.is_empty() {
            self.used.insert("drop_tools");
            callbacks.push(format!("drop_tools(tools={})", literal(&Json::Array(removed), 3)));
        }
        if !others.is_empty() {
            self.used.insert("declare_otherwise");
            callbacks.push(format!("declare_otherwise({})", literal(&Json::Object(others), 3)));
        }
        callbacks
    }

    fn state_maps(&mut self, steps: &[Step]) -> Option<String> {
        let maps: Vec<Json> =
            steps.iter().filter(|step| step.is_enabled).filter_map(super::agents::state_map).collect();
        if maps.is_empty() {
            return None;
        }
        self.used.insert("show_state");
        Some(format!("show_state({})", literal(&Json::Array(maps), 2)))
    }

    fn patch_text(&self, stem: &str, agents: &[(String, Changes)], app: &Changes) -> String {
        let mut imports = self.imports.clone();
        let helpers = self.helpers(&mut imports);
        let name = self.subject.name.replace(['\\', '"'], "'");
        let edits = self.subject.edits.iter().filter(|edit| self.holds(edit));
        let edits: Vec<String> = edits.map(|edit| format!("- {}", title(edit).replace('\\', "/"))).collect();
        let edits = edits.join("\n").replace("\"\"\"", "'''");
        let missing = self.diagnostics.iter().map(|row| row.message.replace('\n', " "));
        let missing = lines(missing, ("# Not in here: ", "\n"));
        let agents: Vec<String> = agents
            .iter()
            .map(|(agent, changes)| {
                format!("    {}: [\n{}    ],\n", text(agent), lines(changes, ("        ", ",\n")))
            })
            .collect();
        let app =
            if app.is_empty() { "[]".to_owned() } else { format!("[\n{}]", lines(app, ("    ", ",\n"))) };
        format!(
            "\"\"\"{name}: changes for your google-adk app, written by Strata for google-adk 2.13.\n\n\
             Put this file beside your app and say, where the app is made:\n\n    \
             from {stem} import apply\n    \
             app = App(name=..., root_agent=root_agent)\n    \
             apply(app)\n\n\
             Changes:\n\n{edits}\n\"\"\"\n\n{}\n\n{missing}\nPATCH = {}\n\n\n{helpers}\
             # What changes of each agent, by its name.\nAGENTS = {{\n{}}}\n\n\
             # What changes of the app itself.\nAPP = {app}\n",
            super::import_lines(imports),
            text(stem),
            agents.concat(),
        )
    }
}

/// What an edit changes that is of this session and of no app.
fn of_session_alone(edit: &Edit) -> Option<&'static str> {
    match edit {
        Edit::Events(_) => Some("it changes one event of this session"),
        Edit::Compaction(CompactionEdit::Lay { .. }) => Some("its summaries are those of this session"),
        Edit::Compaction(CompactionEdit::Set { .. }) | Edit::Flow(_) | Edit::App(_) => None,
    }
}
