//! SARIF 2.1.0: a rule for each kind of problem, a result for each problem.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};
use strata_app::report::{CheckProblem, CheckReport, ProblemLevel};

use super::words::{place, rule_title};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The whole file.
pub(crate) fn sarif(report: &CheckReport) -> Result<String> {
    let problems = report.problems();
    let mut rules: Vec<&str> = problems.iter().map(|problem| &*problem.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let described = rules
        .iter()
        .map(|rule| json!({"id": rule, "shortDescription": {"text": format!("{}.", rule_title(rule))}}));
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let results = problems.iter().map(|problem| {
        let name = format!("{}: {}", problem.rule, place(problem));
        let nth = known.entry(name.clone()).or_default();
        *nth += 1;
        result(problem, &rules, &if *nth == 1 { name } else { format!("{name} ({nth})") })
    });
    let file = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "strata check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<Value>>(),
            }},
            "invocations": [{"executionSuccessful": !report.incomplete}],
            "results": results.collect::<Vec<Value>>(),
        }],
    });
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}

/// `name` is the same for the same problem of a later run, whatever its numbers are then.
fn result(problem: &CheckProblem, rules: &[&str], name: &str) -> Value {
    let place = place(problem);
    let message =
        if place.is_empty() { problem.message.clone() } else { format!("{place}: {}", problem.message) };
    let level = match problem.level {
        ProblemLevel::Error => "error",
        ProblemLevel::Warning => "warning",
        ProblemLevel::Note => "note",
    };
    let mut location = serde_json::Map::new();
    if let Some(file) = &problem.file {
        let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
        if let Some(line) = problem.line {
            physical["region"] = json!({"startLine": line});
        }
        location.insert("physicalLocation".to_owned(), physical);
    }
    if !place.is_empty() {
        location.insert("logicalLocations".to_owned(), json!([{"fullyQualifiedName": place}]));
    }
    let locations = if location.is_empty() { json!([]) } else { json!([location]) };
    json!({
        "ruleId": problem.rule,
        "ruleIndex": rules.iter().position(|rule| *rule == problem.rule),
        "level": level,
        "message": {"text": message},
        "locations": locations,
        "partialFingerprints": {"problem/v1": name},
    })
}

/// A path as a reference of a URI: relative ones stay relative.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped: String = path
        .bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if path.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("ci/budget.toml"), "ci/budget.toml");
        assert_eq!(uri("a b/ä#1.toml"), "a%20b/%C3%A4%231.toml");
        assert_eq!(uri("/tmp/x.toml"), "file:///tmp/x.toml");
        assert_eq!(uri("ci\\budget.toml"), "ci/budget.toml");
    }
}
