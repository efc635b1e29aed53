//! Transcripts of Factory's Droid, a line a record, with the settings that lie beside them: these alone have tokens.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_object, take_text};
use strata_model::{Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::spelling::DROID_SUM;

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::values::Value;

pub(crate) fn is_transcript(keys: Keys<'_>) -> bool {
    let is_start = keys.kind() == "session_start"
        && keys.has_all(&["id", "title"])
        && keys.has_any(&["cwd", "owner", "hostId", "version"]);
    let is_compaction = keys.kind() == "compaction_state" && keys.has("summaryText");
    is_start || is_compaction || is_settings(keys)
}

/// `<session>.settings.json`.
fn is_settings(keys: Keys<'_>) -> bool {
    keys.has_all(&["model", "tokenUsage"])
        && keys.inner_has("tokenUsage", &["inputTokens", "cacheReadTokens"])
}

pub(crate) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log =
        Log { draft: Draft::new("droid", "droid"), model: None, events: HashMap::new(), n_answers: 0 };
    for value in values {
        if let Some((record, source)) = value.into_record(findings) {
            log.record(record, source);
        }
    }
    if log.n_answers == 0 && log.draft.len() > 0 && log.events.is_empty() {
        let message =
            "these are the settings of a session of Droid; import the `.jsonl` beside them, or the folder";
        findings.error("no-session", "", message);
        return Vec::new();
    }
    log.draft.finish(format, findings).into_iter().collect()
}

struct Log {
    draft: Draft,
    model: Option<Str>,
    /// The events of messages, by the ids of those.
    events: HashMap<Str, usize>,
    n_answers: u64,
}

impl Log {
    fn record(&mut self, mut record: Object, source: SourceRecord) {
        if !record.contains_key("type") && record.contains_key("tokenUsage") {
            return self.settings(record, source);
        }
        let kind = take_text(&mut record, "type").unwrap_or_default();
        let say = EventDraft {
            id: take_text(&mut record, "id"),
            time: take_time(&mut record, "timestamp"),
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        match &*kind {
            "session_start" => self.start(record, say),
            "message" => self.message(record, say),
            "compaction_state" => self.compaction(record, say),
            "" => self.draft.unmapped.record("record without a type", source),
            kind => self.draft.unmapped.record(kind, source),
        }
    }

    fn start(&mut self, mut record: Object, say: EventDraft) {
        self.draft.session.id = say.id.unwrap_or_default();
        self.draft.title = take_first_text(&mut record, &["sessionTitle", "title"]);
        let caller = take_first_text(&mut record, &["callingSessionId"]);
        let agent_id = self.draft.session.id.clone();
        self.draft.parent = caller.map(|session_id| ParentSession { session_id, agent_id });
        self.draft.set_clock(say.time);
        self.draft.unmapped.record("session_start", say.sources[0].clone());
    }

    fn message(&mut self, mut record: Object, mut say: EventDraft) {
        let mut message = take_object(&mut record, "message").unwrap_or_default();
        let role = take_text(&mut message, "role").unwrap_or_default();
        record.remove("parentId");
        let is_answer = &*role == "assistant";
        let mut turn = Turn::new(match &*role {
            "assistant" => Role::Model,
            "system" => Role::System,
            _ => Role::User,
        });
        let content = message.remove("content").unwrap_or_default();
        self.draft.messages("message").content(content, &mut turn);
        let model = take_first_text(&mut message, &["modelId"]);
        for key in
            ["openaiMessageId", "reasoningEffort", "visibility", "hookEventName", "hiddenFromUserViews"]
        {
            say.source_notes.push_some(key, message.remove(key));
        }
        say.source_notes.push_some("compactionSummaryId", record.remove("compactionSummaryId"));
        message.remove("interactionMode");
        self.draft.note_rest("message", &message);
        self.draft.note_rest("record", &record);
        let kind = kind_of(&turn);
        if is_answer {
            self.n_answers += 1;
            self.model = model.or(self.model.take());
            say.model.clone_from(&self.model);
        }
        say.kind = match kind {
            // What a hook or the client says in the person's name is hidden from the person.
            Kind::Prompt if say.source_notes.contains_key("hookEventName") => Kind::Injected("hook".into()),
            kind => kind,
        };
        let id = say.id.clone();
        self.draft.note_result_bytes(turn.result_bytes);
        say.parts = turn.parts;
        let at = self.draft.push(say);
        self.events.extend(id.map(|id| (id, at)));
    }

    /// A summary in the place of all messages up to the one it is anchored at.
    fn compaction(&mut self, mut record: Object, mut say: EventDraft) {
        let text = take_text(&mut record, "summaryText").unwrap_or_default();
        let anchor = take_object(&mut record, "anchorMessage");
        let anchor = anchor.and_then(|mut anchor| take_text(&mut anchor, "id"));
        let last = anchor.and_then(|id| self.events.get(&id).copied());
        let covered: Vec<usize> = last.map(|last| (0..=last).collect()).unwrap_or_default();
        say.kind = Kind::Compaction;
        say.parts = vec![Part::from_text(text)];
        say.source_notes = record;
        let at = self.draft.push(say);
        self.draft.cover(at, &covered);
    }

    /// What the whole session used: its calls do not say.
    fn settings(&mut self, mut record: Object, source: SourceRecord) {
        let model = take_first_text(&mut record, &["model"]);
        let usage = take_object(&mut record, "tokenUsage").map(|mut usage| DROID_SUM.take(&mut usage));
        self.draft.unmapped.record("settings", source.clone());
        let Some(usage) = usage.filter(|usage| usage.input.unwrap_or(0) > 0) else { return };
        let model = self.model.clone().or(model);
        self.draft.push_sum(EventDraft {
            usage: Some(usage.into()),
            model,
            ..EventDraft::new(Kind::Notice, Vec::new(), source)
        });
    }
}
