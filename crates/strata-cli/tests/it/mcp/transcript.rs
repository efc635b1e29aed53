//! Transcripts of Claude Code, line by line.

use serde_json::{Value, json};

/// A session that goes on.
pub(super) struct Transcript {
    session: &'static str,
    folder: &'static str,
    lines: Vec<String>,
}

impl Transcript {
    pub(super) fn new(session: &'static str, folder: &'static str) -> Self {
        Self { session, folder, lines: Vec::new() }
    }

    fn add(&mut self, kind: &str, message: &Value) {
        let at = self.lines.len();
        let parent = at.checked_sub(1).map(|before| format!("u{before}"));
        let time = format!("2026-11-20T{:02}:{:02}:{:02}.000Z", at / 3600 % 24, at / 60 % 60, at % 60);
        let line = json!({
            "type": kind, "uuid": format!("u{at}"), "parentUuid": parent, "sessionId": self.session, "cwd": self.folder,
            "timestamp": time, "version": "2.1.0", "isSidechain": false, "userType": "external", "message": message,
        });
        self.lines.push(line.to_string());
    }

    pub(super) fn user(mut self, text: &str) -> Self {
        self.add("user", &json!({"role": "user", "content": text}));
        self
    }

    fn answers(mut self, content: &Value, input: usize) -> Self {
        let usage = json!({"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20});
        let id = format!("msg_{}", self.lines.len());
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "content": content, "usage": usage});
        self.add("assistant", &message);
        self
    }

    pub(super) fn model(self, text: &str, input: usize) -> Self {
        self.answers(&json!([{"type": "text", "text": text}]), input)
    }

    pub(super) fn calls(self, id: &str, tool: &str, arguments: &Value, input: usize) -> Self {
        self.answers(&json!([{"type": "tool_use", "id": id, "name": tool, "input": arguments}]), input)
    }

    pub(super) fn result(mut self, id: &str, text: &str) -> Self {
        let content = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
        self.add("user", &json!({"role": "user", "content": content}));
        self
    }

    pub(super) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// A session with so many turns, each with a call of a tool.
pub(super) fn long(turns: usize) -> String {
    let mut transcript = Transcript::new("5e551017-0000-4000-8000-00000000b166", "/home/ada/work");
    for turn in 0..turns {
        let id = format!("toolu_{turn}");
        let path = format!("/home/ada/work/src/part_{turn}.rs");
        let result = format!("fn part_{turn}() {{ /* {} */ }}", "needle in the hay ".repeat(20));
        transcript = transcript
            .user(&format!(
                "Look at {path} and tell me what number {turn} does, and keep id ORD-{:05}.",
                turn * 7
            ))
            .calls(
                &id,
                &format!("mcp__tools__number_{}", turn % 60),
                &json!({"path": path}),
                900 + 100 * turn,
            )
            .result(&id, &result)
            .model(&format!("Part {turn} does nothing yet."), 1_000 + 100 * turn);
    }
    transcript.text()
}
