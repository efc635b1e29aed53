//! What a turn says of its tokens.
//!
//! VS Code keeps the prompt of the last call of a turn. Its count of the answer was that of the last call, too; since 2026 it
//! is that of all calls. Copilot's own metadata has the last call's.

use strata_model::take::{take_count, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::usage::spelling::VSCODE_MODEL_TOTAL;
use strata_wire::usage::{Counts, UsageReport};

/// The counts of a turn, by what they are of.
#[derive(Debug, Default)]
pub(super) struct TurnUsage {
    /// Of the last call.
    pub(super) last: Counts,
    /// Output of the other calls, or of all of them where nothing is known of the last one alone.
    pub(super) other_output: Option<u64>,
    /// Of all calls, by model.
    pub(super) totals: Vec<(Option<Str>, UsageReport)>,
    /// What the prompt was made of, in percent.
    pub(super) details: Option<Json>,
}

impl TurnUsage {
    /// Takes them from a request and the metadata of its result.
    pub(super) fn take(
        request: &mut Object,
        result: &mut Object,
        metadata: &mut Object,
        n_calls: usize,
    ) -> Self {
        let mut inner =
            take_object(result, "usage").or_else(|| take_object(request, "usage")).unwrap_or_default();
        let mut count = |key: &str| {
            let outer = take_count(request, key);
            outer.or_else(|| take_count(&mut inner, key)).filter(|count| *count > 0)
        };
        let (prompt, completion) = (count("promptTokens"), count("completionTokens"));
        let own_prompt = take_count(metadata, "promptTokens").filter(|count| *count > 0);
        let own_output = take_count(metadata, "outputTokens").filter(|count| *count > 0);
        let details = request.remove("promptTokenDetails").or_else(|| inner.remove("promptTokenDetails"));
        let totals = take_list(request, "modelTotals").unwrap_or_default().into_iter().filter_map(|total| {
            let Json::Object(mut total) = total else { return None };
            let counts = VSCODE_MODEL_TOTAL.take(&mut total);
            (!counts.is_empty()).then(|| (take_text(&mut total, "model"), counts.into()))
        });
        let totals: Vec<(Option<Str>, UsageReport)> = totals.collect();
        let input = prompt.or(own_prompt);
        if n_calls <= 1 {
            let last = Counts { input, output: completion.or(own_output), ..Counts::default() };
            return Self { last, other_output: None, totals, details };
        }
        let other_output = match (completion, own_output) {
            (Some(all), Some(last)) => Some(all.saturating_sub(last)).filter(|rest| *rest > 0),
            (all, None) => all,
            (None, Some(_)) => None,
        };
        let last = Counts { input, output: own_output, ..Counts::default() };
        Self { last, other_output, totals, details }
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    /// Input and output of the last call, and output of the others.
    fn counts(request: &str, metadata: &str, n_calls: usize) -> (Option<u64>, Option<u64>, Option<u64>) {
        let object = |text: &str| match json::parse(text.as_bytes()) {
            Ok(Json::Object(object)) => object,
            other => panic!("{other:?}"),
        };
        let usage = TurnUsage::take(&mut object(request), &mut Object::new(), &mut object(metadata), n_calls);
        (usage.last.input, usage.last.output, usage.other_output)
    }

    #[test]
    fn output_of_a_turn_is_counted_once() {
        let own = r#"{"promptTokens":900,"outputTokens":20}"#;
        let turn = r#"{"promptTokens":1000,"completionTokens":50}"#;
        assert_eq!(counts(turn, "{}", 1), (Some(1000), Some(50), None));
        assert_eq!(counts("{}", own, 1), (Some(900), Some(20), None));
        // Of several calls the turn has the output of all, and Copilot that of the last.
        assert_eq!(counts(turn, own, 3), (Some(1000), Some(20), Some(30)));
        assert_eq!(counts(turn, "{}", 3), (Some(1000), None, Some(50)));
        assert_eq!(counts(r#"{"completionTokens":20}"#, own, 3), (Some(900), Some(20), None));
        assert_eq!(counts("{}", own, 3), (Some(900), Some(20), None));
        assert_eq!(counts("{}", "{}", 3), (None, None, None));
    }
}
