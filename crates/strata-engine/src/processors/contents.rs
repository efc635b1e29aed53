//! `contents`: the history a model is shown, built anew for every call from the session's events.
//!
//! The steps, in this order (`ADK.md` section 3):
//!
//! 1. `select`: rewinds, then what this agent may see at all;
//! 2. `summaries`: events that a compaction covers give way to its summary;
//! 3. `present`: speech becomes text, other agents' words become quotations;
//! 4. `pairing`: calls and responses are brought together, and what has no partner is left out;
//! 5. here: ids the client made up are taken off, and a task's input is put first.
//!
//! `current_turn` cuts the history to the turn the agent is in, for agents that want no more.

mod current_turn;
mod incremental;
mod item;
mod omission;
mod pairing;
mod present;
mod select;
mod summaries;

use std::sync::Arc;

use strata_model::app::{AgentMode, IncludeContents};
use strata_model::{
    Branch, Content, Diagnostic, EventIndex, Fingerprint, Json, LlmRequest, NodePath, Origin, RequestContent,
    RequestPart, RichText, Str, json,
};

pub use omission::{Omission, OmissionReason};

use crate::adk_text::SINGLE_TURN_NUDGE;
use crate::app_index::keeps_client_ids;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::event_log::{EventView, LoggedEvent, without_client_ids};
use crate::placement::insert_transient;
use crate::processor::{Fingerprinted, Processor, StageOutput};
use crate::sections::Sections;
use item::{Item, Words};
pub(crate) use omission::{DroppedIds, Omissions};
use pairing::End;

pub struct ContentsProcessor;

#[derive(Hash)]
pub struct Inputs<'c> {
    events: Fingerprinted<EventView<'c>>,
    scope: ContentsScope<'c>,
    include_contents: IncludeContents,
    user_content: Option<Fingerprinted<&'c Content>>,
    input_context: Fingerprinted<&'c [Content]>,
}

/// Whose history is built, and how much of it that one may see.
#[derive(Clone)]
pub(crate) struct ContentsScope<'c> {
    pub agent_name: &'c str,
    pub branch: Branch<'c>,
    pub isolation_scope: Option<&'c str>,
    pub node_path: &'c NodePath,
    pub is_single_turn: bool,
    pub include_thoughts: bool,
    pub keep_client_ids: bool,
    pub user_content: Option<&'c Content>,
}

impl std::hash::Hash for ContentsScope<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.agent_name, self.branch, self.isolation_scope, self.node_path).hash(state);
        (self.is_single_turn, self.include_thoughts, self.keep_client_ids).hash(state);
    }
}

impl Processor for ContentsProcessor {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "contents"
    }

    fn after(&self) -> &'static [&'static str] {
        &["instructions", "compaction", "interactions"]
    }

    fn reads(&self) -> Sections {
        Sections::CONTENTS | Sections::INTERACTION | Sections::STATIC
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let run_config = &context.invocation.run_config;
        let user_content = context.invocation.user_content.as_deref();
        let input_context = &run_config.model_input_context[..];
        let print =
            |content: &Content| RequestContent::from_content(content, |_| unknown_origin()).fingerprint;
        Inputs {
            events: Fingerprinted { value: context.events, fingerprint: context.events.fingerprint() },
            scope: scope(context),
            include_contents: context.include_contents(),
            user_content: user_content.map(|value| Fingerprinted { value, fingerprint: print(value) }),
            input_context: Fingerprinted {
                value: input_context,
                fingerprint: input_context
                    .iter()
                    .fold(Fingerprint::default(), |all, next| all.then(print(next))),
            },
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let held: Vec<Arc<RequestContent>> = request.contents.iter().cloned().collect();
        let mut omissions = Omissions::counting();
        let events = inputs.events.value;
        let is_whole = inputs.include_contents == IncludeContents::Default
            && request.previous_interaction_id.as_deref().is_none_or(str::is_empty);
        request.contents = if is_whole {
            incremental::build(events, &inputs.scope, &mut omissions)
        } else {
            let scope = ContentsScope { include_thoughts: false, ..inputs.scope.clone() };
            current_turn::build(events, &scope, &mut omissions).into_iter().collect()
        };
        insert_input_context(request, &inputs);
        output.note(format!("{} events → {} contents", events.len(), request.contents.len()));
        output.diagnostics.extend(omissions.diagnostics());
        insert_transient(request, held);
        Ok(())
    }
}

fn scope<'c>(context: &'c CompileContext<'c>) -> ContentsScope<'c> {
    let invocation = context.invocation;
    ContentsScope {
        agent_name: &context.agent().name,
        branch: Branch::of(invocation.branch.as_ref()),
        isolation_scope: invocation.isolation_scope.as_deref(),
        node_path: &invocation.node_path,
        is_single_turn: context.mode() == AgentMode::SingleTurn,
        include_thoughts: invocation.run_config.include_thoughts_from_other_agents,
        keep_client_ids: keeps_client_ids(context.model()),
        user_content: invocation.user_content.as_deref(),
    }
}

fn unknown_origin() -> Origin {
    Origin::Run { field: "user_content".into() }
}

/// The events of a call that did not make it into its contents, with the rule that left each out.
pub fn explain_omissions(context: &CompileContext<'_>) -> Vec<Omission> {
    let mut omissions = Omissions::recording();
    let scope = scope(context);
    if context.include_contents() == IncludeContents::Default {
        let events: Vec<&LoggedEvent> = context.events.iter().collect();
        build_contents(&events, &scope, &mut omissions);
    } else {
        current_turn::build(context.events, &scope, &mut omissions);
    }
    omissions.into_list()
}

/// The rule that left one event, or a part of it, out of a call's contents. Quicker than [`explain_omissions`].
pub fn explain_omission(context: &CompileContext<'_>, event: EventIndex) -> Option<OmissionReason> {
    let omissions = match context.events.log() {
        Some(log) if context.include_contents() == IncludeContents::Default => {
            let end = context.events.len();
            incremental::omissions_around(event.as_usize(), (log, end), &scope(context))
        }
        _ => explain_omissions(context),
    };
    omissions.into_iter().find(|omission| omission.event == event).map(|omission| omission.reason)
}

/// Whose history is shown, for callers outside of a compile.
#[derive(Debug, Clone, Copy)]
pub struct History<'h> {
    /// Empty: nobody's; then nothing counts as another agent's.
    pub agent_name: &'h str,
    pub branch: Option<&'h Str>,
    pub isolation_scope: Option<&'h str>,
    pub node_path: &'h NodePath,
    pub is_single_turn: bool,
    pub include_thoughts_from_other_agents: bool,
    pub keep_client_ids: bool,
    pub user_content: Option<&'h Content>,
}

impl History<'_> {
    /// The contents of everything the agent sees.
    pub fn contents(&self, events: EventView<'_>) -> Vec<Arc<RequestContent>> {
        let events: Vec<&LoggedEvent> = events.iter().collect();
        build_contents(&events, &self.scope(), &mut Omissions::counting())
    }

    /// The contents of the turn the agent is in.
    pub fn current_turn(&self, events: EventView<'_>) -> Vec<Arc<RequestContent>> {
        current_turn::build(events, &self.scope(), &mut Omissions::counting())
    }

    fn scope(&self) -> ContentsScope<'_> {
        ContentsScope {
            agent_name: self.agent_name,
            branch: Branch::of(self.branch),
            isolation_scope: self.isolation_scope,
            node_path: self.node_path,
            is_single_turn: self.is_single_turn,
            include_thoughts: self.include_thoughts_from_other_agents,
            keep_client_ids: self.keep_client_ids,
            user_content: self.user_content,
        }
    }
}

/// The contents of a history, from beginning to end.
pub(crate) fn build_contents(
    events: &[&LoggedEvent],
    scope: &ContentsScope<'_>,
    omissions: &mut Omissions,
) -> Vec<Arc<RequestContent>> {
    let head = scope.isolation_scope.and_then(|id| task_input(events, id, scope)).map(Arc::new);
    let body = build_piece(events, scope, End::Last, omissions);
    head.into_iter().chain(body.contents).collect()
}

/// The contents of consecutive events of a history.
struct HistoryPiece {
    contents: Vec<Arc<RequestContent>>,
    /// No event of it is shown to the agent at all.
    is_blank: bool,
}

fn build_piece(
    events: &[&LoggedEvent],
    scope: &ContentsScope<'_>,
    end: End,
    omissions: &mut Omissions,
) -> HistoryPiece {
    let kept = select::select(events, scope, omissions);
    let items = summaries::substitute(kept, omissions);
    let items = present::present(items, scope, omissions);
    let items = pairing::without_orphan_responses(items, omissions);
    let is_blank = items.is_empty();
    let items = pairing::pair(items, end, omissions);
    let contents = items.iter().filter_map(|item| outgoing(item, scope.keep_client_ids)).collect();
    HistoryPiece { contents, is_blank }
}

fn outgoing(item: &Item<'_>, keep_client_ids: bool) -> Option<Arc<RequestContent>> {
    match &item.words {
        Words::Own if keep_client_ids => item.source.own_content().cloned(),
        Words::Own => item.source.own_content_without_ids().cloned(),
        Words::Other(content) if keep_client_ids => content.clone(),
        Words::Other(content) => {
            let content = content.as_ref()?;
            let stripped = without_client_ids(content);
            Some(if stripped.fingerprint == content.fingerprint {
                content.clone()
            } else {
                Arc::new(stripped)
            })
        }
    }
}

/// What a task was given: the arguments of the call that started it, else what its run was started with.
fn task_input(
    events: &[&LoggedEvent],
    isolation_scope: &str,
    scope: &ContentsScope<'_>,
) -> Option<RequestContent> {
    let mut parts = match delegating_args(events, isolation_scope) {
        Some(part) => vec![part],
        None => {
            let content = scope.user_content.filter(|content| !content.parts().is_empty())?;
            RequestContent::from_content(content, |_| unknown_origin()).parts
        }
    };
    if scope.is_single_turn {
        let framing = Origin::processor("contents");
        let nudge = RichText::from_span(SINGLE_TURN_NUDGE, framing.clone());
        parts.push(RequestPart::from_rich_text(&nudge, framing));
    }
    Some(RequestContent::new(Some("user".into()), parts))
}

fn delegating_args(events: &[&LoggedEvent], isolation_scope: &str) -> Option<RequestPart> {
    events.iter().find_map(|logged| {
        logged.event.parts().iter().enumerate().find_map(|(at, part)| {
            let call = part.function_call.as_ref()?;
            let args = call.args.as_ref().filter(|args| !args.is_empty())?;
            if call.id.as_deref() != Some(isolation_scope) {
                return None;
            }
            let text: Str = json::to_spaced(&Json::Object((**args).clone())).into();
            let origin = logged.origin(at);
            Some(RequestPart::from_rich_text(&RichText::from_span(text, origin.clone()), origin))
        })
    })
}

/// Contents the run adds before what the user said, or at the head where that is no longer there.
fn insert_input_context(request: &mut LlmRequest, inputs: &Inputs<'_>) {
    if inputs.input_context.value.is_empty() {
        return;
    }
    let said = inputs.user_content.as_ref().map(|content| content.fingerprint);
    let n_contents = request.contents.len();
    let from_end = request.contents.iter().rev().position(|content| Some(content.fingerprint) == said);
    let at = from_end.map_or(0, |from_end| n_contents - 1 - from_end);
    let origin = Origin::Run { field: "model_input_context".into() };
    let added: Vec<Arc<RequestContent>> = inputs
        .input_context
        .value
        .iter()
        .map(|content| Arc::new(RequestContent::from_content(content, |_| origin.clone())))
        .collect();
    request.contents.insert(at, added);
}

/// ADK's warnings about what pairing dropped, as diagnostics of the stage.
pub(super) fn dropped(code: &'static str, message: String) -> Diagnostic {
    Diagnostic::warning(code, "contents", message)
}
