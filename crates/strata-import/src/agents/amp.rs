//! Threads of Amp: one object with `messages`, whose contents have the blocks of the Messages API, but for results.

use strata_model::take::{take_any, take_count, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::spelling::AMP;
use strata_wire::usage::{Counts, UsageReport};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::time::{take_time, time_of};
use crate::values::Value;

pub(crate) fn is_thread(keys: Keys<'_>) -> bool {
    keys.has("messages")
        && keys.text("id").starts_with("T-")
        && keys.has_any(&["created", "agentMode", "env", "usageLedger", "v"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["messages"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    documents.into_iter().filter_map(|document| thread(document, format, findings)).collect()
}

fn thread(mut document: Document, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let messages = document.take("messages");
    let mut about = document.fields;
    let mut draft = Draft::new("amp", "amp");
    draft.session.id = take_text(&mut about, "id").unwrap_or_default();
    draft.title = take_first_text(&mut about, &["title"]);
    let created = take_time(&mut about, "created");
    draft.set_clock(created);
    let ledger =
        take_object(&mut about, "usageLedger").and_then(|mut ledger| take_list(&mut ledger, "events"));
    for key in ["v", "env", "agentMode", "nextMessageId", "meta", "~debug"] {
        about.remove(key);
    }
    about.retain(|_, value| value.is_truthy() && value.as_array().is_none_or(|items| !items.is_empty()));
    draft.note_rest("thread", &about);
    let mut talk = Talk { draft, answers: Vec::new(), has_usage: false };
    for message in messages {
        talk.message(message);
    }
    talk.tell_ledger(ledger.unwrap_or_default());
    talk.draft.finish(format, findings)
}

struct Talk {
    draft: Draft,
    /// The events of answers, by the numbers of their messages.
    answers: Vec<(Json, usize)>,
    has_usage: bool,
}

impl Talk {
    fn message(&mut self, value: Value) {
        let source = value.source();
        let Some(mut message) = self.draft.object("messages", value.json) else { return };
        let role = take_text(&mut message, "role").unwrap_or_default();
        let number = message.remove("messageId").unwrap_or_default();
        let sent = take_object(&mut message, "meta").and_then(|mut meta| take_time(&mut meta, "sentAt"));
        let usage = take_object(&mut message, "usage");
        let said_at = usage.as_ref().and_then(|usage| time_of(usage.get("timestamp")?));
        let mut say =
            EventDraft { time: sent.or(said_at), ..EventDraft::new(Kind::Notice, Vec::new(), source) };
        let state = take_object(&mut message, "state").unwrap_or_default();
        let blocks = take_list(&mut message, "content").unwrap_or_default();
        for key in
            ["userState", "turnElapsedMs", "agentMode", "readAt", "originalToolUseInput", "dtwMessageID"]
        {
            message.remove(key);
        }
        if &*role == "info" {
            return self.info(&blocks, &say);
        }
        let is_answer = &*role == "assistant";
        let mut turn = Turn::new(if is_answer { Role::Model } else { Role::User });
        for block in blocks {
            self.block(block, &mut turn);
        }
        if let Some(files) = take_any(&mut message, &["fileMentions"]) {
            self.draft.unmapped.field("message", "fileMentions", &files);
        }
        message.retain(|_, value| value.is_truthy());
        self.draft.note_rest("message", &message);
        self.draft.note_result_bytes(turn.result_bytes);
        say.kind = kind_of(&turn);
        if is_answer {
            say.finish = state.get("stopReason").and_then(Json::as_str).map(Into::into);
            if state.get("type").and_then(Json::as_str) == Some("cancelled") {
                say.error = Some(("cancelled".into(), "the answer was stopped".into()));
            }
            if let Some(mut usage) = usage {
                say.model = take_first_text(&mut usage, &["model"]);
                say.usage = usage_of(usage);
                self.has_usage |= say.usage.is_some();
            }
            self.answers.push((number, self.draft.len()));
        } else if turn.parts.is_empty() {
            return;
        }
        self.draft.push(EventDraft { parts: turn.parts, ..say });
    }

    fn block(&mut self, block: Json, turn: &mut Turn) {
        let Json::Object(mut block) = block else { return };
        if block.get("type").and_then(Json::as_str) != Some("tool_result") {
            for key in ["complete", "provider", "startTime", "finalTime", "blockState"] {
                block.remove(key);
            }
            return self.draft.messages("message").content(Json::Array(vec![Json::Object(block)]), turn);
        }
        let id = take_first_text(&mut block, &["toolUseID", "tool_use_id"]);
        let mut run = take_object(&mut block, "run").unwrap_or_default();
        let status = take_text(&mut run, "status").unwrap_or_default();
        let is_error = matches!(&*status, "error" | "cancelled" | "rejected-by-user");
        let content = take_any(&mut run, &["result", "error", "reason", "progress"]);
        let content = content.or_else(|| Some(Json::from(&*status)));
        for key in ["type", "userInput"] {
            block.remove(key);
        }
        for key in ["progress", "trackFiles", "~debug"] {
            run.remove(key);
        }
        self.draft.note_rest("tool_result", &block);
        self.draft.note_rest("tool_result.run", &run);
        self.draft.messages("tool_result").result(id, None, content, is_error, turn);
    }

    /// What stands for the messages before it: a summary, or the thread they are in.
    fn info(&mut self, blocks: &[Json], say: &EventDraft) {
        for block in blocks {
            let summary =
                block.get("summary").filter(|_| block.get("type").and_then(Json::as_str) == Some("summary"));
            match summary.and_then(|summary| summary.get("summary")?.as_str()) {
                Some(text) => {
                    let parts = vec![Part::from_text(text)];
                    self.draft.push(EventDraft { kind: Kind::Compaction, parts, ..say.clone() });
                }
                None => self.draft.unmapped.record("info", say.sources[0].clone()),
            }
        }
    }

    /// Usage of older threads, which stands apart, by the message that each call made.
    fn tell_ledger(&mut self, events: Vec<Json>) {
        for event in events {
            let Some(mut event) = self.draft.object("usageLedger.events", event) else { continue };
            if self.has_usage {
                self.draft.unmapped.field("usageLedger", "events", &Json::Object(event));
                continue;
            }
            let mut tokens = take_object(&mut event, "tokens").unwrap_or_default();
            let (input, output) = (take_count(&mut tokens, "input"), take_count(&mut tokens, "output"));
            let counts = Counts { input, output, ..Counts::default() };
            let to = event.remove("toMessageId").unwrap_or_default();
            let known = self.answers.iter().find(|(number, _)| *number == to && !to.is_null());
            match known.filter(|_| !counts.is_empty()) {
                Some((_, at)) => {
                    let at = *at;
                    self.draft.set_usage(at, counts.into());
                    let model = take_first_text(&mut event, &["model"]);
                    if let Some(answer) = self.draft.event_mut(at) {
                        answer.model_version = answer.model_version.take().or(model);
                    }
                }
                None => self.draft.unmapped.field("usageLedger", "events", &Json::Object(event)),
            }
        }
    }
}

/// Where the whole input is said, it is that; else the cache stands beside the input.
fn usage_of(mut usage: Object) -> Option<UsageReport> {
    let whole = take_count(&mut usage, "totalInputTokens").filter(|count| *count > 0);
    let counts = AMP.take(&mut usage);
    let counts = Counts { input: whole.or(counts.input), ..counts };
    counts.has_tokens().then(|| counts.into())
}
