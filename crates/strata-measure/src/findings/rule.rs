//! What makes findings.

use strata_model::{EventIndex, Origin, Severity};

use super::evidence::Evidence;
use super::finding::{Finding, FindingKind};
use super::tally::Tally;
use crate::remedies::Aim;

/// Rules about one subject.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub title: &'static str,
    pub rules: &'static [Rule],
}

/// A kind of finding, and how it is found.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// A stable name to filter and test by.
    pub code: &'static str,
    /// The surprises of `ADK.md` section 10 it stands for.
    pub surprises: &'static [&'static str],
    pub kind: FindingKind,
    pub title: &'static str,
    /// What happens and why, of any session.
    pub meaning: &'static str,
    /// What to change.
    pub advice: &'static str,
    pub(super) look: fn(&Evidence<'_>) -> Vec<Observation>,
}

/// What a rule saw in a session.
pub(super) struct Observation {
    pub severity: Severity,
    pub message: String,
    /// The price and the calls.
    pub tally: Tally,
    pub events: Vec<EventIndex>,
    pub origins: Vec<Origin>,
    /// What would help, where that is not the same for all that the rule sees.
    pub aim: Option<Aim>,
    /// What to change instead of what the rule says.
    pub advice: Option<&'static str>,
}

impl Observation {
    pub(super) fn new(severity: Severity, message: String, tally: Tally) -> Self {
        Self { severity, message, tally, events: Vec::new(), origins: Vec::new(), aim: None, advice: None }
    }

    pub(super) fn of_events(mut self, events: impl IntoIterator<Item = EventIndex>) -> Self {
        self.events = events.into_iter().collect();
        self.events.sort_unstable();
        self.events.dedup();
        self
    }

    pub(super) fn of_origins(mut self, origins: impl IntoIterator<Item = Origin>) -> Self {
        self.origins = origins.into_iter().collect();
        self
    }

    pub(super) fn towards(self, aim: Option<Aim>) -> Self {
        Self { aim, ..self }
    }
}

impl Rule {
    pub(super) fn find(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let finding = |seen: Observation| Finding {
            code: self.code,
            kind: self.kind,
            title: self.title,
            severity: seen.severity,
            message: seen.message,
            advice: seen.advice.unwrap_or(self.advice),
            aim: seen.aim,
            calls: seen.tally.calls(),
            spent: seen.tally.spent().into_iter().map(|spent| spent.found(evidence.found_share)).collect(),
            lost_usd: seen.tally.lost_usd(),
            events: seen.events,
            origins: seen.origins,
        };
        (self.look)(evidence).into_iter().map(finding).collect()
    }
}
