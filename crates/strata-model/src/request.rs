//! A model request: the form in which every processor receives and leaves it.
//!
//! Requests are compiled by the hundred from the same session, so everything large is shared: contents are a
//! persistent list ([`Contents`]), texts are reference-counted, and cloning a request copies a few pointers.

mod cache_marks;
mod change;
mod contents;
pub mod namespace;
mod read;
mod rich_text;

use std::sync::Arc;

pub use cache_marks::{CacheMark, CacheMarks, MarkPlace};
pub use change::{Misfit, RequestChange, Splice, is_alike_in_scripts};
pub use contents::{Block, Chunk, Contents, RequestContent, RequestPart, part_fingerprint};
pub use rich_text::{RichText, TextSpan};

use crate::json::{Json, Object};
use crate::{CacheMetadata, Fingerprint, FingerprintBuilder, FromJson as _, Origin, Str};

/// What a model is asked, as it stands between two processors or at the call.
#[derive(Debug, Clone, Default)]
pub struct LlmRequest {
    pub model: Option<Str>,
    pub contents: Contents,
    /// `config.systemInstruction`. Empty text is not the same as none.
    pub system_instruction: Option<Arc<RichText>>,
    /// `config.tools`.
    pub tools: Arc<Vec<RequestTool>>,
    /// Every other field of `config`, in the order ADK dumps them.
    pub config: Arc<Vec<ConfigField>>,
    pub cache_config: Option<Arc<Object>>,
    pub cache_metadata: Option<Arc<CacheMetadata>>,
    pub cacheable_contents_token_count: Option<u64>,
    /// What of it the client asked to be cached; `None` where that is not known. Nothing that a model reads.
    pub cache_marks: Option<CacheMarks>,
    pub previous_interaction_id: Option<Str>,
    pub service_tier: Option<Str>,
    /// Names the model may call, in the order they were registered. Not part of what is sent.
    pub tool_names: Arc<Vec<Str>>,
    /// Texts queued for the `dynamic_instructions` processor. Not part of what is sent.
    pub pending_dynamic_instructions: Arc<Vec<RichText>>,
    /// A static instruction contributed contents, which then stand at the head.
    pub has_static_contents: bool,
    /// How many contents stand at the head for the static instruction, once they are placed.
    pub static_prefix_end: Option<usize>,
}

impl LlmRequest {
    /// Appends to the system instruction, a blank line apart. Starting from empty or no text, the text replaces it.
    pub fn append_system(&mut self, text: RichText) {
        let joined = match &self.system_instruction {
            Some(before) if !before.is_empty() => {
                let mut joined = RichText::clone(before);
                joined.append_block("\n\n", text);
                joined
            }
            _ => text,
        };
        self.system_instruction = Some(Arc::new(joined));
    }

    /// Adds a function declaration to the one tool entry that holds functions, making it on first use.
    pub fn add_declaration(&mut self, declaration: Arc<Declaration>) {
        let tools = Arc::make_mut(&mut self.tools);
        for tool in tools.iter_mut() {
            if let RequestTool::Functions(declarations) = tool {
                declarations.push(declaration);
                return;
            }
        }
        tools.push(RequestTool::Functions(vec![declaration]));
    }

    /// Whether a model is sent the same, wherever it comes from. Settings stand in no order.
    pub fn is_same_prompt(&self, other: &Self) -> bool {
        let system = |request: &Self| request.system_instruction.as_ref().map(|text| text.to_text());
        let tools =
            |request: &Self| -> Vec<_> { request.tools.iter().map(RequestTool::fingerprint).collect() };
        let is_config_same = || {
            let is_same = |field: &ConfigField| other.config_field(&field.name) == Some(&field.value);
            self.config.len() == other.config.len() && self.config.iter().all(is_same)
        };
        self.model == other.model
            && self.contents.is_same_text(&other.contents)
            && system(self) == system(other)
            && tools(self) == tools(other)
            && is_config_same()
    }

    /// Registers a tool name. Registering it again keeps its place: the later tool is the one that runs.
    pub fn add_tool_name(&mut self, name: &Str) {
        if !self.tool_names.contains(name) {
            Arc::make_mut(&mut self.tool_names).push(name.clone());
        }
    }

    pub fn config_field(&self, name: &str) -> Option<&Json> {
        self.config.iter().find(|field| *field.name == *name).map(|field| &field.value)
    }

    /// Sets a field of `config` other than the system instruction and the tools.
    pub fn set_config(&mut self, name: &str, value: impl Into<Json>, origin: Origin) {
        let field = ConfigField { name: name.into(), value: value.into(), origin };
        let fields = Arc::make_mut(&mut self.config);
        match fields.iter_mut().find(|known| *known.name == *name) {
            Some(known) => *known = field,
            None => fields.push(field),
        }
    }

    pub fn remove_config(&mut self, name: &str) {
        if self.config_field(name).is_some() {
            Arc::make_mut(&mut self.config).retain(|field| *field.name != *name);
        }
    }

    /// The request as JSON: `{model, contents, config, …}` with ADK's field names, absent fields omitted.
    pub fn to_json(&self) -> Json {
        let mut config = Object::new();
        config.push_some("systemInstruction", self.system_instruction.as_ref().map(|text| text.to_text()));
        if !self.tools.is_empty() {
            config.push("tools", self.tools.iter().map(RequestTool::to_json).collect::<Vec<_>>());
        }
        for field in self.config.iter() {
            config.push(field.name.clone(), field.value.clone());
        }
        let mut out = Object::new();
        out.push_some("model", self.model.clone());
        out.push("contents", self.contents.to_json());
        out.push("config", config);
        out.push_some("cache_config", self.cache_config.as_ref().map(|config| Object::clone(config)));
        out.push_some("cache_metadata", self.cache_metadata.as_ref().map(|metadata| metadata.to_json()));
        out.push_some(
            "cacheable_contents_token_count",
            self.cacheable_contents_token_count.map(|n| n as i64),
        );
        out.push_some("previous_interaction_id", self.previous_interaction_id.clone());
        out.push_some("service_tier", self.service_tier.clone());
        Json::Object(out)
    }
}

/// One entry of `config.tools`.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestTool {
    /// All function declarations share one entry.
    Functions(Vec<Arc<Declaration>>),
    /// A tool the provider runs itself, such as `{"googleSearch": {}}`; or a [`namespace`] without its functions.
    BuiltIn { json: Json, origin: Origin },
}

impl RequestTool {
    pub fn to_json(&self) -> Json {
        match self {
            Self::Functions(declarations) => {
                let declarations: Vec<Json> =
                    declarations.iter().map(|declaration| Json::Object(declaration.json.clone())).collect();
                Json::Object(Object::from_iter([("functionDeclarations", declarations)]))
            }
            Self::BuiltIn { json, .. } => json.clone(),
        }
    }

    pub fn fingerprint(&self) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        match self {
            Self::Functions(declarations) => {
                for declaration in declarations {
                    hash.fingerprint(declaration.fingerprint);
                }
            }
            Self::BuiltIn { json, .. } => {
                hash.json(json);
            }
        }
        hash.finish()
    }
}

/// A function the model may call, as it is described to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// A `FunctionDeclaration` in camelCase.
    pub json: Object,
    pub origin: Origin,
    pub fingerprint: Fingerprint,
}

impl Declaration {
    pub fn new(json: Object, origin: Origin) -> Self {
        let fingerprint = FingerprintBuilder::new().object(&json).finish();
        Self { json, origin, fingerprint }
    }

    pub fn name(&self) -> &str {
        self.json.get("name").and_then(Json::as_str).unwrap_or_default()
    }
}

/// A field of the request's `config`, with where its value comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigField {
    /// camelCase, as google-genai names it.
    pub name: Str,
    pub value: Json,
    pub origin: Origin,
}
