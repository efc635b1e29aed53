//! A request cut into segments: every byte of it in exactly one, each segment with its sources.

use std::borrow::Cow;
use std::fmt;

use strata_model::json::{self, Json};
use strata_model::{
    Declaration, LlmRequest, Object, Origin, RequestContent, RequestPart, RequestTool, TextSpan,
};

/// A piece of a request that is shown, counted and compared as one.
#[derive(Debug, Clone)]
pub struct Segment<'r> {
    /// `tool.search`, `sys.1`, `4.0`, `config.temperature`: unique in its request.
    pub path: Path<'r>,
    pub item: Item<'r>,
}

/// What a segment is.
#[derive(Debug, Clone)]
pub enum Item<'r> {
    Declaration(&'r Declaration),
    /// A tool the provider runs itself, or what a namespace says for all of its functions.
    BuiltInTool {
        json: &'r Json,
        origin: &'r Origin,
    },
    /// A block of the system instruction.
    System(&'r [TextSpan]),
    /// A part of the conversation.
    Part {
        content: &'r RequestContent,
        part: &'r RequestPart,
    },
    /// A content without parts.
    EmptyContent(&'r RequestContent),
    /// A field beside tools, instruction and conversation.
    Setting {
        value: Cow<'r, Json>,
        origin: Cow<'r, Origin>,
    },
}

/// Where a segment stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path<'r> {
    /// `again` counts earlier tools of the same name.
    Tool {
        name: &'r str,
        again: usize,
    },
    System {
        block: usize,
    },
    Part {
        content: usize,
        part: usize,
    },
    Config {
        field: &'r str,
    },
    /// Beside `config`.
    Request {
        field: &'static str,
    },
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool { name, again: 0 } => write!(f, "tool.{name}"),
            Self::Tool { name, again } => write!(f, "tool.{name}~{again}"),
            Self::System { block } => write!(f, "sys.{block}"),
            Self::Part { content, part } => write!(f, "{content}.{part}"),
            Self::Config { field } => write!(f, "config.{field}"),
            Self::Request { field } => write!(f, "request.{field}"),
        }
    }
}

impl<'r> Segment<'r> {
    /// What a person reads: the text, or compact JSON.
    pub fn text(&self) -> Cow<'r, str> {
        match &self.item {
            Item::Declaration(declaration) => {
                json::to_compact(&Json::Object(declaration.json.clone())).into()
            }
            Item::BuiltInTool { json, .. } => json::to_compact(json).into(),
            Item::System([only]) => Cow::Borrowed(&only.text),
            Item::System(spans) => spans.iter().map(|span| &*span.text).collect::<String>().into(),
            Item::Part { part, .. } => part_text(part),
            Item::EmptyContent(_) => Cow::Borrowed(""),
            Item::Setting { value, .. } => json::to_compact(value).into(),
        }
    }

    /// `(bytes, source)` in order; the bytes add up to those of [`Self::text`].
    pub fn spans(&self) -> Vec<(usize, &Origin)> {
        match &self.item {
            Item::Declaration(declaration) => vec![(self.text().len(), &declaration.origin)],
            Item::BuiltInTool { origin, .. } => vec![(self.text().len(), origin)],
            Item::System(spans) => spans.iter().map(|span| (span.text.len(), &span.origin)).collect(),
            Item::Part { part, .. } => match part.origins() {
                [(_, only)] => vec![(self.text().len(), only)],
                origins => origins.iter().map(|(bytes, origin)| (*bytes as usize, origin)).collect(),
            },
            Item::EmptyContent(_) => Vec::new(),
            Item::Setting { origin, .. } => vec![(self.text().len(), &**origin)],
        }
    }

    /// The source that says most about the segment.
    pub fn main_origin(&self) -> Option<&Origin> {
        match &self.item {
            Item::Declaration(declaration) => Some(&declaration.origin),
            Item::BuiltInTool { origin, .. } => Some(origin),
            // The text of a template, rather than the values filled into it.
            Item::System(spans) => {
                let is_filled =
                    |span: &&TextSpan| matches!(span.origin, Origin::State { .. } | Origin::Artifact { .. });
                spans.iter().find(|span| !is_filled(span)).or(spans.first()).map(|span| &span.origin)
            }
            Item::Part { part, .. } => Some(part.main_origin()),
            Item::EmptyContent(_) => None,
            Item::Setting { origin, .. } => Some(origin),
        }
    }

    /// Who speaks, for parts of the conversation.
    pub fn role(&self) -> Option<&'r str> {
        match &self.item {
            Item::Part { content, .. } | Item::EmptyContent(content) => content.role.as_deref(),
            _ => None,
        }
    }
}

/// A part as text: what was said, else what it is as compact JSON.
fn part_text(part: &RequestPart) -> Cow<'_, str> {
    match &part.part.text {
        Some(text) => Cow::Borrowed(text),
        None => json::to_compact(&strata_model::FromJson::to_json(&*part.part)).into(),
    }
}

/// All segments: those of the prompt in the order providers read them, then the settings.
pub fn segments(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    prompt_segments(request).chain(settings(request))
}

/// What a model reads.
pub fn prompt_segments(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    definitions(request).chain(system(request)).chain(contents(request))
}

/// Tools and answer schemas.
pub fn definitions(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    let schemas = config(request).filter(is_in_prompt);
    tools(request).chain(schemas)
}

/// What steers the call without being read by the model.
pub fn settings(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    config(request).filter(|segment| !is_in_prompt(segment)).chain(envelope(request))
}

/// The segment at a path as [`Path`] prints it.
pub fn find<'r>(request: &'r LlmRequest, path: &str) -> Option<Segment<'r>> {
    segment_of_part(request, path)
        .or_else(|| segments(request).find(|segment| segment.path.to_string() == path))
}

/// Parts are found by their place, without a walk over the conversation.
fn segment_of_part<'r>(request: &'r LlmRequest, path: &str) -> Option<Segment<'r>> {
    let (content, part) = path.split_once('.')?;
    let (at, part_at) = (content.parse().ok()?, part.parse().ok()?);
    let content = request.contents.get(at)?;
    let part = content.parts.get(part_at)?;
    Some(Segment { path: Path::Part { content: at, part: part_at }, item: Item::Part { content, part } })
}

/// Answer schemas are rendered into the prompt.
fn is_in_prompt(segment: &Segment<'_>) -> bool {
    match (&segment.path, &segment.item) {
        (Path::Config { field }, Item::Setting { value, .. }) => answer_schema(field, value).is_some(),
        _ => false,
    }
}

/// The schema that an answer must follow, of a setting that holds one, by whatever name an API has for it.
pub fn answer_schema<'v>(setting: &str, value: &'v Json) -> Option<&'v Json> {
    match setting {
        "responseSchema" | "responseJsonSchema" => Some(value),
        "response_format" => value.get("json_schema")?.get("schema"),
        "text" | "output_config" => value.get("format")?.get("schema"),
        "output_format" => value.get("schema"),
        "format" => Some(value).filter(|value| value.as_object().is_some()),
        _ => None,
    }
}

fn tools(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    let mut names: Vec<&str> = Vec::new();
    let items = request.tools.iter().flat_map(|tool| {
        let items: Vec<(&str, Item<'_>)> = match tool {
            RequestTool::Functions(declarations) => {
                declarations.iter().map(|one| (one.name(), Item::Declaration(one))).collect()
            }
            RequestTool::BuiltIn { json, origin } => {
                let first = || json.as_object().and_then(|object| object.keys().next()).map(|name| &**name);
                let name = tool.namespace().or_else(first).unwrap_or_default();
                vec![(name, Item::BuiltInTool { json, origin })]
            }
        };
        items
    });
    items.map(move |(name, item)| {
        let again = names.iter().filter(|known| **known == name).count();
        names.push(name);
        Segment { path: Path::Tool { name, again }, item }
    })
}

pub(crate) fn system(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    let blocks = request.system_instruction.iter().flat_map(|text| text.blocks());
    blocks
        .enumerate()
        .map(|(block, spans)| Segment { path: Path::System { block }, item: Item::System(spans) })
}

pub(crate) fn contents(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    request.contents.iter().enumerate().flat_map(|(at, content)| {
        let content = &**content;
        let empty = content.parts.is_empty().then_some(Segment {
            path: Path::Part { content: at, part: 0 },
            item: Item::EmptyContent(content),
        });
        let parts = content.parts.iter().enumerate().map(move |(part_at, part)| Segment {
            path: Path::Part { content: at, part: part_at },
            item: Item::Part { content, part },
        });
        empty.into_iter().chain(parts)
    })
}

fn config(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    request.config.iter().map(|field| Segment {
        path: Path::Config { field: &field.name },
        item: Item::Setting { value: Cow::Borrowed(&field.value), origin: Cow::Borrowed(&field.origin) },
    })
}

/// The fields of a request beside model, contents and config are set by the processor in whose care they are.
fn envelope(request: &LlmRequest) -> impl Iterator<Item = Segment<'_>> {
    let text = |text: &Option<strata_model::Str>| text.clone().map(Json::from);
    let object = |object: &Object| Json::Object(object.clone());
    let metadata =
        request.cache_metadata.as_ref().map(|metadata| strata_model::FromJson::to_json(&**metadata));
    let fields = [
        ("model", text(&request.model), "basic"),
        ("cache_config", request.cache_config.as_ref().map(|config| object(config)), "context_cache"),
        ("cache_metadata", metadata, "context_cache"),
        (
            "cacheable_contents_token_count",
            request.cacheable_contents_token_count.map(|n| Json::from(n as i64)),
            "context_cache",
        ),
        ("previous_interaction_id", text(&request.previous_interaction_id), "interactions"),
        ("service_tier", text(&request.service_tier), "basic"),
    ];
    fields.into_iter().filter_map(|(field, value, processor)| {
        let origin = Cow::Owned(Origin::processor(processor));
        let item = Item::Setting { value: Cow::Owned(value?), origin };
        Some(Segment { path: Path::Request { field }, item })
    })
}
