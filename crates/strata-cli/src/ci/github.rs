//! Annotations of GitHub Actions: a command for each problem, on a line of its own.

use strata_app::report::{CheckReport, ProblemLevel};
use strata_app::{count, counted, without_commands};

use super::words::{place, rule_title};

/// A line for each problem, then one that sums up.
pub(crate) fn github(report: &CheckReport) -> String {
    let mut text = String::new();
    for problem in report.problems() {
        let command = match problem.level {
            ProblemLevel::Error => "error",
            ProblemLevel::Warning => "warning",
            ProblemLevel::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(file) = &problem.file {
            properties.push(format!("file={}", property(file)));
            if let Some(line) = problem.line {
                properties.push(format!("line={line}"));
            }
        }
        let place = place(&problem);
        let title = rule_title(&problem.rule);
        let title = if place.is_empty() { title } else { format!("{title}: {place}") };
        properties.push(format!("title={}", property(&title)));
        text += &format!("::{command} {}::{}\n", properties.join(","), data(&problem.message));
    }
    let n_broken = report.budgets.iter().filter(|budget| !budget.passed).count();
    let mut summary = format!(
        "{} of {}, {} of {} broken",
        counted(report.bill.calls as usize, "call"),
        counted(report.sessions.len(), "session"),
        count(n_broken),
        counted(report.budgets.len(), "budget")
    );
    if let Some(baseline) = &report.baseline {
        let failures = counted(baseline.failures.len(), "failure");
        summary += &format!(", {failures} beside {}", baseline.file);
    }
    text += &format!("::notice title={}::{}\n", property("strata check"), data(&summary));
    text
}

/// The text of a command: it ends with its line. What would command the terminal that shows the log is a symbol.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    without_commands(&escaped).into_owned()
}

/// A property of a command: it ends at a comma, and the properties at a colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(data("50 %\r\n::error::x, y"), "50 %25%0D%0A::error::x, y");
        assert_eq!(property("C:\\a,b 1 %\n"), "C%3A\\a%2Cb 1 %25%0A");
        assert_eq!(property("a\0b\x1b[2J\u{9b}m\u{202e}"), "a␀b␛[2J␛[m\\u{202e}");
    }
}
