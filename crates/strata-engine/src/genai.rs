//! google-genai's types as its dumps spell them: sizes and fingerprints that google-adk takes are of these.

mod dump;
mod fields;

pub(crate) use dump::{snake, snake_with_nulls};
pub(crate) use fields::{CONTENT, TOOL, TOOL_CONFIG};
