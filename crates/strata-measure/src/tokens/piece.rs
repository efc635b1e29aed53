//! The pieces of a part, and the text each is counted as.

use std::borrow::Cow;

use strata_model::json::to_compact;
use strata_model::{
    Blob, CodeExecutionResult, Decoder, ExecutableCode, FileData, FromJson as _, FunctionCall,
    FunctionResponse, Json, Object, Part,
};

use super::media;
use super::sizes::SizeKind;

/// One of the things that a part holds. ADK lets one part hold several.
#[derive(Clone, Copy)]
pub(super) enum Piece<'p> {
    Text(&'p str),
    Thought(Thought<'p>),
    Call(&'p FunctionCall),
    Response(&'p FunctionResponse),
    Code(&'p ExecutableCode),
    CodeResult(&'p CodeExecutionResult),
    Inline(&'p Blob),
    File(&'p FileData),
    /// Fields that ADK passes on without looking into them, such as the calls of tools that the provider runs.
    Other(&'p Object),
}

#[derive(Clone, Copy)]
pub(super) struct Thought<'p> {
    pub text: &'p str,
    /// What the provider signed it with, where it did.
    pub signature: Option<&'p str>,
}

/// How arguments and results of tools are shown to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// As JSON, behind the name of the tool.
    Json,
    /// Each argument for itself, and as text where it is one. So are results, and without the name.
    Text,
}

/// Fields of a part that say how to treat it, and are not shown to the model. Signatures of thoughts are not either.
const SETTINGS: [&str; 5] =
    ["mediaResolution", "videoMetadata", "partMetadata", "mediaProcessing", "speechMetadata"];

pub(super) fn pieces(part: &Part) -> impl Iterator<Item = Piece<'_>> {
    let is_thought = part.is_thought();
    let signature = part.thought_signature.as_deref();
    let thought = |text| Piece::Thought(Thought { text, signature });
    let text = part.text.as_deref().map(|text| if is_thought { thought(text) } else { Piece::Text(text) });
    let is_shown = part.other.keys().any(|key| !SETTINGS.contains(&&**key));
    [
        text,
        part.function_call.as_deref().map(Piece::Call),
        part.function_response.as_deref().map(Piece::Response),
        part.executable_code.as_deref().map(Piece::Code),
        part.code_execution_result.as_deref().map(Piece::CodeResult),
        part.inline_data.as_deref().map(Piece::Inline),
        part.file_data.as_deref().map(Piece::File),
        is_shown.then_some(Piece::Other(&part.other)),
    ]
    .into_iter()
    .flatten()
}

impl<'p> Piece<'p> {
    /// Tells the pieces of one part apart. Counts are stored with it: a number is never used again for another text.
    pub(super) fn key(self, values: ValueForm) -> u8 {
        match self {
            Self::Text(_) => 1,
            Self::Thought(_) => 2,
            Self::Call(_) if values == ValueForm::Text => 11,
            Self::Call(_) => 3,
            Self::Response(response) if plain_result(response, values).is_some() => 10,
            Self::Response(_) => 4,
            Self::Code(_) => 5,
            Self::CodeResult(_) => 6,
            Self::Inline(_) => 7,
            Self::File(_) => 8,
            Self::Other(_) => 9,
        }
    }

    /// As what it is fitted.
    pub(super) fn size_kind(self) -> SizeKind {
        match self {
            Self::Text(_) | Self::Code(_) | Self::Other(_) => SizeKind::Text,
            Self::Thought(_) => SizeKind::Thought,
            Self::Call(_) => SizeKind::Call,
            Self::Response(_) | Self::CodeResult(_) => SizeKind::Result,
            Self::Inline(blob) if media::is_text(blob) => SizeKind::Text,
            Self::Inline(_) | Self::File(_) => SizeKind::Media,
        }
    }

    /// The text it is counted as. `None` for media that are not text.
    pub(super) fn text(self, values: ValueForm) -> Option<Cow<'p, str>> {
        Some(match self {
            Self::Text(text) | Self::Thought(Thought { text, .. }) => text.into(),
            Self::Call(call) if values == ValueForm::Text => with_arguments(call).into(),
            Self::Call(call) => with_name(call.name.as_deref(), call.args.as_deref()).into(),
            Self::Response(response) => match plain_result(response, values) {
                Some(text) => text.into(),
                None => with_name(response.name.as_deref(), response.response.as_deref()).into(),
            },
            Self::Code(code) => code.code.as_deref().unwrap_or_default().into(),
            Self::CodeResult(result) => result.output.as_deref().unwrap_or_default().into(),
            Self::Inline(blob) => media::text_of(blob)?.into(),
            Self::File(_) => return None,
            Self::Other(fields) => {
                let mut shown = fields.clone();
                shown.retain(|key, _| !SETTINGS.contains(&key));
                to_compact(&Json::Object(shown)).into()
            }
        })
    }
}

/// The media that a tool returned beside its response.
pub(super) fn media_of_response(response: &FunctionResponse) -> Vec<Part> {
    let parts = response.other.get("parts").and_then(Json::as_array).unwrap_or_default();
    parts.iter().filter_map(|part| Part::from_json(part.clone(), &mut Decoder::new()).ok()).collect()
}

/// A result that is nothing but a text.
fn plain_result(response: &FunctionResponse, values: ValueForm) -> Option<&str> {
    let fields = response.response.as_deref().filter(|_| values == ValueForm::Text)?;
    fields.get("result").filter(|_| fields.len() == 1)?.as_str()
}

/// A name with its arguments or its result as compact JSON.
fn with_name(name: Option<&str>, value: Option<&Object>) -> String {
    let json = value.map(|value| to_compact(&Json::Object(value.clone())));
    format!("{}{}", name.unwrap_or_default(), json.unwrap_or_default())
}

/// A name with its arguments, each on lines of its own.
fn with_arguments(call: &FunctionCall) -> String {
    let mut text = call.name.as_deref().unwrap_or_default().to_owned();
    for (name, value) in call.args.iter().flat_map(|args| args.iter()) {
        text.push('\n');
        text.push_str(name);
        text.push('\n');
        match value.as_str() {
            Some(value) => text.push_str(value),
            None => text.push_str(&to_compact(value)),
        }
    }
    text
}
