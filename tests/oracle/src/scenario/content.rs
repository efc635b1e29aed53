//! Contents and answers as scenarios write them.

use strata_model::{Content, Json, LlmResponse, Object, Part};
use strata_runtime::Value;

use super::value::flag;
use crate::vector::given::read;

/// A text of the model's, or a content.
pub(super) fn content(value: &Json) -> Content {
    match value {
        Json::String(text) => Content::new("model", [Part::from_text(text.clone())]),
        other => read(other),
    }
}

/// An answer of a model, which is not a failure.
pub(super) fn response(answer: &Json) -> LlmResponse {
    let mut fields = answer.as_object().cloned().unwrap_or_default();
    for key in ["delay", "no_content"] {
        fields.remove(key);
    }
    let role = fields.remove("role").unwrap_or_else(|| "model".into());
    let parts = fields.remove("parts").unwrap_or_else(|| Vec::new().into());
    if !flag(Some(answer), "no_content") {
        let mut content = Object::from_iter([("parts", parts)]);
        content.push("role", role);
        fields.insert("content", content);
    }
    read(&fields.into())
}

/// A value as scripts see it: a content counts as its text.
pub(super) fn plain(value: &Value) -> Json {
    match value {
        Value::Json(json) => json.clone(),
        Value::Content(content) => text_of(content).into(),
        Value::Joined(values) => {
            values.iter().map(|(name, value)| (name.clone(), plain(value))).collect::<Object>().into()
        }
    }
}

fn text_of(content: &Content) -> String {
    content.parts().iter().filter_map(|part| part.text.as_deref()).collect()
}
