//! From what a person typed to a query of FTS5.

use super::document::{NAME_MARK, parted};

/// More words narrow nothing any more, and FTS5 takes no endless queries.
const MOST_WORDS: usize = 32;
/// Characters of a word that count.
const LONGEST_WORD: usize = 200;

/// The query for rows with every word of `typed`; `None` when there is no word in it.
///
/// Words in double quotes stand together. The last word may go on, unless something follows it. Nothing else has a
/// meaning: operators of FTS5 are words like others.
pub(super) fn query(typed: &str) -> Option<String> {
    let mut phrases: Vec<String> = Vec::new();
    for (at, piece) in typed.split('"').enumerate() {
        if at % 2 == 1 {
            phrases.extend(phrase(piece));
        } else {
            phrases.extend(piece.split_whitespace().filter_map(phrase));
        }
    }
    phrases.truncate(MOST_WORDS);
    let is_open = typed.ends_with(|last: char| last.is_alphanumeric());
    if let Some(last) = phrases.last_mut().filter(|_| is_open) {
        last.push('*');
    }
    (!phrases.is_empty()).then(|| phrases.join(" AND "))
}

/// `query`, narrowed to rows that name this agent and this tool.
pub(super) fn narrowed(query: &str, agent: Option<&str>, tool: Option<&str>) -> String {
    let mut narrowed = format!("({query})");
    for (column, name) in [("agents", agent), ("tools", tool)] {
        if let Some(name) = name.and_then(phrase) {
            let name = name.trim_matches('"');
            narrowed += &format!(" AND {column} : \"{NAME_MARK} {name} {NAME_MARK}\"");
        }
    }
    narrowed
}

/// Words that stand together, quoted; `None` when there are none.
fn phrase(typed: &str) -> Option<String> {
    let kept = |letter: &char| *letter != '"' && *letter != NAME_MARK && !letter.is_control();
    let word: String = typed
        .chars()
        .map(|it| if it.is_whitespace() { ' ' } else { it })
        .filter(kept)
        .take(LONGEST_WORD)
        .collect();
    if !word.chars().any(char::is_alphanumeric) {
        return None;
    }
    let mut quoted = String::from('"');
    parted(&mut quoted, &word);
    quoted.push('"');
    Some(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: Option<&str>) {
        assert_eq!(query(typed).as_deref(), expected);
    }

    #[test]
    fn words_are_quoted_and_the_last_may_go_on() {
        check("", None);
        check(" -> ( * ", None);
        check("dec", Some(r#""dec"*"#));
        check("dec ", Some(r#""dec""#));
        check("Decimal error", Some(r#""Decimal" AND "error"*"#));
        check("NEAR(a OR b", Some(r#""NEAR(a" AND "OR" AND "b"*"#));
        check("tool-result:", Some(r#""tool-result:""#));
        check("\"two words\" more", Some(r#""two words" AND "more"*"#));
        check("\"never closed wo", Some(r#""never closed wo"*"#));
        check("a\0b", Some(r#""ab"*"#));
    }

    #[test]
    fn names_are_asked_for_as_a_whole() {
        let mark = NAME_MARK;
        assert_eq!(
            narrowed("\"x\"*", Some("planner"), Some("read_file")),
            format!(
                "(\"x\"*) AND agents : \"{mark} planner {mark}\" AND tools : \"{mark} read_file {mark}\""
            )
        );
    }
}
