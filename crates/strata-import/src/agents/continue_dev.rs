//! Sessions of Continue, of its command line and of its extensions: one object with a `history`.

use std::collections::HashSet;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::spelling::{CONTINUE_OF_ANTHROPIC, CONTINUE_SUM};
use strata_wire::usage::{Counts, UsageReport, read as read_usage};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::own_total;
use crate::values::Value;

pub(crate) fn is_session(keys: Keys<'_>) -> bool {
    keys.has_all(&["sessionId", "history"])
        && keys.has_any(&["workspaceDirectory", "title"])
        && (keys.first_has("history", &["message"]) || keys.has("workspaceDirectory"))
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["history"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    documents.into_iter().filter_map(|document| session(document, format, findings)).collect()
}

fn session(mut document: Document, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let items = document.take("history");
    let mut about = document.fields;
    let mut draft = Draft::new("continue", "continue");
    draft.session.id = take_text(&mut about, "sessionId").unwrap_or_default();
    let title = take_text(&mut about, "title");
    draft.title = title.filter(|title| !matches!(&**title, "New Session" | "Untitled Session"));
    let own = take_object(&mut about, "usage").map(|mut sum| CONTINUE_SUM.take(&mut sum));
    let model = take_first_text(&mut about, &["chatModelTitle"]);
    for key in ["workspaceDirectory", "mode", "dateCreated"] {
        about.remove(key);
    }
    draft.note_rest("session", &about);
    let mut chat = Chat { draft, model, answered: HashSet::new(), sum: Counts::default() };
    for item in items {
        chat.item(item);
    }
    if let Some(own) = own.filter(|own| own.input.unwrap_or(0) > 0) {
        let place = format!("session {}", chat.draft.session.id);
        own_total::check("the session's own total", own, chat.sum, place, findings);
    }
    chat.draft.finish(format, findings)
}

struct Chat {
    draft: Draft,
    model: Option<Str>,
    /// Calls whose results came with them.
    answered: HashSet<Str>,
    /// What all calls come to as the session counts them.
    sum: Counts,
}

impl Chat {
    fn item(&mut self, value: Value) {
        let source = value.source();
        let Some(mut item) = self.draft.object("history", value.json) else { return };
        let say = EventDraft::new(Kind::Notice, Vec::new(), source);
        let mut message = take_object(&mut item, "message").unwrap_or_default();
        let role = take_text(&mut message, "role").unwrap_or_default();
        let context = take_list(&mut item, "contextItems").unwrap_or_default();
        let summary = take_first_text(&mut item, &["conversationSummary"]);
        let is_summary =
            summary.is_some() && message.get("content").and_then(Json::as_str) == summary.as_deref();
        if is_summary {
            message.remove("content");
        } else {
            self.context(context, &say);
            match &*role {
                "assistant" => self.answer(message, &mut item, say.clone()),
                "thinking" => self.thinking(message, say.clone()),
                "tool" => self.result(message, say.clone()),
                _ => self.said(&role, message, say.clone()),
            }
        }
        if let Some(summary) = summary {
            let parts = vec![Part::from_text(summary)];
            self.draft.push(EventDraft { kind: Kind::Compaction, parts, ..say });
        }
        for key in ["editorState", "isGatheringContext"] {
            item.remove(key);
        }
        let modifiers = item.remove("modifiers").filter(|it| it.as_object().is_none_or(|it| !it.is_empty()));
        item.push_some("modifiers", modifiers);
        self.draft.note_rest("history", &item);
    }

    /// Files, code and the like, which stand before the words they were added to.
    fn context(&mut self, items: Vec<Json>, say: &EventDraft) {
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for item in items {
            let Some(mut item) = self.draft.object("contextItems", item) else { continue };
            if let Some(text) = take_first_text(&mut item, &["content"]) {
                parts.push(Part::from_text(text));
                names.extend(take_first_text(&mut item, &["name"]).map(Json::from));
            }
            for key in ["id", "uri", "name", "description", "editing", "editable", "icon", "hidden", "status"]
            {
                item.remove(key);
            }
            self.draft.note_rest("contextItems", &item);
        }
        if !parts.is_empty() {
            let source_notes = Object::from_iter([("names", Json::from(names))]);
            let kind = Kind::Injected("context".into());
            self.draft.push(EventDraft { kind, parts, source_notes, ..say.clone() });
        }
    }

    fn said(&mut self, role: &str, mut message: Object, mut say: EventDraft) {
        let mut turn = Turn::new(if role == "system" { Role::System } else { Role::User });
        let content = message.remove("content").unwrap_or_default();
        self.draft.messages("message").content(content, &mut turn);
        say.id = take_first_text(&mut message, &["id"]);
        self.draft.note_rest("message", &message);
        self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, ..say });
    }

    /// A thought that is a message of its own belongs to the answer behind it; here it is one by itself.
    fn thinking(&mut self, mut message: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        let text = take_text(&mut message, "content").unwrap_or_default();
        let signature = take_any(&mut message, &["signature"]);
        let mut block = Object::from_iter([("type", Json::from("thinking")), ("thinking", Json::from(text))]);
        block.push_some("signature", signature);
        self.draft.messages("message").content(Json::Object(block), &mut turn);
        self.draft.note_rest("thinking", &message);
        self.draft.push(EventDraft {
            kind: Kind::Response,
            parts: turn.parts,
            model: self.model.clone(),
            ..say
        });
    }

    fn answer(&mut self, mut message: Object, item: &mut Object, mut say: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        let reasoning = take_object(item, "reasoning").and_then(|mut it| take_first_text(&mut it, &["text"]));
        turn.parts.extend(reasoning.map(thought));
        let content = message.remove("content").unwrap_or_default();
        let calls = take_list(&mut message, "toolCalls").unwrap_or_default();
        let mut messages = self.draft.messages("message");
        messages.content(content, &mut turn);
        for call in calls {
            messages.call(call, &mut turn);
        }
        say.id = take_first_text(&mut message, &["id"]);
        let (usage, model) = self.usage(&mut message);
        let log = take_list(item, "promptLogs").unwrap_or_default().into_iter().next();
        let title = log.as_ref().and_then(|log| log.get("modelTitle")?.as_str()).map(Str::from);
        say.model = model.or(title).or_else(|| self.model.clone());
        if let Some(log) = log {
            self.draft.unmapped.field("history", "promptLogs", &log);
        }
        self.draft.note_rest("message", &message);
        self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, usage, ..say.clone() });
        let after = EventDraft { id: None, model: None, ..say };
        for state in take_list(item, "toolCallStates").unwrap_or_default() {
            self.state(state, &after);
        }
        if let Some(state) = take_any(item, &["toolCallState"]) {
            self.state(state, &after);
        }
    }

    /// Counts as the provider gave them, under OpenAI's names.
    fn usage(&mut self, message: &mut Object) -> (Option<UsageReport>, Option<Str>) {
        let Some(mut usage) = take_object(message, "usage") else { return (None, None) };
        let model = take_first_text(&mut usage, &["model"]);
        usage.remove("cost_cents");
        self.sum = self.sum.plus(Counts {
            input: usage.get("prompt_tokens").and_then(strata_model::take::count_of),
            output: usage.get("completion_tokens").and_then(strata_model::take::count_of),
            ..Counts::default()
        });
        let details = usage.get("prompt_tokens_details");
        if details.is_some_and(|details| details.get("cache_read_tokens").is_some()) {
            return (Some(CONTINUE_OF_ANTHROPIC.take(&mut usage).into()), model);
        }
        (read_usage(usage, "usage", &mut self.draft.unmapped), model)
    }

    /// How a call went, and what came of it.
    fn state(&mut self, state: Json, say: &EventDraft) {
        let Some(mut state) = self.draft.object("toolCallStates", state) else { return };
        let status = take_text(&mut state, "status").unwrap_or_default();
        let id = take_text(&mut state, "toolCallId");
        let output = take_list(&mut state, "output");
        for key in ["toolCall", "parsedArgs", "processedArgs", "preprocessedArgs", "tool"] {
            state.remove(key);
        }
        let mcp = take_any(&mut state, &["mcpUiState"]);
        self.draft.note_rest("toolCallStates", &state);
        if let Some(mcp) = mcp {
            self.draft.unmapped.field("toolCallStates", "mcpUiState", &mcp);
        }
        let Some(output) = output else { return };
        let texts = output.iter().filter_map(|item| item.get("content")?.as_str());
        let text = texts.collect::<Vec<_>>().join("\n\n");
        let mut turn = Turn::new(Role::Tool);
        let is_error = matches!(&*status, "errored" | "canceled");
        self.answered.extend(id.clone());
        self.draft.messages("toolCallStates").result(id, None, Some(Json::from(text)), is_error, &mut turn);
        self.draft.push_turn(turn, say.clone());
    }

    fn result(&mut self, mut message: Object, say: EventDraft) {
        let id = take_text(&mut message, "toolCallId");
        let content = message.remove("content");
        self.draft.note_rest("tool", &message);
        if id.as_ref().is_some_and(|id| !self.answered.insert(id.clone())) {
            return self.draft.unmapped.record("tool (repeated)", say.sources[0].clone());
        }
        let mut turn = Turn::new(Role::Tool);
        self.draft.messages("tool").result(id, None, content, false, &mut turn);
        self.draft.push_turn(turn, say);
    }
}
