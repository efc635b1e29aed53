//! A run beside its baseline, and what of that fails the check.

use std::path::Path;

use serde::Serialize;
use strata_measure::phrases::times;

use super::baseline::{Baseline, STRATA};
use super::checked::Amount;
use super::figures::SessionFigures;
use super::growth::{AgentGrowth, FigureGrowth, GrownCause, SessionGrowth};
use super::matching::Matched;
use super::now::SessionNow;
use crate::api::common::Basis;
use crate::show::numbers::{count, dollars, tokens};
use crate::show::words::{counted, listed};

/// Causes that a message names.
const MAX_CAUSES: usize = 3;

/// What came of comparing a run with a baseline.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineReport {
    /// As it was named.
    pub file: String,
    /// The version of Strata that wrote it.
    pub written_by: String,
    /// Whether that is this one: another may have other prices, and count otherwise.
    pub is_of_this_version: bool,
    /// The share by which a figure may grow, from 0.
    pub allowed_growth: f64,
    pub passed: bool,
    /// Those that both have, in the order of the run.
    pub sessions: Vec<SessionGrowth>,
    /// Titles of sessions that one side has.
    pub only_in_baseline: Vec<String>,
    pub only_in_run: Vec<String>,
    pub failures: Vec<BaselineFailure>,
}

/// Something that grew, or that the baseline does not have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineFailure {
    /// `grown`, `new-break`, `new-finding`, `not-comparable` or `nothing-compared`.
    pub code: &'static str,
    /// The session; absent where it is about all.
    pub session: Option<String>,
    pub agent: Option<String>,
    /// The call that shows it best.
    pub call: Option<u32>,
    /// In a sentence.
    pub message: String,
    /// In the baseline file.
    pub line: Option<u32>,
}

impl BaselineReport {
    pub(super) fn of((baseline, path): (&Baseline, &Path), run: &[SessionNow], allowed: f64) -> Self {
        let figures: Vec<&SessionFigures> = run.iter().map(|now| &now.figures).collect();
        let known: Vec<&SessionFigures> = baseline.sessions.iter().collect();
        let matched = Matched::of(&known, &figures);
        let mut report = Self {
            file: path.display().to_string(),
            written_by: baseline.written_by.clone(),
            is_of_this_version: baseline.written_by == STRATA,
            allowed_growth: allowed,
            passed: true,
            sessions: Vec::new(),
            only_in_baseline: titles(&matched.only_in_baseline, &known),
            only_in_run: titles(&matched.only_in_run, &figures),
            failures: Vec::new(),
        };
        for (was, now) in matched.pairs {
            let (before, line) = (&baseline.sessions[was], baseline.line(was));
            let growth = SessionGrowth::of(before, &run[now], allowed, line);
            report.failures.extend(failures_of(&growth));
            report.sessions.push(growth);
        }
        if report.sessions.is_empty() {
            report.failures.push(BaselineFailure {
                code: "nothing-compared",
                session: None,
                agent: None,
                call: None,
                message: format!(
                    "None of {} is in the baseline, which has {}. `--write-baseline` writes one of these sessions.",
                    counted(run.len(), "session"),
                    counted(baseline.sessions.len(), "session")
                ),
                line: None,
            });
        }
        report.passed = report.failures.is_empty();
        report
    }

    /// Whether something of the session of this name grew, or is new.
    pub(super) fn has_failed(&self, session: &str) -> bool {
        self.failures.iter().any(|failure| failure.session.as_deref() == Some(session))
    }
}

fn titles(places: &[usize], sessions: &[&SessionFigures]) -> Vec<String> {
    places.iter().map(|at| sessions[*at].title.clone()).collect()
}

fn failures_of(growth: &SessionGrowth) -> Vec<BaselineFailure> {
    let failure = |code, agent: Option<&str>, call, message| BaselineFailure {
        code,
        session: Some(growth.session.clone()),
        agent: agent.map(str::to_owned),
        call,
        message,
        line: growth.line,
    };
    let mut failures = Vec::new();
    if !growth.incomparable.is_empty() {
        let why = growth.incomparable.join(" ");
        let message =
            format!("Figures were not compared. {why} Write the baseline anew with `--write-baseline`.");
        failures.push(failure("not-comparable", None, None, message));
    }
    for agent in &growth.agents {
        let grown: Vec<&FigureGrowth> = agent.figures.iter().filter(|figure| figure.has_grown).collect();
        if !grown.is_empty() {
            let call = agent.causes.iter().find(|cause| cause.tokens > 0).and_then(|cause| cause.call);
            failures.push(failure("grown", Some(&agent.agent), call, grown_message(agent, &grown)));
        }
    }
    let of_agents = growth.agents.iter().flat_map(|agent| &agent.figures);
    // What the calls cost more is said of their agents.
    if growth.cost.has_grown
        && !of_agents.into_iter().any(|figure| figure.figure == "cost" && figure.has_grown)
    {
        let message = format!("{}.", change(&growth.cost, Basis::Exact));
        failures.push(failure("grown", None, None, message));
    }
    for new in &growth.breaks {
        let message = format!(
            "C{} loses {} tokens that a cache could have given: {}. {}",
            new.call,
            count(new.tokens),
            new.cause,
            how_often(new.before, new.after)
        );
        failures.push(failure("new-break", Some(&new.agent), Some(new.call), message));
    }
    for new in &growth.findings {
        let message = format!("{}: {} {}", new.title, new.message, how_often(new.before, new.after));
        failures.push(failure("new-finding", None, new.call, message));
    }
    failures
}

fn grown_message(agent: &AgentGrowth, grown: &[&FigureGrowth]) -> String {
    let figures: Vec<String> = grown.iter().map(|figure| change(figure, agent.basis)).collect();
    let causes: Vec<String> = agent
        .causes
        .iter()
        .filter(|cause| cause.tokens > 0)
        .take(MAX_CAUSES)
        .map(|cause| format!("{} {}", cause.title, more(cause, agent.basis)))
        .collect();
    let why = match &causes[..] {
        [] => String::new(),
        causes => format!(" Most of it: {}.", causes.join("; ")),
    };
    format!("{} grew: {}.{why}", agent.agent, listed(&figures))
}

/// `+1,204 tokens`, with the size in one call where that grew, too.
fn more(cause: &GrownCause, basis: Basis) -> String {
    let tokens = format!("{}+{} tokens", basis.mark(), count(cause.tokens));
    if cause.largest_after > cause.largest_before {
        let (was, now) = (count(cause.largest_before), count(cause.largest_after));
        return format!("{tokens} ({was} → {now} in one call)");
    }
    tokens
}

/// `prompt tokens ≈8,204 → ≈9,700 (+18.2 %)`.
fn change(figure: &FigureGrowth, basis: Basis) -> String {
    let shown = |amount: &Amount| match amount {
        Amount::Tokens(number) => tokens(*number, basis),
        Amount::Dollars(cost) => dollars(Some(*cost)),
        Amount::Times(times) => count(*times),
        _ => "not known".to_owned(),
    };
    let share = figure.share().map_or(String::new(), |share| format!(" ({share})"));
    format!("{} {} → {}{share}", figure.name(), shown(&figure.before), shown(&figure.after))
}

impl FigureGrowth {
    /// `+18.2 %`. `None` where there was nothing, or a number is not known.
    pub fn share(&self) -> Option<String> {
        let (was, now) = self.before.number().zip(self.after.number())?;
        let percent = (now / was - 1.0) * 100.0;
        let sign = if percent < 0.0 { "−" } else { "+" };
        (was > 0.0).then(|| format!("{sign}{:.1} %", percent.abs()))
    }

    /// As it is read.
    pub fn name(&self) -> &'static str {
        match self.figure {
            "promptTokens" => "prompt tokens",
            "peakPromptTokens" => "largest prompt",
            "freshTokens" => "tokens paid in full",
            other => other,
        }
    }
}

/// In the run, and in the baseline.
fn how_often(before: u32, after: u32) -> String {
    match before {
        0 => format!("The baseline does not have that; this run has it {}.", times(after.into())),
        before => {
            format!("The baseline has that {}, this run {}.", times(before.into()), times(after.into()))
        }
    }
}
