//! The order in which providers hash a request.

use strata_model::LlmRequest;

use crate::segment::{Segment, contents, definitions, system};

/// What stands first in the prefix that a provider matches. The conversation is last everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrefixOrder {
    /// Tools and answer schemas, system instruction, conversation. OpenAI and Anthropic document it; Gemini is taken
    /// to do the same.
    #[default]
    ToolsFirst,
    /// System instruction, then tools: how chat templates of open models render a request.
    SystemFirst,
}

impl PrefixOrder {
    /// As rules spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolsFirst => "tools_first",
            Self::SystemFirst => "system_first",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::ToolsFirst, Self::SystemFirst].into_iter().find(|order| order.name() == name)
    }
}

/// What a model reads, in the order in which its provider hashes it.
pub fn prefix_segments(request: &LlmRequest, order: PrefixOrder) -> impl Iterator<Item = Segment<'_>> {
    let (tools_first, system_first) = match order {
        PrefixOrder::ToolsFirst => (Some(definitions(request).chain(system(request))), None),
        PrefixOrder::SystemFirst => (None, Some(system(request).chain(definitions(request)))),
    };
    tools_first.into_iter().flatten().chain(system_first.into_iter().flatten()).chain(contents(request))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use strata_model::{Declaration, Object, Origin, RequestContent, RichText};

    use super::*;

    #[test]
    fn templates_put_the_instruction_before_the_tools() {
        let origin = Origin::processor("test");
        let mut request = LlmRequest::default();
        let named = Object::from_iter([("name", "search")]);
        request.add_declaration(Arc::new(Declaration::new(named, origin.clone())));
        request.append_system(RichText::from_span("Be good.", origin.clone()));
        let hello = RequestContent::user_text(&RichText::from_span("Hello", origin.clone()), origin);
        request.contents.push(Arc::new(hello));
        let paths = |order| {
            prefix_segments(&request, order).map(|segment| segment.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(paths(PrefixOrder::ToolsFirst), ["tool.search", "sys.0", "0.0"]);
        assert_eq!(paths(PrefixOrder::SystemFirst), ["sys.0", "tool.search", "0.0"]);
    }
}
