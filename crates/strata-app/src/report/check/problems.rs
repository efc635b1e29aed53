//! What a check found, one problem after the other: for those who know nothing but problems.

use super::report::CheckReport;
use crate::api::common::DiagnosticSeverity;

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckProblem {
    pub level: ProblemLevel,
    /// What kind of problem it is: `max_prompt_tokens`, `grown`, `unreadable`.
    pub rule: String,
    /// The session, by its id and title.
    pub session: Option<(String, String)>,
    pub agent: Option<String>,
    pub message: String,
    /// The file it is seen in: that of the budget, the baseline, or one that cannot be read.
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemLevel {
    /// The check fails.
    Error,
    Warning,
    Note,
}

impl CheckReport {
    /// Everything that fails the check, then what a person should know.
    pub fn problems(&self) -> Vec<CheckProblem> {
        let titled = |id: &str| {
            let known = self.sessions.iter().find(|session| session.session == id);
            known.map(|session| (session.session.clone(), session.title.clone()))
        };
        let budgets = self.failures.iter().map(|failure| CheckProblem {
            level: ProblemLevel::Error,
            rule: failure.budget.split('.').next().unwrap_or_default().to_owned(),
            session: titled(&failure.session),
            agent: failure.agent.clone(),
            message: failure.message.clone(),
            file: self.budget_file.clone(),
            line: failure.line,
        });
        let mut problems: Vec<CheckProblem> = budgets.collect();
        if let Some(baseline) = &self.baseline {
            problems.extend(baseline.failures.iter().map(|failure| CheckProblem {
                level: ProblemLevel::Error,
                rule: failure.code.to_owned(),
                session: failure.session.as_deref().and_then(titled),
                agent: failure.agent.clone(),
                message: failure.message.clone(),
                file: Some(baseline.file.clone()),
                line: failure.line,
            }));
            let alone = |title: &String, rule: &str, message: String| CheckProblem {
                level: ProblemLevel::Warning,
                rule: rule.to_owned(),
                session: Some((String::new(), title.clone())),
                agent: None,
                message,
                file: Some(baseline.file.clone()),
                line: None,
            };
            if !baseline.is_of_this_version {
                problems.push(CheckProblem {
                    level: ProblemLevel::Note,
                    rule: "other-version".to_owned(),
                    session: None,
                    agent: None,
                    message: format!(
                        "The baseline was written by Strata {}, whose prices and counts may be others.",
                        baseline.written_by
                    ),
                    file: Some(baseline.file.clone()),
                    line: None,
                });
            }
            problems.extend(baseline.only_in_baseline.iter().map(|title| {
                let message = format!("“{title}” is in the baseline, and not in this run.");
                alone(title, "only-in-baseline", message)
            }));
            problems.extend(baseline.only_in_run.iter().map(|title| {
                let message = format!("“{title}” is not in the baseline, and was compared with nothing.");
                alone(title, "only-in-run", message)
            }));
        }
        problems.extend(self.diagnostics.iter().map(|found| CheckProblem {
            level: match found.severity {
                DiagnosticSeverity::Error => ProblemLevel::Error,
                DiagnosticSeverity::Warning => ProblemLevel::Warning,
                DiagnosticSeverity::Info => ProblemLevel::Note,
            },
            rule: found.code.clone(),
            session: None,
            agent: None,
            message: found.message.clone(),
            file: Some(found.file.clone()).filter(|file| !file.is_empty()),
            line: found.at.strip_prefix("line ").and_then(|line| line.parse().ok()),
        }));
        problems.sort_by_key(|problem| problem.level);
        problems
    }
}
