//! Whether Strata and google-adk agree on one case.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;
use strata_model::Json;
use strata_oracle::Failure;

use strata_oracle::worker::Worker;

use crate::subject::Subject;

pub(crate) enum Verdict {
    /// google-adk does not take it.
    Invalid {
        why: String,
    },
    Agreed {
        vector: Json,
    },
    Differs {
        vector: Json,
        failure: Failure,
    },
}

/// Asks google-adk, then compiles with Strata and compares.
pub(crate) fn judge(worker: &mut Worker, subject: &Subject, question: &Json) -> Result<Verdict> {
    let answer = worker.ask(question)?;
    if let Some(why) = answer.get("invalid").and_then(Json::as_str) {
        return Ok(Verdict::Invalid { why: why.to_owned() });
    }
    let vector = subject.vector(question, &answer);
    let failure = catch_unwind(AssertUnwindSafe(|| subject.check(&vector).err().unwrap_or_default()))
        .unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            vec![format!("panicked: {}", text.unwrap_or("(no message)"))]
        });
    Ok(if failure.is_empty() { Verdict::Agreed { vector } } else { Verdict::Differs { vector, failure } })
}

/// What kind of difference this is: its first place, without positions and values.
pub(crate) fn kind(vector: &Json, failure: &Failure) -> String {
    // Where nothing failed, the stage tells more than the end.
    if let Some(line) = failure.iter().find(|line| line.starts_with("after ")) {
        let (place, difference) = line.split_once(": ").unwrap_or((line, ""));
        let difference: String = difference.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        return without_numbers(&format!("{place}: {difference}"));
    }
    let first = failure.first().map(String::as_str).unwrap_or_default();
    if vector.get("expect").is_some() {
        return without_numbers(&first.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
    }
    let error = vector.get("expected").and_then(|expected| expected.get("error"));
    let text = |key: &str| error.and_then(|error| error.get(key)).and_then(Json::as_str).unwrap_or("none");
    let message: String = text("message").split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    without_numbers(&format!(
        "{} (expected error: {} in {}: {message})",
        first,
        text("type"),
        text("processor")
    ))
}

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    #[test]
    fn a_kind_is_the_stage_and_place_of_the_first_difference() {
        let failure = [
            "request.contents[3]: missing {}",
            "after contents.contents[12].parts[0].text: texts differ at character 7: expected \"a\", got \"b\"",
        ];
        let failure = failure.map(str::to_owned).to_vec();
        let expected = "after contents.contents[#].parts[#].text: texts differ";
        assert_eq!(kind(&Json::Null, &failure), expected);
    }

    #[test]
    fn without_a_stage_the_expected_error_tells_the_kind() {
        let vector =
            br#"{"expected": {"error": {"type": "KeyError", "message": "no", "processor": "instructions"}}}"#;
        let vector = json::parse(vector).unwrap();
        let failure = vec!["outcome: expected error".to_owned()];
        assert_eq!(
            kind(&vector, &failure),
            "outcome: expected error (expected error: KeyError in instructions: no)"
        );
    }
}
