//! Trajectories in the interchange format of Harbor: one JSON object a run, with the trajectories of its sub-agents in it.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{FunctionCall, Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::Counts;
use strata_wire::usage::spelling::{ATIF, ATIF_TOTAL};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::marks::{QUOTED, SYNTHETIC_MODEL};
use crate::own_total;
use crate::source::SourceRecord;
use crate::time::take_time;

/// A trajectory of any version.
pub(crate) fn is_trajectory(keys: Keys<'_>) -> bool {
    keys.text("schema_version").starts_with("ATIF-v") && keys.has("steps")
}

/// Trajectories hold lists of trajectories, so all of one stands at its place.
pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[""], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in documents {
        for value in document.take("") {
            let source = value.source();
            if let Json::Object(trajectory) = value.json {
                sessions.extend(session(trajectory, source, format, findings));
            }
        }
        if !document.fields.is_empty() {
            sessions.extend(session(document.fields, document.source, format, findings));
        }
    }
    sessions
}

fn session(
    mut trajectory: Object,
    source: SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let agent = trajectory.get("agent").and_then(|agent| agent.get("name")?.as_str()).unwrap_or("agent");
    let mut draft = Draft::new("harbor", agent);
    let names = ["session_id", "trajectory_id"];
    draft.session.id = names
        .iter()
        .find_map(|key| trajectory.get(key)?.as_str().filter(|id| !id.is_empty()))
        .map(Str::from)
        .unwrap_or_default();
    let own = take_object(&mut trajectory, "final_metrics").unwrap_or_default();
    let mut reading = Reading { draft, source, own: Counts::default(), all: Counts::default(), n_calls: 0 };
    reading.trajectory(trajectory, None);
    reading.total(own, findings);
    reading.draft.finish(format, findings)
}

struct Reading {
    draft: Draft,
    source: SourceRecord,
    /// What the steps of the outer trajectory report, and those of all of them.
    own: Counts,
    all: Counts,
    n_calls: u64,
}

/// Where a trajectory is told.
#[derive(Clone)]
struct Place {
    agent: Option<Str>,
    branch: Option<Str>,
    model: Option<Str>,
}

impl Reading {
    /// Tells a trajectory, on a branch when it is that of a sub-agent.
    fn trajectory(&mut self, mut trajectory: Object, branch: Option<Str>) {
        let mut agent = take_object(&mut trajectory, "agent").unwrap_or_default();
        let place = Place {
            agent: take_text(&mut agent, "name"),
            model: take_first_text(&mut agent, &["model_name"]),
            branch,
        };
        let mut inner: HashMap<Str, Object> = HashMap::new();
        let mut unnamed = Vec::new();
        for one in take_list(&mut trajectory, "subagent_trajectories").unwrap_or_default() {
            let Some(one) = self.draft.object("subagent_trajectories", one) else { continue };
            match one.get("trajectory_id").and_then(Json::as_str).map(Str::from) {
                // Of two with the same id the later one is meant.
                Some(id) => unnamed.extend(inner.insert(id, one)),
                None => unnamed.push(one),
            }
        }
        for step in take_list(&mut trajectory, "steps").unwrap_or_default() {
            if let Some(step) = self.draft.object("steps", step) {
                self.step(step, &place, &mut inner);
            }
        }
        // Sub-agents that no step speaks of.
        let mut left: Vec<(Str, Object)> = inner.into_iter().collect();
        left.sort_by(|a, b| a.0.cmp(&b.0));
        left.extend(unnamed.into_iter().enumerate().map(|(at, one)| (format!("{}", at + 1).into(), one)));
        for (id, one) in left {
            self.trajectory(one, Some(format!("agent.{id}").into()));
        }
        for key in ["schema_version", "session_id", "trajectory_id"] {
            trajectory.remove(key);
        }
        if place.branch.is_none() {
            if let Some(version) = take_text(&mut agent, "version") {
                self.draft.session.state.insert("agent_version", version);
            }
            if let Some(notes) = take_text(&mut trajectory, "notes") {
                self.draft.session.state.insert("notes", notes);
            }
        }
        self.draft.note_rest("agent", &agent);
        self.draft.note_rest("trajectory", &trajectory);
    }

    fn step(&mut self, mut step: Object, place: &Place, inner: &mut HashMap<Str, Object>) {
        let speaker = take_text(&mut step, "source").unwrap_or_default();
        step.remove("step_id");
        let is_copied = step.remove("is_copied_context").is_some_and(|flag| flag.is_truthy());
        let base = EventDraft {
            time: take_time(&mut step, "timestamp"),
            agent: place.agent.clone(),
            branch: place.branch.clone(),
            ..EventDraft::new(Kind::Notice, Vec::new(), self.source.clone())
        };
        let observation = take_object(&mut step, "observation");
        if &*speaker == "agent" {
            self.answer(&mut step, place, base.clone(), is_copied);
        } else {
            let mut turn = Turn::new(Role::User);
            self.message(step.remove("message"), &mut turn);
            if !turn.parts.is_empty() {
                let kind = match (&*speaker, kind_of(&turn)) {
                    ("system", _) => Kind::Injected("system".into()),
                    // What a sub-agent is asked was written by the agent that called it.
                    (_, Kind::Prompt) if place.branch.is_some() => Kind::Injected("task".into()),
                    (_, kind) => kind,
                };
                self.draft.push(EventDraft { kind, parts: turn.parts, ..base.clone() });
            }
        }
        self.draft.note_rest("step", &step);
        if let Some(observation) = observation {
            self.observation(observation, &base, inner);
        }
    }

    fn answer(&mut self, step: &mut Object, place: &Place, base: EventDraft, is_copied: bool) {
        let mut turn = Turn::new(Role::Model);
        turn.parts.extend(take_first_text(step, &["reasoning_content"]).map(thought));
        self.message(step.remove("message"), &mut turn);
        for call in take_list(step, "tool_calls").unwrap_or_default() {
            let Some(mut call) = self.draft.object("tool_calls", call) else { continue };
            let id = take_first_text(&mut call, &["tool_call_id"]);
            let name = take_text(&mut call, "function_name");
            let args = strata_wire::message::arguments(call.remove("arguments"));
            if let (Some(id), Some(name)) = (&id, &name) {
                self.draft.tools.insert(id.clone(), name.clone());
            }
            self.draft.note_rest("tool_call", &call);
            let args = args.map(Arc::new);
            turn.parts.push(Part::from_call(FunctionCall { id, name, args, ..FunctionCall::default() }));
        }
        let mut metrics = take_object(step, "metrics").unwrap_or_default();
        let counts = ATIF.take(&mut metrics);
        // Details of the provider repeat what was counted.
        let extra = take_object(&mut metrics, "extra").unwrap_or_default();
        let rest = extra.iter().filter(|(key, value)| !key.ends_with("_tokens") && value.is_truthy());
        rest.for_each(|(key, value)| self.draft.unmapped.field("metrics.extra", key, value));
        self.draft.note_rest("metrics", &metrics);
        let usage = (!counts.is_empty()).then(|| counts.into());
        let n_calls = step.remove("llm_call_count").and_then(|count| count.as_i64());
        let model = take_first_text(step, &["model_name"]).or_else(|| place.model.clone());
        let say = EventDraft { kind: Kind::Response, parts: turn.parts, ..base.clone() };
        if is_copied {
            // What was said in an earlier trajectory, and counted there.
            let at = self.draft.push(EventDraft { model, ..say });
            self.draft.mark(at, QUOTED, true);
            if usage.is_some() {
                self.draft.unmapped.field("step.metrics", "copied", &Json::Bool(true));
            }
            return;
        }
        self.all = self.all.plus(counts);
        if place.branch.is_none() {
            self.own = self.own.plus(counts);
        }
        self.n_calls += u64::from(!counts.is_empty());
        match n_calls {
            Some(0) => drop(self.draft.push(EventDraft { model: Some(SYNTHETIC_MODEL.into()), ..say })),
            // Of several calls only the sum is known.
            Some(2..) => {
                self.draft.push(EventDraft { model: model.clone(), ..say });
                self.draft.push_sum(EventDraft { model, usage, ..base });
            }
            _ => drop(self.draft.push(EventDraft { model, usage, ..say })),
        }
    }

    fn observation(&mut self, mut observation: Object, base: &EventDraft, inner: &mut HashMap<Str, Object>) {
        let mut results = Turn::new(Role::Tool);
        let mut seen = Turn::new(Role::User);
        for result in take_list(&mut observation, "results").unwrap_or_default() {
            let Some(mut result) = self.draft.object("results", result) else { continue };
            let call = take_first_text(&mut result, &["source_call_id"]);
            for of_agent in take_list(&mut result, "subagent_trajectory_ref").unwrap_or_default() {
                let id = of_agent.get("trajectory_id").and_then(Json::as_str);
                match id.and_then(|id| inner.remove(id)) {
                    Some(one) => {
                        let name = call.as_deref().or(id).unwrap_or_default().replace('.', "_");
                        self.trajectory(one, Some(format!("agent.{name}").into()));
                    }
                    None => self.draft.unmapped.field("result", "subagent_trajectory_ref", &of_agent),
                }
            }
            let content = take_any(&mut result, &["content"]);
            let is_error =
                result.get("extra").and_then(|extra| extra.get("is_error")).is_some_and(Json::is_truthy);
            if call.is_some() {
                let content = content.map(media_renamed);
                self.draft.messages("result").result(call, None, content, is_error, &mut results);
            } else {
                self.message(content, &mut seen);
            }
            self.draft.note_rest("result", &result);
        }
        if !results.parts.is_empty() {
            self.draft.push_turn(results, base.clone());
        }
        // The agent acted in words, and is told in words what came of it.
        if !seen.parts.is_empty() {
            let kind = Kind::Injected("observation".into());
            self.draft.note_result_bytes(seen.texts().map(str::len).sum::<usize>() as u64);
            self.draft.push(EventDraft { kind, parts: seen.parts, ..base.clone() });
        }
    }

    fn message(&mut self, message: Option<Json>, turn: &mut Turn) {
        let Some(message) = message else { return };
        self.draft.messages("message").content(media_renamed(message), turn);
    }

    /// Holds the total of the file against its steps. Some writers count the sub-agents in, some do not.
    fn total(&mut self, mut own: Object, findings: &mut Findings) {
        let counts = ATIF_TOTAL.take(&mut own);
        let cost = own.get("total_cost_usd").and_then(Json::as_f64);
        let place = format!("session {}", self.draft.session.id);
        own.remove("total_steps");
        if let Some(cost) = own.remove("total_cost_usd") {
            self.draft.session.state.insert("total_cost_usd", cost);
        }
        let extra = take_object(&mut own, "extra").unwrap_or_default();
        let rest = extra.iter().filter(|(key, _)| !key.ends_with("_tokens"));
        rest.for_each(|(key, value)| self.draft.unmapped.field("final_metrics.extra", key, value));
        self.draft.note_rest("final_metrics", &own);
        if self.n_calls == 0 {
            return own_total::alone(counts, cost, place, findings);
        }
        let is_own = counts.input == self.own.input && counts.output == self.own.output;
        let calls = if is_own { self.own } else { self.all };
        own_total::check("the trajectory's own total", counts, calls, place, findings);
    }
}

/// `{type, source: {media_type, path}}` names files as no other dialect does.
fn media_renamed(content: Json) -> Json {
    let Json::Array(parts) = content else { return content };
    let parts = parts.into_iter().map(|part| {
        let Json::Object(mut part) = part else { return part };
        if let Some(mut source) = take_object(&mut part, "source")
            && let Some(path) = take_text(&mut source, "path")
        {
            source.insert("type", "url");
            source.insert("url", path);
            part.insert("source", source);
            part.insert("type", "image");
        }
        Json::Object(part)
    });
    Json::Array(parts.collect())
}
