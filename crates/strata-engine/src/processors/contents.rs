//! `contents`: the history a model is shown, built anew for every call from the session's events.

use std::sync::Arc;

use strata_model::app::{AgentMode, IncludeContents};
use strata_model::{
    Branch, Content, Diagnostic, EventIndex, Fingerprint, FromJson as _, Gap, LlmRequest, Origin,
    RequestContent, Str,
};

use crate::app_index::keeps_client_ids;
use crate::contents::{
    ContentsScope, HistoryRules, Omissions, build_contents, current_turn, incremental, unknown_origin,
};
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::log::{EventView, LoggedEvent, Omission, OmissionReason};
use crate::placement::insert_transient;
use crate::processor::{Fingerprinted, Processor, StageOutput};
use crate::sections::Sections;

pub struct ContentsProcessor;

#[derive(Hash)]
pub struct Inputs<'c> {
    events: Fingerprinted<EventView<'c>>,
    scope: ContentsScope<'c>,
    include_contents: IncludeContents,
    user_content: Option<Fingerprinted<&'c Content>>,
    input_context: Fingerprinted<&'c [Content]>,
    is_input_unknown: bool,
    /// What ran the app, where it is not known how it builds histories.
    unknown_writer: Option<&'c Str>,
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
            is_input_unknown: context.invocation.is_input_unknown,
            unknown_writer: context.index.app().writer_of_unknown_histories(),
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let held: Vec<Arc<RequestContent>> = request.contents.iter().cloned().collect();
        let mut omissions = Omissions::default();
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
        if inputs.is_input_unknown {
            output.gaps.insert(Gap::NodeInput);
            output.diagnostics.push(unknown_input(inputs.scope.agent_name));
        }
        output.diagnostics.extend(inputs.unknown_writer.map(unknown_rules));
        insert_transient(request, held);
        Ok(())
    }
}

fn unknown_rules(writer: &Str) -> Diagnostic {
    Diagnostic::info(
        "history-rules-not-known",
        "contents",
        format!(
            "This was written by {writer}: its history rules are not known here. The history is built as google-adk 1.20 \
             builds it; in older ones thoughts in quotations, events without text and what agents are told of each other \
             may have been otherwise"
        ),
    )
}

fn unknown_input(agent: &str) -> Diagnostic {
    Diagnostic::warning(
        "node-input-not-known",
        format!("agent.{agent}"),
        format!(
            "{agent} ran as a node, with an input that no event holds: its workflow's or its caller's code chose it. \
             What it would see without one is shown. Record the app with `strata adk-recorder` to see it"
        ),
    )
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
        rules: HistoryRules::of(context.index.app().release()),
    }
}

/// google-adk compares values: the order of their fields is no part of them.
fn is_equal(content: &RequestContent, said: &Content) -> bool {
    content.role == said.role
        && content.parts.len() == said.parts().len()
        && content.parts.iter().zip(said.parts()).all(|(part, said)| part.part.to_json() == said.to_json())
}

/// The events of a call that did not make it into its contents, in their order, with the rule that left each out.
pub fn explain_omissions(context: &CompileContext<'_>) -> Vec<Omission> {
    let (events, scope) = (context.events, scope(context));
    let mut omissions = Omissions::default();
    let mut list = match (context.include_contents(), events.log()) {
        (IncludeContents::Default, Some(log)) => incremental::omissions((log, events.len()), &scope),
        (IncludeContents::Default, None) => {
            let events: Vec<&LoggedEvent> = events.iter().collect();
            build_contents(&events, &scope, &mut omissions);
            omissions.into_list()
        }
        (IncludeContents::None, _) => {
            current_turn::build(events, &scope, &mut omissions);
            omissions.into_list()
        }
    };
    list.sort_by_key(|omission| omission.event);
    list
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

/// Contents the run adds before what the user said, or at the head where that is no longer there.
fn insert_input_context(request: &mut LlmRequest, inputs: &Inputs<'_>) {
    if inputs.input_context.value.is_empty() {
        return;
    }
    let n_contents = request.contents.len();
    let is_said = |content: &Arc<RequestContent>| {
        inputs
            .user_content
            .as_ref()
            .is_some_and(|said| content.fingerprint == said.fingerprint || is_equal(content, said.value))
    };
    let from_end = request.contents.iter().rev().position(is_said);
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
