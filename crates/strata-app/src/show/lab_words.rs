//! What a summary tells, and what was used of the rest, in sentences.

use strata_engine::turn::compaction::MAX_TOOL_CHARACTERS;
use strata_measure::lab::{Coverage, Regret, Told};

use super::words::{counted, whole};

/// How much of what is summarised can be read afterwards. Of summaries that are not written only what their writer is shown
/// is known.
pub(crate) fn told(told: &Told, is_written: bool) -> String {
    let told = [is_written.then(|| read(&told.coverage)).flatten(), unread(told)];
    told.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn read(coverage: &Coverage) -> Option<String> {
    let of = |told: u32, all: u32, what: &str| {
        (all > 0).then(|| format!("{} of {}", whole(told), counted(all as usize, what)))
    };
    let parts =
        [of(coverage.rows_told, coverage.rows, "row"), of(coverage.values_told, coverage.values, "value")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("Of the results, {} can still be read.", parts.join(" and ")))
}

fn unread(told: &Told) -> Option<String> {
    let reach = &told.reach;
    (reach.n_cut > 0).then(|| {
        format!(
            "{} of the text ({} of {} characters) never reaches the summariser, which cuts each call and each result \
             at {} characters, as google-adk does.",
            share(reach.unread, reach.characters),
            whole(reach.unread as i64),
            whole(reach.characters as i64),
            whole(MAX_TOOL_CHARACTERS as i64)
        )
    })
}

/// A share that is all or nothing only where it is.
fn share(part: u64, all: u64) -> String {
    match (part as f64 * 100.0 / (all as f64).max(1.0)).round() as u64 {
        0 if part > 0 => "Less than 1 %".to_owned(),
        100 if part < all => "More than 99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// What was used later of that which no summary tells. `is_bound`: summaries are not written yet, and may tell it.
pub(crate) fn regret(regrets: &[Regret], is_bound: bool) -> String {
    let values = counted(regrets.len(), "value");
    match (regrets.len(), is_bound) {
        (0, _) => "Later answers say no value again that is summarised away.".to_owned(),
        (1, true) => format!("Later answers use {values} that nothing but the summary can tell them."),
        (_, true) => format!("Later answers use {values} that nothing but the summaries can tell them."),
        (_, false) => format!("Later answers use {values} that no prompt holds any more."),
    }
}

#[cfg(test)]
mod tests {
    use strata_engine::turn::compaction::SummarizerReach;

    use super::*;

    #[test]
    fn a_share_is_all_or_nothing_only_where_it_is() {
        let reach = SummarizerReach { characters: 100_000, unread: 99_900, n_cut: 4 };
        let coverage = Coverage { rows: 1_600, rows_told: 0, values: 1, values_told: 1 };
        let all = Told { coverage, reach, ..Told::default() };
        let cut = "More than 99 % of the text (99,900 of 100,000 characters) never reaches the summariser, which cuts \
                   each call and each result at 2,000 characters, as google-adk does.";
        assert_eq!(
            told(&all, true),
            format!("Of the results, 0 of 1,600 rows and 1 of 1 value can still be read. {cut}")
        );
        assert_eq!(told(&all, false), cut);
        assert_eq!(told(&Told::default(), true), "");
    }
}
