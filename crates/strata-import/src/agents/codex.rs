//! Rollouts of Codex CLI.
//!
//! A line is `{timestamp, type, payload}`. The items the model sees are `response_item`s; the reasoning, the words and
//! the calls of one response are one event, ended by its usage, by a result or by a prompt. Prompts are recorded twice,
//! as an item and as an event of the interface, which is how a prompt is told from what the client injects.
//! `compacted.replacement_history` is the whole new context.
//!
//! Before September 2025 the items were lines themselves, and before July 2025 elements of one document. What
//! `codex exec --json` puts out is read, too: `thread.started` and what follows, or the interface's events in `msg`.

mod bare;
mod events;
mod fork;
mod items;
mod meta;
mod prompts;
mod stream;
mod usage;

use std::collections::{BTreeMap, BTreeSet};

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Str};

use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::source::SourceRecord;
use crate::time::time_of;
use crate::values::Value;
use prompts::Prompts;
use stream::Stream;
use usage::Steps;

pub(crate) fn read(values: Vec<Value>, findings: &mut Findings) -> Vec<ImportedSession> {
    let values: Vec<_> = values.into_iter().flat_map(bare::records).collect();
    let mut rollout = Rollout::new(&values);
    let first_own = fork::first_own(&values);
    for (at, value) in values.into_iter().enumerate() {
        rollout.is_copied = 0 < at && at < first_own;
        let first = rollout.draft.len();
        if at == first_own {
            rollout.open = None;
        }
        rollout.record(value, findings);
        if rollout.is_copied {
            rollout.mark_copied(first);
        }
    }
    rollout.finish(findings).into_iter().collect()
}

struct Rollout {
    draft: Draft,
    prompts: Prompts,
    /// There are no items: the events of the interface are all there is.
    is_told_by_events: bool,
    stream: Stream,
    steps: Steps,
    turn: Option<Str>,
    model: Option<Str>,
    branch: Option<Str>,
    agent: Option<Str>,
    has_meta: bool,
    /// The record that is read is copied from the thread this one was forked from.
    is_copied: bool,
    /// Prompts by their events; those that were taken back are gone.
    turns: Vec<usize>,
    /// The last event, when it may be a prompt that the interface recorded in other words.
    unproven: Option<usize>,
    /// A prompt whose item has not come yet.
    awaited: Option<(Str, SourceRecord)>,
    /// The response whose items are coming in.
    open: Option<usize>,
    calls: BTreeMap<Str, u64>,
    open_calls: BTreeSet<Str>,
    models: BTreeSet<Str>,
    counts: BTreeMap<&'static str, i64>,
}

impl Rollout {
    fn new(values: &[Value]) -> Self {
        let has_steps = values
            .iter()
            .any(|value| value.json.get("type").and_then(Json::as_str) == Some("token_usage_record"));
        Self {
            draft: Draft::new("codex", "codex"),
            prompts: Prompts::of(values),
            is_told_by_events: !values.iter().any(|value| bare::is_item(&value.json)),
            stream: Stream::default(),
            steps: Steps::new(has_steps),
            turn: None,
            model: None,
            branch: None,
            agent: None,
            has_meta: false,
            is_copied: false,
            turns: Vec::new(),
            unproven: None,
            awaited: None,
            open: None,
            calls: BTreeMap::new(),
            open_calls: BTreeSet::new(),
            models: BTreeSet::new(),
            counts: BTreeMap::new(),
        }
    }

    fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_default() += 1;
    }

    fn record(&mut self, value: Value, findings: &mut Findings) {
        self.count("records");
        let source = value.source();
        let place = value.place();
        let Json::Object(mut record) = value.json else {
            let message = format!("{} stands where a record should be; it was left out", value.json.kind());
            return findings.warning("not-a-record", place, message);
        };
        let time = ["timestamp", "created_at"].iter().find_map(|key| time_of(record.get(key)?));
        self.draft.set_clock(time);
        let kind = take_text(&mut record, "type").unwrap_or_default();
        if let Some(event) = take_object(&mut record, "msg") {
            return self.event(event, source);
        }
        let Some(payload) = take_object(&mut record, "payload") else {
            return match &*kind {
                "error" => self.event(record, source),
                kind if kind.contains('.') => self.streamed(kind, record, source),
                _ => self.bare(kind, record, source),
            };
        };
        for (key, value) in record.iter().filter(|(key, _)| !matches!(&***key, "timestamp" | "ordinal")) {
            self.draft.unmapped.field(&kind, key, value);
        }
        match &*kind {
            "session_meta" => self.meta(payload, source),
            "turn_context" => self.context(&payload, source),
            "response_item" => self.item(payload, source),
            "event_msg" => self.event(payload, source),
            "compacted" => self.compacted(payload, source),
            "token_usage_record" if self.is_copied => {
                self.draft.unmapped.record("token_usage_record of a parent", source);
            }
            "token_usage_record" => {
                self.count("token_usage_records");
                let reported = self.steps.record(payload, &mut self.draft.unmapped);
                self.step("token_usage_record", reported, source);
            }
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn context(&mut self, context: &Object, source: SourceRecord) {
        if let Some(model) = context.get("model").and_then(Json::as_str) {
            self.set_model(model.into());
        }
        if let Some(turn) = context.get("turn_id").and_then(Json::as_str) {
            self.turn = Some(turn.into());
        }
        self.draft.unmapped.record("turn_context", source);
    }

    fn set_model(&mut self, model: Str) {
        self.models.insert(model.clone());
        self.model = Some(model);
    }

    fn say(&self, source: SourceRecord) -> Say {
        Say {
            agent: self.agent.clone(),
            branch: self.branch.clone(),
            invocation: self.turn.clone(),
            ..Say::new(Kind::Notice, Vec::new(), source)
        }
    }

    fn finish(mut self, findings: &mut Findings) -> Option<ImportedSession> {
        self.tell_open_items();
        for name in ["records", "token_count_events", "token_usage_records", "turns_started", "turns_aborted"]
        {
            let count = self.counts.get(name).copied().unwrap_or(0);
            self.draft.counts.insert(name, Json::Int(count));
        }
        let by_type: Object =
            self.calls.iter().map(|(kind, count)| (kind.clone(), Json::Int(*count as i64))).collect();
        self.draft.counts.insert("tool_calls_by_type", by_type.into());
        self.draft.counts.insert("calls_without_result", Json::Int(self.open_calls.len() as i64));
        let models = self.models.iter().map(|model| Json::from(model.clone())).collect::<Vec<_>>();
        self.draft.counts.insert("models", models.into());
        self.steps.tell(&mut self.draft.counts);
        self.draft.finish(Format::Codex, findings)
    }
}
