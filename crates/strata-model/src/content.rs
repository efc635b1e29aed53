//! Contents and their parts: what a model reads and writes.

use std::ops::Deref;
use std::sync::Arc;

use crate::Str;
use crate::decode::{Decoder, FromJson, record};
use crate::json::Json;

record! {
    /// One turn of a conversation: a role and its parts.
    Content: "a content object" {
        parts: Option<Vec<Arc<Part>>> = "parts",
        role: Option<Str> = "role",
    }
}

impl Content {
    pub fn new(role: &str, parts: impl IntoIterator<Item = Part>) -> Self {
        let parts = parts.into_iter().map(Arc::new).collect();
        Self { parts: Some(parts), role: Some(role.into()), ..Self::default() }
    }

    pub fn parts(&self) -> &[Arc<Part>] {
        self.parts.as_deref().unwrap_or_default()
    }
}

const PART_FIELDS: &[&str] = &[
    "mediaResolution",
    "codeExecutionResult",
    "executableCode",
    "fileData",
    "functionCall",
    "functionResponse",
    "inlineData",
    "text",
    "thought",
    "thoughtSignature",
    "videoMetadata",
    "toolCall",
    "toolResponse",
    "partMetadata",
    "audioTranscription",
    "mediaProcessing",
    "speechMetadata",
];

record! {
    /// A piece of a content. ADK lets one part carry several fields, such as a text with a thought signature.
    Part: "a part object" {
        code_execution_result: Option<Box<CodeExecutionResult>> = "codeExecutionResult",
        executable_code: Option<Box<ExecutableCode>> = "executableCode",
        file_data: Option<Box<FileData>> = "fileData",
        function_call: Option<Box<FunctionCall>> = "functionCall",
        function_response: Option<Box<FunctionResponse>> = "functionResponse",
        inline_data: Option<Box<Blob>> = "inlineData",
        text: Option<Str> = "text",
        thought: Option<bool> = "thought",
        thought_signature: Option<Base64> = "thoughtSignature",
    }
    passes {
        "mediaResolution": 1,
        "videoMetadata": 1,
        "toolCall": 1,
        "toolResponse": 1,
        "partMetadata": 0,
        "audioTranscription": 2,
        "mediaProcessing": 1,
        "speechMetadata": 1,
    }
    order PART_FIELDS;
}

impl Part {
    pub fn from_text(text: impl Into<Str>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub fn from_call(call: FunctionCall) -> Self {
        Self { function_call: Some(Box::new(call)), ..Self::default() }
    }

    pub fn from_response(response: FunctionResponse) -> Self {
        Self { function_response: Some(Box::new(response)), ..Self::default() }
    }

    pub fn is_thought(&self) -> bool {
        self.thought == Some(true)
    }

    /// Whether a tool is called, here or at the provider.
    pub fn calls_tool(&self) -> bool {
        self.function_call.is_some() || self.other.contains_key("toolCall")
    }

    /// A server-side tool call or its response, which ADK carries but does not look into.
    pub fn has_server_tool(&self) -> bool {
        self.other.contains_key("toolCall") || self.other.contains_key("toolResponse")
    }
}

record! {
    /// A model's request to run a tool.
    FunctionCall: "a function call" {
        id: Option<Str> = "id",
        args: Option<Arc<crate::Object>> = "args",
        name: Option<Str> = "name",
    }
    passes { "partialArgs": 2, "willContinue": 0, }
}

record! {
    /// A tool's answer to a [`FunctionCall`], joined to it by id. Media the tool returned are in `other["parts"]`.
    FunctionResponse: "a function response" {
        id: Option<Str> = "id",
        name: Option<Str> = "name",
        response: Option<Arc<crate::Object>> = "response",
    }
    passes { "willContinue": 0, "scheduling": 0, "parts": 3, }
    order &["willContinue", "scheduling", "parts", "id", "name", "response"];
}

record! {
    /// Bytes inside a part.
    Blob: "a blob object" {
        data: Option<Base64> = "data",
        display_name: Option<Str> = "displayName",
        mime_type: Option<Str> = "mimeType",
    }
}

record! {
    /// A reference to a file.
    FileData: "a file reference" {
        display_name: Option<Str> = "displayName",
        file_uri: Option<Str> = "fileUri",
        mime_type: Option<Str> = "mimeType",
    }
}

record! {
    /// Code the model wrote to be run.
    ExecutableCode: "an executable code object" {
        code: Option<Str> = "code",
        language: Option<Str> = "language",
    }
    passes { "id": 0, }
}

record! {
    /// What running [`ExecutableCode`] gave.
    CodeExecutionResult: "a code execution result" {
        outcome: Option<Str> = "outcome",
        output: Option<Str> = "output",
    }
    passes { "id": 0, }
}

/// Bytes as base64 text, in the URL-safe alphabet with padding that ADK writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Base64(Str);

impl Base64 {
    /// Takes base64 in any of the alphabets ADK reads, padded or not.
    pub fn new(text: impl AsRef<str> + Into<Str>) -> Self {
        let bytes = text.as_ref().as_bytes();
        if bytes.len() % 4 == 0 && !bytes.iter().any(|byte| matches!(byte, b'+' | b'/')) {
            return Self(text.into());
        }
        let mut padded: Vec<u8> = Vec::with_capacity(bytes.len().next_multiple_of(4));
        padded.extend(bytes.iter().map(|byte| match byte {
            b'+' => b'-',
            b'/' => b'_',
            other => *other,
        }));
        padded.resize(bytes.len().next_multiple_of(4), b'=');
        Self(String::from_utf8(padded).map_or_else(|_| text.into(), Into::into))
    }

    /// Size of the bytes, computed without decoding them.
    pub fn size_bytes(&self) -> usize {
        self.len() / 4 * 3 - self.bytes().rev().take_while(|byte| *byte == b'=').count().min(2)
    }
}

impl Deref for Base64 {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl FromJson for Base64 {
    const EXPECTED: &'static str = "base64 text";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        Str::from_json(value, decoder).map(Self::new)
    }

    fn to_json(&self) -> Json {
        Json::String(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, to_compact};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut decoder = Decoder::new();
        let part = Part::from_json(parse(text.as_bytes()).unwrap(), &mut decoder).unwrap();
        assert_eq!(to_compact(&part.to_json()), expected);
    }

    #[test]
    fn snake_case_and_nulls_become_adks_own_dump() {
        check(
            r#"{"text": null, "function_call": {"name": "f", "args": {"a_b": null}, "id": "1"}}"#,
            r#"{"functionCall":{"id":"1","args":{"a_b":null},"name":"f"}}"#,
        );
        check(
            r#"{"video_metadata": {"start_offset": "1s"}, "file_data": {"file_uri": "gs://x"}}"#,
            r#"{"fileData":{"fileUri":"gs://x"},"videoMetadata":{"startOffset":"1s"}}"#,
        );
    }

    #[test]
    fn bytes_are_url_safe_whatever_alphabet_was_read() {
        check(r#"{"thoughtSignature": "+/8"}"#, r#"{"thoughtSignature":"-_8="}"#);
        check(
            r#"{"inlineData": {"data": "-_8=", "mimeType": "x/y"}}"#,
            r#"{"inlineData":{"data":"-_8=","mimeType":"x/y"}}"#,
        );
    }

    #[test]
    fn a_field_of_the_wrong_kind_is_kept_and_reported() {
        let mut decoder = Decoder::new();
        let part = Part::from_json(parse(br#"{"text": 5, "future": 1}"#).unwrap(), &mut decoder).unwrap();
        assert_eq!(to_compact(&part.to_json()), r#"{"text":5,"future":1}"#);
        let diagnostics = decoder.into_diagnostics();
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].at, "text");
    }

    #[test]
    fn size_follows_the_padding() {
        assert_eq!(["", "MQ==", "MTI=", "MTIz"].map(|text| Base64::new(text).size_bytes()), [0, 1, 2, 3]);
    }
}
