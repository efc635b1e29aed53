//! Requests as text, for snapshots.
//!
//! A shape shows what a request is made of and where each piece comes from, and leaves out what makes snapshots
//! long and brittle: texts are cut after some words, schemas are left out.
//!
//! ```text
//! model   gemini-3.5-flash
//! system  "You do bills for Ana."                              <- instruction billing, state customer
//! tools   get_bill, transfer_to_agent
//! config  temperature 0.5                                      <- agent billing
//! 00 user   "My bill for May?"                                 <- E1
//! 01 model  "Let me see."                                      <- E2
//!           call get_bill {"month":"May"} #c1                  <- E2
//! 02 user   result get_bill {"eur":42} #c1                     <- E3
//! ```
//!
//! One row for each block of the system instruction, each setting and each part of the contents. Several sources of
//! one text are listed in the order of its bytes. A text the runtime has put its own words around is shown as
//! `"[bills] said: … | 42 EUR"`.

use strata_engine::Sections;
use strata_model::{
    Content, FromJson as _, InstructionKind, Json, LlmRequest, Object, Origin, Part, RequestPart,
    RequestTool, json,
};

/// Characters of a text, a call's arguments or a result that are shown.
const EXCERPT: usize = 44;
/// Characters of each piece of a text that has words of the runtime around it.
const QUOTATION_EXCERPT: usize = 22;
/// Column of the arrow.
const ARROW_COLUMN: usize = 62;

/// A row of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The part of the request the row belongs to.
    pub section: Sections,
    pub text: String,
    /// Everything the row stands for, without the cuts and without its place: rows with the same key send the same.
    pub key: String,
}

/// The shape of a whole request; see the [module](self).
pub fn shape(request: &LlmRequest) -> String {
    joined(&rows(request))
}

/// The contents of a request only.
pub fn contents_shape(request: &LlmRequest) -> String {
    joined(&content_rows(request))
}

/// A content that is in no request, such as what a summariser is asked or answers.
pub fn content_shape(content: &Content) -> String {
    let role = content.role.as_deref().unwrap_or("-");
    let mut out = String::new();
    for part in content.parts() {
        out += &format!("{role} {}\n", shown(part));
    }
    out
}

/// The rows of a whole request, in the order of [`shape`].
pub fn rows(request: &LlmRequest) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(model) = &request.model {
        rows.push(Row::plain(Sections::MODEL, "model   ", model));
    }
    if let Some(system) = &request.system_instruction {
        let mut label = "system  ";
        for block in system.blocks() {
            let text: String = block.iter().map(|span| &*span.text).collect();
            let sources = sources(block.iter().map(|span| &span.origin));
            let key = text.trim_start_matches('\n').to_owned();
            rows.push(Row::new(Sections::SYSTEM, label, &quoted(&text), &sources, key));
            label = "        ";
        }
    }
    for text in request.pending_dynamic_instructions.iter() {
        let sources = sources(text.spans().iter().map(|span| &span.origin));
        let text = text.to_text();
        rows.push(Row::new(Sections::PENDING, "queued  ", &quoted(&text), &sources, text.to_string()));
    }
    let tools: Vec<String> = request.tools.iter().flat_map(tool_names).collect();
    if !tools.is_empty() {
        let key = request.tools.iter().map(|tool| json::to_compact(&tool.to_json())).collect();
        rows.push(Row { key, ..Row::plain(Sections::TOOLS, "tools   ", &tools.join(", ")) });
    }
    for field in request.config.iter() {
        let value = json::to_compact(&field.value);
        let text = format!("{} {}", field.name, excerpt(&value, EXCERPT));
        rows.push(Row::new(Sections::CONFIG, "config  ", &text, &source(&field.origin), value));
    }
    add_service_rows(&mut rows, request);
    rows.extend(content_rows(request));
    rows
}

/// What the provider is told beside the prompt: caches, chained interactions, the tier of service.
fn add_service_rows(rows: &mut Vec<Row>, request: &LlmRequest) {
    let mut add = |section, label, value: Option<String>| {
        rows.extend(value.map(|value| Row::plain(section, label, &value)));
    };
    let compact = |object: Json| json::to_compact(&object);
    let config = request.cache_config.as_ref().map(|config| compact(Json::Object(Object::clone(config))));
    add(Sections::CACHE, "cache   ", config);
    let metadata = request.cache_metadata.as_ref().map(|metadata| compact(metadata.to_json()));
    add(Sections::CACHE, "cached  ", metadata);
    let tokens = request.cacheable_contents_token_count;
    add(Sections::CACHE, "before  ", tokens.map(|tokens| format!("{tokens} prompt tokens")));
    let previous = request.previous_interaction_id.as_ref();
    add(Sections::INTERACTION, "chain   ", previous.map(|id| format!("continues interaction {id}")));
    add(Sections::INTERACTION, "tier    ", request.service_tier.as_ref().map(|tier| tier.to_string()));
}

fn content_rows(request: &LlmRequest) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, content) in request.contents.iter().enumerate() {
        let role = content.role.as_deref().unwrap_or("-");
        let mut label = format!("{at:02} {role:<6} ");
        if content.parts.is_empty() {
            rows.push(Row::plain(Sections::CONTENTS, &label, "nothing"));
        }
        for part in &content.parts {
            let text = quotation(part).unwrap_or_else(|| shown(&part.part));
            let key = format!("{role} {}", json::to_compact(&part.part.to_json()));
            let sources = sources(part.origins().iter().map(|(_, origin)| origin));
            rows.push(Row::new(Sections::CONTENTS, &label, &text, &sources, key));
            label = " ".repeat(label.len());
        }
    }
    rows
}

impl Row {
    /// A row without a source.
    fn plain(section: Sections, label: &str, text: &str) -> Self {
        Self { section, text: format!("{label}{text}"), key: text.to_owned() }
    }

    fn new(section: Sections, label: &str, text: &str, sources: &str, key: String) -> Self {
        let width = ARROW_COLUMN.saturating_sub(label.len() + 1);
        Self { section, text: format!("{label}{text:<width$} <- {sources}"), key }
    }
}

fn joined(rows: &[Row]) -> String {
    rows.iter().flat_map(|row| [&*row.text, "\n"]).collect()
}

/// A text with words of the runtime around what it is about, as in `"[bills] said: … | 42 EUR"`.
fn quotation(part: &RequestPart) -> Option<String> {
    let mut rest = part.part.text.as_deref()?;
    let mut pieces: Vec<(bool, String)> = Vec::new();
    for (bytes, origin) in part.origins() {
        let (text, after) = rest.split_at_checked(*bytes as usize)?;
        rest = after;
        let is_framing = matches!(origin, Origin::Processor { .. } | Origin::Tool { .. });
        match pieces.last_mut() {
            Some((before, piece)) if *before == is_framing => piece.push_str(text),
            _ => pieces.push((is_framing, text.to_owned())),
        }
    }
    let last = pieces.iter().rposition(|(is_framing, _)| !is_framing)?;
    let is_framed = pieces.len() > 1;
    let shown = pieces[..=last].iter().map(|(_, piece)| excerpt(piece, QUOTATION_EXCERPT));
    is_framed.then(|| format!("\"{}\"", shown.collect::<Vec<_>>().join(" | ")))
}

/// Each source once.
fn sources<'o>(origins: impl Iterator<Item = &'o Origin>) -> String {
    let mut sources: Vec<String> = Vec::new();
    for source in origins.map(source) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources.join(", ")
}

/// A source in a few words.
pub fn source(origin: &Origin) -> String {
    match origin {
        Origin::Event { event, .. } => format!("E{}", event.number()),
        Origin::Summary { event, .. } => format!("summary E{}", event.number()),
        Origin::Instruction { agent, kind } => match kind {
            InstructionKind::Global => format!("global instruction {agent}"),
            InstructionKind::Static => format!("static instruction {agent}"),
            InstructionKind::Dynamic => format!("instruction {agent}"),
        },
        Origin::State { key } => format!("state {key}"),
        Origin::Artifact { name } => format!("artifact {name}"),
        Origin::Memory { rank } => format!("memory {rank}"),
        Origin::Tool { name } => format!("tool {name}"),
        Origin::Agent { name, .. } => format!("agent {name}"),
        Origin::Run { field } => format!("run {field}"),
        Origin::Processor { name } => name.to_string(),
        Origin::Extension { name } => format!("extension {name}"),
        Origin::Rewritten { by, event: Some(event), .. } => format!("E{} by {by}", event.number()),
        Origin::Rewritten { by, event: None, .. } => by.to_string(),
    }
}

fn tool_names(tool: &RequestTool) -> Vec<String> {
    match tool {
        RequestTool::Functions(declarations) => {
            declarations.iter().map(|declaration| declaration.name().to_owned()).collect()
        }
        RequestTool::BuiltIn { json, .. } => {
            json.as_object().into_iter().flat_map(Object::keys).map(|name| format!("({name})")).collect()
        }
    }
}

/// What a part is, with its first words. A part of several kinds shows them all.
fn shown(part: &Part) -> String {
    let mut pieces = Vec::new();
    if let Some(text) = &part.text {
        let mark = if part.is_thought() { "thought " } else { "" };
        pieces.push(format!("{mark}{}", quoted(text)));
    }
    if let Some(call) = &part.function_call {
        pieces.push(named("call", call.name.as_deref(), call.args.as_deref(), call.id.as_deref()));
    }
    if let Some(response) = &part.function_response {
        let (name, id) = (response.name.as_deref(), response.id.as_deref());
        pieces.push(named("result", name, response.response.as_deref(), id));
    }
    if let Some(blob) = &part.inline_data {
        let size_bytes = blob.data.as_ref().map_or(0, |data| data.size_bytes());
        pieces.push(format!("{}, {size_bytes} bytes", blob.mime_type.as_deref().unwrap_or("data")));
    }
    if let Some(file) = &part.file_data {
        pieces.push(format!("file {}", file.file_uri.as_deref().unwrap_or("-")));
    }
    if let Some(code) = &part.executable_code {
        pieces.push(format!("code {}", quoted(code.code.as_deref().unwrap_or_default())));
    }
    if let Some(result) = &part.code_execution_result {
        pieces.push(format!("code result {}", quoted(result.output.as_deref().unwrap_or_default())));
    }
    if part.thought_signature.is_some() {
        pieces.push("signature".to_owned());
    }
    pieces.extend(part.other.keys().map(|key| key.to_string()));
    if pieces.is_empty() { "nothing".to_owned() } else { pieces.join(" + ") }
}

fn named(what: &str, name: Option<&str>, object: Option<&Object>, id: Option<&str>) -> String {
    let mut text = format!("{what} {}", name.unwrap_or("-"));
    if let Some(object) = object.filter(|object| !object.is_empty()) {
        text.push(' ');
        text.push_str(&excerpt(&json::to_compact(&Json::Object(object.clone())), EXCERPT));
    }
    if let Some(id) = id {
        text.push_str(&format!(" #{id}"));
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text, EXCERPT))
}

/// The first words on one line, with an ellipsis where something is left out.
fn excerpt(text: &str, limit: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= limit {
        return one_line;
    }
    let cut: String = one_line.chars().take(limit).collect();
    let whole_words = cut.rsplit_once(' ').map_or(&*cut, |(words, _)| words);
    format!("{whole_words} …")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app, experiment_in, request, session};

    const APP: &str = r#"{
        "name": "demo",
        "root_agent": {
            "type": "llm", "name": "desk", "model": "gemini-3.5-flash", "description": "First contact",
            "instruction": "You are the desk of {city?}.", "generate_content_config": {"temperature": 0.5},
            "tools": [{"type": "google_search"}, {"type": "function", "declaration": {"name": "look_up"}}],
            "sub_agents": [{"type": "llm", "name": "bills", "instruction": "You do bills."}]
        }
    }"#;

    #[test]
    fn every_block_and_part_has_a_row_with_its_sources() {
        let session = session(
            r#"
            session s1 [state city="Oslo"]
            user: My bill for May, and please tell me in short and simple words what is in it
            desk => bills
            bills: 42 EUR
            user: Thanks
            bills => desk
            desk: ~ Nice.
                -> look_up(key="thanks") #c1
            tool: {"answer": "You are welcome"}
            desk: You are welcome
            "#,
        );
        insta::assert_snapshot!(shape(&request(&experiment_in(app(APP), session), 5)), @r#"
        model   gemini-3.5-flash
        system  "You are the desk of Oslo."                           <- instruction desk, state city
                "You are an agent. Your internal name is …"           <- identity, agent desk
                "You have a list of other agents to transfer …"       <- agent_transfer, agent bills
        tools   transfer_to_agent, look_up, (googleSearch)
        config  temperature 0.5                                       <- agent desk
        config  labels {"adk_agent_name":"desk"}                      <- model_call
        00 user   "My bill for May, and please tell me in …"          <- E1
        01 model  call transfer_to_agent {"agent_name":"bills"}       <- E2
        02 user   result transfer_to_agent {"result":null}            <- E3
        03 user   "For context: below is a transcript of what …"      <- contents
                  "[bills] said: … | 42 EUR"                          <- contents, E4
        04 user   "Thanks"                                            <- E5
        05 user   "For context: below is a transcript of what …"      <- contents
                  "[bills] called tool … | {'agent_name': 'desk'}"    <- contents, E6
        06 user   "For context: below is a transcript of what …"      <- contents
                  "[bills] … | {'result': None}"                      <- contents, E7
        07 model  thought "Nice."                                     <- E8
                  call look_up {"key":"thanks"} #c1                   <- E8
        08 user   result look_up {"answer":"You are welcome"} #c1     <- E9
        "#);
    }

    #[test]
    fn parts_of_every_kind_are_named() {
        let session = session(
            r#"
            bot: part {"fileData": {"fileUri": "gs://a/b.pdf"}}
                part {"executableCode": {"code": "print(1)", "language": "PYTHON"}}
                part {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
                part {"text": "said", "thoughtSignature": "MTIz"}
                part {"toolCall": {"id": "x"}}
                part {}
            "#,
        );
        let content = session.events[0].content.as_ref().expect("a content");
        insta::assert_snapshot!(content_shape(content), @r#"
        model file gs://a/b.pdf
        model code "print(1)"
        model code result "1"
        model "said" + signature
        model toolCall
        model nothing
        "#);
    }
}
