//! Conversations that are kept in many files of one folder.
//!
//! Each of them is read as if its files stood in one, one after the other: all formats here are JSON, and values may
//! follow one another wherever they like.

use std::collections::BTreeMap;

/// A conversation, or all conversations of a tool, in several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSession {
    /// Its folder, with `/` between names; empty for the folder that was listed.
    pub root: String,
    /// Places in the list of paths, in the order in which the files are read.
    pub files: Vec<usize>,
    /// The first file names the others: each of them is read as the `content` of an object that has its name as `file`.
    pub is_named: bool,
}

/// Requests and answers that an index names.
const CLAUDE_BODIES: &str = "claude-code-bodies";

/// When a file is read, its path, and its place in the list.
type File<'p> = (u8, &'p str, usize);

/// Finds them among files, by their paths below a folder, with `/` between names. Files of none of them stand alone.
pub fn folder_sessions(paths: &[impl AsRef<str>]) -> Vec<FolderSession> {
    let mut found: BTreeMap<(&str, &str), Vec<File<'_>>> = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        if let Some((root, kind, order)) = place_of(path) {
            found.entry((root, kind)).or_default().push((order, path, at));
        }
    }
    let is_whole = |kind: &str, files: &[File<'_>]| {
        let has = |order: u8| files.iter().any(|(it, _, _)| *it == order);
        match kind {
            // One file of the two is a conversation, or the interface of one, by itself.
            "cline" | "openhands" | "droid" | CLAUDE_BODIES => has(0) && has(1),
            "opencode" => has(0) && has(1) && has(2),
            _ => files.len() > 1,
        }
    };
    let whole = found.into_iter().filter(|((_, kind), files)| is_whole(kind, files));
    let sessions = whole.map(|((root, kind), mut files)| {
        files.sort_unstable_by_key(|(order, path, at)| (*order, number_of(path), *path, *at));
        FolderSession {
            root: root.to_owned(),
            files: files.into_iter().map(|(_, _, at)| at).collect(),
            is_named: kind == CLAUDE_BODIES,
        }
    });
    sessions.collect()
}

/// The number a file is named by; 0 for other names, which are sorted as they are.
fn number_of(path: &str) -> u64 {
    let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".json"));
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// The folder a file's conversation is in, what kind of conversation that is, and when the file is read.
fn place_of(path: &str) -> Option<(&str, &'static str, u8)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "api_conversation_history.json" => return Some((folder, "cline", 0)),
        "ui_messages.json" => return Some((folder, "cline", 1)),
        "task_metadata.json" => return Some((folder, "cline", 2)),
        "base_state.json" => return Some((folder, "openhands", 0)),
        "index.jsonl" => return Some((folder, CLAUDE_BODIES, 0)),
        body if body.ends_with(".request.json") || body.ends_with(".response.json") => {
            return Some((folder, CLAUDE_BODIES, 1));
        }
        _ => {}
    }
    // A transcript and its settings lie side by side, with others.
    for (ending, order) in [(".settings.json", 1), (".jsonl", 0)] {
        if let Some(session) = path.strip_suffix(ending) {
            return Some((session, "droid", order));
        }
    }
    let name = name.strip_suffix(".json")?;
    // The first generation only numbers them.
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if (name.starts_with("event-") || is_number)
        && let Some(root) = parent(folder, "events")
    {
        return Some((root, if is_number { "openhands-v0" } else { "openhands" }, 1));
    }
    if folder == "llm-completions" || folder.ends_with("/llm-completions") {
        return Some((folder, "completions", 0));
    }
    stored_by_opencode(folder)
}

/// `storage/session/<project>/<id>.json`, `storage/message/<session>/<id>.json`, `storage/part/…/<id>.json`; before
/// August 2025 all of them were below `storage/session`, and sessions in `info`.
fn stored_by_opencode(folder: &str) -> Option<(&str, &'static str, u8)> {
    let order_of = |name: &str| match name {
        "session" | "info" => Some(0),
        "message" => Some(1),
        "part" => Some(2),
        _ => None,
    };
    let mut start = 0;
    let mut names = folder.split('/');
    let list = names.by_ref().find(|name| {
        let is_list = matches!(*name, "session" | "message" | "part");
        if !is_list {
            start += name.len() + 1;
        }
        is_list
    })?;
    let below = names.next();
    let n_below = usize::from(below.is_some()) + names.count();
    let order = below.filter(|_| list == "session").and_then(order_of).or_else(|| order_of(list))?;
    (n_below <= 3).then(|| (folder[..start].trim_end_matches('/'), "opencode", order))
}

/// The folder above one with this name.
fn parent<'p>(folder: &'p str, name: &str) -> Option<&'p str> {
    let above = folder.strip_suffix(name)?;
    if above.is_empty() { Some("") } else { above.strip_suffix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_in_many_files_are_found_whole_and_in_order() {
        let paths = [
            "tasks/1/ui_messages.json",
            "tasks/1/api_conversation_history.json",
            "tasks/2/api_conversation_history.json",
            "c/ab/events/event-00001-x.json",
            "c/ab/events/event-00000-y.json",
            "c/ab/base_state.json",
            "sessions/x/events/10.json",
            "sessions/x/events/9.json",
            "old/storage/session/info/s1.json",
            "old/storage/session/message/s1/m1.json",
            "old/storage/session/part/s1/m1/p1.json",
            "storage/part/m1/p1.json",
            "storage/message/s1/m1.json",
            "storage/session/global/s1.json",
            "notes/event-1.json",
            "llm-completions/b.json",
            "llm-completions/a.json",
            "bodies/1f.request.json",
            "bodies/req_1.response.json",
            "bodies/index.jsonl",
            "no-index/1f.request.json",
            "droid/d2.jsonl",
            "droid/d1.settings.json",
            "droid/d1.jsonl",
        ];
        let found = folder_sessions(&paths);
        let told: Vec<_> = found.iter().map(|it| (&*it.root, &*it.files)).collect();
        let expected: [(&str, &[usize]); 8] = [
            ("bodies", &[19, 17, 18]),
            ("c/ab", &[5, 4, 3]),
            ("droid/d1", &[23, 22]),
            ("llm-completions", &[16, 15]),
            ("old/storage", &[8, 9, 10]),
            ("sessions/x", &[7, 6]),
            ("storage", &[13, 12, 11]),
            ("tasks/1", &[1, 0]),
        ];
        assert_eq!(told, expected);
        assert!(found.iter().all(|it| it.is_named == (it.root == "bodies")));
    }
}
