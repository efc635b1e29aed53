//! Differences from google-adk that are kept on purpose.

use std::collections::BTreeMap;

/// `name: reason`, a line each.
const LIST: &str = include_str!("known.txt");

pub(crate) struct Known {
    reasons: BTreeMap<String, String>,
}

pub(crate) fn read() -> Known {
    let lines = LIST.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let reasons = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, reason)| (name.trim().to_owned(), reason.trim().to_owned()))
        .collect();
    Known { reasons }
}

impl Known {
    pub(crate) fn reason(&self, name: &str) -> Option<&str> {
        self.reasons.get(name).map(String::as_str)
    }
}
