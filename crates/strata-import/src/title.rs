//! What people call a session.

use strata_model::{Session, secret};

use crate::marks;

const MAX_CHARS: usize = 80;

/// The first words of the first prompt; the session's id when nobody typed anything.
pub(crate) fn of_session(session: &Session) -> String {
    let prompts = session.events.iter().filter(|event| marks::is_user_turn(event));
    let texts = prompts.flat_map(|event| event.parts()).filter_map(|part| part.text.as_deref());
    let title = texts.map(first_words).find(|words| !words.is_empty());
    title.unwrap_or_else(|| first_words(&session.id))
}

/// Elements that tools put around what a person typed.
const WRAPPERS: [&str; 6] = ["task", "feedback", "answer", "user_message", "user_input", "pr_description"];

/// A line without the blanks and the elements around it.
fn unwrapped(line: &str) -> &str {
    let mut line = line.trim();
    for name in WRAPPERS {
        let opened = line.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
        if let Some((_, inner)) = opened.and_then(|rest| rest.split_once('>')) {
            line = inner.trim();
        }
        let closed = line.strip_suffix('>').and_then(|rest| rest.strip_suffix(name));
        if let Some(inner) = closed.and_then(|rest| rest.strip_suffix("</")) {
            line = inner.trim();
        }
    }
    line
}

/// So much of a line is looked at for secrets: one may begin within the title and end behind it.
const LOOKED_AT_CHARS: usize = 1_000;

/// The first line that is not blank, on one line and not too long. Titles are shown in lists: secrets in them are masked.
pub(crate) fn first_words(text: &str) -> String {
    let line = text.lines().map(unwrapped).find(|line| !line.is_empty()).unwrap_or_default();
    let looked_at = line.char_indices().nth(LOOKED_AT_CHARS).map_or(line, |(end, _)| &line[..end]);
    let masked = secret::mask(looked_at);
    let line = masked.as_ref().map_or(line, |masked| &*masked.text);
    if line.chars().count() <= MAX_CHARS {
        return line.to_owned();
    }
    let mut words: String = line.chars().take(MAX_CHARS - 1).collect();
    words.push('…');
    words
}

/// What stands behind the elements that clients put before what was typed. Nothing where one of them is not closed.
pub(crate) fn behind_elements(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(opened) = rest.strip_prefix('<') {
        let name = opened.split(|c: char| c == '>' || c.is_whitespace()).next().unwrap_or_default();
        rest = opened.split_once(&format!("</{name}>")).map_or("", |(_, behind)| behind.trim_start());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_stands_behind_elements() {
        let typed = "<current_datetime>2026-11-20T08:00:00Z</current_datetime>\n\n<reminders>\nNone.\n</reminders>\nFix the test";
        assert_eq!(behind_elements(typed), "Fix the test");
        assert_eq!(behind_elements(" Why is a < b? "), "Why is a < b?");
        assert_eq!(behind_elements("<system-reminder>Be brief.</system-reminder>"), "");
        assert_eq!(behind_elements("<environment cwd=\"/work\">a</environment> list"), "list");
        assert_eq!(behind_elements("<cut off"), "");
    }
}
