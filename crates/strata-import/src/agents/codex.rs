//! Rollouts of Codex CLI.
//!
//! A line is `{timestamp, type, payload}`. The items the model sees are `response_item`s; the reasoning, the words and
//! the calls of one response are one event, ended by its usage, by a result or by a prompt. Prompts are recorded twice,
//! as an item and as an event of the interface, which is how a prompt is told from what the client injects.
//! `compacted.replacement_history` is the whole new context.
//!
//! Before September 2025 the items were lines themselves, and before July 2025 elements of one document. What
//! `codex exec --json` puts out is read, too: `thread.started` and what follows, or the interface's events in `msg`.

mod ahead;
mod bare;
mod events;
mod fork;
mod items;
mod meta;
mod prompts;
mod reader;
mod rollout;
mod stream;
mod usage;

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object};

use crate::findings::Findings;
use crate::format::Format;
use crate::keys::Keys;
use crate::pieces::PieceReader;
use crate::source::SourceRecord;
use crate::time::time_of;
use crate::values::Value;
use reader::RolloutReader;
use rollout::Rollout;

/// A line of a rollout of any version, or what `codex exec --json` puts out.
pub(crate) fn is_rollout(keys: Keys<'_>) -> bool {
    let kind = keys.kind();
    let is_line = keys.has_all(&["payload", "timestamp"]) && !kind.is_empty();
    let is_output = matches!(kind, "thread.started" | "turn.started")
        // The logs of other programs begin with this too.
        || (kind == "session.created" && keys.has_any(&["session_id", "thread_id"]))
        || (kind.starts_with("item.") && keys.has("item"))
        || keys.inner_has("msg", &["type"]);
    let is_old = keys.text("record_type") == "state"
        || (kind.is_empty() && keys.has_all(&["id", "timestamp", "instructions"]))
        || (keys.inner_has("session", &["id"]) && keys.holds_list("items"));
    kind == "session_meta" || is_line || is_output || is_old
}

pub(crate) fn reader(format: Format) -> Box<dyn PieceReader> {
    Box::new(RolloutReader::new(format))
}

impl Rollout {
    /// Reads the next record, by what the file as a whole tells.
    fn next(&mut self, value: Value, findings: &mut Findings) {
        let (at, first_own) = (self.n_records, self.ahead.fork.first_own());
        self.is_copied = 0 < at && at < first_own;
        let first = self.draft.len();
        if at == first_own {
            self.open = None;
        }
        self.record(value, findings);
        if self.is_copied {
            self.mark_copied(first);
        }
        self.n_records += 1;
    }

    fn record(&mut self, value: Value, findings: &mut Findings) {
        self.count("records");
        let Some((mut record, source)) = value.into_record(findings) else { return };
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
}
