//! Findings of the bundled sample.

use strata_measure::findings::{CallRange, Finding};
use strata_testkit::{experiment_in, invoice_triage};

use super::case::of;

#[test]
fn findings_of_the_sample() {
    let found = of(&experiment_in(invoice_triage::app(), invoice_triage::session()));
    insta::assert_snapshot!(found.iter().map(shown).collect::<String>(), @r#"
    state-in-instruction (prefix), Warning, 85860 tokens
    state.hits changed 41 → 2,318 inside the instruction. 85,860 tokens were paid in full again for it, twice, by log_analyst.
    C17, C31
    quoted-tool-results (bloat), Info, 46215 tokens
    What tools returned to coordinator was quoted in full to log_analyst: 46,215 tokens in 15 calls (search_logs 46,215).
    C3–C17
    quotation-frames (bloat), Info, 19620 tokens
    Paragraphs and markers around other agents' words took 19,620 tokens (2 % of everything that was sent) in 35 calls, read by log_analyst, coordinator and report_writer.
    C3–C17, C19–C22, C24–C34, C36–C38, C40–C41
    summaries-by-main-model (trap), Info, 0 tokens
    No summarizer is set, so gemini-3.5-flash wrote 2 summaries (E35 and E70) of 91,275 tokens of history, at its own price.
    "#);
}

fn shown(finding: &Finding) -> String {
    let range = |range: &CallRange| match range {
        CallRange { first, last } if first == last => format!("C{first}"),
        CallRange { first, last } => format!("C{first}–C{last}"),
    };
    let calls: Vec<String> = finding.calls.iter().map(range).collect();
    let head = format!(
        "{} ({}), {:?}, {} tokens",
        finding.code,
        finding.kind.name(),
        finding.severity,
        finding.tokens()
    );
    [head, finding.message.clone(), calls.join(", ")].iter().flat_map(|line| [line, "\n"]).collect()
}
