//! Differences from google-adk that are kept on purpose.

use std::collections::BTreeMap;

/// Names of vectors, each with the reason why it may differ.
#[derive(Default)]
pub struct KnownDifferences {
    reasons: BTreeMap<String, String>,
}

/// Reads `name: reason`, a line each.
pub fn read(list: &str) -> KnownDifferences {
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let reasons = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, reason)| (name.trim().to_owned(), reason.trim().to_owned()))
        .collect();
    KnownDifferences { reasons }
}

impl KnownDifferences {
    pub(super) fn reason(&self, name: &str) -> Option<&str> {
        self.reasons.get(name).map(String::as_str)
    }
}
