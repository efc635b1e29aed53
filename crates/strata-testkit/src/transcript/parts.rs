//! The parts of an event.

use std::sync::Arc;

use strata_model::{Decoder, FromJson as _, FunctionCall, FunctionResponse, Json, Object, Part, Str, json};

use super::error::TranscriptError;
use super::lines::Line;
use super::scan;

/// A part as it is written: calls and results still wait for their ids.
#[derive(Debug)]
pub(super) enum WrittenPart<'t> {
    Text(Vec<&'t str>),
    Thought(Vec<&'t str>),
    Call {
        name: &'t str,
        args: Object,
        id: Option<&'t str>,
    },
    /// The result of the call with this id.
    Result {
        id: &'t str,
        lines: Vec<&'t str>,
    },
    Raw(Box<Part>),
}

/// Reads lines as parts. Lines that begin no part continue the one above.
pub(super) fn read<'t>(
    lines: impl IntoIterator<Item = Line<'t>>,
) -> Result<Vec<(usize, WrittenPart<'t>)>, TranscriptError> {
    let mut parts: Vec<(usize, WrittenPart<'t>)> = Vec::new();
    for line in lines {
        let fail = |message| TranscriptError::new(line.number, message);
        if let Some(part) = begin(line.text).map_err(fail)? {
            parts.push((line.number, part));
            continue;
        }
        match parts.last_mut() {
            Some((
                _,
                WrittenPart::Text(lines) | WrittenPart::Thought(lines) | WrittenPart::Result { lines, .. },
            )) => {
                lines.push(line.text);
            }
            _ if line.text.is_empty() => {}
            _ => parts.push((line.number, WrittenPart::Text(vec![line.text]))),
        }
    }
    Ok(parts)
}

/// The part that a line begins, if it begins with a sign.
fn begin(line: &str) -> Result<Option<WrittenPart<'_>>, String> {
    if let Some(call) = line.strip_prefix("-> ") {
        return read_call(call.trim()).map(Some);
    }
    if let Some(raw) = line.strip_prefix("part ").filter(|raw| raw.starts_with('{')) {
        return read_raw(raw).map(|part| Some(WrittenPart::Raw(Box::new(part))));
    }
    if let Some((id, value)) = line.strip_prefix('#').and_then(|rest| rest.split_once(':'))
        && !id.is_empty()
        && !id.contains(' ')
    {
        return Ok(Some(WrittenPart::Result { id, lines: vec![value.trim_start()] }));
    }
    Ok(match (line.strip_prefix("~ "), line.strip_prefix("+ ")) {
        (Some(thought), _) => Some(WrittenPart::Thought(vec![thought])),
        (_, Some(text)) => Some(WrittenPart::Text(vec![text])),
        (None, None) => None,
    })
}

/// `name(key=value, …) #id`.
fn read_call(text: &str) -> Result<WrittenPart<'_>, String> {
    let open = scan::find(text, '(').ok_or("a call is written name(key=value)")?;
    let inner = &text[open + 1..];
    let close = scan::find(inner, ')').ok_or("the call has no closing parenthesis")?;
    let (args, after) = (inner[..close].trim(), inner[close + 1..].trim());
    let args = if args.starts_with('{') {
        match json::parse(args.as_bytes()) {
            Ok(Json::Object(args)) => args,
            _ => return Err(format!("{args} is no JSON object")),
        }
    } else {
        scan::pairs(args, ',')?
    };
    let id = match after.strip_prefix('#') {
        Some(id) if !id.is_empty() && !id.contains(' ') => Some(id),
        None if after.is_empty() => None,
        _ => return Err(format!("expected #id behind the call, found {after}")),
    };
    Ok(WrittenPart::Call { name: text[..open].trim(), args, id })
}

fn read_raw(text: &str) -> Result<Part, String> {
    let value = json::parse(text.as_bytes()).map_err(|error| format!("the part: {error}"))?;
    let mut decoder = Decoder::new();
    let part = Part::from_json(value, &mut decoder).map_err(|_| "a part is an object".to_owned())?;
    match decoder.into_diagnostics().first() {
        Some(finding) => Err(format!("{}: {}", finding.at, finding.message)),
        None => Ok(part),
    }
}

pub(super) fn call(name: &str, args: Object, id: &str) -> Part {
    Part::from_call(FunctionCall {
        id: Some(id.into()),
        name: Some(name.into()),
        args: Some(Arc::new(args)),
        ..FunctionCall::default()
    })
}

pub(super) fn result(tool: &str, response: Object, id: Option<&str>) -> Part {
    Part::from_response(FunctionResponse {
        id: id.map(Str::from),
        name: Some(tool.into()),
        response: Some(Arc::new(response)),
        ..FunctionResponse::default()
    })
}

/// What a tool returned, as ADK wraps it.
pub(super) fn response(lines: &[&str]) -> Object {
    let written = lines.join("\n");
    match json::parse(written.as_bytes()) {
        Ok(Json::Object(object)) => object,
        Ok(value) => Object::from_iter([("result", value)]),
        Err(_) => Object::from_iter([("result", written)]),
    }
}
