//! Lines of a transcript, grouped into entries.

/// An entry: a line and the lines indented below it.
#[derive(Debug, PartialEq)]
pub(super) struct Entry<'t> {
    pub head: Line<'t>,
    pub more: Vec<Line<'t>>,
}

/// A line without its indentation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line<'t> {
    /// Counted from 1.
    pub number: usize,
    pub text: &'t str,
}

pub(super) fn entries(transcript: &str) -> Vec<Entry<'_>> {
    let written: Vec<Line<'_>> = transcript
        .lines()
        .enumerate()
        .map(|(at, text)| Line { number: at + 1, text: text.trim_end() })
        .filter(|line| !line.text.trim_start().starts_with("//"))
        .collect();
    let base = written
        .iter()
        .filter(|line| !line.text.is_empty())
        .map(|line| indentation(line.text))
        .min()
        .unwrap_or(0);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut blanks = Vec::new();
    for line in written {
        if line.text.is_empty() {
            blanks.push(line);
        } else if indentation(line.text) > base
            && let Some(entry) = entries.last_mut()
        {
            // A blank line inside a text belongs to it; one between two events does not.
            entry.more.append(&mut blanks);
            entry.more.push(line);
        } else {
            blanks.clear();
            entries.push(Entry { head: Line { text: line.text.trim_start(), ..line }, more: Vec::new() });
        }
    }
    for entry in &mut entries {
        dedent(&mut entry.more);
    }
    entries
}

/// Takes off the indentation of the first line, so that code keeps the rest of its own.
fn dedent(lines: &mut [Line<'_>]) {
    let Some(first) = lines.iter().find(|line| !line.text.is_empty()) else { return };
    let common = indentation(first.text);
    for line in lines {
        line.text = &line.text[common.min(indentation(line.text))..];
    }
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}
