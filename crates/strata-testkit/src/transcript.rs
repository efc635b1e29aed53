//! Sessions written as transcripts.
//!
//! ```
//! let session = strata_testkit::session(
//!     r#"
//!     user: Find flights to Oslo
//!     planner: -> search_flights(dest="Oslo", nights=2) #c1
//!     tool [state found=3]: {"n": 3}
//!     planner: Three flights.
//!     "#,
//! );
//! assert_eq!(session.events.len(), 4);
//! assert_eq!(&*session.events[2].author, "planner");
//! assert_eq!(session.state.get("found"), Some(&3.into()));
//! ```
//!
//! # Lines
//!
//! A line is an event; lines that are indented deeper belong to the event above. Lines that begin with `//` are
//! comments. All times and ids follow from the place of a line: event 3 has the id `e3` and happens at second 3.
//!
//! | line | event |
//! |---|---|
//! | `user: Find flights` | a message of the user, which begins turn *n* with the invocation id `i`*n* |
//! | `planner: I will look.` | an answer of an agent; any name but the words of this table |
//! | `tool: {"n": 3}` | the result of the oldest call without one, by the agent that called |
//! | `tool #c1: {"n": 3}`, `tool search: none` | the result of the call with this id, of the oldest call of this tool |
//! | `user #c1: {"ok": true}` | a result that arrives from outside, in the turn of its call |
//! | `planner => booker` | `planner` calls `transfer_to_agent`, and its result hands over |
//! | `compaction 1-3: They asked …` | a summary of turns 1 to 3; `E2-E5` names events |
//! | `rewind 2` | takes back turn 2 and everything since |
//! | `session s1 [app demo, user u1]` | the session's own fields; first line only |
//!
//! # Parts
//!
//! What follows the colon is the first part of an event; an indented line adds to it or begins another one:
//!
//! | begins with | part |
//! |---|---|
//! | anything else | text; further lines continue it |
//! | `+ ` | another text |
//! | `~ ` | a thought |
//! | `-> name(key=value) #id` | a function call. Values are JSON or bare words; `name({…})` gives all at once. Without an id it gets `adk-`*n*, which ADK does not send to Gemini models |
//! | `#id: value` | another result in the same event, for calls that ran in parallel |
//! | `part {…}` | any other part as JSON |
//!
//! A result that is no JSON object becomes `{"result": value}`, as in ADK; one that is no JSON at all is a text.
//!
//! # Notes
//!
//! In brackets before the colon, separated by commas:
//!
//! | note | sets |
//! |---|---|
//! | `state hits=41 city=Oslo` | `actions.stateDelta`; on a `session` line the state at the beginning |
//! | `artifact report.md=1` | `actions.artifactDelta` |
//! | `transfer booker` | `actions.transferToAgent` |
//! | `escalate`, `skip-summarization` | the action of that name |
//! | `usage 1200 cached 800 thoughts 10 answer 90` | token counts as the provider reports them; only the first is needed |
//! | `error SAFETY blocked by a filter` | `errorCode` and `errorMessage` |
//! | `long-running` | all calls of the event run on |
//! | `branch par.a`, `path root@1/sub@1`, `scope c1` | where the event stands; a result takes these from its call |
//! | `turn 1` | the event belongs to an earlier turn |
//! | `by planner` | the author of a result whose call is nowhere in the session |
//! | `at 12.5`, `id x`, `model m` | timestamp in seconds, event id, model version |
//! | `fields {"customMetadata": {…}}` | any other field of the event |
//! | `app demo`, `user u1` | on a `session` line |

mod build;
mod error;
mod head;
mod lines;
mod notes;
mod parts;
mod results;
mod scan;

use strata_model::Session;

pub use error::TranscriptError;

/// The session a transcript describes; see the [module](self).
///
/// # Panics
///
/// When the transcript has a mistake, with the line it is in: a test cannot go on without its session.
#[track_caller]
pub fn session(transcript: &str) -> Session {
    match read_session(transcript) {
        Ok(session) => session,
        Err(error) => panic!("{error}"),
    }
}

/// The session a transcript describes, or its first mistake.
pub fn read_session(transcript: &str) -> Result<Session, TranscriptError> {
    let mut builder = build::Builder::default();
    for entry in lines::entries(transcript) {
        builder.add(&entry)?;
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests;
