//! Names of the marks that importers leave in an event's `customMetadata` and that decide what a session comes to.

use crate::{Event, Json};

/// Tokens written to the provider's cache by the call: `{tokens, ephemeral5m, ephemeral1h}`.
pub const CACHE_WRITE: &str = "cacheWrite";

/// What the provider says by itself of why a prefix was not found in its cache: `{reason, missedTokens}`.
pub const CACHE_VERDICT: &str = "cacheVerdict";

/// True on an event whose usage is a sum over calls that did not report their own: it is the report of no prompt.
pub const SUM: &str = "sum";

/// True on an event with words of a model that a request repeats and that no recorded call answered: no call of the log.
pub const QUOTED: &str = "quoted";

/// True on an event without content that stands where the answer to a recorded request would: none is in the record.
pub const UNANSWERED: &str = "unanswered";

/// True on an event without content that stands where the answer to a request will, which is held before it is sent.
pub const PENDING: &str = "pending";

/// What kept a request from being sent, such as `callback:house.refuse`: it answered in the model's place, or failed;
/// `run` for what the runtime says by itself, `client` for what a client does. No model was asked.
pub const NOT_SENT: &str = "notSent";

/// True on an event that says how an attempt failed after which the client sent the same again: the call is the one that
/// was answered, or failed, at last.
pub const ATTEMPT: &str = "attempt";

/// True on an answer that was recorded before and stands again where its call was not made again: nobody asked a model.
pub const REPLAYED: &str = "replayed";

/// True on a summary whose request is in no record: what writing it took is not known.
pub const UNREPORTED: &str = "unreported";

/// True on a summary that nobody was paid for: it was written on a computer of one's own.
pub const FREE: &str = "free";

/// On the first event: what wrote the session, where the way it is written gives that away: `google-adk 1`.
pub const WRITER: &str = "writer";

/// What an agent is told with every request, as the client wrote it down: the event's author is told it as system text,
/// whatever becomes of the history. Providers may be sent somewhat less of it.
pub const INSTRUCTION: &str = "instruction";

/// True on an event that says the system text of recorded requests. Requests hold it beside their messages.
pub const SYSTEM_TEXT: &str = "systemText";

/// On an answer: the longest prompt, in tokens, that the client takes its model to read.
pub const CONTEXT_WINDOW: &str = "contextWindow";

/// On an answer: the prompts of other sessions of the same source that begin as its prompt does, tools and instruction
/// included, where they hold more of it than its own session sent before, or were sent since that went quiet. A list of
/// `{at, contents, isWhole}`, the latest first, each sharing more than all before it: when that was last sent, in epoch seconds
/// where that is known, how many contents both begin with, and whether they are all of an earlier prompt.
pub const SENT_ELSEWHERE: &str = "sentElsewhere";

/// On an answer: the contexts that its request named where HTTP carries them. A list of `{id, place}`; the place is
/// `header`, `query`, `cookie` or `conversation`.
pub const CONTEXTS: &str = "contexts";

/// What a mark of an event says.
pub fn of<'e>(event: &'e Event, name: &str) -> Option<&'e Json> {
    event.custom_metadata.as_ref()?.get(name)
}

/// Whether an event has a mark, whatever it says.
pub fn has(event: &Event, name: &str) -> bool {
    of(event, name).is_some()
}
