//! A request out of JSON, as google-adk holds it and as [`LlmRequest::to_json`] writes it.

use std::sync::Arc;

use super::{ConfigField, Declaration, LlmRequest, RequestContent, RequestTool, RichText};
use crate::content::Content;
use crate::json::{Json, Object};
use crate::{CacheMetadata, Decoder, FromJson as _, Origin};

impl LlmRequest {
    /// A request out of `{model, contents, config, …}`; `origin` is named as the source of what is in it. A field that
    /// is of another kind than google-adk's is kept in the configuration as it is, so nothing is lost on the way back.
    pub fn from_json(json: &Json, origin: &Origin) -> Self {
        let mut request = Self::default();
        for (key, value) in json.as_object().into_iter().flat_map(Object::iter) {
            match (&**key, value) {
                ("contents", Json::Array(contents)) => {
                    let contents = contents.iter().filter_map(|content| read_content(content, origin));
                    request.contents.extend(contents);
                }
                ("config", Json::Object(config)) => {
                    for (name, value) in config.iter() {
                        request.set_config_json(name, value.clone(), origin);
                    }
                }
                (name, value) => request.set_json(name, value.clone()),
            }
        }
        request
    }

    /// Sets a field of the request itself, or of its configuration as `config.<name>`. One this version does not know
    /// is left out.
    pub(crate) fn set_named(&mut self, name: &str, value: Json, origin: &Origin) {
        match name.strip_prefix("config.") {
            Some(name) => self.set_config_json(name, value, origin),
            None => self.set_json(name, value),
        }
    }

    pub(crate) fn unset_named(&mut self, name: &str) {
        match name.strip_prefix("config.") {
            Some(name @ "systemInstruction") => {
                self.system_instruction = None;
                self.remove_config(name);
            }
            Some("tools") => self.tools = Arc::default(),
            Some(name) => self.remove_config(name),
            None => self.set_json(name, Json::Null),
        }
    }

    fn set_config_json(&mut self, name: &str, value: Json, origin: &Origin) {
        match (name, value) {
            ("systemInstruction", Json::String(text)) => {
                self.system_instruction = Some(Arc::new(RichText::from_span(text, origin.clone())));
                self.remove_config(name);
            }
            ("tools", Json::Array(tools)) => {
                self.tools = Arc::new(tools.iter().map(read_tool).collect());
            }
            (_, Json::Null) => {}
            (name, value) => {
                if name == "systemInstruction" {
                    self.system_instruction = None;
                }
                let field = ConfigField { name: name.into(), value, origin: origin.clone() };
                let fields = Arc::make_mut(&mut self.config);
                match fields.iter_mut().find(|known| known.name == field.name) {
                    Some(known) => *known = field,
                    None => fields.push(field),
                }
            }
        }
    }

    fn set_json(&mut self, name: &str, value: Json) {
        let count = || value.as_i64().and_then(|count| u64::try_from(count).ok());
        match name {
            "model" => self.model = value.as_str().map(Into::into),
            "cache_config" => self.cache_config = value.as_object().cloned().map(Arc::new),
            "cache_metadata" => {
                self.cache_metadata = Some(value)
                    .filter(|value| !value.is_null())
                    .and_then(|value| CacheMetadata::from_json(value, &mut Decoder::new()).ok())
                    .map(Arc::new);
            }
            "cacheable_contents_token_count" => self.cacheable_contents_token_count = count(),
            "previous_interaction_id" => self.previous_interaction_id = value.as_str().map(Into::into),
            "service_tier" => self.service_tier = value.as_str().map(Into::into),
            _ => {}
        }
    }
}

/// A content with one source for all of it. `None` for what is no object.
pub(crate) fn read_content(content: &Json, origin: &Origin) -> Option<Arc<RequestContent>> {
    let content = Content::from_json(content.clone(), &mut Decoder::new()).ok()?;
    Some(Arc::new(RequestContent::from_content(&content, |_| origin.clone())))
}

pub(crate) fn read_tool(tool: &Json) -> RequestTool {
    let only = tool.as_object().filter(|tool| tool.len() == 1);
    let declarations = only.and_then(|tool| tool.get("functionDeclarations")?.as_array());
    let read = |declaration: &Json| {
        let declaration = declaration.as_object()?.clone();
        let name = declaration.get("name").and_then(Json::as_str).unwrap_or("tool").into();
        Some(Arc::new(Declaration::new(declaration, Origin::Tool { name })))
    };
    match declarations.and_then(|all| all.iter().map(read).collect::<Option<Vec<_>>>()) {
        Some(declarations) => RequestTool::Functions(declarations),
        None => {
            let name = tool.as_object().and_then(|tool| tool.keys().next()).map_or("tool", |name| name);
            RequestTool::BuiltIn { json: tool.clone(), origin: Origin::Tool { name: name.into() } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn what_is_written_is_read_back() {
        let text = r#"{"model":"m","contents":[{"parts":[{"text":"a"},{"functionCall":{"args":{"x":1.0,"y":null},"name":"f"}}],"role":"user"},{"role":"model"}],"config":{"systemInstruction":"s","tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{}}]},{"googleSearch":{}}],"temperature":0.5,"labels":{"a":"b"}},"cache_config":{"ttl_seconds":5},"cacheable_contents_token_count":7}"#;
        let json = json::parse(text.as_bytes()).expect("valid JSON");
        let request = LlmRequest::from_json(&json, &Origin::processor("test"));
        assert_eq!(json::to_compact(&request.to_json()), text);
    }

    #[test]
    fn an_instruction_that_is_no_text_is_kept() {
        let text = r#"{"contents":[],"config":{"systemInstruction":{"parts":[{"text":"s"}]}}}"#;
        let json = json::parse(text.as_bytes()).expect("valid JSON");
        let request = LlmRequest::from_json(&json, &Origin::processor("test"));
        assert_eq!(json::to_compact(&request.to_json()), text);
    }
}
