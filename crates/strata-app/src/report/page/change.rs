//! What edits change.

use maud::{Markup, html};

use super::frame;
use super::summary::cached;
use super::texts::{dollars, tokens};
use crate::api::common::Bill;
use crate::report::opened::OpenedSession;
use crate::show::words;

/// The session before and after the edits that are laid over it; nothing where there are none.
pub(super) fn section(opened: &OpenedSession) -> Markup {
    let Some(recording) = opened.compiled.recording(&opened.subject) else { return html! {} };
    let (before, after): (Bill, Bill) =
        (recording.caches.bill().into(), opened.compiled.caches.bill().into());
    let row = |name: &str, say: &dyn Fn(&Bill) -> String| vec![name.to_owned(), say(&before), say(&after)];
    let rows = [
        row("Prompts", &|bill| tokens(bill.prompt_tokens, bill.basis)),
        row("From a cache", &cached),
        row("Cost", &|bill| dollars(bill.cost)),
    ];
    frame::section(
        "Before and after",
        &html! {
            p { "This page is of the session with " (words::counted(opened.subject.edits.len(), "edit")) " laid over it. Calls that differ are predicted." }
            (frame::table("The recording, and the same with the edits", &["What", "Before", "After"], 2, &rows))
        },
    )
}
