//! What google-adk's Gemini class makes of a request before it is sent (`ADK.md` 2.15 and 5).

mod dump;
mod fields;

pub(crate) use dump::snake;
pub(crate) use fields::CONTENT;
