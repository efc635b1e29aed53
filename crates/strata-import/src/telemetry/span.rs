//! Spans of model calls, in every set of attribute names, as exchanges.

mod attributes;
mod content;
mod tree;
mod usage;

use strata_model::{Json, Object, Str};
use strata_wire::Answer;

use crate::align::{Step, sessions};
use crate::draft::{Draft, Kind, Say};
use crate::exchange::{About, Exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::source::SourceRecord;
use crate::time::time_of;
use tree::Tree;

/// A span, or a log record that belongs to one.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) name: Str,
    pub(super) trace: Str,
    pub(super) id: Str,
    pub(super) parent: Option<Str>,
    /// Epoch seconds.
    pub(super) start: Option<f64>,
    pub(super) end: Option<f64>,
    pub(super) attributes: Object,
    pub(super) events: Vec<Event>,
    pub(super) error: Option<Str>,
    pub(super) source: SourceRecord,
}

/// Something that was logged within a span.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) name: Str,
    pub(super) attributes: Object,
    pub(super) body: Json,
}

impl Span {
    pub(super) fn text(&self, key: &str) -> Option<Str> {
        self.attributes.get(key).and_then(Json::as_str).filter(|text| !text.is_empty()).map(Str::from)
    }

    fn first_text(&self, keys: &[&str]) -> Option<Str> {
        keys.iter().find_map(|key| self.text(key))
    }

    fn operation(&self) -> Str {
        self.text("gen_ai.operation.name").unwrap_or_default()
    }

    /// Whether it is one call of a model.
    fn is_inference(&self) -> bool {
        const OTHER: [&str; 9] = [
            "invoke_agent",
            "execute_tool",
            "invoke_workflow",
            "create_agent",
            "embeddings",
            "compact_events",
            "embedding",
            "rerank",
            "retrieval",
        ];
        let operation = self.operation();
        let request = self.text("llm.request.type").unwrap_or_default();
        if OTHER.contains(&&*operation) || OTHER.contains(&&*request) {
            return false;
        }
        let is_named = matches!(
            &*operation,
            "chat" | "generate_content" | "text_completion" | "completion" | "responses" | "llm_call"
        );
        let kinds = [
            "openinference.span.kind",
            "traceloop.span.kind",
            "langfuse.observation.type",
            "mlflow.spanType",
            "langsmith.span.kind",
            "lmnr.span.type",
        ];
        let kind = self.first_text(&kinds).unwrap_or_default();
        let is_kind =
            matches!(&*kind.trim_matches('"').to_ascii_lowercase(), "llm" | "generation" | "chat_model");
        let has_request = [
            "gcp.vertex.agent.llm_request",
            "llm.request.type",
            "gen_ai.prompt.0.role",
            "gen_ai.prompt.0.content",
            "llm.prompts.0.content",
            "llm.model_name",
        ];
        let is_logged = self.text("request_data").is_some_and(|body| body.contains("\"messages\""));
        is_named
            || is_logged
            || &*self.name == "call_llm"
            || is_kind
            || self.is_of_ai_sdk()
            || has_request.iter().any(|key| self.text(key).is_some_and(|text| &*text != "{}"))
    }

    /// Whether it is a call as Vercel's AI SDK traces it: within a span for all its steps there is one for each.
    fn is_of_ai_sdk(&self) -> bool {
        let operation =
            self.first_text(&["ai.operationId", "operation.name"]).unwrap_or_else(|| self.name.clone());
        let operation = operation.split(' ').next().unwrap_or_default();
        operation.starts_with("ai.")
            && (operation.ends_with(".doGenerate") || operation.ends_with(".doStream"))
    }
}

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
    let mut steps = Vec::new();
    for at in 0..spans.len() {
        if spans[at].is_inference() {
            if let Some(outer) = tree.outer_call(at, &spans) {
                tree::adopt(outer, at, &mut spans);
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
    let calls: Vec<usize> = (0..spans.len())
        .filter(|at| spans[*at].is_inference() && tree.outer_call(*at, &spans).is_none())
        .collect();
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
            "traceloop.association.properties.session_id",
            "langfuse.session.id",
            "ai.telemetry.metadata.sessionId",
            "ai.telemetry.metadata.threadId",
            "langsmith.metadata.thread_id",
        ],
    );
    exchange.about = About {
        session,
        agent: agent_of(at, spans, tree),
        invocation: span.text("gcp.vertex.agent.invocation_id"),
        event_id: span.text("gcp.vertex.agent.event_id"),
        title: None,
    };
    exchange
}

fn agent_of(at: usize, spans: &[Span], tree: &Tree) -> Option<Str> {
    let named = tree.inherited(at, spans, &["gen_ai.agent.name", "agent.name", "agent_name"]);
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
    let say = Say {
        kind: Kind::Compaction,
        id: span.text("gen_ai.compaction.result_event_id"),
        time: span.end.or(span.start),
        source_notes,
        ..Say::new(Kind::Compaction, Vec::new(), span.source.clone())
    };
    Step::Compaction {
        session: span.text("gen_ai.conversation.id"),
        span: (number("gen_ai.compaction.start_timestamp"), number("gen_ai.compaction.end_timestamp")),
        say: Box::new(say),
    }
}
