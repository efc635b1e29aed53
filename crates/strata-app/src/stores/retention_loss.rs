//! What the retention of a context does to its messages, and what later answers used of those that went.
//!
//! Messages that went are in the context no more, but in the session in which its agents answer. What each stated is looked
//! for in the answers that were given when it was not sent any more.

use std::sync::Arc;

use strata_context::{Context, Role};
use strata_engine::LoggedEvent;
use strata_measure::lab::{Fact, FactReader, Verdict, loss};
use strata_model::{Content, Event, EventIndex, Part, Session, Str};
use strata_store::{SessionId, Store};

use crate::api::stores_kept::{LostFact, RetentionLoss};
use crate::error::AppError;
use crate::retained_events::{gone, is_of, taken_out_by};
use crate::show::words;

/// Facts that are listed, and characters of one.
const MOST: usize = 100;
const FACT: usize = 160;

/// `None` where nothing went.
pub(crate) fn retention_loss(store: &Store, context: &Context) -> Result<Option<RetentionLoss>, AppError> {
    if n_gone(context) == 0 {
        return Ok(None);
    }
    let id = context.session.as_deref().map(SessionId::from);
    let session = id.map(|id| store.read_session(&id)).transpose()?.flatten();
    let Some(session) = session else {
        let gap = "The session in which its agents answered is not in this store any more, so it is not known what \
                   those messages said.";
        return Ok(Some(RetentionLoss { gap: Some(gap.to_owned()), ..nothing(context) }));
    };
    Ok(Some(of_session(context, &session)))
}

/// Messages that are not kept any more; a summary is none.
fn n_gone(context: &Context) -> u64 {
    let n_kept = context.messages.iter().filter(|message| !message.is_summary()).count() as u64;
    context.n_messages.saturating_sub(n_kept)
}

fn nothing(context: &Context) -> RetentionLoss {
    RetentionLoss {
        said: context.n_messages as u32,
        gone: n_gone(context) as u32,
        is_summarised: false,
        kept: 0,
        paraphrased: 0,
        dropped: 0,
        used: 0,
        lost_share: 0.0,
        facts: Vec::new(),
        gap: None,
    }
}

/// A message as an event of the session says it.
struct Said<'e> {
    event: usize,
    role: Role,
    text: &'e Str,
}

fn of_session(context: &Context, session: &Session) -> RetentionLoss {
    let said = said_in(context, session);
    let gone = gone(context, &session.events);
    let taken_out_by = taken_out_by(context, &session.events);
    let reader = FactReader::new();
    let answers: Vec<(usize, Vec<Fact>)> = said
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .map(|message| (message.event, reader.read_event(&logged(message))))
        .collect();
    let lost: Vec<&Said<'_>> = said.iter().filter(|message| gone[message.event]).collect();
    let messages: Vec<LoggedEvent> = lost.iter().map(|message| logged(message)).collect();
    let messages: Vec<&LoggedEvent> = messages.iter().collect();
    let facts = reader.read(&messages, &messages);
    // The answers that state a fact again, given when its message was not sent any more.
    let uses = |fact: &Fact| -> Vec<usize> {
        let Some(by) = taken_out_by[fact.event.as_usize()] else { return Vec::new() };
        let later = answers.iter().filter(|(event, _)| *event > by);
        later
            .filter(|(_, facts)| facts.iter().any(|it| it.key == fact.key))
            .map(|(event, _)| *event)
            .collect()
    };
    let later = facts.iter().map(|fact| (fact.key.clone(), uses(fact).len() as u32)).collect();
    let summary = context.messages.first().filter(|message| message.is_summary());
    let report = loss(&reader, &facts, summary.map_or("", |message| &message.content), &later);
    let is_used =
        |item: &&strata_measure::lab::LossItem| item.verdict == Verdict::Dropped && item.used_later > 0;
    let n_unseen = context.n_messages.saturating_sub(said.len() as u64);
    let n_sent = lost.iter().filter(|message| taken_out_by[message.event].is_none()).count();
    RetentionLoss {
        is_summarised: summary.is_some(),
        kept: report.kept,
        paraphrased: report.paraphrased,
        dropped: report.dropped,
        used: report.items.iter().filter(is_used).count() as u32,
        lost_share: (report.lost_share * 1000.0).round() / 1000.0,
        facts: report
            .items
            .iter()
            .take(MOST)
            .map(|item| LostFact {
                kind: item.fact.kind.name().replace('_', " "),
                text: words::row(&item.fact.text, FACT),
                verdict: item.verdict.name().to_owned(),
                event: item.fact.event.number(),
                used_later: item.used_later,
                first_use: uses(&item.fact).first().map(|event| *event as u32 + 1),
            })
            .collect(),
        gap: gap(context, n_unseen, n_sent),
        ..nothing(context)
    }
}

/// What is to be known of the numbers.
fn gap(context: &Context, n_unseen: u64, n_sent: usize) -> Option<String> {
    let unseen = (n_unseen > 0).then(|| {
        format!(
            "{} of {} that were said are not in the events of the session, and what they stated is in no number here.",
            words::whole(n_unseen as i64),
            words::counted(context.n_messages as usize, "message")
        )
    });
    let sent = (n_sent > 0).then(|| {
        format!(
            "Agents were still sent {} of those that are gone with the last request.",
            words::whole(n_sent as i64)
        )
    });
    let sentences: Vec<String> = unseen.into_iter().chain(sent).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// What was said in a context, by the events of its session: what each request brought, and the last words of who answered.
fn said_in<'e>(context: &Context, session: &'e Session) -> Vec<Said<'e>> {
    let mut said: Vec<Said<'e>> = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        if !is_of(event, context) || event.partial == Some(true) {
            continue;
        }
        let texts = event.parts().iter().filter(|part| !part.is_thought());
        let Some(text) = texts.filter_map(|part| part.text.as_ref()).next_back() else { continue };
        let role = if event.is_from_user() { Role::User } else { Role::Assistant };
        let message = Said { event: at, role, text };
        match said.last_mut() {
            // Of what is said in one turn, the last counts.
            Some(last) if last.role == Role::Assistant && role == Role::Assistant => *last = message,
            _ => said.push(message),
        }
    }
    said
}

/// The message alone, as an event at its place.
fn logged(message: &Said<'_>) -> LoggedEvent {
    let (author, role) = if message.role == Role::User { ("user", "user") } else { ("assistant", "model") };
    let content = Content::new(role, [Part::from_text(message.text.clone())]);
    let event = Event { author: author.into(), content: Some(Arc::new(content)), ..Event::default() };
    LoggedEvent::new(Arc::new(event), Some(EventIndex(message.event as u32)))
}

#[cfg(test)]
mod tests {
    use strata_context::{ContextId, Message, Millis, Principal, TaskId};
    use strata_model::Object;

    use super::*;
    use crate::retained_events::missing_compactions;

    fn event(at: usize, author: &str, task: &str, text: &str) -> Arc<Event> {
        let role = if author == "user" { "user" } else { "model" };
        Arc::new(Event {
            author: author.into(),
            content: Some(Arc::new(Content::new(role, [Part::from_text(text)]))),
            timestamp: at as f64,
            custom_metadata: Some(Object::from_iter([("context_id", "ctx-1"), ("task_id", task)])),
            ..Event::default()
        })
    }

    /// With the answer of the last task kept, and perhaps a summary of the others.
    fn context(summary: Option<&str>, n_messages: u64) -> Context {
        let message = |role, content: &str, task| Message {
            number: 0,
            at: Millis(0),
            role,
            content: content.into(),
            door: None,
            task,
        };
        let kept = message(Role::Assistant, "Booked within the 50000 dollars.", TaskId::parse("c").ok());
        let summary = summary.map(|text| message(Role::System, text, None));
        let id = ContextId::parse("ctx-1").unwrap();
        let messages = summary.into_iter().chain([kept]).collect();
        Context { messages, n_messages, ..Context::new(id, Principal::new("ana"), Millis(0)) }
    }

    fn session() -> Session {
        let said = [
            ("user", "a", "The budget is 50000 dollars."),
            ("front", "a", "Noted."),
            ("user", "b", "Which products are there?"),
            ("front", "b", "Looking."),
            ("front", "b", "There is video."),
            ("user", "c", "Book it."),
            ("front", "c", "Booked within the 50000 dollars."),
        ];
        let events = said.iter().enumerate();
        let events = events.map(|(at, (author, task, text))| event(at, author, task, text)).collect();
        Session { events, ..Session::default() }
    }

    /// As it is when what went by then was taken out before the last request.
    fn taken_out(context: &Context) -> Session {
        let mut session = session();
        let last = session.events.split_off(5);
        let compactions = missing_compactions(context, &session.events);
        session.events.extend(compactions.into_iter().map(Arc::new));
        session.events.extend(last);
        session
    }

    #[test]
    fn what_an_answer_used_when_its_message_was_not_sent_any_more_is_said() {
        let context = context(None, 6);
        let loss = of_session(&context, &taken_out(&context));
        assert_eq!((loss.said, loss.gone, loss.is_summarised, loss.used), (6, 5, false, 1), "{loss:?}");
        let used: Vec<&LostFact> = loss.facts.iter().filter(|fact| fact.used_later > 0).collect();
        assert!(used[0].text.contains("50000") && used[0].verdict == "dropped", "{used:?}");
        // Said in E1, taken out by E6, and used in E8.
        assert_eq!((used.len(), used[0].event, used[0].first_use), (1, 1, Some(8)));
        // The last question is gone, too, and was sent.
        let gap = "Agents were still sent 1 of those that are gone with the last request.";
        assert_eq!(loss.gap.as_deref(), Some(gap));
    }

    #[test]
    fn what_agents_were_still_sent_is_not_used_without_it() {
        let loss = of_session(&context(None, 6), &session());
        assert_eq!((loss.gone, loss.used), (5, 0), "{loss:?}");
        let gap = "Agents were still sent 5 of those that are gone with the last request.";
        assert_eq!(loss.gap.as_deref(), Some(gap));
    }

    #[test]
    fn what_the_summary_tells_is_kept() {
        let context = context(Some("The budget is 50000 dollars."), 6);
        let loss = of_session(&context, &taken_out(&context));
        assert!(loss.is_summarised && loss.kept >= 1 && loss.used == 0, "{loss:?}");
        assert_eq!((loss.said, loss.gone), (6, 5), "the summary is no message that was kept");
    }

    #[test]
    fn messages_that_no_event_says_are_counted() {
        let context = context(None, 9);
        let loss = of_session(&context, &taken_out(&context));
        let gap = "3 of 9 messages that were said are not in the events of the session, and what they stated is in no \
                   number here. Agents were";
        assert!(loss.gap.as_deref().unwrap().starts_with(gap), "{loss:?}");
    }
}
