//! Where each tool keeps its sessions, and which of its files they are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::place::Environment;

/// A folder or file that may be there.
pub(super) struct Candidate {
    pub tool: &'static str,
    pub path: PathBuf,
    pub is_session: fn(&Path) -> bool,
}

/// Keeps sessions of other tools once more, as text to read.
pub(super) const RENDERED: &str = "SpecStory";

/// Editors that run the extensions of VS Code, by the name of their folder of settings.
const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// Extensions that keep a folder for each task.
const EXTENSIONS: [(&str, &str); 3] = [
    ("Cline", "saoudrizwan.claude-dev"),
    ("Roo Code", "rooveterinaryinc.roo-cline"),
    ("Kilo Code", "kilocode.kilo-code"),
];

pub(super) fn candidates(surroundings: &Environment) -> Vec<Candidate> {
    let data = surroundings.folder("XDG_DATA_HOME", ".local/share");
    let codex = surroundings.folder("CODEX_HOME", ".codex");
    let new = |tool, path, is_session| Candidate { tool, path, is_session };
    let mut candidates = vec![
        new("Claude Code", surroundings.folder("CLAUDE_CONFIG_DIR", ".claude").join("projects"), is_jsonl),
        new("Codex CLI", codex.join("sessions"), is_rollout),
        new("Codex CLI, archived", codex.join("archived_sessions"), is_rollout),
        new("Gemini CLI", surroundings.home.join(".gemini/tmp"), is_gemini_chat),
        new("Copilot CLI", surroundings.folder("COPILOT_HOME", ".copilot").join("session-state"), is_jsonl),
        new("opencode", data.join("opencode/opencode.db"), is_any),
        new("opencode", data.join("opencode/storage"), is_opencode_session),
        new("Goose", data.join("goose/sessions/sessions.db"), is_any),
        new("OpenHands", surroundings.home.join(".openhands/conversations"), is_openhands),
        new("Qwen Code", surroundings.home.join(".qwen/projects"), is_qwen_chat),
        new("Pi", surroundings.folder("PI_CODING_AGENT_DIR", ".pi/agent").join("sessions"), is_jsonl),
        new(
            "Continue",
            surroundings.folder("CONTINUE_GLOBAL_DIR", ".continue").join("sessions"),
            is_continue,
        ),
        new("Droid", surroundings.home.join(".factory/sessions"), is_jsonl),
        new("Windsurf", surroundings.home.join(".windsurf/transcripts"), is_jsonl),
        new("Amp", data.join("amp/threads"), is_amp_thread),
        new("Zed", data.join("zed/threads/threads.db"), is_any),
        new("Kiro", data.join("kiro-cli/data.sqlite3"), is_any),
        new("Amazon Q", data.join("amazon-q/data.sqlite3"), is_any),
        new("Cursor, agent", surroundings.home.join(".cursor/projects"), is_cursor_transcript),
    ];
    if !surroundings.variables.contains_key("CLAUDE_CONFIG_DIR") {
        // Some versions keep their files there.
        let config = surroundings.folder("XDG_CONFIG_HOME", ".config");
        candidates.push(new("Claude Code", config.join("claude/projects"), is_jsonl));
    }
    if let Some(here) = &surroundings.here {
        candidates.push(new("Crush", here.join(".crush/crush.db"), is_any));
        candidates.push(new(RENDERED, here.join(".specstory/history"), is_markdown));
    }
    if let Some(roaming) = surroundings.variables.get("APPDATA") {
        let goose = Path::new(roaming).join("Block/goose/data/sessions/sessions.db");
        candidates.push(new("Goose", goose, is_any));
    }
    for settings in settings_folders(surroundings) {
        candidates.push(new("Zed", settings.join("Zed/threads/threads.db"), is_any));
        candidates.push(new("Kiro", settings.join("kiro-cli/data.sqlite3"), is_any));
        candidates.push(new("Amazon Q", settings.join("amazon-q/data.sqlite3"), is_any));
        candidates.push(new("Cursor", settings.join("Cursor/User/globalStorage/state.vscdb"), is_any));
        for editor in EDITORS {
            let user = settings.join(editor).join("User");
            candidates.push(new("VS Code chat", user.join("workspaceStorage"), is_vscode_chat));
            let windows = user.join("globalStorage/emptyWindowChatSessions");
            candidates.push(new("VS Code chat", windows, is_json_or_lines));
            for (tool, extension) in EXTENSIONS {
                let tasks = settings.join(editor).join("User/globalStorage").join(extension).join("tasks");
                candidates.push(new(tool, tasks, is_task));
            }
        }
    }
    candidates
}

/// Where editors have their folders of settings, on any of the systems.
fn settings_folders(surroundings: &Environment) -> Vec<PathBuf> {
    let mut folders = vec![
        surroundings.folder("XDG_CONFIG_HOME", ".config"),
        surroundings.home.join("Library/Application Support"),
    ];
    folders.extend(surroundings.variables.get("APPDATA").map(PathBuf::from));
    folders
}

fn is_any(_: &Path) -> bool {
    true
}

fn is_jsonl(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("jsonl"))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

fn is_rollout(path: &Path) -> bool {
    name(path).starts_with("rollout-") && is_jsonl(path)
}

/// `<project>/chats/session-….json`, and `.jsonl` since version 0.40; those of sub-agents in `chats/<session>/<id>.jsonl`.
fn is_gemini_chat(path: &Path) -> bool {
    let is_in_chats = path.components().any(|it| it.as_os_str() == "chats");
    let is_sub_agents = || {
        let above = path.parent().and_then(Path::parent);
        is_jsonl(path) && above.is_some_and(|above| name(above) == "chats")
    };
    is_in_chats && (name(path).starts_with("session-") || is_sub_agents())
}

/// `<project>/chats/<id>.jsonl`.
fn is_qwen_chat(path: &Path) -> bool {
    is_jsonl(path) && path.components().any(|it| it.as_os_str() == "chats")
}

/// `T-<id>.json`.
fn is_amp_thread(path: &Path) -> bool {
    name(path).starts_with("T-") && path.extension() == Some(OsStr::new("json"))
}

/// `<id>.json`; `sessions.json` is the list of them.
fn is_continue(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("json")) && name(path) != "sessions.json"
}

/// `<project>/agent-transcripts/<id>/<id>.jsonl`.
fn is_cursor_transcript(path: &Path) -> bool {
    is_jsonl(path) && path.components().any(|it| it.as_os_str() == "agent-transcripts")
}

/// `<workspace>/chatSessions/<id>.jsonl`, and `.json` before 2026.
fn is_vscode_chat(path: &Path) -> bool {
    is_json_or_lines(path) && path.components().any(|it| it.as_os_str() == "chatSessions")
}

fn is_json_or_lines(path: &Path) -> bool {
    is_jsonl(path) || path.extension() == Some(OsStr::new("json"))
}

fn is_markdown(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("md"))
}

/// `session/<project>/<id>.json`.
fn is_opencode_session(path: &Path) -> bool {
    path.starts_with("session") && path.extension() == Some(OsStr::new("json"))
}

fn is_openhands(path: &Path) -> bool {
    name(path) == "base_state.json"
}

fn is_task(path: &Path) -> bool {
    name(path) == "api_conversation_history.json"
}
