//! What a tool is.

use crate::answer::{Answer, Refusal};
use crate::arguments::Argument;
use crate::asked::Question;
use crate::knows::Knows;

/// A tool.
pub(crate) struct ToolSpec {
    pub name: &'static str,
    /// The question that it answers.
    pub title: &'static str,
    /// For models: each word of it costs whoever has the tool.
    pub about: &'static str,
    pub arguments: &'static [Argument],
    /// Shown to models that look for tools, without being looked for.
    pub is_always_loaded: bool,
    pub answer: fn(&Knows, &Question) -> Result<Answer, Refusal>,
}
