//! `strata check`: whether recorded sessions keep to a budget and to a baseline, and what broke it where they do not.

mod against;
mod baseline;
mod blame;
mod budget;
mod checked;
mod entry;
mod figures;
mod found;
mod growth;
mod limits;
mod lines;
mod matching;
mod measure;
mod now;
mod problems;
mod report;
mod results;
mod sizes;
mod spending;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use strata_measure::analysis::{BillTotals, CacheAnalysis, CallCache};
use strata_model::Str;

use super::diagnostic::FileDiagnostic;
use super::inputs::{Recording, Recordings};
use super::source::{Source, Subject};
use super::{VERSION, Watch};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::show::nearest;
use crate::show::words::{counted, listed};
use crate::usage::drawn_id;
pub use against::{BaselineFailure, BaselineReport};
use baseline::Baseline;
use budget::Budget;
use checked::Checked;
pub use checked::{Amount, BudgetFailure, BudgetReport};
pub use growth::{AgentGrowth, FigureGrowth, GrownCause, NewFinding, SessionGrowth};
use measure::MeasuredSession;
pub use now::NewBreak;
use now::SessionNow;
pub use problems::{CheckProblem, ProblemLevel};
pub use report::{CheckReport, CheckedSession};

/// What is checked, and with what.
#[derive(Debug, Clone, Copy)]
pub struct CheckChoice<'c> {
    /// Files, folders, patterns and stored sessions.
    pub names: &'c [String],
    /// Only the session of this id or title.
    pub session: Option<&'c str>,
    pub budget: Option<&'c Path>,
    /// The baseline that the sessions are compared with, and the share by which a figure may grow.
    pub baseline: Option<(&'c Path, f64)>,
    /// Where the figures of the sessions are written, as a baseline of later runs.
    pub write_baseline: Option<&'c Path>,
}

/// Checks the sessions that are named. `source` says how they are read and compiled; its name does not count.
pub fn check(source: &Source, choice: &CheckChoice<'_>, watch: &dyn Watch) -> Result<CheckReport, AppError> {
    // What is wrong with the files beside the recordings is said before anything long is done.
    let budget = choice.budget.map(Budget::read).transpose()?;
    let baseline = choice.baseline.map(|(path, _)| Baseline::read(path)).transpose()?;
    let mut recordings = Recordings::read(choice.names, source, choice.session, watch)?;
    let mut diagnostics = std::mem::take(&mut recordings.diagnostics);
    let mut is_incomplete = recordings.is_incomplete;
    for found in diagnostics.iter_mut().filter(|found| PARTS.contains(&&*found.code)) {
        found.severity = DiagnosticSeverity::Error;
        is_incomplete = true;
    }
    let is_compared = choice.baseline.is_some() || choice.write_baseline.is_some();
    let mut run = Run { is_compared, ..Run::default() };
    for recording in &recordings.all {
        run.add(recording, budget.as_ref(), watch)?;
    }
    if let (Some(budget), Some(file), false) = (&budget, choice.budget, run.callers.is_empty()) {
        diagnostics.extend(run.unchecked_agents(budget, file)?);
    }
    if run.callers.is_empty() {
        diagnostics.push(FileDiagnostic::new(&choice.names.join(", "), without_calls(run.sessions.len())));
        is_incomplete = true;
    }
    let Run { mut sessions, bills, checked, now, repeated_calls, .. } = run;
    let compared = baseline
        .as_ref()
        .zip(choice.baseline)
        .map(|(baseline, (path, allowed))| BaselineReport::of((baseline, path), &now, allowed));
    let has_failed = |name: &str| {
        let grew = compared.as_ref().is_some_and(|compared| compared.has_failed(name));
        grew || checked.failures.iter().any(|failure| failure.session == name)
    };
    for session in &mut sessions {
        session.passed = !has_failed(&session.session);
    }
    let baseline_written = match choice.write_baseline {
        Some(path) if is_incomplete => {
            return Err(AppError::bad_input(format!(
                "What was read is not the whole run, so {} was not written. {}",
                path.display(),
                unread(&diagnostics)
            )));
        }
        Some(path) => {
            Baseline::write(path, now.into_iter().map(|now| now.figures).collect())?;
            Some(path.display().to_string())
        }
        None => None,
    };
    let is_kept = checked.failures.is_empty() && compared.as_ref().is_none_or(|compared| compared.passed);
    let only = if let [only] = &sessions[..] { Some(only.clone()) } else { None };
    Ok(CheckReport {
        version: VERSION,
        session: only.as_ref().map(|only| only.session.clone()),
        title: only.as_ref().map(|only| only.title.clone()),
        app: only.map(|only| only.app),
        bill: bills.into_iter().sum::<BillTotals>().into(),
        repeated_calls,
        passed: is_kept && !is_incomplete,
        sessions,
        budget_file: choice.budget.map(|path| path.display().to_string()),
        budgets: checked.budgets,
        failures: checked.failures,
        baseline: compared,
        baseline_written,
        incomplete: is_incomplete,
        diagnostics,
    })
}

/// The sessions as far as they are checked.
#[derive(Default)]
struct Run {
    sessions: Vec<CheckedSession>,
    /// Of the calls that no session before tells of, too.
    bills: Vec<BillTotals>,
    /// Answers that were told of, by the ids that their providers gave them.
    told: HashSet<Str>,
    repeated_calls: u32,
    checked: Checked,
    /// Whether anything is kept of them, and what.
    is_compared: bool,
    now: Vec<SessionNow>,
    /// Agents that made calls, and those that the apps have.
    callers: BTreeSet<String>,
    idle: BTreeSet<String>,
}

impl Run {
    fn add(
        &mut self,
        recording: &Recording,
        budget: Option<&Budget>,
        watch: &dyn Watch,
    ) -> Result<(), AppError> {
        let Recording { subject, file, tables } = recording;
        let compiled = subject.compiled(subject.n_calls(), tables, watch)?;
        let measured = MeasuredSession::of(subject, &compiled, tables);
        let name = self.name_of(recording);
        if let Some(budget) = budget {
            self.checked.append(measured.check(budget, &name));
            let names = budget.agents.keys().filter(|agent| measured.is_of_app(agent));
            self.idle.extend(names.cloned());
        }
        self.callers.extend(measured.agents().into_iter().map(str::to_owned));
        if self.is_compared {
            self.now.push(SessionNow::of(name.clone(), measured));
        }
        let bill = compiled.caches.bill();
        self.sessions.push(CheckedSession {
            session: name,
            title: subject.title.clone(),
            file: file.clone(),
            app: (&subject.app).into(),
            bill: bill.into(),
            passed: true,
        });
        let bill = self.bill_once(subject, &compiled.caches);
        self.bills.push(bill);
        Ok(())
    }

    /// What a session comes to without the calls that one before tells of, too: a session that was resumed in another file
    /// begins with those of the first.
    fn bill_once(&mut self, subject: &Subject, caches: &CacheAnalysis) -> BillTotals {
        let answer = |call: &CallCache| {
            let answer = subject.experiment.call(call.call)?.answer;
            drawn_id(subject.experiment.session().events.get(answer.as_usize())?)
        };
        let is_new = |call: &&CallCache| answer(call).is_none_or(|id| !self.told.contains(id));
        let new: Vec<&CallCache> = caches.calls.iter().filter(is_new).collect();
        let n_repeated = caches.calls.len() - new.len();
        self.repeated_calls += n_repeated as u32;
        self.told.extend(caches.calls.iter().filter_map(answer).map(Str::from));
        if n_repeated == 0 {
            return caches.bill();
        }
        let bill = BillTotals::of(new.into_iter().map(|call| &call.bill));
        BillTotals { summaries: caches.bill().summaries, ..bill }
    }

    /// Its id; with its file, and a number where that does not help, where another session has that.
    fn name_of(&self, recording: &Recording) -> String {
        let id = &recording.subject.id;
        let is_taken = |name: &str| self.sessions.iter().any(|session| session.session == name);
        let named = format!("{id} in {}", recording.file);
        let numbered = (2..).map(|nth| format!("{named} ({nth})"));
        let mut names = [id.clone(), named.clone()].into_iter().chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// Agents with a budget that made no call. One that nobody knows is an error: its budget would be kept whatever happens.
    fn unchecked_agents(&self, budget: &Budget, file: &Path) -> Result<Vec<FileDiagnostic>, AppError> {
        let file = file.display().to_string();
        let mut told = Vec::new();
        let n_sessions = self.sessions.len();
        for agent in budget.agents.keys().filter(|agent| !self.callers.contains(*agent)) {
            if !self.idle.contains(agent) {
                let line = budget.line_of_agent(agent).map_or(String::new(), |line| format!("{line}:"));
                return Err(unknown_agent(agent, &self.callers, &format!("{file}:{line}"), n_sessions));
            }
            told.push(FileDiagnostic::new(&file, agent_without_calls(agent, n_sessions)));
        }
        Ok(told)
    }
}

/// Codes of what is said of a recording of which a part is missing: a budget is not kept by what nobody recorded.
const PARTS: [&str; 4] = ["truncated", "broken-record", "lost-records", "unfinished-run"];

fn without_calls(n_sessions: usize) -> DiagnosticRow {
    let of = if n_sessions == 1 {
        "This session has no call of a model".to_owned()
    } else {
        format!("None of these {} has a call of a model", counted(n_sessions, "session"))
    };
    DiagnosticRow {
        severity: DiagnosticSeverity::Error,
        code: "no-calls".to_owned(),
        message: format!("{of}, so there is nothing that a budget or a baseline could be about."),
        at: String::new(),
    }
}

fn unread(diagnostics: &[FileDiagnostic]) -> String {
    let failed = diagnostics.iter().filter(|found| found.severity == DiagnosticSeverity::Error);
    failed.map(|found| format!("{}: {}", found.file, found.message)).collect::<Vec<_>>().join(" ")
}

/// Budgets of an agent that nobody knows would be kept whatever happens.
fn unknown_agent(agent: &str, known: &BTreeSet<String>, place: &str, n_sessions: usize) -> AppError {
    let advice = match nearest(agent, known.iter().map(String::as_str)) {
        Some(near) => format!("Did you mean {near}?"),
        None => format!("Calls were made by {}.", listed(&known.iter().collect::<Vec<_>>())),
    };
    let of = if n_sessions == 1 {
        "this session or its app".to_owned()
    } else {
        format!("these {} or their apps", counted(n_sessions, "session"))
    };
    AppError::bad_input(format!(
        "{place} agents.{agent}: there is no agent {agent} in {of}; nothing was checked. {advice}"
    ))
}

/// A file may serve many sessions of an app, so this is no error.
fn agent_without_calls(agent: &str, n_sessions: usize) -> DiagnosticRow {
    let of = if n_sessions == 1 {
        "this session".to_owned()
    } else {
        format!("any of these {}", counted(n_sessions, "session"))
    };
    DiagnosticRow {
        severity: DiagnosticSeverity::Info,
        code: "agent-without-calls".to_owned(),
        message: format!("The agent {agent} made no call in {of}, so its budgets were not checked."),
        at: format!("agents.{agent}"),
    }
}
