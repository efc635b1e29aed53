//! Spans of model calls, in every set of attribute names, as exchanges.

mod attributes;
mod content;
mod merged;
mod recorded;
mod tree;
mod usage;

use strata_model::{Json, Str};
use strata_wire::Answer;

use crate::align::{Step, sessions};
use crate::draft::{Draft, EventDraft, Kind};
use crate::exchange::{Exchange, ExchangeContext};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::time::time_of;

pub(super) use content::DETAILS;
use merged::Merged;
pub(super) use recorded::{Event, Span};
use tree::Tree;

/// Makes sessions of the spans of a file.
pub(super) fn read(
    mut spans: Vec<Span>,
    mut draft: Draft,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    let tree = Tree::of(&spans);
    if !spans.iter().any(Span::is_inference) {
        promote(&mut spans, &tree);
    }
    count(&spans, &mut draft);
    let merged = Merged::of(&spans, &tree);
    let mut steps = Vec::new();
    for at in 0..spans.len() {
        if spans[at].is_inference() {
            if let Some(kept) = merged.stands_for(at) {
                tree::adopt(kept, at, &mut spans);
                draft.unmapped.record("inner span of a call", spans[at].source.clone());
            }
        } else if &*spans[at].operation() == "compact_events" {
            steps.push(compaction(&spans[at]));
        } else {
            let name = spans[at].operation();
            let name = if name.is_empty() { "span".into() } else { name };
            draft.unmapped.record(&name, spans[at].source.clone());
        }
    }
    let calls: Vec<usize> =
        (0..spans.len()).filter(|at| spans[*at].is_inference() && merged.stands_for(*at).is_none()).collect();
    for at in calls {
        let exchange = exchange(at, &spans, &tree, &mut draft);
        steps.push(Step::Exchange(Box::new(exchange)));
    }
    if steps.is_empty() && !spans.is_empty() {
        let message = "no span of this file is a call of a model; nothing was imported";
        findings.error("no-calls", "", message);
    }
    sessions(steps, draft, format, findings)
}

/// Where only agents are traced, an agent that says what went in and out stands for its calls.
fn promote(spans: &mut [Span], tree: &Tree) {
    let says = |span: &Span| {
        let names = [
            "gen_ai.input.messages",
            "gen_ai.output.messages",
            "pydantic_ai.all_messages",
            "all_messages_events",
            "ai.prompt.messages",
            "ai.prompt",
        ];
        names.iter().any(|name| span.attributes.contains_key(name))
    };
    let agents: Vec<usize> = (0..spans.len()).filter(|at| says(&spans[*at])).collect();
    let outer: Vec<usize> = agents
        .iter()
        .copied()
        .filter(|at| !tree.ancestors(*at).any(|above| agents.binary_search(&above).is_ok()))
        .collect();
    for at in outer {
        spans[at].attributes.insert("gen_ai.operation.name", "chat");
    }
}

fn count(spans: &[Span], draft: &mut Draft) {
    let n_with_content =
        spans.iter().filter(|span| span.attributes.contains_key("gen_ai.input.messages")).count();
    let traces: std::collections::BTreeSet<&Str> = spans.iter().map(|span| &span.trace).collect();
    let number = |count: usize| Json::Int(count as i64);
    draft.counts.insert("spans", number(spans.len()));
    draft.counts.insert("traces", number(traces.len()));
    draft.counts.insert("inference_spans", number(spans.iter().filter(|span| span.is_inference()).count()));
    draft.counts.insert("spans_with_input_messages", number(n_with_content));
}

fn exchange(at: usize, spans: &[Span], tree: &Tree, draft: &mut Draft) -> Exchange {
    let span = &spans[at];
    attributes::note_unread(span, draft);
    let mut exchange = content::exchange(span, draft);
    exchange.time = span.start;
    exchange.end = span.end;
    let answer = exchange.answer.get_or_insert_with(Answer::default);
    answer.model = answer.model.take().or_else(|| {
        span.first_text(&[
            "gen_ai.response.model",
            "ai.response.model",
            "llm.response.model",
            "gen_ai.request.model",
            "llm.model_name",
            "llm.request.model",
            "ai.model.id",
            "langfuse.observation.model.name",
            "model_name",
            "model",
        ])
    });
    answer.id = answer.id.take().or_else(|| span.first_text(&["gen_ai.response.id", "ai.response.id"]));
    answer.usage = answer.usage.take().or_else(|| usage::reported(&span.attributes));
    answer.finish = answer.finish.take().or_else(|| content::finish_of(span));
    if let Some(message) = &span.error {
        answer.error.get_or_insert(("error".into(), message.clone()));
    }
    let session = tree.inherited(
        at,
        spans,
        &[
            "gen_ai.conversation.id",
            "gcp.vertex.agent.session_id",
            "session.id",
            "conversation.id",
            "traceloop.association.properties.session_id",
            "langfuse.session.id",
            "ai.telemetry.metadata.sessionId",
            "ai.telemetry.metadata.threadId",
            "langsmith.metadata.thread_id",
        ],
    );
    exchange.about = ExchangeContext {
        session,
        agent: agent_of(at, spans, tree),
        invocation: span.first_text(&[
            "gcp.vertex.agent.invocation_id",
            "prompt.id",
            "user_prompt_id",
            "prompt_id",
        ]),
        event_id: span.first_text(&["gcp.vertex.agent.event_id", "message.uuid"]),
        ..ExchangeContext::default()
    };
    exchange
}

fn agent_of(at: usize, spans: &[Span], tree: &Tree) -> Option<Str> {
    let named =
        tree.inherited(at, spans, &["gen_ai.agent.name", "agent.name", "agent_name", "subagent_name"]);
    named.or_else(|| {
        tree.ancestors(at).find_map(|above| {
            let name = &spans[above].name;
            let name = name.strip_prefix("invoke_agent ").or_else(|| name.strip_prefix("agent_run ["));
            name.map(|name| name.trim_end_matches(']').into())
        })
    })
}

/// A summary the client made, of which the span says the times.
fn compaction(span: &Span) -> Step {
    let number = |key: &str| span.attributes.get(key).and_then(time_of).unwrap_or(0.0);
    let source_notes = span.attributes.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    let say = EventDraft {
        kind: Kind::Compaction,
        id: span.text("gen_ai.compaction.result_event_id"),
        time: span.end.or(span.start),
        source_notes,
        ..EventDraft::new(Kind::Compaction, Vec::new(), span.source.clone())
    };
    Step::Compaction {
        session: span.text("gen_ai.conversation.id"),
        span: (number("gen_ai.compaction.start_timestamp"), number("gen_ai.compaction.end_timestamp")),
        say: Box::new(say),
    }
}
