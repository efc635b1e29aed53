//! Model requests as providers read them, and everything that providers and clients say to one another.
//!
//! A provider renders a request into one sequence of tokens: tool definitions first, then the schema of the answer, the
//! system instruction, and the conversation. Whatever compares or counts prompts does so in this order, segment by
//! segment ([`segments`]); where a chat template has another one, [`PrefixOrder`] says so. What a provider keeps of a
//! prompt, for how long and from which size on is data: [`CacheRules`].
//!
//! Dialects are read here and nowhere else, by the shape of what came: bodies of requests ([`request_of`], and
//! [`Reader::request`](message::Reader::request) for their messages), answers whole ([`Reader::answer`](
//! message::Reader::answer)) or as their bytes come in ([`AnswerReader`]), messages alone ([`message`]) and what was
//! paid for ([`usage`]). Telemetry comes as requests to export it ([`otlp`]). Requests are written by [`encode`], in the four dialects that Strata speaks ([`Api`]).
//!
//! What agents say to one another by the Agent2Agent protocol is read and written in [`a2a`].
//!
//! What a body holds that has no place in what is read of it goes to [`UnreadFields`].
#![warn(clippy::disallowed_methods)]

pub mod a2a;
mod address;
mod answer;
mod api;
mod cache_rules;
pub mod coding;
mod context_id;
mod decode;
mod encode;
pub mod message;
mod order;
pub mod otlp;
mod request;
mod segment;
mod server;
pub mod stream;
mod unread;
pub mod usage;

pub use address::{is_other_call, model_of_url};
pub use answer::{Answer, AnswerReader, CacheVerdict, Finish, StreamError, error_message, is_other_answer};
pub use api::Api;
pub use cache_rules::{CacheRule, CacheRules, CacheRulesError, Machine, Mark};
pub use context_id::{
    ContextPlace, NamedContext, context_of, context_of_body, context_of_mcp_result, context_of_result,
    contexts_of_http,
};
pub use decode::{decode, decode_count};
pub use encode::{BodyOptions, encode, encode_count};
pub use order::{PrefixOrder, prefix_segments};
pub use request::{
    beside_messages, contents_of_turns, head_of, is_held_elsewhere, is_request, request_body, request_of,
    unbatch,
};
pub use segment::{
    Item, Path, Segment, answer_schema, definitions, find, prompt_segments, segments, settings,
};
pub use server::{ListedModel, ServerFacts, decode_models};
pub use stream::{Delta, SseEvent, SseReader};
pub use unread::UnreadFields;
