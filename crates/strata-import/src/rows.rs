//! Reading values of table rows.

use strata_model::{Json, Object, Str, json};

use crate::findings::Findings;
use crate::repair::repair;
use crate::tables::SqlValue;
use crate::time::time_of;

pub(crate) fn text_of(value: Option<&SqlValue<'_>>) -> Option<Str> {
    match value? {
        SqlValue::Text(text) => Some((*text).into()),
        SqlValue::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into()),
        SqlValue::Integer(number) => Some(number.to_string().into()),
        SqlValue::Real(number) => Some(number.to_string().into()),
        SqlValue::Null => None,
    }
}

/// Epoch seconds from seconds, milliseconds or text.
pub(crate) fn seconds_of(value: Option<&SqlValue<'_>>) -> Option<f64> {
    match value? {
        SqlValue::Real(seconds) => time_of(&Json::Float(*seconds)),
        SqlValue::Integer(seconds) => time_of(&Json::Int(*seconds)),
        SqlValue::Text(text) => time_of(&Json::from(*text)),
        SqlValue::Blob(_) | SqlValue::Null => None,
    }
}

pub(crate) fn count_of(value: Option<&SqlValue<'_>>) -> Option<u64> {
    match value? {
        SqlValue::Integer(count) => u64::try_from(*count).ok(),
        _ => None,
    }
}

/// The JSON in a column, repaired where its text is; null, with a diagnostic, when there is none.
pub(crate) fn json_of(value: Option<&SqlValue<'_>>, place: &str, findings: &mut Findings) -> Json {
    let bytes = match value {
        Some(SqlValue::Text(text)) => text.as_bytes(),
        Some(SqlValue::Blob(bytes)) => bytes,
        _ => return Json::Null,
    };
    let parsed = json::parse(bytes).or_else(|error| match repair(bytes) {
        Some(repaired) => {
            findings.warning("repaired-text", place, repaired.told());
            json::parse(&repaired.text)
        }
        None => Err(error),
    });
    parsed.unwrap_or_else(|error| {
        let message =
            format!("the JSON of a row is broken ({}); only its other columns were used", error.message);
        findings.error("broken-row", place, message);
        Json::Null
    })
}

/// The JSON object in a column; an empty one, with a diagnostic, when it holds something else.
pub(crate) fn object_of(value: Option<&SqlValue<'_>>, place: &str, findings: &mut Findings) -> Object {
    match json_of(value, place, findings) {
        Json::Object(object) => object,
        Json::Null => Object::new(),
        other => {
            let message = format!("a row holds {} where an object should be; it was not used", other.kind());
            findings.error("unexpected-type", place, message);
            Object::new()
        }
    }
}
