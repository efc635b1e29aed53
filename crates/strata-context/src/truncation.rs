//! Which messages are kept, and what becomes of the others.

use strata_model::Str;

use crate::context::Context;
use crate::message::{Message, Role};
use crate::retention::{RetentionStrategy, Summarise};
use crate::time::Millis;

/// Drops what is no longer kept, and returns it.
pub(crate) fn truncate(context: &mut Context, now: Millis, summariser: &dyn Summarise) -> Vec<Message> {
    let retention = context.message_retention;
    let n_summaries = usize::from(context.messages.first().is_some_and(Message::is_summary));
    let goes = going(context, n_summaries, now);
    if goes.iter().all(|goes| !goes) {
        return Vec::new();
    }
    let all = std::mem::take(&mut context.messages);
    let before = all.first().filter(|first| first.is_summary()).map(|first| first.content.clone());
    let (mut dropped, mut kept) = (Vec::new(), Vec::new());
    for (message, goes) in all.into_iter().skip(n_summaries).zip(goes) {
        if goes { dropped.push(message) } else { kept.push(message) }
    }
    if retention.summarize_on_truncate
        && let Some(last) = dropped.last()
    {
        let max_bytes = retention.summary_bytes();
        let text = summariser.summarise(before.as_deref(), &dropped, max_bytes);
        let content = cut(&text, max_bytes);
        // A summary that says nothing is none.
        if !content.is_empty() {
            context.messages.push(Message {
                number: last.number,
                at: last.at,
                role: Role::System,
                content: content.into(),
                door: None,
                task: None,
            });
        }
    } else if let Some(before) = before {
        // It was written under another retention, and still stands for what went then.
        let (number, at) = dropped.last().map_or((0, now), |last| (last.number, last.at));
        let content: Str = before;
        context.messages.push(Message { number, at, role: Role::System, content, door: None, task: None });
    }
    context.messages.append(&mut kept);
    dropped
}

/// Of each message behind the summary, whether it goes.
fn going(context: &Context, n_summaries: usize, now: Millis) -> Vec<bool> {
    let retention = context.message_retention;
    let messages = &context.messages[n_summaries..];
    let may_go: Vec<bool> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            let is_open = message.task.as_ref().is_some_and(|task| context.active_tasks.contains(task));
            at + 1 < messages.len() && !is_open
        })
        .collect();
    if retention.strategy == RetentionStrategy::Time {
        let span = Millis::seconds(i64::try_from(retention.limit).unwrap_or(i64::MAX));
        let ages = messages.iter().zip(may_go);
        return ages.map(|(message, may_go)| may_go && now.since(message.at) > span).collect();
    }
    let weight = |message: &Message| match retention.strategy {
        RetentionStrategy::Size => message.bytes() as u64,
        RetentionStrategy::Count | RetentionStrategy::Time => 1,
    };
    let mut held: u64 = context.messages.iter().map(weight).sum();
    let mut goes = vec![false; messages.len()];
    if held <= retention.limit {
        return goes;
    }
    // A summary takes its place among what is kept, whatever the one before it took.
    held -= context.messages[..n_summaries].iter().map(weight).sum::<u64>();
    let summary = match (retention.summarize_on_truncate, retention.strategy) {
        (false, _) => context.messages[..n_summaries].iter().map(weight).sum(),
        (true, RetentionStrategy::Size) => retention.summary_bytes() as u64,
        (true, RetentionStrategy::Count | RetentionStrategy::Time) => 1,
    };
    let room = retention.limit.saturating_sub(summary);
    for ((message, may_go), goes) in messages.iter().zip(may_go).zip(&mut goes) {
        if held > room && may_go {
            *goes = true;
            held -= weight(message);
        }
    }
    goes
}

/// At most so many bytes of a text, ending with a whole letter.
fn cut(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
