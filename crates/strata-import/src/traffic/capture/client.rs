//! Who sent a request, of which session, and what for: by the ids that clients send along.

use strata_model::{Json, Object, Str, json, secret};
use strata_wire::{NamedContext, contexts_of_http};

/// Who sent a request, as far as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedBy {
    /// As sessions of its own files are called; `http` for programs of people's own.
    pub client: &'static str,
    pub session: Option<Str>,
    /// Who asks in that session.
    pub agent: Str,
}

/// Who sent a request, by its address, its headers and its body.
pub fn captured_by(url: &str, headers: &[(String, String)], body: &Json) -> CapturedBy {
    let headers = headers.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into()));
    Head { url: url.into(), headers: headers.collect() }.captured_by(body)
}

/// A program that sends requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Client {
    /// As sessions of its own files are called.
    pub(super) app: &'static str,
    /// Its main agent.
    pub(super) agent: &'static str,
    /// It asks models for titles and routes beside its work.
    asks_beside: bool,
}

const fn agent(app: &'static str, agent: &'static str) -> Client {
    Client { app, agent, asks_beside: true }
}

/// By what `User-Agent` begins with, in small letters.
const CLIENTS: [(&str, Client); 7] = [
    ("claude-cli/", agent("claude-code", "claude")),
    ("codex", agent("codex", "codex")),
    ("geminicli", agent("gemini-cli", "gemini")),
    ("opencode/", agent("opencode", "opencode")),
    ("qwencode/", agent("qwen-code", "qwen")),
    ("cline", agent("cline", "cline")),
    ("pi/", agent("pi", "pi")),
];

/// Copilot CLI calls itself by the SDK that it is made with. It says in this header for whom it asks.
const COPILOT: (&str, Client) = ("x-initiator", agent("copilot", "copilot"));

/// Whether sessions of a client are called so that is known when it is captured.
pub fn is_captured_client(app: &str) -> bool {
    CLIENTS.iter().chain([&COPILOT]).any(|(_, client)| client.app == app)
}

/// Of an id of an agent, in its name.
const ID_CHARS: usize = 8;

/// Programs of people's own.
const OTHER: Client = Client { app: "http", agent: "model", asks_beside: false };

/// What a request says besides its body.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    pub(super) url: Str,
    headers: Vec<(Str, Str)>,
}

impl Head {
    pub(super) fn take(fields: &Object) -> Self {
        let headers = fields.get("headers").and_then(Json::as_array).unwrap_or_default();
        let pair = |header: &Json| Some((text_at(header, 0)?, text_at(header, 1)?));
        Self {
            url: fields.get("url").and_then(Json::as_str).unwrap_or_default().into(),
            headers: headers.iter().filter_map(pair).collect(),
        }
    }

    pub(super) fn captured_by(&self, body: &Json) -> CapturedBy {
        let client = self.client();
        CapturedBy { client: client.app, session: self.session(body), agent: client.lane(self, body) }
    }

    /// The contexts that its headers name. Cookies are masked before they are written.
    pub(super) fn contexts(&self) -> Vec<NamedContext> {
        let headers = self.headers.iter().filter(|(_, value)| !secret::is_masked(value));
        contexts_of_http("", headers.map(|(name, value)| (&**name, &**value)))
    }

    fn header(&self, name: &str) -> Option<&Str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(it, _)| it.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .filter(|it| !it.is_empty())
    }

    pub(super) fn client(&self) -> Client {
        let named = self.header("user-agent").map(|it| it.to_ascii_lowercase()).unwrap_or_default();
        let known = CLIENTS.iter().find(|(begin, _)| named.starts_with(begin));
        let copilot = || self.header(COPILOT.0).map(|_| COPILOT.1);
        known.map(|(_, client)| *client).or_else(copilot).unwrap_or(OTHER)
    }

    /// The session that a client says it is of. The first that is there: what a client calls its session comes before what
    /// it gives to caches, which several sessions may share.
    fn session(&self, body: &Json) -> Option<Str> {
        // With models of OpenAI's, opencode calls a sub-agent's own session by Codex's header, too.
        const HEADERS: [&str; 4] =
            ["x-claude-code-session-id", "x-parent-session-id", "session-id", "x-session-id"];
        let in_header = HEADERS.iter().find_map(|name| self.header(name)).cloned();
        let in_body = |path: &[&str]| text_in(body, path);
        in_header
            .or_else(|| in_body(&["request", "session_id"]))
            .or_else(|| in_body(&["session_id"]))
            .or_else(|| in_body(&["metadata", "user_id"]).and_then(|user| session_of_user(&user)))
            .or_else(|| in_body(&["prompt_cache_key"]))
            .or_else(|| in_body(&["conversation", "id"]))
            .or_else(|| in_body(&["conversation"]))
            .or_else(|| in_body(&["metadata", "session_id"]))
    }

    /// What tells the agent of that session that asks from others, where it is not the main one: the end of its id, which
    /// can be read. Ids of Codex and opencode begin with the time, so that those of one minute begin alike.
    fn sub_agent(&self) -> Option<String> {
        let end = |id: &Str| id.chars().skip(id.chars().count().saturating_sub(ID_CHARS)).collect();
        if let Some(id) = self.header("x-claude-code-agent-id") {
            return Some(end(id));
        }
        if let Some(parent) = self.header("x-parent-session-id") {
            return self.header("x-session-id").filter(|own| *own != parent).map(end);
        }
        let thread = self.header("thread-id").filter(|thread| Some(*thread) != self.header("session-id"));
        thread.map(end).or_else(|| self.header("x-openai-subagent").map(ToString::to_string))
    }

    /// What kind of request Codex says it is: over a WebSocket each says it by itself.
    fn codex_kind(&self, body: &Json) -> Option<String> {
        let own = text_in(body, &["client_metadata", "x-codex-turn-metadata"]);
        let own = own.as_ref().or_else(|| self.header("x-codex-turn-metadata"));
        let about = json::parse(own?.as_bytes()).ok()?;
        about.get("request_kind")?.as_str().map(str::to_owned)
    }
}

impl Client {
    /// The name of who asks.
    fn lane(self, head: &Head, body: &Json) -> Str {
        if let Some(beside) = self.beside(head, body) {
            return beside.into();
        }
        match head.sub_agent() {
            Some(id) => format!("{}-{id}", self.agent).into(),
            None => self.agent.into(),
        }
    }

    /// What a client asks beside its work.
    fn beside(self, head: &Head, body: &Json) -> Option<&'static str> {
        if !self.asks_beside {
            return None;
        }
        match head.codex_kind(body).as_deref() {
            Some("compaction") => return Some("summary"),
            Some("prewarm") => return Some("warm-up"),
            _ => {}
        }
        if body.get("generate").and_then(Json::as_bool) == Some(false) {
            return Some("warm-up");
        }
        if is_summary(body) {
            return Some("summary");
        }
        let inner = body.get("request").unwrap_or(body);
        let has_tools = inner.get("tools").and_then(Json::as_array).is_some_and(|tools| !tools.is_empty());
        if has_tools {
            return None;
        }
        let system = ["system", "systemInstruction", "instructions"].iter().find_map(|key| inner.get(key));
        let messages = ["messages", "input"].iter().find_map(|key| inner.get(key)?.as_array());
        let first = || messages?.first();
        let says_title =
            system.or_else(first).is_some_and(|system| written(system).to_lowercase().contains("title"));
        if says_title {
            return Some("title");
        }
        has_schema(inner).then_some("router")
    }
}

/// Whether an answer of a given form is asked for.
fn has_schema(body: &Json) -> bool {
    let at =
        |path: &[&str]| path.iter().try_fold(body, |value, key| value.get(key)).is_some_and(Json::is_truthy);
    at(&["generationConfig", "responseJsonSchema"])
        || at(&["generationConfig", "responseSchema"])
        || at(&["output_config", "format"])
        || at(&["output_format"])
        || at(&["response_format"])
        || at(&["text", "format", "schema"])
}

/// Whether the last message asks for a summary of all others in the words in which Claude Code does.
fn is_summary(body: &Json) -> bool {
    const WORDS: [&str; 2] =
        ["CRITICAL: Respond with TEXT ONLY", "Your task is to create a detailed summary"];
    let last = body.get("messages").and_then(Json::as_array).and_then(|messages| messages.last());
    last.is_some_and(|last| {
        let text = written(last);
        WORDS.iter().any(|words| text.contains(words)) && text.contains("detailed summary")
    })
}

/// The session in Claude Code's name of a user: JSON in newer versions, `user_…_session_ID` in older ones.
fn session_of_user(user: &str) -> Option<Str> {
    if let Ok(about) = json::parse(user.as_bytes()) {
        return text_in(&about, &["session_id"]);
    }
    user.split_once("_session_").map(|(_, id)| id.into()).filter(|id: &Str| !id.is_empty())
}

fn text_in(value: &Json, path: &[&str]) -> Option<Str> {
    let value = path.iter().try_fold(value, |value, key| value.get(key))?;
    value.as_str().filter(|text| !text.is_empty()).map(Str::from)
}

fn text_at(value: &Json, at: usize) -> Option<Str> {
    value.as_array()?.get(at)?.as_str().map(Str::from)
}

fn written(value: &Json) -> String {
    let mut text = String::new();
    json::write_compact(&mut text, value);
    text
}
