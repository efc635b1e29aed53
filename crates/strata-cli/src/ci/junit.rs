//! Test results as JUnit writes them: a suite for each session, a case for each budget and each agent in the baseline.

use strata_app::report::{
    AgentGrowth, Amount, BaselineReport, BudgetReport, CheckReport, CheckedSession, DiagnosticSeverity,
    FileDiagnostic, SessionGrowth,
};

/// One case.
struct Case {
    name: String,
    /// Its kind and its message.
    failures: Vec<(String, String)>,
    /// It could not be looked at.
    is_error: bool,
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

/// The whole file.
pub(crate) fn junit(report: &CheckReport) -> String {
    let mut suites: Vec<Suite> = report.sessions.iter().map(|session| suite(report, session)).collect();
    let run: Vec<Case> = of_run(report).collect();
    if !run.is_empty() {
        suites.push(Suite { name: "the run".to_owned(), cases: run });
    }
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    text += &format!(
        "<testsuites name=\"strata check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n",
        sum(|suite| suite.cases.len()),
        sum(Suite::n_failures),
        sum(Suite::n_errors)
    );
    for suite in &suites {
        text += &suite.print();
    }
    text + "</testsuites>\n"
}

fn suite(report: &CheckReport, session: &CheckedSession) -> Suite {
    let of_budgets = report.budgets.iter().filter(|budget| budget.session == session.session);
    let mut cases: Vec<Case> = of_budgets.map(|budget| budget_case(report, budget)).collect();
    if let Some(baseline) = &report.baseline
        && let Some(growth) = baseline.sessions.iter().find(|growth| growth.session == session.session)
    {
        cases.extend(baseline_cases(baseline, growth));
    }
    let name = if session.title == session.session {
        session.title.clone()
    } else {
        format!("{} ({})", session.title, session.session)
    };
    Suite { name, cases }
}

fn budget_case(report: &CheckReport, budget: &BudgetReport) -> Case {
    let of = budget.agent.as_ref().map_or(String::new(), |agent| format!(" of {agent}"));
    let limit = match &budget.limit {
        Amount::Code(code) => format!(" {code}"),
        _ => String::new(),
    };
    let is_of_budget = |failure: &&strata_app::report::BudgetFailure| {
        (&failure.session, &failure.budget, &failure.agent, &failure.limit)
            == (&budget.session, &budget.budget, &budget.agent, &budget.limit)
    };
    let failures = report.failures.iter().filter(is_of_budget);
    let failures = failures.map(|failure| (budget.budget.clone(), failure.message.clone())).collect();
    Case { name: format!("{}{limit}{of}", budget.budget), failures, is_error: false }
}

/// Of each agent, whether its figures grew; then whether anything is new.
fn baseline_cases(baseline: &BaselineReport, growth: &SessionGrowth) -> Vec<Case> {
    let of_session =
        || baseline.failures.iter().filter(|failure| failure.session.as_deref() == Some(&*growth.session));
    let case = |name: String, codes: &[&str], agent: Option<&str>| Case {
        name,
        failures: of_session()
            .filter(|failure| codes.contains(&failure.code))
            .filter(|failure| agent.is_none_or(|agent| failure.agent.as_deref() == Some(agent)))
            .map(|failure| (failure.code.to_owned(), failure.message.clone()))
            .collect(),
        is_error: false,
    };
    let of_agent =
        |agent: &AgentGrowth| case(format!("baseline of {}", agent.agent), &["grown"], Some(&agent.agent));
    let mut cases = vec![case("baseline can be compared".to_owned(), &["not-comparable"], None)];
    cases.extend(growth.agents.iter().map(of_agent));
    cases.push(case("no new breaks".to_owned(), &["new-break"], None));
    cases.push(case("no new findings".to_owned(), &["new-finding"], None));
    let of_all: Vec<_> =
        of_session().filter(|failure| failure.code == "grown" && failure.agent.is_none()).collect();
    if !of_all.is_empty() {
        let failures = of_all.iter().map(|failure| (failure.code.to_owned(), failure.message.clone()));
        cases.push(Case {
            name: "baseline of all".to_owned(),
            failures: failures.collect(),
            is_error: false,
        });
    }
    cases
}

/// What is about no session: files that could not be read, and a baseline that has none of the sessions.
fn of_run(report: &CheckReport) -> impl Iterator<Item = Case> {
    let is_error = |found: &&FileDiagnostic| found.severity == DiagnosticSeverity::Error;
    let unread = report.diagnostics.iter().filter(move |found| report.incomplete && is_error(found));
    let unread = unread.map(|found| Case {
        name: found.file.clone(),
        failures: vec![(found.code.clone(), found.message.clone())],
        is_error: true,
    });
    let baseline = report.baseline.iter().flat_map(|baseline| &baseline.failures);
    let of_all = baseline.filter(|failure| failure.session.is_none()).map(|failure| Case {
        name: failure.code.to_owned(),
        failures: vec![(failure.code.to_owned(), failure.message.clone())],
        is_error: false,
    });
    unread.chain(of_all)
}

impl Suite {
    fn n_failures(&self) -> usize {
        self.cases.iter().filter(|case| !case.is_error && !case.failures.is_empty()).count()
    }

    fn n_errors(&self) -> usize {
        self.cases.iter().filter(|case| case.is_error).count()
    }

    fn print(&self) -> String {
        let name = escaped(&self.name);
        let mut text = format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\">\n",
            self.cases.len(),
            self.n_failures(),
            self.n_errors()
        );
        for case in &self.cases {
            let open =
                format!("    <testcase name=\"{}\" classname=\"{name}\" time=\"0\"", escaped(&case.name));
            let Some((kind, first)) = case.failures.first() else {
                text += &format!("{open}/>\n");
                continue;
            };
            // A case fails once: all it has to say stands in one failure.
            let all: Vec<&str> = case.failures.iter().map(|(_, message)| message.as_str()).collect();
            let element = if case.is_error { "error" } else { "failure" };
            text += &format!(
                "{open}>\n      <{element} type=\"{}\" message=\"{}\">{}</{element}>\n    </testcase>\n",
                escaped(kind),
                escaped(first),
                escaped(&all.join("\n"))
            );
        }
        text + "  </testsuite>\n"
    }
}

/// As text and as an attribute. What XML cannot hold is written as the sign for what cannot be shown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(character))),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_is_text_of_xml() {
        assert_eq!(escaped("a < b & \"c\"\n\u{1b}[1m"), "a &lt; b &amp; &quot;c&quot;&#10;\u{fffd}[1m");
    }

    #[test]
    fn a_case_with_several_failures_fails_once() {
        let failures = vec![("grown".to_owned(), "one".to_owned()), ("grown".to_owned(), "two".to_owned())];
        let case = Case { name: "baseline of desk".to_owned(), failures, is_error: false };
        let suite = Suite { name: "parcel".to_owned(), cases: vec![case] };
        let text = suite.print();
        assert!(text.contains("failures=\"1\""), "{text}");
        assert!(text.contains("message=\"one\">one&#10;two</failure>"), "{text}");
    }
}
