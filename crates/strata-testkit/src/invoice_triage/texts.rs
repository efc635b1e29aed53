//! What the model wrote, and what the agents are configured with.

pub(super) const COORDINATOR: &str = include_str!("../../assets/invoice_triage/instructions/coordinator.md");
pub(super) const LOG_ANALYST: &str = include_str!("../../assets/invoice_triage/instructions/log_analyst.md");
pub(super) const REPORT_WRITER: &str =
    include_str!("../../assets/invoice_triage/instructions/report_writer.md");
/// Declarations of the functions the agents share, as a JSON array.
pub(super) const TOOLS: &str = include_str!("../../assets/invoice_triage/tools.json");

pub(super) const REPORT_V1: &str = include_str!("../../assets/invoice_triage/texts/report_v1.md");
pub(super) const REPORT_V2: &str = include_str!("../../assets/invoice_triage/texts/report_v2.md");
pub(super) const SUMMARY_1_6: &str = include_str!("../../assets/invoice_triage/texts/summary_1_6.md");
pub(super) const SUMMARY_6_12: &str = include_str!("../../assets/invoice_triage/texts/summary_6_12.md");
const ANSWERS: &str = include_str!("../../assets/invoice_triage/texts/answers.md");

/// The answer that is the event with this number.
pub(super) fn answer(event_number: usize) -> &'static str {
    let mark = format!("=== E{event_number}\n");
    let after = ANSWERS.split_once(&mark).map_or("", |(_, after)| after);
    after.split("\n=== E").next().unwrap_or_default().trim_end()
}

/// All answers with the number of their event: `E10: The failure …`.
#[cfg(test)]
pub(super) fn answers() -> Vec<String> {
    let blocks = ANSWERS.split("=== ").filter(|block| !block.is_empty());
    blocks
        .filter_map(|block| block.split_once('\n'))
        .map(|(name, text)| format!("{name}: {}", text.trim_end()))
        .collect()
}
