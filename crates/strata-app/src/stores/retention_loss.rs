//! What the retention of a context does to its messages, and what later answers used of those that went.
//!
//! Messages that went are in the context no more, but in the session in which its agents answer. They are said again one by
//! one, by the rule that the context has now, and what each stated is looked for in the answers behind the one that drove
//! it out.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_context::{Command, Context, ContextError, Held, Message, Millis, NewMessage, Role, Ttl};
use strata_engine::LoggedEvent;
use strata_measure::lab::{Fact, FactReader, Verdict, loss};
use strata_model::{Content, Event, EventIndex, Json, Part, Session, Str, marks};
use strata_store::{SessionId, Store};

use crate::api::stores_kept::{LostFact, RetentionLoss};
use crate::error::AppError;
use crate::message_summary::ExtractiveMessages;
use crate::show::words;

/// Facts that are listed, and characters of one.
const MOST: usize = 100;
const FACT: usize = 160;

/// `None` where nothing went.
pub(crate) fn retention_loss(store: &Store, context: &Context) -> Result<Option<RetentionLoss>, AppError> {
    let n_kept = context.messages.iter().filter(|message| !message.is_summary()).count() as u64;
    if n_kept >= context.n_messages {
        return Ok(None);
    }
    let id = context.session.as_deref().map(SessionId::from);
    let session = id.map(|id| store.read_session(&id)).transpose()?.flatten();
    let Some(session) = session else {
        let gap = "The session in which its agents answered is not in this store any more, so it is not known what \
                   those messages said.";
        return Ok(Some(RetentionLoss {
            gap: Some(gap.to_owned()),
            ..nothing(context.n_messages as u32, (context.n_messages - n_kept) as u32)
        }));
    };
    Ok(Some(of_session(context, &session)?))
}

fn nothing(said: u32, gone: u32) -> RetentionLoss {
    RetentionLoss {
        said,
        gone,
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
    at: Millis,
}

fn of_session(context: &Context, session: &Session) -> Result<RetentionLoss, AppError> {
    let said = said_in(context, session);
    let Replay { gone, last } =
        replay(context, &said).map_err(|error| AppError::internal(error.to_string()))?;
    let reader = FactReader::new();
    let answers: Vec<(usize, Vec<Fact>)> = said
        .iter()
        .filter(|message| message.role == Role::Assistant)
        .map(|message| (message.event, reader.read_event(&logged(message))))
        .collect();
    let messages: Vec<LoggedEvent> = gone.iter().map(|gone| logged(&said[gone.message])).collect();
    let messages: Vec<&LoggedEvent> = messages.iter().collect();
    let facts = reader.read(&messages, &messages);
    let driven_out: BTreeMap<usize, usize> =
        gone.iter().map(|gone| (said[gone.message].event, said[gone.by].event)).collect();
    // The answers that state a fact again, behind what drove its message out.
    let uses = |fact: &Fact| -> Vec<usize> {
        let Some(by) = driven_out.get(&fact.event.as_usize()) else { return Vec::new() };
        let later = answers.iter().filter(|(event, _)| event > by);
        later
            .filter(|(_, facts)| facts.iter().any(|it| it.key == fact.key))
            .map(|(event, _)| *event)
            .collect()
    };
    let later = facts.iter().map(|fact| (fact.key.clone(), uses(fact).len() as u32)).collect();
    let summary = last.messages.first().filter(|message| message.is_summary());
    let report = loss(&reader, &facts, summary.map_or("", |message| &message.content), &later);
    let is_used =
        |item: &&strata_measure::lab::LossItem| item.verdict == Verdict::Dropped && item.used_later > 0;
    let unseen = context.n_messages.saturating_sub(said.len() as u64);
    Ok(RetentionLoss {
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
        gap: (unseen > 0).then(|| {
            format!(
                "{} of {} that were said are not in the events of the session, and in no number here.",
                words::whole(unseen as i64),
                words::counted(context.n_messages as usize, "message")
            )
        }),
        ..nothing(said.len() as u32, gone.len() as u32)
    })
}

/// What was said in a context, by the events of its session: what each request brought, and the last words of who answered.
fn said_in<'e>(context: &Context, session: &'e Session) -> Vec<Said<'e>> {
    let mut said: Vec<Said<'e>> = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        let own = marks::of(event, "context_id").and_then(Json::as_str);
        if own != Some(context.context_id.as_str()) || event.partial == Some(true) {
            continue;
        }
        let texts = event.parts().iter().filter(|part| !part.is_thought());
        let Some(text) = texts.filter_map(|part| part.text.as_ref()).next_back() else { continue };
        let role = if event.is_from_user() { Role::User } else { Role::Assistant };
        let message = Said { event: at, role, text, at: Millis((event.timestamp * 1000.0) as i64) };
        match said.last_mut() {
            // Of what is said in one turn, the last counts.
            Some(last) if last.role == Role::Assistant && role == Role::Assistant => *last = message,
            _ => said.push(message),
        }
    }
    said
}

/// A message that went, and the one that drove it out, by their places in what was said.
struct Gone {
    message: usize,
    by: usize,
}

struct Replay {
    gone: Vec<Gone>,
    last: Context,
}

fn replay(context: &Context, said: &[Said<'_>]) -> Result<Replay, ContextError> {
    let first = said.first().map_or(context.created_at, |message| message.at);
    let mut again = Context::new(context.context_id.clone(), context.principal_id.clone(), first);
    again.message_retention = context.message_retention;
    // It is over: no clock ends it while it is said again.
    again.ttl = Ttl::HumanInTheLoop;
    let mut held = Held::new(again);
    let summariser = ExtractiveMessages::default();
    let mut gone = Vec::new();
    for (by, message) in said.iter().enumerate() {
        let new = NewMessage { role: message.role, content: message.text.clone(), door: None, task: None };
        let done = held.apply(Command::Say(vec![new]), message.at, &summariser)?;
        gone.extend(
            done.dropped.iter().map(|dropped: &Message| Gone { message: dropped.number as usize, by }),
        );
        held = done.held;
    }
    Ok(Replay { gone, last: held.context })
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
    use strata_context::{ContextId, Principal, Retention, RetentionStrategy};
    use strata_model::Object;

    use super::*;

    fn event(at: i64, author: &str, text: &str) -> Arc<Event> {
        let role = if author == "user" { "user" } else { "model" };
        Arc::new(Event {
            author: author.into(),
            content: Some(Arc::new(Content::new(role, [Part::from_text(text)]))),
            timestamp: at as f64,
            custom_metadata: Some(Object::from_iter([("context_id", "ctx-1")])),
            ..Event::default()
        })
    }

    fn context(limit: u64, summarize_on_truncate: bool, n_messages: u64) -> Context {
        let id = ContextId::parse("ctx-1").unwrap();
        Context {
            message_retention: Retention { strategy: RetentionStrategy::Count, limit, summarize_on_truncate },
            n_messages,
            ..Context::new(id, Principal::new("ana"), Millis(0))
        }
    }

    fn session() -> Session {
        let events = vec![
            event(1, "user", "The budget is 50000 dollars."),
            event(2, "front", "Noted."),
            event(3, "user", "Which products are there?"),
            event(4, "front", "Looking."),
            event(5, "front", "There is video."),
            event(6, "user", "Book it."),
            event(7, "front", "Booked within the 50000 dollars."),
        ];
        Session { events, ..Session::default() }
    }

    fn lost(context: &Context) -> Vec<(String, String, u32, u32, Option<u32>)> {
        let loss = of_session(context, &session()).unwrap();
        let rows = loss.facts.into_iter();
        rows.map(|fact| (fact.text, fact.verdict, fact.event, fact.used_later, fact.first_use)).collect()
    }

    #[test]
    fn what_an_answer_used_after_its_message_had_gone_is_said() {
        let context = context(2, false, 6);
        let loss = of_session(&context, &session()).unwrap();
        assert_eq!((loss.said, loss.gone, loss.is_summarised), (6, 4, false));
        assert!(loss.dropped >= 1 && loss.used == 1 && loss.gap.is_none(), "{loss:?}");
        let used: Vec<_> = lost(&context).into_iter().filter(|(_, _, _, used, _)| *used > 0).collect();
        assert_eq!(used.len(), 1, "{used:?}");
        let (text, verdict, event, _, first) = &used[0];
        assert!(text.contains("50000") && verdict == "dropped", "{text} {verdict}");
        // Said in E1, driven out by E3, and used in E7.
        assert_eq!((*event, *first), (1, Some(7)));
    }

    #[test]
    fn what_was_used_before_it_went_is_no_loss() {
        // The last answer itself drives the first message out.
        let loss = of_session(&context(5, false, 6), &session()).unwrap();
        assert_eq!((loss.gone, loss.used), (1, 0), "{loss:?}");
    }

    #[test]
    fn what_the_summary_tells_is_kept() {
        let loss = of_session(&context(3, true, 6), &session()).unwrap();
        assert!(loss.is_summarised && loss.kept >= 1 && loss.used == 0, "{loss:?}");
    }

    #[test]
    fn messages_that_no_event_says_are_counted() {
        let loss = of_session(&context(2, false, 9), &session()).unwrap();
        assert_eq!(
            loss.gap.as_deref(),
            Some(
                "3 of 9 messages that were said are not in the events of the session, and in no number here."
            )
        );
    }
}
