//! The database of Cursor's editor: a table of keys and JSON texts, of which `composerData:…` are conversations and
//! `bubbleId:…` their messages.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::Counts;

use super::bubble::{Bubble, Tool};
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::rows::object_of;
use crate::source::SourceRecord;
use crate::tables::{self, SqlValue, Table, TableError, TableSource};
use crate::time::take_time;

const TABLE: &str = "cursorDiskKV";

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, TABLE, "value")
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut composers: Vec<(Str, Object, SourceRecord)> = Vec::new();
    let mut bubbles: HashMap<Str, Vec<Bubble>> = HashMap::new();
    source.rows(TABLE, &["key", "value"], &["rowid"], &mut |row| {
        let Some(SqlValue::Text(key)) = row.first() else { return };
        if matches!(row.get(1), None | Some(SqlValue::Null)) {
            return;
        }
        let record = SourceRecord::Row { table: TABLE, id: (*key).into() };
        if let Some(id) = key.strip_prefix("composerData:") {
            composers.push((id.into(), object_of(row.get(1), key, findings), record));
        } else if let Some(ids) = key.strip_prefix("bubbleId:") {
            let mut fields = object_of(row.get(1), key, findings);
            let own = take_text(&mut fields, "conversationId");
            let (composer, id) = match ids.split_once(':') {
                Some((composer, id)) => (Str::from(composer), id),
                None => (own.unwrap_or_default(), ids),
            };
            bubbles.entry(composer).or_default().push(Bubble::read(fields, id.into(), record));
        }
    })?;
    let mut parents: HashMap<Str, Str> = HashMap::new();
    for (id, composer, _) in &composers {
        let children = composer.get("subagentComposerIds").and_then(Json::as_array).unwrap_or_default();
        parents.extend(children.iter().filter_map(Json::as_str).map(|child| (Str::from(child), id.clone())));
    }
    let mut n_empty = 0_u64;
    let mut sessions = Vec::new();
    for (id, composer, source) in composers {
        let own = bubbles.remove(&id).unwrap_or_default();
        let parent = parents.remove(&id).filter(|parent| *parent != id);
        let parent = parent.map(|session_id| ParentSession { session_id, agent_id: id.clone() });
        match conversation(id, composer, own, parent, &source) {
            Some(draft) => sessions.extend(draft.finish(format, findings)),
            None => n_empty += 1,
        }
    }
    findings.empty_sessions(n_empty);
    let mut lost: Vec<(Str, Vec<Bubble>)> = bubbles.into_iter().collect();
    lost.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (id, own) in lost {
        let source = own[0].source.clone();
        let draft = conversation(id, Object::new(), own, None, &source);
        sessions.extend(draft.and_then(|draft| draft.finish(format, findings)));
    }
    sessions.sort_by(|a, b| a.session.last_update_time.total_cmp(&b.session.last_update_time));
    Ok(sessions)
}

/// The session of a conversation; `None` where nothing is said in it.
fn conversation(
    id: Str,
    mut composer: Object,
    stored: Vec<Bubble>,
    parent: Option<ParentSession>,
    source: &SourceRecord,
) -> Option<Draft> {
    let mut draft = Draft::new("cursor", "cursor");
    draft.session.id = id;
    draft.title = take_first_text(&mut composer, &["name"]);
    draft.parent = parent;
    let created = take_time(&mut composer, "createdAt");
    draft.set_clock(created);
    let model = take_object(&mut composer, "modelConfig");
    let model = model.and_then(|mut model| take_first_text(&mut model, &["modelName"]));
    let tools = Tool::of_capabilities(take_list(&mut composer, "capabilities").unwrap_or_default());
    let mut tools: HashMap<Str, Tool> = tools.into_iter().collect();
    let headers = take_list(&mut composer, "fullConversationHeadersOnly").unwrap_or_default();
    let inline = take_list(&mut composer, "conversation").unwrap_or_default();
    let mut all: Vec<Bubble> = inline
        .into_iter()
        .filter_map(|bubble| match bubble {
            Json::Object(mut fields) => {
                let id = take_text(&mut fields, "bubbleId").unwrap_or_default();
                Some(Bubble::read(fields, id, source.clone()))
            }
            _ => None,
        })
        .collect();
    all.extend(in_order(&headers, stored, &mut draft));
    for bubble in &mut all {
        bubble.tool = bubble.tool.take().or_else(|| tools.remove(&bubble.id));
    }
    let mut chat = Chat { draft, model: model.filter(|name| &**name != "default"), open: None };
    for bubble in all {
        chat.bubble(bubble);
    }
    chat.close();
    let Chat { mut draft, .. } = chat;
    if draft.len() == 0 {
        return None;
    }
    let last = draft.len() - 1;
    for key in ["contextTokensUsed", "contextTokenLimit", "promptTokenBreakdown"] {
        if let Some(value) = composer.remove(key).filter(Json::is_truthy) {
            draft.note_source(last, key, value);
        }
    }
    Some(draft)
}

/// The bubbles that the conversation names, in its order; all of them, in the order of time, where it names none.
fn in_order(headers: &[Json], mut stored: Vec<Bubble>, draft: &mut Draft) -> Vec<Bubble> {
    if headers.is_empty() {
        stored.sort_by(|a, b| a.time.unwrap_or(0.0).total_cmp(&b.time.unwrap_or(0.0)));
        return stored;
    }
    let mut by_id: HashMap<Str, Bubble> =
        stored.into_iter().map(|bubble| (bubble.id.clone(), bubble)).collect();
    let named = headers.iter().filter_map(|header| by_id.remove(header.get("bubbleId")?.as_str()?));
    let named: Vec<Bubble> = named.collect();
    let mut left: Vec<Bubble> = by_id.into_values().collect();
    left.sort_by(|a, b| a.id.cmp(&b.id));
    for bubble in left {
        draft.unmapped.record("bubble that the conversation does not name", bubble.source);
    }
    named
}

/// An answer that is being put together from its bubbles.
struct Open {
    answer: Turn,
    results: Turn,
    counts: Counts,
    model_call: Option<Str>,
    say: EventDraft,
}

struct Chat {
    draft: Draft,
    model: Option<Str>,
    open: Option<Open>,
}

impl Chat {
    fn bubble(&mut self, bubble: Bubble) {
        let Bubble {
            id,
            is_user,
            text,
            thought: own_thought,
            tool,
            time,
            model,
            counts,
            error,
            rest,
            source,
        } = bubble;
        for (key, count) in rest {
            *self.draft.unmapped.fields.entry(format!("bubble.{key}")).or_default() += count;
        }
        let say = EventDraft {
            id: Some(id),
            time,
            error,
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        if is_user {
            self.close();
            let parts = vec![Part::from_text(text)];
            self.draft.push(EventDraft { kind: Kind::Prompt, parts, ..say });
            return;
        }
        let is_empty = text.is_empty() && own_thought.is_none() && tool.is_none() && counts.is_none();
        if is_empty && say.error.is_none() {
            return self.draft.unmapped.record("bubble without content", source);
        }
        let has_words = !text.is_empty() || own_thought.is_some();
        let is_other = self.open.as_ref().is_some_and(|open| {
            let is_same_call =
                tool.as_ref().is_some_and(|it| it.model_call.is_some() && it.model_call == open.model_call);
            open.answer.has_calls() && (has_words || !is_same_call)
        });
        if is_other {
            self.close();
        }
        let model = model.filter(|name| &**name != "default").or_else(|| self.model.clone());
        let open = self.open.get_or_insert_with(|| Open {
            answer: Turn::new(Role::Model),
            results: Turn::new(Role::Tool),
            counts: Counts::default(),
            model_call: None,
            say: EventDraft { model: None, ..say.clone() },
        });
        open.say.model = model.or(open.say.model.take());
        open.say.error = say.error.or(open.say.error.take());
        if !open.say.sources.contains(&source) {
            open.say.sources.push(source);
        }
        open.counts = open.counts.plus(counts.unwrap_or_default());
        open.answer.parts.extend(own_thought.map(thought));
        if !text.is_empty() {
            open.answer.parts.push(Part::from_text(text));
        }
        if let Some(tool) = tool {
            open.model_call = tool.model_call.or(open.model_call.take());
            let mut messages = self.draft.messages("toolFormerData");
            messages.push_call(tool.id.clone(), tool.name.clone(), tool.args, &mut open.answer);
            if let Some(result) = tool.result {
                messages.result(tool.id, tool.name, Some(result), tool.is_error, &mut open.results);
            }
        }
    }

    fn close(&mut self) {
        let Some(Open { answer, results, counts, mut say, .. }) = self.open.take() else { return };
        say.kind = Kind::Response;
        say.parts = answer.parts;
        say.usage = (!counts.is_empty()).then(|| counts.into());
        let after = EventDraft { id: None, usage: None, model: None, error: None, ..say.clone() };
        self.draft.push(say);
        if !results.parts.is_empty() {
            self.draft.push_turn(results, after);
        }
    }
}
