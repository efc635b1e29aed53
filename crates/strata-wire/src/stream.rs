//! Streamed answers of every provider, read as they come in.
//!
//! [`AnswerReader`] takes bytes and gives an answer; what it is made of can be used apart: [`SseReader`] and
//! [`FrameReader`] make events of bytes, [`Assembly`] puts the pieces of an answer together. Whatever way the bytes are
//! cut, the answer is the same.

mod anthropic;
mod assembly;
mod chat;
mod converse;
mod frames;
mod gemini;
mod grow;
mod ollama;
mod reader;
mod responses;
mod sse;
mod values;

pub use assembly::{Assembly, Joined, Separated, answers, is_piece, joined, pieces, separated};
pub use frames::{FrameEvent, FrameReader, frame_payloads};
pub use grow::{Delta, Sink};
pub use reader::{AnswerReader, StreamError};
pub use sse::{Payload, SseEvent, SseReader, is_stream};
pub use values::{CutValue, ValueCutter};
