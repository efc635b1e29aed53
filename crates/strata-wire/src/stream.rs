//! Streamed answers of every provider, read as they come in.
//!
//! [`SseReader`], [`FrameReader`] and [`ValueCutter`] make events of bytes, [`Assembly`] puts the pieces of an answer
//! together; [`AnswerReader`](crate::AnswerReader) is made of them. Whatever way the bytes are cut, the answer is the
//! same.

mod anthropic;
mod assembly;
mod chat;
mod converse;
mod frames;
mod gemini;
mod grow;
mod ollama;
mod responses;
mod sse;
mod values;

pub use assembly::{Assembly, JoinedAnswer, SeparatedAnswer, answers, is_piece, joined, pieces, separated};
pub use frames::{FrameEvent, FrameReader, frame_payloads};
pub use grow::{Delta, Sink};
pub use sse::{Payload, SseEvent, SseReader, is_stream};
pub use values::{CutValue, ValueCutter};
