//! Messages of every provider and framework, told apart by the shape they have.
//!
//! Chat Completions, Responses items, Anthropic's blocks, Gemini's contents, the parts of OpenTelemetry, Bedrock's and
//! LangChain's messages differ in names only; frameworks and loggers mix them freely. One reader takes all of them:
//! [`Messages`] reads a message into a [`Turn`], whose parts have the shape genai gives them.

pub mod anthropic;
mod block;
mod call;
mod haystack;
mod item;
mod kernel;
mod llama;
mod media;
mod reading;
mod result;
#[cfg(test)]
mod tests;
mod turn;
mod whole;

pub use reading::{Messages, Reader, ToolNames, arguments};
pub use turn::{Role, Turn, thought};
