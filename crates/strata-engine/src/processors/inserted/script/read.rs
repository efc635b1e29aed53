//! From what a script returned to a request, with sources for every byte.

use std::sync::Arc;

use strata_model::{
    ConfigField, Content, Declaration, Decoder, FromJson as _, Json, LlmRequest, Object, Origin,
    RequestContent, RequestTool, RichText, Str,
};

use crate::processors::returned_contents::{Originals, as_scripted, sourced_text};

/// Members of a request that a script may leave out or return as they were, and cannot change.
const FIXED: [&str; 5] = [
    "cache_config",
    "cache_metadata",
    "cacheable_contents_token_count",
    "previous_interaction_id",
    "service_tier",
];

/// Reads a returned request. An error says what of it is no request.
pub(super) fn request(returned: &Json, before: &LlmRequest, by: &Str) -> Result<LlmRequest, String> {
    let Json::Object(returned) = returned else {
        return Err(match returned {
            Json::Null => "`process` returned nothing. Return the request.".to_owned(),
            other => format!("`process` returned {}, not a request.", other.kind()),
        });
    };
    if let Some(unknown) = returned
        .keys()
        .find(|key| !["model", "contents", "config"].contains(&&***key) && !FIXED.contains(&&***key))
    {
        return Err(format!("A request has no member `{unknown}`: it has model, contents and config."));
    }
    let mut request = before.clone();
    match returned.get("model") {
        None => {}
        Some(Json::String(model)) => request.model = Some(model.clone()),
        Some(other) => return Err(format!("`model` is {}, not a string.", other.kind())),
    }
    let contents = match returned.get("contents") {
        Some(Json::Array(contents)) => contents,
        Some(other) => return Err(format!("`contents` is {}, not an array.", other.kind())),
        None => return Err("The returned object has no `contents`, so it is no request.".to_owned()),
    };
    let contents = contents.iter().enumerate().map(|(at, content)| read_content(at, content));
    let contents: Vec<Content> = contents.collect::<Result<_, String>>()?;
    let plain =
        contents.iter().map(|content| Arc::new(RequestContent::from_content(content, |_| own_words(by))));
    let plain: Vec<Arc<RequestContent>> = plain.collect();
    let sourced = Originals::of(before.contents.iter(), as_scripted, by).sourced(&plain);
    let is_same = sourced.len() == before.contents.len()
        && sourced.iter().zip(before.contents.iter()).all(|(new, old)| Arc::ptr_eq(new, old));
    if !is_same {
        request.contents = sourced.into_iter().collect();
    }
    match returned.get("config") {
        None => {}
        Some(Json::Object(config)) => read_config(config, &mut request, by)?,
        Some(other) => return Err(format!("`config` is {}, not an object.", other.kind())),
    }
    Ok(request)
}

fn read_content(at: usize, content: &Json) -> Result<Content, String> {
    let Json::Object(object) = content else {
        return Err(format!("contents[{at}] is {}, not an object with role and parts.", content.kind()));
    };
    match object.get("parts") {
        Some(Json::Array(parts)) => {
            if let Some(odd) = parts.iter().position(|part| part.as_object().is_none()) {
                return Err(format!("contents[{at}].parts[{odd}] is {}, not an object.", parts[odd].kind()));
            }
        }
        None => {}
        Some(other) => return Err(format!("contents[{at}].parts is {}, not an array.", other.kind())),
    }
    let mut decoder = Decoder::new();
    let read = Content::from_json(content.clone(), &mut decoder);
    let findings = decoder.into_diagnostics();
    match (read, findings.first()) {
        (Ok(content), None) => Ok(content),
        (_, Some(finding)) => Err(format!("contents[{at}].{}: {}", finding.at, finding.message)),
        (Err(_), None) => Err(format!("contents[{at}] is no content.")),
    }
}

fn read_config(config: &Object, request: &mut LlmRequest, by: &Str) -> Result<(), String> {
    let own = Origin::Rewritten { by: by.clone(), event: None, part: 0 };
    match config.get("systemInstruction") {
        None | Some(Json::Null) => request.system_instruction = None,
        Some(Json::String(text)) => {
            let before = request.system_instruction.as_deref().cloned().unwrap_or_default();
            if request.system_instruction.is_none() || *before.to_text() != **text {
                let sourced: RichText = sourced_text(&before, text, &own);
                request.system_instruction = Some(Arc::new(sourced));
            }
        }
        Some(other) => return Err(format!("config.systemInstruction is {}, not a string.", other.kind())),
    }
    match config.get("tools") {
        None | Some(Json::Null) => request.tools = Arc::default(),
        Some(Json::Array(tools)) => {
            let read = tools.iter().enumerate().map(|(at, tool)| read_tool(at, tool, request, by));
            let read = read.collect::<Result<Vec<_>, String>>()?;
            if read != *request.tools {
                request.tools = Arc::new(read);
                let declared: Vec<Str> = declared_names(&request.tools);
                let names = request.tool_names.iter().filter(|name| declared.contains(name)).cloned();
                request.tool_names = Arc::new(names.collect());
            }
        }
        Some(other) => return Err(format!("config.tools is {}, not an array.", other.kind())),
    }
    let others = config.iter().filter(|(key, _)| !["systemInstruction", "tools"].contains(&&***key));
    let fields: Vec<ConfigField> = others
        .map(|(name, value)| {
            let known = request.config.iter().find(|field| field.name == *name && field.value == *value);
            let changed = || ConfigField { name: name.clone(), value: value.clone(), origin: own.clone() };
            known.cloned().unwrap_or_else(changed)
        })
        .collect();
    if fields != *request.config {
        request.config = Arc::new(fields);
    }
    Ok(())
}

fn declared_names(tools: &[RequestTool]) -> Vec<Str> {
    let functions = tools.iter().filter_map(|tool| match tool {
        RequestTool::Functions(declarations) => Some(declarations),
        RequestTool::BuiltIn { .. } => None,
    });
    functions.flatten().map(|declaration| declaration.name().into()).collect()
}

fn read_tool(at: usize, tool: &Json, request: &LlmRequest, by: &Str) -> Result<RequestTool, String> {
    if let Some(known) = request.tools.iter().find(|known| known.to_json() == *tool) {
        return Ok(known.clone());
    }
    let Json::Object(object) = tool else {
        return Err(format!("config.tools[{at}] is {}, not an object.", tool.kind()));
    };
    let Some(declarations) = object.get("functionDeclarations") else {
        let name = object.keys().next().cloned().unwrap_or_else(|| "tool".into());
        return Ok(RequestTool::BuiltIn { json: tool.clone(), origin: Origin::Tool { name }.rewritten(by) });
    };
    let Json::Array(declarations) = declarations else {
        return Err(format!(
            "config.tools[{at}].functionDeclarations is {}, not an array.",
            declarations.kind()
        ));
    };
    let known = request.tools.iter().filter_map(|tool| match tool {
        RequestTool::Functions(declarations) => Some(declarations),
        RequestTool::BuiltIn { .. } => None,
    });
    let known: Vec<&Arc<Declaration>> = known.flatten().collect();
    let read = declarations.iter().enumerate().map(|(n, declaration)| {
        let Json::Object(json) = declaration else {
            return Err(format!(
                "config.tools[{at}].functionDeclarations[{n}] is {}, not an object.",
                declaration.kind()
            ));
        };
        let same = known.iter().find(|known| known.json == *json);
        let made = || Arc::new(Declaration::new(json.clone(), own_words(by)));
        Ok(same.map_or_else(made, |same| Arc::clone(same)))
    });
    Ok(RequestTool::Functions(read.collect::<Result<_, String>>()?))
}

fn own_words(by: &Str) -> Origin {
    Origin::Rewritten { by: by.clone(), event: None, part: 0 }
}
