//! Two texts line by line, with the words that changed.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, InlineChangeOptions, TextDiff};

use crate::api::part::{DiffLine, DiffRun, DiffSign};

/// After this long a difference is given that is right but not the smallest.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes of both texts up to which there is no hurry: the difference is the same on any machine, however busy it is.
const SHORT: usize = 4 << 10;
/// Lines that are shown at most.
const MAX_LINES: usize = 5_000;

/// The difference of two texts.
#[derive(Debug)]
pub(crate) struct LineDiff {
    pub lines: Vec<DiffLine>,
    /// The deadline struck.
    pub is_approximate: bool,
    pub is_whitespace_only: bool,
    /// Lines beyond those shown.
    pub hidden_lines: u32,
}

pub(crate) fn diff_lines(before: &str, after: &str) -> LineDiff {
    let deadline = deadline(before, after);
    let diff = by_lines(before, after, deadline);
    let options = InlineChangeOptions::default();
    let changes = diff
        .ops()
        .iter()
        .flat_map(|op| diff.iter_inline_changes_with_options_deadline(op, options, deadline));
    let mut lines = Vec::new();
    let mut hidden_lines = 0;
    for change in changes {
        if lines.len() == MAX_LINES {
            hidden_lines += 1;
            continue;
        }
        let runs = change.values().iter().map(|(is_emphasised, text)| DiffRun {
            text: text.trim_end_matches(['\n', '\r']).to_owned(),
            is_emphasised: *is_emphasised,
        });
        lines.push(DiffLine {
            sign: match change.tag() {
                ChangeTag::Equal => DiffSign::Same,
                ChangeTag::Insert => DiffSign::Added,
                ChangeTag::Delete => DiffSign::Removed,
            },
            before_line: change.old_index().map(|index| index as u32 + 1),
            after_line: change.new_index().map(|index| index as u32 + 1),
            runs: runs.filter(|run| !run.text.is_empty()).collect(),
        });
    }
    LineDiff {
        lines,
        is_approximate: deadline.is_some_and(|deadline| Instant::now() >= deadline),
        is_whitespace_only: before != after && without_white_space(before).eq(without_white_space(after)),
        hidden_lines,
    }
}

/// The difference as `diff -u` prints it, with three lines around each change; empty for equal texts.
pub(crate) fn unified(before: &str, after: &str) -> String {
    let diff = by_lines(before, after, deadline(before, after));
    diff.unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

/// When to give up looking for the smallest difference.
fn deadline(before: &str, after: &str) -> Option<Instant> {
    (before.len() + after.len() > SHORT).then(|| Instant::now() + PATIENCE)
}

fn by_lines<'t>(before: &'t str, after: &'t str, deadline: Option<Instant>) -> TextDiff<'t, 't, str> {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers);
    if let Some(deadline) = deadline {
        config.deadline(deadline);
    }
    config.diff_lines(before, after)
}

fn without_white_space(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_words_are_emphasised() {
        let diff = diff_lines("a\nhits: 41 so far\nc\n", "a\nhits: 2318 so far\nc\nd\n");
        let shown: Vec<String> =
            diff.lines
                .iter()
                .map(|line| {
                    let sign = match line.sign {
                        DiffSign::Same => ' ',
                        DiffSign::Added => '+',
                        DiffSign::Removed => '-',
                    };
                    let runs = line.runs.iter().map(|run| {
                        if run.is_emphasised { format!("[{}]", run.text) } else { run.text.clone() }
                    });
                    format!("{sign}{}", runs.collect::<String>())
                })
                .collect();
        assert_eq!(shown, [" a", "-hits: [41] so far", "+hits: [2318] so far", " c", "+d"]);
        assert!(!diff.is_approximate && !diff.is_whitespace_only);
    }

    #[test]
    fn unified_text_is_that_of_diff() {
        let text = |changed: &str| format!("1\n2\n3\n4\n{changed}\n6\n7\n8\n9");
        let shown = unified(&text("five"), &text("FIVE"));
        assert_eq!(shown, "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-five\n+FIVE\n 6\n 7\n 8\n");
        assert_eq!(unified("a\nb", "a\nb"), "");
        assert_eq!(unified("", "a"), "@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn white_space_alone_is_told_apart() {
        assert!(diff_lines("a b", "a  b").is_whitespace_only);
        assert!(!diff_lines("a b", "a b").is_whitespace_only);
    }

    #[test]
    fn texts_without_anything_in_common_end_in_time() {
        let text = |seed: usize| {
            let lines = (0..60_000).map(|n| (n * 7919 % 10_007 + seed * 20_000).to_string());
            lines.collect::<Vec<_>>().join("\n")
        };
        let diff = diff_lines(&text(1), &text(2));
        assert_eq!(diff.lines.len(), MAX_LINES);
        assert_eq!(diff.hidden_lines as usize + diff.lines.len(), 120_000);
    }
}
