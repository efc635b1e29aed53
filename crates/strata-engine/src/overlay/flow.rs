//! Edits of flows.

use std::sync::Arc;

use strata_model::{Json, Object, Str};

use super::note::Notes;
use crate::app_index::AgentId;
use crate::edit::FlowEdit;
use crate::experiment::Experiment;
use crate::flow::{Flow, Inserted, Step};
use crate::processor::AnyProcessor;
use crate::processors::Catalog;

/// The processors that compact state are called so, with the key behind it.
const STATE_MAP: &str = "compact_state";

pub(super) fn apply(experiment: &mut Experiment, edit: &FlowEdit, catalog: &Catalog, notes: &mut Notes) {
    let index = experiment.index();
    let agents: Vec<AgentId> = match edit.agent().map(|name| (name, index.find(name))) {
        None => index.ids().collect(),
        Some((_, Some(id))) => vec![id],
        Some((name, None)) => {
            let names: Vec<&str> = index.ids().map(|id| &*index.agent(id).name).collect();
            let message = format!("There is no agent `{name}`. Agents: {}.", names.join(", "));
            return notes.error("edit-no-agent", &message);
        }
    };
    if let Err((code, message)) = (FlowEdits { experiment, agents: &agents, catalog }).apply(edit) {
        notes.error(code, &message);
    }
}

type Refusal = (&'static str, String);

struct FlowEdits<'e> {
    experiment: &'e mut Experiment,
    agents: &'e [AgentId],
    catalog: &'e Catalog,
}

impl FlowEdits<'_> {
    fn apply(&mut self, edit: &FlowEdit) -> Result<(), Refusal> {
        match edit {
            FlowEdit::Enable { processor, .. } => self.each(processor, |flow, at| {
                flow.steps_mut()[at].is_enabled = true;
            }),
            FlowEdit::Disable { processor, .. } => self.each(processor, |flow, at| {
                flow.steps_mut()[at].is_enabled = false;
            }),
            FlowEdit::Move { processor, before, .. } => self.move_to(processor, before.as_ref()),
            FlowEdit::Insert { kind, name, before, params, .. } => {
                self.insert(kind, name.as_ref(), before.as_deref(), params)
            }
            FlowEdit::Configure { processor, params, .. } => self.configure(processor, params),
            FlowEdit::Remove { processor, .. } => {
                self.inserted_kind(processor)?;
                self.each(processor, |flow, at| {
                    flow.steps_mut().remove(at);
                })
            }
            FlowEdit::StateMap { key, fields } => self.set_state_map(key, fields),
        }
    }

    /// Does something to a processor in every flow that has it.
    fn each(&mut self, processor: &str, change: impl Fn(&mut Flow, usize)) -> Result<(), Refusal> {
        let mut is_found = false;
        for agent in self.agents {
            let flow = self.experiment.flow(*agent);
            if let Some(at) = flow.position(processor) {
                change(self.experiment.flow_mut(*agent), at);
                is_found = true;
            }
        }
        if is_found { Ok(()) } else { Err(self.no_processor(processor)) }
    }

    fn no_processor(&self, name: &str) -> Refusal {
        let message = format!("There is no processor `{name}`. Processors: {}.", self.names().join(", "));
        ("edit-no-processor", message)
    }

    /// Names in all flows, each once.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for agent in self.agents {
            for step in self.experiment.flow(*agent).steps() {
                if !names.iter().any(|name| name == step.processor.name()) {
                    names.push(step.processor.name().to_owned());
                }
            }
        }
        names
    }

    fn knows(&self, name: &str) -> bool {
        self.agents.iter().any(|agent| self.experiment.flow(*agent).position(name).is_some())
    }

    fn move_to(&mut self, processor: &str, before: Option<&Str>) -> Result<(), Refusal> {
        if let Some(before) = before
            && !self.knows(before)
        {
            return Err(self.no_processor(before));
        }
        if before.is_some_and(|before| **before == *processor) {
            return Ok(());
        }
        self.each(processor, |flow, at| {
            // A flow without the neighbour keeps its order.
            if before.is_some_and(|before| flow.position(before).is_none()) {
                return;
            }
            let step = flow.steps_mut().remove(at);
            let to = before.and_then(|before| flow.position(before)).unwrap_or(flow.steps().len());
            flow.steps_mut().insert(to, step);
        })
    }

    fn insert(
        &mut self,
        kind: &Str,
        name: Option<&Str>,
        before: Option<&str>,
        params: &Object,
    ) -> Result<(), Refusal> {
        if let Some(before) = before
            && !self.knows(before)
        {
            return Err(self.no_processor(before));
        }
        let name = match name {
            Some(name) if self.is_taken(name) => {
                let message = format!("There is a processor `{name}` already, and names are unique.");
                return Err(("edit-name-taken", message));
            }
            Some(name) => name.clone(),
            None => self.free_name(kind),
        };
        let processor = self.build(kind, &name, params)?;
        let inserted = Arc::new(Inserted { kind: kind.clone(), params: params.clone() });
        let place = self.catalog.place(kind);
        for agent in self.agents {
            let flow = self.experiment.flow_mut(*agent);
            let own = before.and_then(|before| flow.position(before)).or_else(|| flow.position(place));
            let at = own.unwrap_or(flow.steps().len());
            let step = Step {
                processor: processor.clone(),
                is_enabled: true,
                inserted: Some(inserted.clone()),
                hook: None,
            };
            flow.steps_mut().insert(at, step);
        }
        Ok(())
    }

    fn build(&self, kind: &str, name: &Str, params: &Object) -> Result<Arc<dyn AnyProcessor>, Refusal> {
        self.catalog.build(kind, name, params).map_err(|message| ("edit-params", message))
    }

    fn is_taken(&self, name: &str) -> bool {
        let index = self.experiment.index();
        index.ids().any(|agent| self.experiment.flow(agent).position(name).is_some())
    }

    fn free_name(&self, kind: &Str) -> Str {
        let mut names = std::iter::once(kind.clone()).chain((2..).map(|n: u32| format!("{kind}_{n}").into()));
        names.find(|name| !self.is_taken(name)).unwrap_or_else(|| kind.clone())
    }

    /// The kind of a processor that an experiment inserted.
    fn inserted_kind(&self, processor: &str) -> Result<Str, Refusal> {
        let steps = self.agents.iter().flat_map(|agent| self.experiment.flow(*agent).steps());
        let mut steps = steps.filter(|step| step.processor.name() == processor).peekable();
        if steps.peek().is_none() {
            return Err(self.no_processor(processor));
        }
        let kind = steps.find_map(|step| step.inserted.as_ref()).map(|inserted| inserted.kind.clone());
        kind.ok_or_else(|| {
            let message = format!(
                "`{processor}` belongs to the agent's own flow: it can be switched off and moved. Its settings are \
                 those of the agent and the app."
            );
            ("edit-not-inserted", message)
        })
    }

    fn configure(&mut self, processor: &Str, params: &Object) -> Result<(), Refusal> {
        let kind = self.inserted_kind(processor)?;
        let built = self.build(&kind, processor, params)?;
        let inserted = Arc::new(Inserted { kind, params: params.clone() });
        self.each(processor, |flow, at| {
            let step = &mut flow.steps_mut()[at];
            step.processor = built.clone();
            step.inserted = Some(inserted.clone());
        })
    }

    fn set_state_map(&mut self, key: &Str, fields: &[Str]) -> Result<(), Refusal> {
        let name: Str = format!("{STATE_MAP}:{key}").into();
        if self.is_taken(&name) {
            self.each(&name, |flow, at| {
                flow.steps_mut().remove(at);
            })?;
        }
        if fields.is_empty() {
            return Ok(());
        }
        let mut params = Object::new();
        params.push("key", key.clone());
        params.push("fields", fields.iter().map(|field| Json::String(field.clone())).collect::<Vec<_>>());
        self.insert(&STATE_MAP.into(), Some(&name), None, &params)
    }
}
