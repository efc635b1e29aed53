//! Ids of contexts, where each protocol has them.
//!
//! A context is what a client and a server share from one request to the next. Whoever asks says which one is meant, and
//! whoever answers says it again; each protocol has a place of its own for that.

use strata_model::{Json, Object, Str, json};

/// Where an id stands in what HTTP carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextPlace {
    /// `X-Context-ID`.
    Header,
    /// `context_id` in the address.
    Query,
    /// `adcp_context`.
    Cookie,
    /// `conversation` in the body of OpenAI's Responses.
    Conversation,
}

impl ContextPlace {
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Query => "query",
            Self::Cookie => "cookie",
            Self::Conversation => "conversation",
        }
    }
}

/// An id of a context, and where it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedContext {
    pub id: Str,
    pub place: ContextPlace,
}

const SPELLINGS: [&str; 2] = ["context_id", "contextId"];

/// How deep a result may wrap the object that has the id.
const MOST_WRAPPED: usize = 4;

/// The id that the arguments of a tool, or a message, have as a member of their own.
pub fn context_of(object: &Object) -> Option<&str> {
    let texts = SPELLINGS.iter().filter_map(|name| object.get(name)?.as_str());
    texts.into_iter().find(|id| !id.is_empty())
}

/// The id in the result of a tool: beside its other members, in what MCP has of structure, or in a text that is JSON.
pub fn context_of_result(result: &Object) -> Option<Str> {
    in_result(result, MOST_WRAPPED, &whole)
}

/// The id in the result of a tool of an MCP server. Clients may have made one text of its contents, with words of their own
/// around them: then it is in what is JSON there, on lines of its own.
pub fn context_of_mcp_result(result: &Object) -> Option<Str> {
    in_result(result, MOST_WRAPPED, &pieces)
}

/// Members of a result in which its structure may lie.
const WRAPPERS: [&str; 6] =
    ["structuredContent", "structured_content", "result", "output", "content", "text"];

/// The texts within a text that may be JSON.
type Texts<'t> = &'t dyn Fn(&str) -> Vec<&str>;

fn whole(text: &str) -> Vec<&str> {
    vec![text.trim()]
}

/// What begins with a brace at the beginning of a line, up to where that line ends or, in JSON of several lines, the
/// first one that is a closing brace.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let line = rest.find('\n').unwrap_or(rest.len());
        let mut end = line;
        if rest.starts_with('{') {
            if !rest[..line].trim_end().ends_with('}') {
                end = rest[line..].find("\n}").map_or(rest.len(), |at| line + at + 2);
            }
            found.push(rest[..end].trim_end());
        }
        let Some(at) = rest[end..].find('\n') else { return found };
        rest = &rest[end + at + 1..];
    }
}

fn in_result(object: &Object, depth: usize, texts: Texts<'_>) -> Option<Str> {
    if let Some(id) = context_of(object) {
        return Some(id.into());
    }
    let depth = depth.checked_sub(1)?;
    WRAPPERS.iter().filter_map(|name| object.get(name)).find_map(|wrapped| in_value(wrapped, depth, texts))
}

fn in_value(value: &Json, depth: usize, texts: Texts<'_>) -> Option<Str> {
    match value {
        Json::Object(object) => in_result(object, depth, texts),
        Json::Array(items) => {
            items.iter().filter_map(Json::as_object).find_map(|item| in_result(item, depth, texts))
        }
        Json::String(text) if SPELLINGS.iter().any(|name| text.contains(name)) => texts(text)
            .into_iter()
            .find_map(|text| in_result(json::parse(text.as_bytes()).ok()?.as_object()?, depth, texts)),
        _ => None,
    }
}

/// The ids in a request's address and headers, the one that counts first.
pub fn contexts_of_http<'h>(
    url: &str,
    headers: impl IntoIterator<Item = (&'h str, &'h str)>,
) -> Vec<NamedContext> {
    let mut found: Vec<NamedContext> = Vec::new();
    let mut add = |place, id: &str| {
        let id = id.trim();
        if !id.is_empty() {
            found.push(NamedContext { id: id.into(), place });
        }
    };
    let query = url.split_once('?').map(|(_, query)| query.split('#').next().unwrap_or_default());
    for (name, id) in query.unwrap_or_default().split('&').filter_map(|member| member.split_once('=')) {
        if SPELLINGS.contains(&name) {
            add(ContextPlace::Query, id);
        }
    }
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("x-context-id") {
            add(ContextPlace::Header, value);
        } else if name.eq_ignore_ascii_case("cookie") {
            let cookies = value.split(';').filter_map(|cookie| cookie.trim().split_once('='));
            cookies
                .filter(|(name, _)| *name == "adcp_context")
                .for_each(|(_, id)| add(ContextPlace::Cookie, id));
        }
    }
    found.sort_by_key(|named| named.place);
    found
}

/// The conversation that a body of OpenAI's Responses is of.
pub fn context_of_body(body: &Json) -> Option<NamedContext> {
    let conversation = body.get("conversation")?;
    let id = conversation.as_str().or_else(|| conversation.get("id")?.as_str())?;
    (!id.is_empty()).then(|| NamedContext { id: id.into(), place: ContextPlace::Conversation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn object(text: &str) -> Object {
        let value = json::parse(text.as_bytes()).ok();
        value.as_ref().and_then(Json::as_object).cloned().unwrap_or_else(|| panic!("no object: {text}"))
    }

    #[track_caller]
    fn check_result(result: &str, expected: Option<&str>) {
        assert_eq!(context_of_result(&object(result)).as_deref(), expected, "{result}");
    }

    #[test]
    fn results_have_it_beside_their_members_or_wrapped() {
        check_result(r#"{"context_id": "ctx-1", "products": []}"#, Some("ctx-1"));
        check_result(r#"{"contextId": "ctx-1"}"#, Some("ctx-1"));
        check_result(r#"{"structuredContent": {"context_id": "ctx-2"}, "content": []}"#, Some("ctx-2"));
        check_result(
            r#"{"content": [{"type": "text", "text": "{\"context_id\": \"ctx-3\"}"}]}"#,
            Some("ctx-3"),
        );
        check_result(r#"{"result": "{\"context_id\": \"ctx-4\"}"}"#, Some("ctx-4"));
        check_result(r#"{"output": {"result": {"context_id": "ctx-5"}}}"#, Some("ctx-5"));
    }

    #[test]
    fn what_clients_make_of_a_result_still_has_it() {
        let told = |text: &str| context_of_mcp_result(&Object::from_iter([("result", text)]));
        let codex = "Wall time: 0.2401 seconds\nOutput:\n{\"status\":\"completed\",\"context_id\":\"ctx-1\"}";
        assert_eq!(told(codex).as_deref(), Some("ctx-1"));
        let gemini = "<untrusted_context>\nFound {3}.\n</untrusted_context>\n<untrusted_context>\n{\"context_id\":\"ctx-2\"}\n</untrusted_context>";
        assert_eq!(told(gemini).as_deref(), Some("ctx-2"));
        let lines = "<untrusted_context>\n{\n  \"n\": {\n    \"a\": 1\n  },\n  \"context_id\": \"ctx-3\"\n}\n</untrusted_context>";
        assert_eq!(told(lines).as_deref(), Some("ctx-3"));
        assert_eq!(told("{\"a\": 1}\n{\"context_id\": \"ctx-4\"}").as_deref(), Some("ctx-4"));
        // Of a tool of the client's own it is a text like another.
        check_result(&format!(r#"{{"result": {}}}"#, json::to_compact(&codex.into())), None);
        assert_eq!(told("send {\"context_id\": \"ctx-1\"} on\n{ context_id"), None);
    }

    #[test]
    fn what_only_speaks_of_one_has_none() {
        check_result(r#"{"context_id": null}"#, None);
        check_result(r#"{"context_id": ""}"#, None);
        check_result(r#"{"result": "pass the context_id ctx-1 on"}"#, None);
        // The caller's own, which is returned and never read.
        check_result(r#"{"context": {"context_id": "ctx-1"}}"#, None);
        check_result(r#"{"products": [{"context_id": "ctx-1"}]}"#, None);
    }

    #[test]
    fn arguments_have_it_as_a_member_of_their_own() {
        assert_eq!(context_of(&object(r#"{"brief": "video", "context_id": "ctx-1"}"#)), Some("ctx-1"));
        assert_eq!(context_of(&object(r#"{"context_id": "", "contextId": "ctx-1"}"#)), Some("ctx-1"));
        assert_eq!(context_of(&object(r#"{"message": {"contextId": "ctx-1"}}"#)), None);
    }

    #[test]
    fn http_has_three_places_the_header_first() {
        let headers =
            [("Cookie", "theme=dark; adcp_context=ctx-3"), ("x-context-id", "ctx-1"), ("accept", "*/*")];
        let found = contexts_of_http("https://a.example/v1/products?limit=2&context_id=ctx-2#top", headers);
        let found: Vec<_> = found.iter().map(|named| (named.place, &*named.id)).collect();
        let (header, query) = (ContextPlace::Header, ContextPlace::Query);
        assert_eq!(found, [(header, "ctx-1"), (query, "ctx-2"), (ContextPlace::Cookie, "ctx-3")]);
        assert!(contexts_of_http("https://a.example/context_id=ctx-1", [("x-context-id", " ")]).is_empty());
    }

    #[test]
    fn a_conversation_is_a_text_or_an_object() {
        let id = |text: &str| context_of_body(&object(text).into()).map(|named| named.id.to_string());
        assert_eq!(id(r#"{"conversation": "conv_1"}"#).as_deref(), Some("conv_1"));
        assert_eq!(id(r#"{"conversation": {"id": "conv_1"}}"#).as_deref(), Some("conv_1"));
        assert_eq!(id(r#"{"conversation": null}"#), None);
        assert_eq!(id(r#"{"conversation": [{"role": "user"}]}"#), None);
    }
}
