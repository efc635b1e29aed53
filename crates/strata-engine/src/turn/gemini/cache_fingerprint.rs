//! What makes two cached prefixes the same.

use sha2::{Digest as _, Sha256};
use strata_model::{FromJson as _, Json, Object, Str, json};

use super::wire::GeminiRequest;
use crate::backend::Backend;
use crate::genai::{CONTENT, TOOL, TOOL_CONFIG, snake};

/// Who owns the caches: they are never shared between backends, projects or places.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheScope {
    pub backend: Backend,
    /// On Vertex.
    pub project: Option<Str>,
    /// On Vertex.
    pub location: Option<Str>,
    pub base_url: Option<Str>,
}

/// The identity of a prefix: everything before the contents, and the first few of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFingerprint {
    /// 16 hexadecimal digits.
    pub fingerprint: Str,
    /// The text that is hashed.
    pub input: String,
}

impl CacheFingerprint {
    /// The prefix with the first `n_contents` contents. The order of tools does not matter.
    pub fn of(request: &GeminiRequest, scope: &CacheScope, n_contents: usize) -> Self {
        let mut data = Object::new();
        data.push("model", request.model.clone().map_or(Json::Null, Json::from));
        data.push("cache_scope", scope.to_json());
        data.push_some("system_instruction", system_instruction(&request.config));
        let tools = tools(&request.config);
        if !tools.is_empty() {
            data.push("tools", tools);
        }
        let tool_config = request.config.get("toolConfig").filter(|config| !config.is_null());
        data.push_some("tool_config", tool_config.map(|config| snake(config, &TOOL_CONFIG)));
        if n_contents > 0 && !request.contents.is_empty() {
            let contents = request.contents.iter().take(n_contents);
            let dumps: Vec<Json> = contents.map(|content| snake(&content.to_json(), &CONTENT)).collect();
            data.push("cached_contents", dumps);
        }
        let input = json::to_compact_python(&Json::from(data).sorted());
        let digest = Sha256::digest(input.as_bytes());
        let first = u64::from_be_bytes(std::array::from_fn(|at| digest[at]));
        Self { fingerprint: format!("{first:016x}").into(), input }
    }
}

impl CacheScope {
    fn to_json(&self) -> Object {
        let mut scope = Object::new();
        match self.backend {
            Backend::AiStudio => scope.push("backend", "gemini"),
            Backend::Vertex => {
                let given = |text: &Option<Str>| text.clone().map_or(Json::Null, Json::from);
                scope.push("backend", "vertex");
                scope.push("project", given(&self.project));
                scope.push("location", given(&self.location));
            }
        }
        scope.push_some("base_url", self.base_url.clone().filter(|url| !url.is_empty()));
        scope
    }
}

fn system_instruction(config: &Object) -> Option<Json> {
    let given = config.get("systemInstruction").filter(|given| given.is_truthy())?;
    Some(if given.get("parts").is_some() { snake(given, &CONTENT) } else { given.clone() })
}

/// Declarations sorted by name, then tools by their text.
fn tools(config: &Object) -> Vec<Json> {
    let mut tools: Vec<(String, Json)> = config
        .get("tools")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .map(|tool| {
            let mut tool = snake(tool, &TOOL);
            if let Json::Object(tool) = &mut tool
                && let Some(Json::Array(declarations)) = tool.get_mut("function_declarations")
            {
                let name = |declaration: &Json| -> String {
                    declaration.get("name").and_then(Json::as_str).unwrap_or_default().to_owned()
                };
                declarations.sort_by_key(name);
            }
            (json::to_ascii(&tool.sorted()), tool)
        })
        .collect();
    tools.sort_by(|a, b| a.0.cmp(&b.0));
    tools.into_iter().map(|(_, tool)| tool).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use strata_model::json::parse;
    use strata_model::{Content, Decoder};

    use super::*;

    #[test]
    fn a_prefix_hashes_as_in_google_adk() {
        let contents = r#"[{"parts":[{"text":"hé"}],"role":"user"},{"parts":[{"text":"a","thoughtSignature":"+/8="}],"role":"model"},{"parts":[{"text":"later"}],"role":"user"}]"#;
        let Json::Array(contents) = parse(contents.as_bytes()).unwrap() else { panic!("an array") };
        let config = r#"{"systemInstruction":"SI \"x\"\n","temperature":1.0,"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"b","description":"B","parametersJsonSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}},{"name":"a","description":"A"}]}]}"#;
        let Json::Object(config) = parse(config.as_bytes()).unwrap() else { panic!("an object") };
        let read = |content| Arc::new(Content::from_json(content, &mut Decoder::new()).unwrap());
        let request = GeminiRequest {
            model: Some("gemini-2.5-flash".into()),
            contents: contents.into_iter().map(read).collect(),
            config,
        };
        let scope = CacheScope {
            backend: Backend::AiStudio,
            project: None,
            location: None,
            base_url: Some("https://generativelanguage.googleapis.com/".into()),
        };
        assert_eq!(&*CacheFingerprint::of(&request, &scope, 2).fingerprint, "719bc158b7fcf4f8");
    }
}
