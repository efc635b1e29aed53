//! What gives each format away.

mod traffic;

use strata_model::{Json, Object};
use strata_wire::stream::is_stream;

use super::Detection;
use super::partial::first_values;
use crate::format::{Format, UnreadFormat};
use crate::tables::Table;

/// Beginnings of files that are no sessions.
pub(super) const SIGNATURES: [(&[u8], &str); 13] = [
    (b"\x89PNG", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF8", "an image (GIF)"),
    (b"RIFF", "a media file"),
    (b"%PDF", "a PDF document"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file; unpack it and import what is inside"),
    (b"BZh", "a bzip2 file; unpack it and import what is inside"),
    (b"\xfd7zXZ", "an xz file; unpack it and import what is inside"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it and import what is inside"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8 and import it again"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8 and import it again"),
];

/// Names what a JSON value of the file is, if its keys tell.
pub(super) fn value(value: &Json) -> Option<Detection> {
    match value {
        Json::Object(object) => Keys(object).format(),
        Json::Array(items) => list(items),
        _ => None,
    }
}

fn list(items: &[Json]) -> Option<Detection> {
    let first = Keys(items.first()?.as_object()?);
    let readable = |format| Some(Detection::Readable(format));
    if first.has_any(&["query", "expected_tool_use"]) || (first.has("data") && first.has("initial_session")) {
        return readable(Format::AdkEvalSet);
    }
    if first.has("name") && first.has("trace_id") && first.has("span_id") {
        return readable(Format::AdkTrace);
    }
    if first.has("task_id") && first.has("traj") {
        return readable(Format::TauBench);
    }
    if first.has("source") && first.has_any(&["action", "observation"]) {
        return readable(Format::OpenHands);
    }
    if first.is_of_interface() {
        return readable(Format::Cline);
    }
    // Records of Claude Code have types and contents too.
    if first.is_foreign_message() && !first.has_any(&["session_id", "sessionId", "uuid", "parentUuid"]) {
        return readable(Format::Messages);
    }
    if first.has("role") && first.has_any(&["content", "tool_calls", "parts"]) {
        return readable(if first.has("ts") { Format::Cline } else { Format::Messages });
    }
    match first.format()? {
        // A list of events, as `POST /run` answers, is one document.
        Detection::Readable(Format::AdkEvents) => readable(Format::AdkSession),
        found => Some(found),
    }
}

/// The messages of Cline's interface, a list of them.
pub(super) fn is_interface_of_cline(value: &Json) -> bool {
    let first = value.as_array().and_then(|items| items.first()?.as_object());
    first.is_some_and(|first| Keys(first).is_of_interface())
}

struct Keys<'o>(&'o Object);

impl<'o> Keys<'o> {
    /// The first element of a list, when it is an object.
    fn first_of(&self, key: &str) -> Option<Keys<'o>> {
        self.0.get(key)?.as_array()?.first()?.as_object().map(Keys)
    }
}

impl Keys<'_> {
    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    fn holds_list(&self, key: &str) -> bool {
        matches!(self.0.get(key), Some(Json::Array(_)))
    }

    fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(Json::as_str).unwrap_or_default()
    }

    fn inner(&self, key: &str) -> Option<Keys<'_>> {
        self.0.get(key)?.as_object().map(Keys)
    }

    /// In the order in which formats may look like one another: the telling ones first.
    fn format(&self) -> Option<Detection> {
        let readable = || {
            if self.is_claude_code() {
                Some(Format::ClaudeCode)
            } else if self.has_any(&["eval_cases", "evalCases"]) {
                Some(Format::AdkEvalSet)
            } else if self.has_any(&["eval_case_results", "evalCaseResults"]) {
                Some(Format::AdkEvalResult)
            } else if self.is_adk_session() {
                Some(Format::AdkSession)
            } else if self.is_adk_event() {
                Some(Format::AdkEvents)
            } else {
                None
            }
        };
        if self.is_adk_before_1() {
            return Some(Detection::Unread(UnreadFormat::AdkBefore1));
        }
        let found = self.agent_log().or_else(|| self.trajectory()).or_else(|| self.telemetry());
        found.or_else(readable).or_else(|| self.provider_traffic()).map(Detection::Readable)
    }

    fn is_claude_code(&self) -> bool {
        let kind = self.text("type");
        let is_message = matches!(kind, "user" | "assistant") && self.inner("message").is_some();
        let is_note = kind == "summary" && self.has("leafUuid");
        let is_snapshot = kind == "file-history-snapshot";
        // What `claude -p` puts out.
        let is_output = self.has("session_id")
            && match kind {
                "system" => self.has("subtype"),
                "stream_event" => self.has("event"),
                "result" => self.has_any(&["is_error", "total_cost_usd"]),
                _ => false,
            };
        self.has_any(&["parentUuid", "isSidechain"]) || is_message || is_note || is_snapshot || is_output
    }

    fn is_adk_session(&self) -> bool {
        let is_named = self.has_any(&["appName", "app_name"]) && self.has("id");
        let is_owned = self.has_any(&["userId", "user_id"]) && self.has_any(&["state", "events"]);
        (is_named && (is_owned || self.has("events"))) || self.holds_adk_events()
    }

    fn holds_adk_events(&self) -> bool {
        self.first_of("events").is_some_and(|event| event.is_adk_event())
    }

    fn is_adk_event(&self) -> bool {
        let has_invocation = self.has_any(&["invocationId", "invocation_id"]);
        let has_payload = self.has_any(&["content", "actions", "nodeInfo", "node_info", "errorCode"]);
        self.has("author") && (has_invocation || has_payload)
    }

    fn is_adk_before_1(&self) -> bool {
        let has_old_keys = self.has_any(&["past_events", "pending_events", "event_logs"]);
        let has_context =
            self.has_all(&["id", "context", "events"]) && !self.has_any(&["appName", "app_name"]);
        has_old_keys || has_context
    }

    /// Files that coding agents keep.
    fn agent_log(&self) -> Option<Format> {
        let kind = self.text("type");
        let is_codex_line = self.has("payload") && self.has("timestamp") && !kind.is_empty();
        let is_codex_output = matches!(kind, "thread.started" | "turn.started")
            // The logs of other programs begin with this too.
            || (kind == "session.created" && self.has_any(&["session_id", "thread_id"]))
            || (kind.starts_with("item.") && self.has("item"))
            || self.inner("msg").is_some_and(|msg| msg.has("type"));
        let is_old_codex = self.text("record_type") == "state"
            || (kind.is_empty() && self.has_all(&["id", "timestamp", "instructions"]))
            || (self.inner("session").is_some_and(|session| session.has("id")) && self.holds_list("items"));
        if kind == "session_meta" || is_codex_line || is_codex_output || is_old_codex {
            Some(Format::Codex)
        } else if self.is_gemini_cli() {
            Some(Format::GeminiCli)
        } else if kind.starts_with("session.start")
            || (self.has("data") && kind.starts_with("session."))
            || self.has_all(&["sessionId", "chatMessages"])
        {
            Some(Format::CopilotCli)
        } else if self.has_all(&["sessionId", "messages", "agent"]) || self.is_roo() {
            Some(Format::Cline)
        } else if self.is_goose() {
            Some(Format::GooseFile)
        } else if self.is_openhands() {
            Some(Format::OpenHands)
        } else if self.is_opencode() {
            Some(Format::OpenCodeExport)
        } else if self.has_all(&["agent", "workspace"]) {
            Some(Format::OpenHands)
        } else {
            None
        }
    }

    /// What a session is, one of its messages, or all of it.
    fn is_goose(&self) -> bool {
        let is_message =
            |it: &Keys<'_>| it.has_all(&["role", "created"]) && it.holds_list("content") && !it.has("object");
        let is_header = self.has("working_dir")
            && self.has_any(&["description", "name"])
            && self.has_any(&["message_count", "conversation", "accumulated_total_tokens", "extension_data"]);
        let in_run =
            self.text("type") == "message" && self.inner("message").is_some_and(|it| is_message(&it));
        is_header || is_message(self) || in_run || self.has_all(&["working_dir", "conversation"])
    }

    /// A message of Cline's interface.
    fn is_of_interface(&self) -> bool {
        self.has_all(&["ts", "type"]) && self.has_any(&["say", "ask"])
    }

    /// A conversation of Roo in its second version.
    fn is_roo(&self) -> bool {
        let first = self.first_of("messages");
        self.has("version") && first.is_some_and(|message| message.has_all(&["role", "ts"]))
    }

    /// A chat, a checkpoint, an entry of the list of prompts, or what the program puts out.
    fn is_gemini_cli(&self) -> bool {
        let holds_contents =
            |key: &str| self.first_of(key).is_some_and(|content| content.has_all(&["role", "parts"]));
        let is_output = (self.text("type") == "init" && self.has_all(&["session_id", "model"]))
            || (self.has("response") && self.inner("stats").is_some_and(|stats| stats.has("models")));
        // Qwen Code writes Gemini's contents into records like those of Claude Code.
        let is_qwen = self.has("parentUuid")
            && (self.inner("message").is_some_and(|message| message.has("parts"))
                || self.has("systemPayload"));
        self.has_all(&["sessionId", "projectHash"])
            || self.has_all(&["history", "authType"])
            || self.has_all(&["history", "clientHistory"])
            || self.has_all(&["sessionId", "messageId", "message"])
            || holds_contents("history")
            || is_output
            || is_qwen
    }

    /// An export, or a file of the storage of old versions.
    fn is_opencode(&self) -> bool {
        let has_info = self.inner("info").is_some_and(|info| info.has_any(&["slug", "projectID", "version"]));
        (has_info && self.has("messages"))
            || self.has_all(&["id", "projectID", "time"])
            || self.has_all(&["id", "sessionID", "messageID", "type"])
            || self.has_all(&["id", "sessionID", "role", "time"])
    }

    fn is_openhands(&self) -> bool {
        let is_event = self.has("kind") && self.has_all(&["id", "timestamp", "source"]);
        let is_old = self.has_any(&["action", "observation"]) && self.has_all(&["source", "id", "timestamp"]);
        let is_first_of = |key: &str| {
            self.first_of(key)
                .is_some_and(|event| event.has("source") && event.has_any(&["action", "observation", "kind"]))
        };
        is_event || is_old || is_first_of("history") || is_first_of("trajectory")
    }

    /// Files that evaluation tools keep.
    fn trajectory(&self) -> Option<Format> {
        let has_stats = self.inner("info").is_some_and(|info| info.has("model_stats"));
        if self.has_all(&["trajectory", "history"]) || self.has_all(&["environment", "trajectory"]) {
            Some(Format::SweAgent)
        } else if self.has("trajectory_format") || (has_stats && !self.has("trajectory")) {
            Some(Format::MiniSweAgent)
        } else if has_stats {
            Some(Format::SweAgent)
        } else if self.has("eval") && self.has_any(&["samples", "plan", "version"]) {
            Some(Format::Inspect)
        } else if self.has_all(&["task_id", "traj"])
            || self.has_all(&["info", "simulations"])
            || self.has_all(&["info", "tasks"])
            || (self.has("task_id") && self.has("termination_reason"))
            || self.has("messages_display")
        {
            Some(Format::TauBench)
        } else {
            None
        }
    }
}

/// Names text that is not JSON.
pub(super) fn text(text: &[u8]) -> Option<Detection> {
    let head = String::from_utf8_lossy(&text[..text.len().min(64 * 1024)]);
    if is_stream(&head)
        && let Some(format) = event_stream(text)
    {
        return Some(Detection::Readable(format));
    }
    let line_starts = |start: &str| head.lines().any(|line| line.starts_with(start));
    if line_starts("# aider chat started at") {
        return Some(Detection::Readable(Format::Aider));
    }
    if line_starts("interactions:") || line_starts("http_interactions:") {
        return Some(Detection::Readable(Format::Vcr));
    }
    if line_starts("invocation_id:") && line_starts("session_id:") {
        return Some(Detection::Readable(Format::AdkDebugLog));
    }
    let n_digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=12).contains(&n_digits) && text.get(n_digits) == Some(&b':') && text.contains(&b'~') {
        return Some(Detection::Readable(Format::Mitmproxy));
    }
    None
}

/// Server-sent events of ADK, or of a provider. Without a payload it is text that only begins like them.
fn event_stream(text: &[u8]) -> Option<Format> {
    let payloads = text.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    let mut format = None;
    for payload in payloads.map(<[u8]>::trim_ascii).take(20) {
        let value = first_values(payload).and_then(|values| values.into_iter().next());
        match value.as_ref().and_then(Json::as_object) {
            Some(object) if Keys(object).is_adk_event() => return Some(Format::AdkEventStream),
            Some(_) => format = Some(Format::ProviderLog),
            // An object that goes on in the next line.
            None if payload == b"{" => format = Some(Format::ProviderLog),
            None => {}
        }
    }
    format
}

/// Names a database by its tables and their columns.
pub(super) fn tables(tables: &[Table]) -> Detection {
    let has = |name: &str| tables.iter().any(|table| table.name == name);
    let events = tables.iter().find(|table| table.name == "events");
    let unread = |format| Detection::Unread(format);
    match events {
        Some(events) if events.has("event_data") && has("adk_internal_metadata") => {
            Detection::Readable(Format::AdkDatabase)
        }
        Some(events) if events.has("event_data") => Detection::Readable(Format::AdkSqlite),
        Some(events) if events.has("actions") => Detection::Readable(Format::AdkPickleDatabase),
        _ if has("part") && has("message") && has("session") => Detection::Readable(Format::OpenCode),
        _ if has("usage_ledger") || (has("messages") && has("sessions")) => {
            Detection::Readable(Format::Goose)
        }
        _ if has("checkpoints") && has("writes") => Detection::Readable(Format::LangGraph),
        _ if has("spans") => unread(UnreadFormat::AdkSpanDatabase),
        _ if has("threads") => unread(UnreadFormat::CodexIndex),
        _ => Detection::NotASession("not a session: a database without tables of a known tool".into()),
    }
}
