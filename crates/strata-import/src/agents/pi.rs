//! Sessions of Pi: a header and a line an entry, which form a tree. What `pi --mode json` puts out begins with the same
//! header.

use std::collections::HashMap;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::PI;

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::injected::SUMMARY;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::tree::{self, TreeNode};
use crate::values::Value;

/// The header, or an entry of a file that lost it.
pub(crate) fn is_session(keys: Keys<'_>) -> bool {
    let is_header = keys.kind() == "session" && keys.has_all(&["id", "timestamp", "cwd"]);
    let is_entry = keys.has_all(&["type", "id", "parentId", "timestamp"]);
    let is_change = matches!(keys.kind(), "model_change" | "thinking_level_change");
    let is_message = keys.kind() == "message" && keys.inner_has("message", &["role", "timestamp"]);
    is_header || (is_entry && (is_change || is_message))
}

pub(crate) fn read(values: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut entries: Vec<Entry> = Vec::new();
    for value in values {
        let source = value.source();
        let Json::Object(fields) = value.json else {
            let message = format!("{} stands where an entry should be; it was left out", value.json.kind());
            findings.warning("not-a-record", format!("line {}", value.line), message);
            continue;
        };
        let is_header = fields.get("type").and_then(Json::as_str) == Some("session");
        if is_header && !entries.is_empty() {
            sessions.extend(session(std::mem::take(&mut entries), format, findings));
        }
        entries.push(Entry { fields, source });
    }
    if !entries.is_empty() || sessions.is_empty() {
        sessions.extend(session(entries, format, findings));
    }
    sessions
}

struct Entry {
    fields: Object,
    source: SourceRecord,
}

impl Entry {
    fn text(&self, key: &str) -> Option<Str> {
        self.fields.get(key).and_then(Json::as_str).map(Str::from)
    }
}

fn session(entries: Vec<Entry>, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let mut log =
        Log { draft: Draft::new("pi", "pi"), model: None, events: HashMap::new(), entries: Vec::new() };
    // The first version is a list, and so is what a run puts out: only entries that have an id are in the tree.
    let in_tree: Vec<usize> = (0..entries.len()).filter(|at| entries[*at].text("id").is_some()).collect();
    let in_tree: Vec<usize> =
        in_tree.into_iter().filter(|at| entries[*at].text("type").as_deref() != Some("session")).collect();
    let node = |at: &usize| TreeNode {
        id: entries[*at].text("id").unwrap_or_default(),
        parent: entries[*at].text("parentId"),
    };
    let nodes: Vec<TreeNode> = in_tree.iter().map(node).collect();
    let branches = tree::branches(&nodes, nodes.len().checked_sub(1));
    let branches: HashMap<usize, Str> =
        in_tree.into_iter().zip(branches).filter_map(|(at, branch)| Some((at, branch?))).collect();
    for (at, entry) in entries.into_iter().enumerate() {
        log.entry(entry, branches.get(&at).cloned());
    }
    log.draft.finish(format, findings)
}

struct Log {
    draft: Draft,
    model: Option<Str>,
    /// The events of entries, by the ids of those.
    events: HashMap<Str, usize>,
    /// The ids of entries with the branches they are on, in the order of the file.
    entries: Vec<(Str, Option<Str>)>,
}

impl Log {
    fn entry(&mut self, entry: Entry, branch: Option<Str>) {
        let Entry { mut fields, source } = entry;
        let kind = take_text(&mut fields, "type").unwrap_or_default();
        let id = take_text(&mut fields, "id");
        let time = take_time(&mut fields, "timestamp");
        fields.remove("parentId");
        let say = EventDraft {
            id: id.clone(),
            time,
            branch: branch.clone(),
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        let before = self.draft.len();
        match &*kind {
            "session" => {
                self.draft.session.id = id.unwrap_or_default();
                self.draft.set_clock(time);
                return self.draft.unmapped.record("session", source);
            }
            "message" | "message_end" => {
                let message = take_object(&mut fields, "message").unwrap_or_default();
                self.message(message, say);
                self.draft.note_rest("entry", &fields);
            }
            "compaction" => self.compaction(fields, say),
            "branch_summary" => self.branch_summary(fields, say),
            "custom_message" => self.custom_message(fields, say),
            "usage" => self.usage(fields, say),
            "model_change" => {
                self.model = take_text(&mut fields, "modelId").or(self.model.take());
                self.draft.unmapped.record(&kind, source);
            }
            "session_info" => {
                self.draft.title = take_first_text(&mut fields, &["name"]).or(self.draft.title.take());
                self.draft.unmapped.record(&kind, source);
            }
            "" => self.draft.unmapped.record("entry without a type", source),
            kind => self.draft.unmapped.record(kind, source),
        }
        if let Some(id) = id {
            if self.draft.len() > before {
                self.events.insert(id.clone(), before);
            }
            self.entries.push((id, branch));
        }
    }

    fn message(&mut self, mut message: Object, mut say: EventDraft) {
        let role = take_text(&mut message, "role").unwrap_or_default();
        let own_time = take_time(&mut message, "timestamp");
        say.time = say.time.or(own_time);
        match &*role {
            "system" => self.system(message, say),
            "assistant" => self.answer(message, say),
            "toolResult" => self.result(message, say),
            "bashExecution" => self.shell(message, say),
            "custom" | "hookMessage" => self.custom_message(message, say),
            "branchSummary" | "compactionSummary" => {
                let text = take_text(&mut message, "summary").unwrap_or_default();
                self.draft.note_rest(&role, &message);
                let parts = vec![Part::from_text(text)];
                self.draft.push(EventDraft { kind: Kind::Injected(SUMMARY.into()), parts, ..say });
            }
            _ => {
                let turn = self.turn(Role::User, &mut message);
                self.draft.note_rest("message", &message);
                self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, ..say });
            }
        }
    }

    fn turn(&mut self, role: Role, message: &mut Object) -> Turn {
        let mut turn = Turn::new(role);
        let content = message.remove("content").unwrap_or_default();
        self.draft.messages("message").content(content, &mut turn);
        turn
    }

    /// The sections of the prompt in their order; later ones take the place of those of the same name.
    fn system(&mut self, mut message: Object, say: EventDraft) {
        let mut turn = self.turn(Role::System, &mut message);
        let mut notes = Object::new();
        let mut removed = Vec::new();
        for (name, text) in take_object(&mut message, "sections").unwrap_or_default() {
            match text {
                Json::String(text) => turn.parts.push(Part::from_text(text)),
                _ => removed.push(Json::from(name)),
            }
        }
        if !removed.is_empty() {
            notes.push("sectionsRemoved", removed);
        }
        notes.push_some("tools", message.remove("toolsAdded"));
        notes.push_some("toolsRemoved", message.remove("toolsRemoved"));
        self.draft.note_rest("system", &message);
        self.draft.push(EventDraft {
            kind: Kind::Injected("system".into()),
            parts: turn.parts,
            source_notes: notes,
            ..say
        });
    }

    fn answer(&mut self, mut message: Object, mut say: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        for block in take_list(&mut message, "content").unwrap_or_default() {
            self.draft.messages("message").content(in_words_of_messages(block), &mut turn);
        }
        let model = take_first_text(&mut message, &["responseModel"]);
        let asked = take_text(&mut message, "model").or_else(|| self.model.clone());
        say.model = model.or(asked);
        say.usage = usage_of(&mut message);
        let reason = take_text(&mut message, "stopReason");
        let said = take_first_text(&mut message, &["errorMessage"]);
        if matches!(reason.as_deref(), Some("error" | "aborted")) {
            let text = said.unwrap_or_else(|| "the call was stopped".into());
            say.error = Some((reason.clone().unwrap_or_default(), text));
        }
        say.finish = match reason.as_deref() {
            Some("toolUse") => Some("tool_use".into()),
            Some("error" | "aborted") | None => None,
            Some(other) => Some(other.into()),
        };
        for key in ["responseId", "provider", "api", "thinkingLevel"] {
            say.source_notes.push_some(key, message.remove(key));
        }
        // The same in the provider's words.
        message.remove("rawStopReason");
        message.remove("durationMs");
        self.draft.note_rest("assistant", &message);
        say.kind = Kind::Response;
        say.parts = turn.parts;
        self.draft.push(say);
    }

    fn result(&mut self, mut message: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::Tool);
        let id = take_text(&mut message, "toolCallId");
        let name = take_text(&mut message, "toolName");
        let is_error = message.remove("isError").is_some_and(|flag| flag.is_truthy());
        let content = message.remove("content");
        self.draft.messages("toolResult").result(id, name, content, is_error, &mut turn);
        let inner = usage_of(&mut message);
        message.remove("durationMs");
        self.draft.note_rest("toolResult", &message);
        let after = EventDraft { id: None, ..say.clone() };
        self.draft.push_turn(turn, say);
        // Models that the tool asked by itself.
        if let Some(usage) = inner {
            self.draft.push_sum(EventDraft { usage: Some(usage), ..after });
        }
    }

    /// A command that a person ran; the model is shown it in these words.
    fn shell(&mut self, mut message: Object, say: EventDraft) {
        let command = take_text(&mut message, "command").unwrap_or_default();
        let output = take_text(&mut message, "output").unwrap_or_default();
        let mut text = format!("Ran `{command}`\n");
        text.push_str(&if output.is_empty() {
            "(no output)".to_owned()
        } else {
            format!("```\n{output}\n```")
        });
        let code = message.remove("exitCode").and_then(|code| code.as_i64()).filter(|code| *code != 0);
        if message.remove("cancelled").is_some_and(|flag| flag.is_truthy()) {
            text.push_str("\n\n(command cancelled)");
        } else if let Some(code) = code {
            text.push_str(&format!("\n\nCommand exited with code {code}"));
        }
        let mut notes = Object::new();
        for key in ["truncated", "fullOutputPath", "excludeFromContext"] {
            notes.push_some(key, message.remove(key).filter(Json::is_truthy));
        }
        self.draft.note_rest("bashExecution", &message);
        let kind = Kind::Injected("shell".into());
        self.draft.push(EventDraft { kind, parts: vec![Part::from_text(text)], source_notes: notes, ..say });
    }

    /// What an extension says to the model.
    fn custom_message(&mut self, mut message: Object, say: EventDraft) {
        let kind = take_first_text(&mut message, &["customType"]).unwrap_or_else(|| "extension".into());
        let turn = self.turn(Role::User, &mut message);
        message.remove("display");
        self.draft.note_rest("custom", &message);
        self.draft.push(EventDraft { kind: Kind::Injected(kind), parts: turn.parts, ..say });
    }

    /// A summary in the place of what stands before the first entry that was kept.
    fn compaction(&mut self, mut fields: Object, mut say: EventDraft) {
        let text = take_text(&mut fields, "summary").unwrap_or_default();
        let kept = take_text(&mut fields, "firstKeptEntryId");
        say.usage = usage_of(&mut fields);
        say.model = self.model.clone().filter(|_| say.usage.is_some());
        for key in ["tokensBefore", "fromHook", "details", "systemMessage"] {
            say.source_notes.push_some(key, fields.remove(key));
        }
        self.draft.note_rest("compaction", &fields);
        let covered = self.covered(kept.as_deref(), say.branch.as_ref());
        say.kind = Kind::Compaction;
        say.parts = vec![Part::from_text(text)];
        let at = self.draft.push(say);
        self.draft.cover(at, &covered);
    }

    /// The events before the first entry that was kept, on the branch. The prompt they begin with stays.
    fn covered(&self, kept: Option<&str>, branch: Option<&Str>) -> Vec<usize> {
        let on_branch = self.entries.iter().filter(|(_, own)| own.as_ref() == branch);
        let before = on_branch.take_while(|(id, _)| kept != Some(&**id));
        let events = before.filter_map(|(id, _)| self.events.get(id).copied());
        events.skip_while(|at| self.draft.event(*at).is_some_and(is_system)).collect()
    }

    /// What became of the branch that was left, for the one that is gone on with.
    fn branch_summary(&mut self, mut fields: Object, say: EventDraft) {
        let text = take_text(&mut fields, "summary").unwrap_or_default();
        let usage = usage_of(&mut fields);
        let mut notes = Object::new();
        for key in ["fromId", "fromHook", "details"] {
            notes.push_some(key, fields.remove(key));
        }
        self.draft.note_rest("branch_summary", &fields);
        let model = self.model.clone();
        let after = EventDraft { id: None, ..say.clone() };
        self.draft.push(EventDraft {
            kind: Kind::Injected(SUMMARY.into()),
            parts: vec![Part::from_text(text)],
            source_notes: notes,
            ..say
        });
        if usage.is_some() {
            self.draft.push(EventDraft { model, usage, ..after });
        }
    }

    /// A call that is no part of the conversation, such as one that keeps the cache warm.
    fn usage(&mut self, mut fields: Object, mut say: EventDraft) {
        say.usage = usage_of(&mut fields);
        say.model = take_text(&mut fields, "model").or_else(|| self.model.clone());
        for key in ["kind", "provider"] {
            say.source_notes.push_some(key, fields.remove(key));
        }
        self.draft.note_rest("usage", &fields);
        self.draft.push(say);
    }
}

fn is_system(event: &strata_model::Event) -> bool {
    crate::marks::injected(event) == Some("system")
}

/// Thoughts as the Messages API has them.
fn in_words_of_messages(block: Json) -> Json {
    let Json::Object(mut block) = block else { return block };
    if block.get("type").and_then(Json::as_str) == Some("thinking") {
        let signature = take_any(&mut block, &["thinkingSignature"]);
        block.push_some("signature", signature);
        block.remove("redacted");
    }
    Json::Object(block)
}

/// The counts, without what they cost by Pi's own prices.
fn usage_of(fields: &mut Object) -> Option<UsageReport> {
    let mut usage = take_object(fields, "usage")?;
    let counts = PI.take(&mut usage);
    // An answer that never came has zeros.
    counts.has_tokens().then(|| counts.into())
}
