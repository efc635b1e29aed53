//! Plugins, callbacks and tools whose code Strata does not know. What they changed of a request is known for the calls
//! that a recorder saw; on an edited request the same change is made, as far as it fits.

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::{
    Contents, Diagnostic, EventIndex, FromJson as _, Gap, LlmRequest, Origin, RecordedStage, RequestContent,
    RequestPart, Str, json,
};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Phase, Processor, StageOutput};
use crate::processors::edited_events::Unedited;
use crate::processors::returned_contents::{Originals, exact};
use crate::sections::Sections;
use crate::tool_plan::ToolStep;

/// The stage of a plugin or a callback.
pub(super) struct CodeStage {
    /// `plugin:<name>` or `callback:<module.function>`.
    name: String,
    code: Code,
}

enum Code {
    Plugin(Str),
    /// By its place in the agent's list.
    Callback(usize),
}

impl CodeStage {
    pub(super) fn plugin(name: &Str) -> Self {
        Self { name: format!("plugin:{name}"), code: Code::Plugin(name.clone()) }
    }

    pub(super) fn callback(position: usize, name: &str) -> Self {
        Self { name: format!("callback:{name}"), code: Code::Callback(position) }
    }
}

/// What some code did at a call.
pub(super) struct RecordedCode<'c> {
    /// `None` where it did not run, or nobody saw it.
    stage: Option<&'c RecordedStage>,
    is_call_recorded: bool,
    /// The contents it was given when it was recorded, where edits changed some of these events since.
    unedited: Option<(&'c Contents, &'c BTreeSet<EventIndex>)>,
}

impl std::hash::Hash for RecordedCode<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.is_call_recorded.hash(state);
        self.stage.map(|stage| json::to_compact(&stage.to_json())).hash(state);
        self.unedited.map(|(contents, changed)| (contents.provenance(), changed)).hash(state);
    }
}

impl<'c> RecordedCode<'c> {
    /// Of a step of an agent's tools. `None` for one whose work is known.
    pub(super) fn of_tool(step: &ToolStep, context: &CompileContext<'c>) -> Option<Self> {
        let ToolStep::Code { name, nth } = step else { return None };
        let stage = context.recorded.and_then(|call| call.tool(name, *nth));
        Some(Self { stage, is_call_recorded: context.recorded.is_some(), unedited: None })
    }

    /// Makes the changes again. Returns what there is to say about it.
    pub(super) fn apply(&self, request: &mut LlmRequest, output: &mut StageOutput) -> &'static str {
        let Some(stage) = self.stage else {
            if self.is_call_recorded {
                return "did not run";
            }
            output.gaps.insert(Gap::Code);
            return "not recorded: what this code does is not known";
        };
        let Some(changes) = &stage.changes else { return "changed nothing" };
        let origin = match &*stage.kind {
            "tool" => Origin::Tool { name: stage.name.clone() },
            _ => Origin::Extension { name: stage.name.clone() },
        };
        let before = request.contents.clone();
        let fits = changes.apply(request, &origin);
        if let Some(splice) = &changes.contents {
            let replaced = splice.keep..splice.n_before.saturating_sub(splice.end).max(splice.keep);
            let unedited = self.unedited.filter(|(contents, _)| contents.len() == splice.n_before).map(
                |(contents, changed)| Unedited {
                    given: contents.iter().skip(replaced.start).take(replaced.len()).cloned().collect(),
                    changed,
                },
            );
            let by = (&stage.name, &origin);
            let returned = Returned { by, n_replaced: replaced.len(), unedited };
            output.unreached_edits = returned.keep_sources(&before, &mut request.contents);
            if !output.unreached_edits.is_empty() {
                output.diagnostics.push(unreached(&stage.name, &output.unreached_edits));
            }
        }
        if fits.is_err() {
            output.diagnostics.push(Diagnostic::warning(
                "change-does-not-fit",
                "systemInstruction",
                format!(
                    "{} changed a part of the system instruction that this request does not have; its other changes \
                     were made",
                    stage.name
                ),
            ));
        }
        "as recorded"
    }
}

/// What some code made of contents.
struct Returned<'c> {
    /// The code, and the source of what it wrote itself.
    by: (&'c Str, &'c Origin),
    /// Contents that it replaced when it was recorded.
    n_replaced: usize,
    unedited: Option<Unedited<'c>>,
}

impl Returned<'_> {
    /// What was recorded of contents says nothing of their sources: those that came back as they were keep theirs, and what
    /// the code made of a part is that part, rewritten. Where fewer are there than were replaced when it was recorded, calls
    /// and results that are made of nothing are those that are gone. Returns the events whose edits do not reach it.
    fn keep_sources(&self, before: &Contents, contents: &mut Contents) -> BTreeSet<EventIndex> {
        let Self { by: (by, own), n_replaced, unedited } = self;
        let (given, returned): (Vec<_>, Vec<_>) =
            (before.iter().collect(), contents.iter().cloned().collect());
        let is_same = |(a, b): &(&&Arc<RequestContent>, &Arc<RequestContent>)| Arc::ptr_eq(a, b);
        let start = given.iter().zip(&returned).take_while(is_same).count();
        let (given, returned) = (&given[start..], &returned[start..]);
        let end = given.iter().rev().zip(returned.iter().rev()).take_while(is_same).count();
        let (given, returned) = (&given[..given.len() - end], &returned[..returned.len() - end]);
        if returned.is_empty() || (given.is_empty() && *n_replaced == 0) {
            return BTreeSet::new();
        }
        let (edited, unreached) = match unedited {
            Some(unedited) => unedited.edited(given, returned, self.by),
            None => (returned.to_vec(), BTreeSet::new()),
        };
        let mut sourced = Originals::of(given.iter().copied(), exact, by).sourced(&edited);
        if given.len() < *n_replaced {
            sourced = sourced.iter().filter_map(|content| without_traffic(content, own)).collect();
        }
        let tail = contents.split_off(start);
        contents.extend(sourced.into_iter().chain(tail.into_iter().skip(returned.len())));
        unreached
    }
}

fn unreached(code: &Str, events: &BTreeSet<EventIndex>) -> Diagnostic {
    let names: Vec<String> = events.iter().map(|event| format!("E{}", event.number())).collect();
    Diagnostic::warning(
        "edit-not-reached",
        "contents",
        format!(
            "{code} wrote contents from {} itself, as it was recorded: the edit does not reach them",
            names.join(", ")
        ),
    )
}

/// The content without calls and results of this source. `None` where nothing else is in it.
fn without_traffic(content: &Arc<RequestContent>, source: &Origin) -> Option<Arc<RequestContent>> {
    let is_traffic = |part: &RequestPart| {
        part.main_origin() == source
            && (part.part.function_call.is_some() || part.part.function_response.is_some())
    };
    if !content.parts.iter().any(is_traffic) {
        return Some(content.clone());
    }
    let left: Vec<RequestPart> = content.parts.iter().filter(|part| !is_traffic(part)).cloned().collect();
    (!left.is_empty()).then(|| Arc::new(content.with_parts(left)))
}

impl Processor for CodeStage {
    type Inputs<'c> = RecordedCode<'c>;

    fn name(&self) -> &str {
        &self.name
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::SENT
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> RecordedCode<'c> {
        let stage = context.recorded.and_then(|call| match &self.code {
            Code::Plugin(name) => call.plugin(name),
            Code::Callback(position) => call.callback(*position),
        });
        let given = context.unedited.and_then(|unedited| {
            let (_, contents) = unedited.by_stage.iter().find(|(stage, _)| **stage == *self.name)?;
            Some((contents, &unedited.changed))
        });
        RecordedCode { stage, is_call_recorded: context.recorded.is_some(), unedited: given }
    }

    fn process(
        inputs: RecordedCode<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let note = inputs.apply(request, output);
        output.note(note);
        Ok(())
    }
}
