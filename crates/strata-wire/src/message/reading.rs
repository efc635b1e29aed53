//! What readers of messages share.

use std::collections::HashMap;

use strata_model::{Json, Object, Str, take};

use crate::unread::UnreadFields;

/// Names of tools by the ids of their calls.
pub type ToolNames = HashMap<Str, Str>;

/// Reads messages; remembers which tool a call named, for the results that only name the call.
pub struct Messages<'m> {
    /// Said before the names of fields that are not carried.
    pub owner: &'static str,
    pub tools: &'m mut ToolNames,
    pub unread: &'m mut dyn UnreadFields,
}

/// Reads bodies of requests and answers, one after the other.
pub struct Reader<'r> {
    pub tools: &'r mut ToolNames,
    pub unread: &'r mut dyn UnreadFields,
}

impl Reader<'_> {
    /// A reader of messages; `owner` is said before the names of fields that are not carried.
    pub fn messages(&mut self, owner: &'static str) -> Messages<'_> {
        Messages { owner, tools: self.tools, unread: self.unread }
    }
}

/// Arguments of a call as an object: parsed when they are text, wrapped when they are something else.
pub fn arguments(value: Option<Json>) -> Option<Object> {
    match take::unpacked(value?) {
        Json::Object(args) => Some(args),
        Json::Null => None,
        Json::String(text) if text.trim().is_empty() => None,
        other => Some(Object::from_iter([("input", other)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_an_object_in_the_end() {
        let read = |text: &str| arguments(Some(Json::from(text)));
        assert_eq!(read(r#"{"a":1}"#).and_then(|args| args.get("a").cloned()), Some(Json::Int(1)));
        assert_eq!(read("ls -la").and_then(|args| args.get("input").cloned()), Some("ls -la".into()));
        assert_eq!(read(" "), None);
    }
}
