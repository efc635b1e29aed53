//! Evaluation sets: conversations with what the agent did in between, without ids, times or state changes.
//!
//! Shapes as in ADK 2.13 evaluation/eval_case.py. What happened inside an invocation is recorded either as events
//! (2.x) or as lists of calls, responses and texts (2025), whose order among each other is not known.

mod invocation;

use strata_model::json::{EnteredValue, JsonError};
use strata_model::{Event, Json, Object, Str};

pub(super) use self::invocation::content_of;
use self::invocation::{Invocation, Recorded};
use super::cursor::Cursor;
use super::places::source;
use super::session::SessionBuilder;
use super::spelling::{take, take_text};
use crate::facts::{Facts, largest_result_bytes};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::repair::Repaired;
use crate::source::SourceRecord;

/// The cases of an evaluation set, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct EvalSet {
    cases: Vec<Case>,
    /// Elements of the list that are no cases.
    n_odd: usize,
}

#[derive(Debug, Default)]
struct Case {
    fields: Object,
    invocations: Vec<(Json, SourceRecord)>,
}

impl EvalSet {
    pub(super) fn read_case(
        &mut self,
        cursor: &mut Cursor<'_>,
        repaired: Option<&Repaired>,
    ) -> Result<(), JsonError> {
        let EnteredValue::Object(first_key) = cursor.enter()? else {
            self.n_odd += 1;
            return cursor.value().map(drop);
        };
        self.cases.push(Case::default());
        let Some(case) = self.cases.last_mut() else { return Ok(()) };
        let mut next = first_key;
        while let Some(key) = next {
            if &*key == "conversation" {
                let no_list = cursor.each(|cursor| {
                    let start = cursor.next_offset();
                    let invocation = cursor.value()?;
                    case.invocations.push((invocation, source(repaired, start..cursor.offset())));
                    Ok(())
                })?;
                case.fields.push_some("conversation", no_list);
            } else {
                let value = cursor.value()?;
                case.fields.insert(key, value);
            }
            next = cursor.next_key()?;
        }
        Ok(())
    }

    /// One session a case. `fields` are the set's own.
    pub(super) fn finish(
        self,
        fields: &Object,
        format: Format,
        findings: &mut Findings,
    ) -> Vec<ImportedSession> {
        if self.cases.is_empty() {
            findings.error("no-session", "", "this evaluation set has no cases; there is no session to show");
        } else {
            let message =
                "an evaluation set records no times and ids of events; the time of their invocation is used";
            findings.info("guessed", "", message);
        }
        if self.n_odd > 0 {
            let message =
                format!("{} elements of the list of cases are no objects; they were left out", self.n_odd);
            findings.error("unexpected-type", "", message);
        }
        let mut sessions = Vec::with_capacity(self.cases.len());
        for case in self.cases {
            sessions.push(case.session(fields, format, findings));
        }
        sessions
    }
}

impl Case {
    fn session(mut self, set: &Object, format: Format, findings: &mut Findings) -> ImportedSession {
        let eval_id = take_text(&mut self.fields, "eval_id", "evalId").unwrap_or_default();
        let mut builder = SessionBuilder::at(format!("case {eval_id}"));
        builder.note_rest("evalSet", set);
        self.begin(&eval_id, &mut builder);
        let n_turns = self.invocations.len() as u64;
        let scenario = ["conversation_scenario", "conversationScenario"];
        if n_turns == 0 && scenario.iter().any(|key| self.fields.get(key).is_some_and(Json::is_truthy)) {
            let message = "this case only says how a conversation would go (`conversation_scenario`); nothing was \
                           said in it, so its session is empty";
            findings.info("empty-session", builder.place(), message);
        }
        let mut recorded = Vec::new();
        for (invocation, source) in self.invocations {
            match invocation {
                Json::Object(fields) => {
                    let invocation = Invocation::read(fields, &mut builder);
                    invocation.append_to(&mut builder, &source, &mut recorded, findings);
                }
                other => {
                    let kind = other.kind();
                    let message = format!("an invocation should be an object but is {kind}; it was left out");
                    findings.error("unexpected-type", builder.place(), message);
                }
            }
        }
        builder.session.last_update_time = builder.last_timestamp();
        let mut imported = builder.finish(format, findings);
        imported.facts = facts_of(&imported, &recorded, n_turns);
        if !eval_id.is_empty() {
            imported.title = eval_id.to_string();
        }
        imported
    }

    /// Sets what is known of the session before its events.
    fn begin(&mut self, eval_id: &Str, builder: &mut SessionBuilder) {
        let mut input = match take(&mut self.fields, "session_input", "sessionInput") {
            Some(Json::Object(input)) => input,
            _ => Object::new(),
        };
        let session = &mut builder.session;
        session.id = take_text(&mut input, "session_id", "sessionId").unwrap_or_else(|| eval_id.clone());
        session.app_name = take_text(&mut input, "app_name", "appName").unwrap_or_default();
        session.user_id = take_text(&mut input, "user_id", "userId").unwrap_or_default();
        if let Some(Json::Object(state)) = take(&mut input, "state", "state") {
            session.state = state;
        }
        if let Some(Json::Object(state)) = take(&mut self.fields, "final_session_state", "finalSessionState")
        {
            session.state.update(&state);
        }
        builder.note_rest("evalCase.sessionInput", &input);
        builder.note_rest("evalCase", &self.fields);
    }
}

/// The set's own counts: of the events recorded between a prompt and the final response, which have no invocation ids.
fn facts_of(imported: &ImportedSession, recorded: &[Recorded], n_turns: u64) -> Facts {
    let events = recorded.iter().filter_map(|it| {
        let event = imported.session.events.get(it.event)?;
        let content = event.content.clone().filter(|_| !it.is_final);
        Some(Event { content, invocation_id: Str::default(), ..Event::clone(event) })
    });
    let events: Vec<Event> = events.collect();
    Facts {
        user_turns: n_turns,
        largest_tool_result_bytes: largest_result_bytes(&events),
        ..Facts::of(&events)
    }
}

/// The session inside the result of an evaluated case, when it was kept.
pub(super) fn session_of_result(
    result: Json,
    source: &SourceRecord,
    findings: &mut Findings,
) -> Option<SessionBuilder> {
    let Json::Object(mut result) = result else {
        let message = format!("a result should be an object but is {}; it was left out", result.kind());
        findings.error("unexpected-type", "", message);
        return None;
    };
    let eval_id = take_text(&mut result, "eval_id", "evalId").unwrap_or_default();
    let mut builder = SessionBuilder::at(format!("case {eval_id}"));
    let Some(Json::Object(mut session)) = take(&mut result, "session_details", "sessionDetails") else {
        let message = "the result of this case does not hold the session it ran; it was left out";
        findings.warning("no-session-details", builder.place(), message);
        return None;
    };
    builder.note_rest("evalCaseResult", &result);
    match session.remove("events") {
        Some(Json::Array(events)) => {
            for event in events {
                builder.push_event(event, source.clone(), findings);
            }
        }
        other => session.push_some("events", other),
    }
    builder.set_fields(session, findings);
    Some(builder)
}
