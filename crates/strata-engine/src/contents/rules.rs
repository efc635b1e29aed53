//! What earlier releases of google-adk do otherwise than 2.13 with the same session.
//!
//! Held against what seven releases from 1.20 to 2.13 sent for one app (`tests/it/releases.rs`). What lies between them
//! is from the sources of the releases; before 1.20 the rules are those of 1.20, as far as they reach.

use strata_model::app::AdkRelease;

use crate::quotation::QuotationForm;

/// The rules of one release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HistoryRules(AdkRelease);

impl HistoryRules {
    pub(crate) const KNOWN: Self = Self(AdkRelease::KNOWN);

    pub(crate) fn of(release: AdkRelease) -> Self {
        Self(release)
    }

    fn since(self, major: u16, minor: u16) -> bool {
        self.0 >= AdkRelease::new(major, minor)
    }

    /// How other agents are quoted.
    pub(super) fn quotation(self, include_thoughts: bool) -> QuotationForm {
        QuotationForm::of(self.0, include_thoughts)
    }

    /// An instruction among the contents is marked as one.
    pub(crate) fn labels_instructions(self) -> bool {
        self.since(2, 9)
    }

    /// An agent reads a summary as its own words; before, as those of another agent, `model`.
    pub(super) fn owns_summaries(self) -> bool {
        self.0 >= AdkRelease::OWNS_SUMMARIES
    }

    /// A summary stands for what lies in its range, and not for one that lies in another's; before, for everything from
    /// its start up to where it was written, beside all other summaries.
    pub(super) fn summarises_ranges(self) -> bool {
        self.since(1, 25)
    }

    /// A call that a summary covers comes back where its answer does not lie in the summary.
    pub(super) fn recovers_summarised_calls(self) -> bool {
        self.since(2, 5)
    }

    /// An answer to another agent's call is quoted, whoever gave it.
    pub(super) fn quotes_answers_to_others(self) -> bool {
        self.since(2, 0)
    }

    /// What was said while a call ran goes when its last answer comes.
    pub(super) fn drops_stale_replies(self) -> bool {
        self.since(2, 5)
    }

    /// Calls that nothing answered are left out.
    pub(super) fn drops_unanswered_calls(self) -> bool {
        self.since(2, 10)
    }

    /// All parts of an event decide whether it says anything, thoughts apart; before, whether there is anything in its
    /// first part.
    pub(super) fn looks_at_all_parts(self) -> bool {
        self.since(1, 23)
    }
}
