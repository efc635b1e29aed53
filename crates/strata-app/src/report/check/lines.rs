//! In which lines of a TOML file its keys stand.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Lines, from 1, by the dotted path of a key.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Lines {
    by_key: BTreeMap<String, u32>,
}

impl Lines {
    /// Of a text that is TOML; none of any other.
    pub(super) fn of(text: &str) -> Self {
        let mut lines = Self::default();
        if let Ok(table) = DeTable::parse(text) {
            lines.add(text, &mut Vec::new(), table.get_ref());
        }
        lines
    }

    fn add(&mut self, text: &str, above: &mut Vec<String>, table: &DeTable<'_>) {
        for (key, value) in table {
            above.push(key.get_ref().to_string());
            let path: Vec<&str> = above.iter().map(String::as_str).collect();
            self.by_key.insert(dotted(&path), line_at(text, key.span().start));
            if let DeValue::Table(inner) = Spanned::get_ref(value) {
                self.add(text, above, inner);
            }
            above.pop();
        }
    }

    pub(super) fn of_key(&self, path: &[&str]) -> Option<u32> {
        self.by_key.get(&dotted(path)).copied()
    }
}

/// A path as TOML writes it: `agents.desk`, `agents."*"`.
pub(super) fn dotted(path: &[&str]) -> String {
    let is_bare = |key: &str| {
        !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    let key = |key: &&str| if is_bare(key) { (*key).to_owned() } else { format!("{key:?}") };
    path.iter().map(key).collect::<Vec<_>>().join(".")
}

/// The line in which a byte stands, from 1.
pub(super) fn line_at(text: &str, at: usize) -> u32 {
    1 + text.get(..at).unwrap_or(text).matches('\n').count() as u32
}
