//! A request as the Gemini class sends it.

use std::sync::Arc;

use strata_model::{Content, FromJson as _, Json, LlmRequest, Object, Part, RequestContent, Str};

use crate::adk_text::{CONTINUE_USER_TEXT, EMPTY_CONTENTS_USER_TEXT};
use crate::artifacts::safe_part;
use crate::backend::Backend;

/// The arguments of `generate_content`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeminiRequest {
    pub model: Option<Str>,
    pub contents: Vec<Arc<Content>>,
    /// `GenerateContentConfig` in camelCase, system instruction and tools included.
    pub config: Object,
}

impl GeminiRequest {
    /// The compiled request in a form the backend accepts, without regard to caches.
    pub fn of(request: &LlmRequest, backend: Backend) -> Self {
        let json = request.to_json();
        let mut config = json.get("config").and_then(Json::as_object).cloned().unwrap_or_default();
        if backend == Backend::AiStudio {
            config.remove("labels");
        }
        if uses_computer(&config) {
            config.remove("systemInstruction");
        }
        let mut contents: Vec<Arc<Content>> =
            request.contents.iter().map(|content| Arc::new(accepted(content, backend))).collect();
        contents.extend(
            closing_words(&contents).map(|text| Arc::new(Content::new("user", [Part::from_text(text)]))),
        );
        Self { model: request.model.clone(), contents, config }
    }

    /// Sends only what the cache does not hold. The last content is always sent: the API takes no empty list.
    pub fn apply_cache(&mut self, cache_name: &Str, n_cached: usize) {
        for field in ["systemInstruction", "tools", "toolConfig"] {
            self.config.remove(field);
        }
        self.config.insert("cachedContent", cache_name.clone());
        let n_dropped = n_cached.min(self.contents.len().saturating_sub(1));
        self.contents.drain(..n_dropped);
    }

    /// `{model, contents, config}`.
    pub fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push_some("model", self.model.clone());
        out.push("contents", self.contents.iter().map(|content| content.to_json()).collect::<Vec<_>>());
        out.push("config", self.config.clone());
        out.into()
    }
}

fn uses_computer(config: &Object) -> bool {
    let tools = config.get("tools").and_then(Json::as_array).unwrap_or_default();
    tools.iter().any(|tool| tool.get("computerUse").is_some())
}

fn accepted(content: &RequestContent, backend: Backend) -> Content {
    let parts = content.parts.iter().map(|part| {
        let part =
            if backend == Backend::AiStudio { without_display_name(&part.part) } else { part.part.clone() };
        safe_part(&part, "inline-file")
    });
    Content { parts: Some(parts.collect()), role: content.role.clone(), ..Content::default() }
}

/// AI Studio takes files without names.
fn without_display_name(part: &Arc<Part>) -> Arc<Part> {
    let is_named = |name: Option<&Option<Str>>| name.is_some_and(|name| name.is_some());
    let inline = part.inline_data.as_ref().map(|blob| &blob.display_name);
    let file = part.file_data.as_ref().map(|file| &file.display_name);
    if !is_named(inline) && !is_named(file) {
        return part.clone();
    }
    let mut part = Part::clone(part);
    if let Some(blob) = &mut part.inline_data {
        blob.display_name = None;
    }
    if let Some(file) = &mut part.file_data {
        file.display_name = None;
    }
    Arc::new(part)
}

/// What the user is made to say where there is nothing, or where the model spoke last.
fn closing_words(contents: &[Arc<Content>]) -> Option<&'static str> {
    match contents.last() {
        None => Some(EMPTY_CONTENTS_USER_TEXT),
        Some(last) if last.role.as_deref() != Some("user") => Some(CONTINUE_USER_TEXT),
        Some(_) => None,
    }
}
