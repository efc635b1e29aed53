//! Chats of Google AI Studio, as it keeps them in Google Drive: settings, an instruction and chunks of the talk.

use strata_model::take::{take_any, take_count, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::Counts;

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::time::take_time;
use crate::values::Value;

const CHUNKS: &str = "chunkedPrompt.chunks";

pub(crate) fn is_chat(keys: Keys<'_>) -> bool {
    keys.has_any(&["runSettings", "systemInstruction", "title", "id"])
        && keys.inner_has("chunkedPrompt", &["chunks"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[CHUNKS], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    documents.into_iter().filter_map(|document| chat(document, format, findings)).collect()
}

fn chat(mut document: Document, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let chunks = document.take(CHUNKS);
    let (mut fields, source) = (document.fields, document.source);
    let mut draft = Draft::new("ai-studio", "gemini");
    draft.session.id = take_first_text(&mut fields, &["id"]).unwrap_or_default();
    draft.title = take_first_text(&mut fields, &["title"]);
    let mut settings = take_object(&mut fields, "runSettings").unwrap_or_default();
    let model = take_first_text(&mut settings, &["model"]);
    let model = model.map(|name| name.strip_prefix("models/").map_or_else(|| name.clone(), Str::from));
    if let Some(instruction) = take_object(&mut fields, "systemInstruction") {
        let mut turn = Turn::new(Role::System);
        let content = match instruction.get("parts") {
            Some(parts) => parts.clone(),
            None => instruction.get("text").cloned().unwrap_or_default(),
        };
        draft.messages("systemInstruction").content(content, &mut turn);
        if !turn.parts.is_empty() {
            let kind = Kind::Injected("system".into());
            draft.push(EventDraft { parts: turn.parts, ..EventDraft::new(kind, Vec::new(), source) });
        }
    }
    if !settings.is_empty() {
        draft.unmapped.field("chat", "runSettings", &Json::Object(settings));
    }
    fields.remove("chunkedPrompt");
    fields.retain(|_, value| value.is_truthy() && value.as_array().is_none_or(|items| !items.is_empty()));
    draft.note_rest("chat", &fields);
    let mut talk = Talk { draft, model, open: None };
    for chunk in chunks {
        talk.chunk(chunk);
    }
    talk.close();
    if talk.draft.len() > 0 {
        let message =
            "AI Studio counts each chunk by itself and no prompt; what prompts came to are estimates";
        findings.info("no-usage", "", message);
    }
    talk.draft.finish(format, findings)
}

struct Talk {
    draft: Draft,
    model: Option<Str>,
    /// An answer, which may stand in several chunks.
    open: Option<(Turn, Counts, EventDraft)>,
}

impl Talk {
    fn chunk(&mut self, value: Value) {
        let source = value.source();
        let Some(mut chunk) = self.draft.object("chunks", value.json) else { return };
        let role = take_text(&mut chunk, "role").unwrap_or_default();
        let is_thought = chunk.remove("isThought").is_some_and(|flag| flag.is_truthy());
        let tokens = take_count(&mut chunk, "tokenCount");
        let time = take_time(&mut chunk, "createTime");
        let finish = take_first_text(&mut chunk, &["finishReason"]);
        let mut turn = Turn::new(if &*role == "model" { Role::Model } else { Role::User });
        let text = take_first_text(&mut chunk, &["text"]);
        let parts = take_list(&mut chunk, "parts").unwrap_or_default();
        match text {
            Some(text) => turn.parts.push(if is_thought { thought(text) } else { Part::from_text(text) }),
            None => self.draft.messages("chunks").content(Json::Array(parts), &mut turn),
        }
        for key in ["inlineImage", "inlineFile", "inlineData", "inlineAudio"] {
            if let Some(file) = take_any(&mut chunk, &[key]) {
                let part = Json::Object(Object::from_iter([("inlineData", file)]));
                self.draft.messages("chunks").content(Json::Array(vec![part]), &mut turn);
            }
        }
        for key in ["functionCall", "functionResponse", "executableCode", "codeExecutionResult"] {
            if let Some(inner) = take_any(&mut chunk, &[key]) {
                let part = Json::Object(Object::from_iter([(key, inner)]));
                self.draft.messages("chunks").content(Json::Array(vec![part]), &mut turn);
            }
        }
        for key in ["thinkingBudget", "thoughtSignatures", "isEdited", "grounding"] {
            chunk.remove(key);
        }
        self.draft.note_rest("chunks", &chunk);
        let mut say = EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), source.clone()) };
        if turn.role != Role::Model {
            self.close();
            if !turn.parts.is_empty() {
                say.source_notes.push_some("tokenCount", tokens.map(|count| Json::Int(count as i64)));
                self.draft.push(EventDraft { kind: Kind::Prompt, parts: turn.parts, ..say });
            }
            return;
        }
        let counts = Counts { output: tokens, thoughts: tokens.filter(|_| is_thought), ..Counts::default() };
        match &mut self.open {
            Some((open, before, said)) if said.finish.is_none() => {
                open.parts.extend(turn.parts);
                *before = before.plus(counts);
                said.sources.push(source);
                said.finish = finish;
            }
            _ => {
                self.close();
                say.finish = finish;
                say.model.clone_from(&self.model);
                self.open = Some((turn, counts, say));
            }
        }
    }

    fn close(&mut self) {
        let Some((turn, counts, say)) = self.open.take() else { return };
        let usage = counts.output.map(|_| counts.into());
        if !turn.parts.is_empty() {
            self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, usage, ..say });
        }
    }
}
