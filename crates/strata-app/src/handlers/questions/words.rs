//! What answers are put together from.

use crate::api::palette::Answer;

/// An answer that no place shows.
pub(super) fn said(text: impl Into<String>) -> Answer {
    Answer { text: text.into(), address: None, filter: None, order: None }
}

/// A share with one decimal: `20.7%`.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}
