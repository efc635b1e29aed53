//! What answers are put together from.

use crate::api::palette::Answer;

/// An answer that no place shows.
pub(super) fn said(text: impl Into<String>) -> Answer {
    Answer { text: text.into(), address: None, filter: None, order: None }
}

/// A share with one decimal: `20.7%`; `<0.1%` for what is there but little, `>99.9%` where little is missing.
pub(super) fn percent(share: f64) -> String {
    match share {
        _ if share > 0.0 && share < 0.0005 => "<0.1%".to_owned(),
        _ if (0.9995..1.0).contains(&share) => ">99.9%".to_owned(),
        _ => format!("{:.1}%", share * 100.0),
    }
}
