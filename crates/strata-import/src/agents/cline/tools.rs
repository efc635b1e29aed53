//! Calls that Cline's prompt has the model write as XML, and results that are told in words.

use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Messages, Turn};

/// Tools of Cline and Roo, in order. What stands between other tags is text.
const TOOLS: [&str; 30] = [
    "access_mcp_resource",
    "apply_diff",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "edit_file",
    "execute_command",
    "fetch_instructions",
    "generate_image",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "read_file",
    "replace_in_file",
    "report_bug",
    "run_slash_command",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "web_fetch",
    "web_search",
    "write_to_file",
];

/// Parameters that may hold tags of any kind: they end with the last of their own.
const LONG: [&str; 3] = ["content", "diff", "result"];

/// The calls of the last answer that nothing was told of yet.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    open: Vec<(Str, Str)>,
    n_written: usize,
}

impl OpenCalls {
    /// Takes note of an answer's calls. One that is written as XML becomes a call: the client runs the first.
    pub(super) fn answered(&mut self, turn: &mut Turn, messages: &mut Messages<'_>) {
        let is_native = turn.parts.iter().any(|part| part.function_call.is_some());
        let written = turn.parts.iter().enumerate().find_map(|(at, part)| {
            let text = part.text.as_ref().filter(|_| !part.is_thought())?;
            Some((at, WrittenCall::find(text)?, text.clone()))
        });
        if let Some((at, call, text)) = written.filter(|_| !is_native) {
            self.n_written += 1;
            let id = format!("written-call-{}", self.n_written).into();
            let behind = turn.parts.split_off(at + 1);
            turn.parts.pop();
            let words = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(Part::from_text);
            turn.parts.extend(words(&text[..call.start]));
            messages.push_call(Some(id), Some(call.name.into()), Some(Json::Object(call.args)), turn);
            turn.parts.extend(words(&text[call.end..]));
            turn.parts.extend(behind);
        }
        let calls = turn.parts.iter().filter_map(|part| part.function_call.as_deref());
        self.open = calls.filter_map(|call| Some((call.name.clone()?, call.id.clone()?))).collect();
    }

    /// The call whose result is told by this name. Tools of servers are told by the name of what calls them: then it is
    /// that of the only call.
    fn open_call(&self, name: &str) -> Option<usize> {
        let named = self.open.iter().position(|(open, _)| **open == *name);
        named.or_else(|| (name == "use_mcp_tool" && self.open.len() == 1).then_some(0))
    }

    /// Makes results of texts that tell one, by the name of its tool: `[list_files for 'src'] Result:`.
    pub(super) fn told(&mut self, turn: &mut Turn, messages: &mut Messages<'_>) {
        let mut parts = std::mem::take(&mut turn.parts).into_iter().peekable();
        while let Some(part) = parts.next() {
            let told = part.text.as_deref().and_then(|text| Some((result_of(text)?, text)));
            let open = told.and_then(|((name, _), _)| self.open_call(name));
            let (Some(((_, is_alone), text)), Some(open)) = (told, open) else {
                turn.parts.push(part);
                continue;
            };
            let (name, id) = self.open.remove(open);
            let mut content = text.to_owned();
            // Before 2025 what was found stood in a text of its own.
            let next = parts.next_if(|next| is_alone && next.text.as_deref().is_some_and(is_output));
            if let Some(text) = next.and_then(|next| next.text) {
                content += "\n";
                content += &text;
            }
            messages.result(Some(id), Some(name), Some(Json::String(content.into())), false, turn);
        }
    }
}

/// Whether a text tells the result of a tool.
pub(super) fn is_told_result(text: &str) -> bool {
    result_of(text).is_some()
}

/// The tool whose result a text tells, and whether the result itself is still to come.
fn result_of(text: &str) -> Option<(&str, bool)> {
    let text = text.trim_start().strip_prefix('[')?;
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (described, same_line) = line.split_once("] Result:")?;
    let name = described.split([' ', ']']).next().filter(|name| !name.is_empty())?;
    Some((name, same_line.trim().is_empty() && rest.trim().is_empty()))
}

fn is_output(text: &str) -> bool {
    !text.trim_start().starts_with("<environment_details>") && result_of(text).is_none()
}

/// A call as the model wrote it, and where in its text.
struct WrittenCall {
    start: usize,
    end: usize,
    name: &'static str,
    args: Object,
}

impl WrittenCall {
    /// The first one of a text, at the beginning of a line.
    fn find(text: &str) -> Option<Self> {
        let (start, name) = memchr::memchr_iter(b'<', text.as_bytes()).find_map(|at| {
            let tag = &text[at + 1..];
            let is_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
            let (name, rest) = tag.split_at(tag.bytes().take_while(is_name).count());
            let known = TOOLS.binary_search(&name).ok().filter(|_| rest.starts_with('>'))?;
            let before = text[..at].trim_end_matches([' ', '\t']);
            (before.is_empty() || before.ends_with('\n')).then_some((at, TOOLS[known]))
        })?;
        let inner = start + name.len() + 2;
        let close = format!("</{name}>");
        let end = text[inner..].rfind(&close)? + inner;
        Some(Self { start, end: end + close.len(), name, args: args_of(&text[inner..end]) })
    }
}

/// The parameters, each between tags of its name. Text that stands in none is left out: the client does not read it.
fn args_of(mut text: &str) -> Object {
    let mut args = Object::new();
    while let Some((name, rest)) = text.trim_start().strip_prefix('<').and_then(|tag| tag.split_once('>')) {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let close = format!("</{name}>");
        let end = if LONG.contains(&name) { rest.rfind(&close) } else { rest.find(&close) };
        let Some(end) = end.filter(|_| is_name) else { break };
        args.insert(name, rest[..end].trim_matches('\n'));
        text = &rest[end + close.len()..];
    }
    args
}
