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
}

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
            "cline" | "openhands" => has(0) && has(1),
            "opencode" => has(0) && has(1) && has(2),
            _ => files.len() > 1,
        }
    };
    let whole = found.into_iter().filter(|((_, kind), files)| is_whole(kind, files));
    let sessions = whole.map(|((root, _), mut files)| {
        files.sort_unstable();
        FolderSession { root: root.to_owned(), files: files.into_iter().map(|(_, _, at)| at).collect() }
    });
    sessions.collect()
}

/// The folder a file's conversation is in, what kind of conversation that is, and when the file is read.
fn place_of(path: &str) -> Option<(&str, &'static str, u8)> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "api_conversation_history.json" => return Some((folder, "cline", 0)),
        "ui_messages.json" => return Some((folder, "cline", 1)),
        "base_state.json" => return Some((folder, "openhands", 0)),
        _ => {}
    }
    let name = name.strip_suffix(".json")?;
    if name.starts_with("event-")
        && let Some(root) = parent(folder, "events")
    {
        return Some((root, "openhands", 1));
    }
    if folder == "llm-completions" || folder.ends_with("/llm-completions") {
        return Some((folder, "completions", 0));
    }
    // `storage/session/<project>/<id>.json`, `storage/message/<session>/<id>.json`, `storage/part/…/<id>.json`.
    for (order, list) in ["session", "message", "part"].into_iter().enumerate() {
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let root = parent(folder, list).or_else(|| parent(above, list));
        if let Some(root) =
            root.filter(|root| *root == "storage" || root.ends_with("/storage") || root.is_empty())
        {
            return Some((root, "opencode", order as u8));
        }
    }
    None
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
            "storage/part/m1/p1.json",
            "storage/message/s1/m1.json",
            "storage/session/global/s1.json",
            "notes/event-1.json",
            "llm-completions/b.json",
            "llm-completions/a.json",
        ];
        let found = folder_sessions(&paths);
        let told: Vec<_> = found.iter().map(|it| (&*it.root, &*it.files)).collect();
        let expected: [(&str, &[usize]); 4] = [
            ("c/ab", &[5, 4, 3]),
            ("llm-completions", &[11, 10]),
            ("storage", &[8, 7, 6]),
            ("tasks/1", &[1, 0]),
        ];
        assert_eq!(told, expected);
    }
}
