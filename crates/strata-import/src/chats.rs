//! What people take with them from the chats of providers. None of them says what a prompt was in tokens.

pub(crate) mod ai_studio;
pub(crate) mod chatgpt;
pub(crate) mod claude_ai;

use crate::findings::Findings;

/// Says once that there are no counts to be had.
fn tell_no_usage(of: &str, findings: &mut Findings) {
    let message = format!("{of} has no token counts; those that are shown are estimates of the words in it");
    findings.info("no-usage", "", message);
}
