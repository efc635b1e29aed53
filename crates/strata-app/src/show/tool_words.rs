//! What a tool was asked and what it said, in a few words: agents call the same tools again and again, and rows that
//! only name the tool cannot be told apart.

use strata_model::{FunctionCall, Json, Object, json};

use crate::show::words::{first_line, result, row};

/// Arguments that say what a call is about, the telling ones first. The names are those of the tools of Claude Code,
/// Codex, Gemini CLI, opencode, mini-swe-agent and SWE-agent, and of many MCP servers.
const SUBJECTS: [&str; 27] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "path",
    "filename",
    "pattern",
    "query",
    "sql",
    "url",
    "uri",
    "regex",
    "q",
    "search",
    "skill",
    "subject",
    "description",
    "prompt",
    "title",
    "name",
    "key",
    "id",
    "dir_path",
    "directory",
    "session_id",
];
/// Characters of a subject that a row has room for.
const ROOM: usize = 100;

/// What a call is about: its command, path or query; else its first plain argument.
pub(crate) fn subject(call: &FunctionCall) -> Option<String> {
    let arguments = call.args.as_deref()?;
    let named = SUBJECTS.iter().find_map(|name| Some((*name, plain(arguments.get(name)?)?)));
    let (name, text) = named.or_else(|| {
        let patched = arguments.values().find_map(|value| patched_files(value.as_str()?));
        patched.map(|files| ("patch", files)).or_else(|| first_plain(arguments))
    })?;
    let text = match name {
        "session_id" | "id" | "key" => format!("{name} {text}"),
        _ => text,
    };
    let range = lines_read(arguments).unwrap_or_default();
    Some(format!("{}{range}", row(&text, ROOM)))
}

/// What a result is about and what it says, in one line.
pub(crate) fn answered(call: Option<&FunctionCall>, response: &strata_model::FunctionResponse) -> String {
    let said = said(response);
    match call.and_then(subject) {
        Some(subject) if said.is_empty() => subject,
        Some(subject) => format!("{subject} · {said}"),
        None => said,
    }
}

/// How a command ended that did not end well: its exit code, and the first line of what it wrote.
pub(crate) fn failed_command(response: &strata_model::FunctionResponse) -> Option<(&str, String)> {
    let CommandOutput { code, output } = only_text(response).and_then(command_output)?;
    let code = code.filter(|code| *code != "0")?;
    Some((code, first_line(output.trim_start())))
}

/// What a tool returned in one line, without what every result of its kind begins with.
fn said(response: &strata_model::FunctionResponse) -> String {
    only_text(response).and_then(without_frame).unwrap_or_else(|| result(response))
}

/// A result that is one text.
fn only_text(response: &strata_model::FunctionResponse) -> Option<&str> {
    let object = response.response.as_deref()?;
    match object.len() {
        1 => object.get("result").or(object.get("output"))?.as_str(),
        _ => None,
    }
}

/// What a command came to, as agents that run commands write it.
struct CommandOutput<'t> {
    /// Absent where it still ran.
    code: Option<&'t str>,
    output: &'t str,
}

fn command_output(text: &str) -> Option<CommandOutput<'_>> {
    // Codex: "Chunk ID: …\nWall time: …\nProcess exited with code 0\n…\nOutput:\n…"
    if text.starts_with("Chunk ID:") || text.starts_with("Exit code:") || text.starts_with("Wall time:") {
        let (head, output) = text.split_once("Output:\n")?;
        let code = ["exited with code ", "Exit code: "].iter().find_map(|mark| {
            let (_, rest) = head.split_once(mark)?;
            rest.split_whitespace().next()
        });
        return Some(CommandOutput { code, output });
    }
    // mini-swe-agent: "<returncode>0</returncode>\n<output>\n…"
    let (code, rest) = text.strip_prefix("<returncode>")?.split_once("</returncode>")?;
    let output = rest.split_once("<output>").map_or(rest, |(_, output)| output);
    Some(CommandOutput { code: Some(code.trim()), output: output.trim_end_matches("</output>") })
}

fn without_frame(text: &str) -> Option<String> {
    if let Some(CommandOutput { code, output }) = command_output(text) {
        return Some(with_code(code, output));
    }
    // Claude Code: "     1→first line"
    let (number, line) = text.split_once('→')?;
    let is_numbered = !number.trim().is_empty() && number.trim().bytes().all(|byte| byte.is_ascii_digit());
    is_numbered.then(|| first_line(line))
}

fn with_code(code: Option<&str>, output: &str) -> String {
    let said = first_line(output.trim_start());
    match code {
        Some("0") | None if said.is_empty() => "no output".to_owned(),
        Some("0") | None => said,
        Some(code) => format!("exit {code} · {said}"),
    }
}

/// A value that fits a row: a text, a number, or the words of a command.
fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if text.trim().is_empty() => None,
        Json::String(text) => Some(patched_files(text).unwrap_or_else(|| first_line(text.trim_start()))),
        Json::Array(words) => {
            let words: Vec<&str> = words.iter().map(Json::as_str).collect::<Option<_>>()?;
            // `bash -lc "…"` says nothing before its last word.
            let command = match &*words {
                [_, flag, command] if flag.starts_with('-') && flag.contains('c') => (*command).to_owned(),
                _ => words.join(" "),
            };
            (!command.is_empty()).then(|| first_line(&command))
        }
        Json::Object(_) | Json::Null => None,
        number => Some(json::to_compact(number)),
    }
}

fn first_plain(arguments: &Object) -> Option<(&'static str, String)> {
    let texts = arguments.iter().filter(|(_, value)| value.as_str().is_some());
    let others = arguments.iter().filter(|(_, value)| value.as_str().is_none());
    texts.chain(others).find_map(|(name, value)| Some(("", format!("{name} {}", plain(value)?))))
}

/// The files of a patch as Codex and others write them.
fn patched_files(text: &str) -> Option<String> {
    if !text.starts_with("*** Begin Patch") {
        return None;
    }
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let mut files = text.lines().filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    let first = files.next()?;
    match files.count() {
        0 => Some(first.to_owned()),
        others => Some(format!("{first} and {others} more")),
    }
}

/// `:120–179` of a read that names its lines.
fn lines_read(arguments: &Object) -> Option<String> {
    let from = arguments.get("offset")?.as_i64()?;
    Some(match arguments.get("limit").and_then(Json::as_i64) {
        Some(limit) => format!(":{from}–{}", from.saturating_add(limit).saturating_sub(1)),
        None => format!(":{from}–"),
    })
}

#[cfg(test)]
mod tests {
    use strata_model::FunctionResponse;

    use super::*;

    fn call(arguments: &str) -> FunctionCall {
        let args = json::parse(arguments.as_bytes()).unwrap();
        FunctionCall { args: args.as_object().cloned().map(Into::into), ..FunctionCall::default() }
    }

    #[track_caller]
    fn check(arguments: &str, expected: &str) {
        assert_eq!(subject(&call(arguments)).unwrap_or_default(), expected);
    }

    #[test]
    fn a_call_is_about_its_command_path_or_query() {
        check(r#"{"description": "Run tests", "command": "npm test\n--watch"}"#, "npm test");
        check(r#"{"cmd": "git status --short", "workdir": "/w"}"#, "git status --short");
        check(r#"{"command": ["bash", "-lc", "ls -la"]}"#, "ls -la");
        check(r#"{"command": ["ls", "src"]}"#, "ls src");
        check(r#"{"file_path": "/w/src/a.rs", "offset": 120, "limit": 60}"#, "/w/src/a.rs:120–179");
        check(r#"{"pattern": "fn main", "output_mode": "content"}"#, "fn main");
        check(r#"{"session_id": 30409, "chars": ""}"#, "session_id 30409");
        check(r#"{"limit": 5, "team": "Strata"}"#, "team Strata");
        check(r#"{"deep": {"a": 1}}"#, "");
        check("{}", "");
    }

    #[test]
    fn a_patch_is_about_its_files() {
        let patch = "*** Begin Patch\\n*** Update File: src/a.rs\\n@@\\n-x\\n*** Add File: src/b.rs\\n+y\\n*** End Patch";
        check(&format!(r#"{{"input": "{patch}"}}"#), "src/a.rs and 1 more");
        check(&format!(r#"{{"command": "{patch}"}}"#), "src/a.rs and 1 more");
    }

    fn response(text: &str) -> FunctionResponse {
        let response = Object::from_iter([("output", Json::String(text.into()))]);
        FunctionResponse { response: Some(response.into()), ..FunctionResponse::default() }
    }

    #[track_caller]
    fn check_result(text: &str, expected: &str) {
        assert_eq!(answered(Some(&call(r#"{"cmd": "ls"}"#)), &response(text)), expected);
    }

    #[test]
    fn commands_that_did_not_end_well_are_told_from_others() {
        let codex =
            |code: &str| format!("Chunk ID: 1\nWall time: 0.1 seconds\n{code}\nOutput:\nno such file\n");
        let failed = |text: &str| {
            failed_command(&response(text)).map(|(code, said)| format!("{code}: {said}")).unwrap_or_default()
        };
        assert_eq!(failed(&codex("Process exited with code 2")), "2: no such file");
        assert_eq!(failed(&codex("Process exited with code 0")), "");
        assert_eq!(failed(&codex("Process running with session ID 7")), "");
        assert_eq!(failed("<returncode>127</returncode>\n<output>\nnot found</output>"), "127: not found");
        assert_eq!(failed("<returncode>0</returncode>\n<output>\n</output>"), "");
        assert_eq!(failed("Exit code: 1\nWall time: 0 seconds\nOutput:\n"), "1: ");
        assert_eq!(failed("a text that says Process exited with code 2"), "");
    }

    #[test]
    fn a_result_says_what_was_asked_and_skips_what_all_results_begin_with() {
        check_result(
            "Chunk ID: 344c6e\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nCargo.toml\nsrc\n",
            "ls · Cargo.toml",
        );
        check_result(
            "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno such file\n",
            "ls · exit 2 · no such file",
        );
        check_result("<returncode>0</returncode>\n<output>\n</output>", "ls · no output");
        check_result("     1→package strategy\n     2→\n", "ls · package strategy");
        check_result("a → b\nc", "ls · a → b");
    }

    #[test]
    fn a_result_whose_call_is_not_there_says_what_it_can() {
        let response = FunctionResponse::default();
        assert_eq!(answered(None, &response), "");
    }
}
