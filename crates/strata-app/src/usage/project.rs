//! The folder that a session worked in.

use std::path::Path;

use strata_import::{ImportedSession, SourceFacts};

use crate::import::folder_of;

/// The folder in which Claude Code has one for each project.
const PROJECTS: &str = "projects";

/// The folder its client was started in. Claude Code keeps a transcript with those of its project, wherever the agent
/// went meanwhile; the name of that folder is the project's path, with `-` for all that is no letter or digit.
pub(super) fn project_of(imported: &ImportedSession, path: &Path) -> Option<String> {
    let SourceFacts::ClaudeCode(facts) = &imported.facts.source else { return folder_of(imported) };
    let Some(kept_in) = project_folder(path) else { return folder_of(imported) };
    let mut folders = facts.working_folders.iter();
    let own = folders.find(|folder| encoded(folder) == kept_in).map(ToString::to_string);
    Some(own.unwrap_or_else(|| kept_in.to_owned()))
}

/// The folder below the last `projects` of a path.
fn project_folder(path: &Path) -> Option<&str> {
    let names: Vec<_> = path.parent()?.components().map(|name| name.as_os_str()).collect();
    let at = names.iter().rposition(|name| *name == PROJECTS)?;
    names.get(at + 1)?.to_str()
}

fn encoded(folder: &str) -> String {
    folder.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, folder: Option<&str>) {
        assert_eq!(project_folder(Path::new(path)), folder, "{path}");
    }

    #[test]
    fn transcripts_are_kept_with_their_project() {
        check("/home/ada/.claude/projects/-home-ada-work/1.jsonl", Some("-home-ada-work"));
        check("/home/ada/.claude/projects/-home-ada-work/1/subagents/agent-2.jsonl", Some("-home-ada-work"));
        check("/home/ada/projects/x/.claude/projects/-home-ada-work/1.jsonl", Some("-home-ada-work"));
        check("/home/ada/.claude/projects/1.jsonl", None);
        check("1.jsonl", None);
        assert_eq!(encoded("/home/ada/my.work_2"), "-home-ada-my-work-2");
    }
}
