//! Callbacks of an agent before its model is called, each a stage of its own. Code cannot be read from a recording;
//! these are the behaviours Strata knows.

use std::sync::Arc;

use strata_model::app::{Callback, RelayStyle};
use strata_model::{Json, LlmRequest, Object, Origin, RequestContent, RequestPart, RichText, Str, python};

use super::plugins::keep_last;
use super::recorded_code::CodeStage;
use crate::adk_text::{BARE_FOREIGN_PREAMBLE, FOREIGN_PREAMBLE};
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{AnyProcessor, EarlyEnd, Phase, Processor, StageOutput};
use crate::sections::Sections;

/// The agent's callback at a position of its list.
pub(super) struct BeforeModelCallback {
    name: String,
    position: usize,
}

/// The stage of an agent's callback at `position`.
pub fn before_model_callback(position: usize, callback: &Callback) -> Arc<dyn AnyProcessor> {
    match callback {
        Callback::Code { name, .. } => Arc::new(CodeStage::callback(position, name)),
        known => Arc::new(BeforeModelCallback::new(position, known)),
    }
}

impl BeforeModelCallback {
    pub(super) fn new(position: usize, callback: &Callback) -> Self {
        Self { name: format!("callback:{}", what(callback)), position }
    }
}

fn what(callback: &Callback) -> &str {
    match callback {
        Callback::StripForContext { .. } => "strip_for_context",
        Callback::CompactState { .. } => "compact_state",
        Callback::AppendInstruction { .. } => "append_instruction",
        Callback::ShortCircuit { .. } => "short_circuit",
        Callback::SetState { .. } => "set_state",
        Callback::KeepLastContents { .. } => "keep_last_contents",
        Callback::CapRows { .. } => "cap_rows",
        Callback::Code { name, .. } => name,
    }
}

#[derive(Hash)]
pub(super) struct Inputs<'c> {
    callback: Option<&'c Callback>,
    /// The queries a compacting callback shortens.
    queries: Option<&'c Json>,
}

impl Processor for BeforeModelCallback {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &str {
        &self.name
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::CONTENTS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let callback = context.agent().before_model_callbacks().get(self.position);
        let queries = match callback {
            Some(Callback::CompactState { source, .. }) => context.state.get(source).known(),
            _ => None,
        };
        Inputs { callback, queries }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(callback) = inputs.callback else { return Ok(()) };
        match callback {
            Callback::StripForContext { style } => {
                let n_parts = strip_relayed_traffic(request, *style);
                output.note(format!("{n_parts} relayed calls and results removed"));
            }
            Callback::CompactState { dest, .. } => {
                output.state_delta.insert(dest.clone(), compacted(inputs.queries));
                output.note(format!("writes state.{dest}"));
            }
            Callback::AppendInstruction { text } => {
                append_instruction(request, text);
                output.note("adds to the system instruction");
            }
            Callback::ShortCircuit { text } => {
                output.end = Some(EarlyEnd::Answered { text: text.clone() });
                output.note("answers itself; the model is not called");
            }
            Callback::SetState { values } => {
                output.state_delta = values.clone();
                output.note("writes state");
            }
            Callback::KeepLastContents { count } => {
                let contents: Vec<Arc<RequestContent>> = request.contents.iter().cloned().collect();
                request.contents = keep_last(&contents, *count).into_iter().collect();
                output.note(format!(
                    "keeps the last {} of {} contents",
                    request.contents.len(),
                    contents.len()
                ));
            }
            // Works on tool results, not on requests.
            Callback::CapRows { .. } => output.note("works on tool results only"),
            // It is a stage of another kind.
            Callback::Code { .. } => {}
        }
        Ok(())
    }
}

fn append_instruction(request: &mut LlmRequest, text: &Str) {
    let origin = Origin::Extension { name: "append_instruction".into() };
    request.append_system(RichText::from_span(text.clone(), origin));
}

/// Removes other agents' calls and results from the contents that relay them. Returns how many parts went.
fn strip_relayed_traffic(request: &mut LlmRequest, style: RelayStyle) -> usize {
    let mut n_removed = 0;
    let contents: Vec<Arc<RequestContent>> = request.contents.iter().cloned().collect();
    let kept: Vec<Arc<RequestContent>> = contents
        .iter()
        .filter_map(|content| {
            if !is_relay(content, style) {
                return Some(content.clone());
            }
            let kept: Vec<RequestPart> =
                content.parts.iter().filter(|part| !is_relayed_traffic(part)).cloned().collect();
            n_removed += content.parts.len() - kept.len();
            (kept.len() > 1).then(|| Arc::new(RequestContent::new(content.role.clone(), kept)))
        })
        .collect();
    if n_removed > 0 {
        request.contents = kept.into_iter().collect();
    }
    n_removed
}

/// Whether a content relays what another agent called and got, in this form.
pub(super) fn is_relay(content: &RequestContent, style: RelayStyle) -> bool {
    let preamble = match style {
        RelayStyle::ForContext => BARE_FOREIGN_PREAMBLE,
        RelayStyle::Fenced => FOREIGN_PREAMBLE,
    };
    content.is_user()
        && content.parts.len() >= 2
        && content.parts[0].part.text.as_deref() == Some(preamble)
        && content.parts[1..].iter().any(is_relayed_traffic)
}

/// ``[agent] called tool `name` with parameters:`` or ``[agent] `name` tool returned result:`` at the start.
pub fn is_relayed_traffic(part: &RequestPart) -> bool {
    let Some(text) = part.part.text.as_deref() else { return false };
    let Some(rest) = text.strip_prefix('[').and_then(after_word).and_then(|rest| rest.strip_prefix("] "))
    else {
        return false;
    };
    let called = rest.strip_prefix("called tool `").and_then(after_word);
    let returned = rest.strip_prefix('`').and_then(after_word);
    called.is_some_and(|rest| rest.starts_with("` with parameters:"))
        || returned.is_some_and(|rest| rest.starts_with("` tool returned result:"))
}

/// What follows a run of at least one word character.
fn after_word(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(python::is_word);
    (rest.len() < text.len()).then_some(rest)
}

/// The short form of a dict of queries: what happened to each, without its text where it went well.
fn compacted(queries: Option<&Json>) -> Json {
    let mut short = Object::new();
    for (id, query) in queries.and_then(Json::as_object).into_iter().flat_map(Object::iter) {
        let field = |name: &str| query.get(name).cloned().unwrap_or_default();
        let mut entry = Object::new();
        entry.push("id", id.clone());
        entry.push("title", field("query_title"));
        entry.push("status", field("status"));
        match query.get("status").and_then(Json::as_str) {
            Some("success") => entry.push("row_count", field("row_count")),
            Some("error") => {
                entry.push("error_message", field("error_message"));
                entry.push("query", field("query"));
            }
            _ => entry.push("depends_on", field("depends_on")),
        }
        short.insert(id.clone(), entry);
    }
    Json::Object(short)
}
