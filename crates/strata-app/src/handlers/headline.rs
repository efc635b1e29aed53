//! What a stage did, in a sentence or two.

use strata_engine::{EarlyEnd, Omission, OmissionReason, Stage};

use crate::error::sentence;
use crate::show::words;

/// How many parts of each kind of change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub added: usize,
    pub rewritten: usize,
    pub left_out: usize,
    pub unchanged: usize,
    pub moved: usize,
}

/// `omissions` are what `contents` left out of so many events.
pub(super) fn headline(stage: &Stage, (n_events, omissions): (usize, &[Omission]), counts: Counts) -> String {
    let Counts { added, rewritten, left_out, unchanged, moved } = counts;
    let note = &stage.output.note;
    match &stage.output.end {
        Some(EarlyEnd::Ended) => {
            return format!("{} ended the run: the model is not called.", stage.processor);
        }
        Some(EarlyEnd::Answered { text }) => {
            return format!("{} answered instead of the model: {}", stage.processor, words::first_line(text));
        }
        None => {}
    }
    if &*stage.processor != "contents" {
        if added + rewritten + left_out + moved == 0 {
            return format!("{} changed nothing: {note}.", stage.processor);
        }
        let said = difference(counts);
        return format!("{said} {}.", sentence(note).trim_end_matches('.'));
    }
    let hidden = |omission: &&Omission| matches!(omission.reason, OmissionReason::Summarised { .. });
    let n_hidden = omissions.iter().filter(hidden).filter(|omission| omission.part.is_none()).count();
    let mut summaries: Vec<_> = omissions.iter().filter(hidden).map(|omission| omission.reason).collect();
    summaries.sort();
    summaries.dedup();
    let n_parts: usize = stage.request.contents.iter().map(|content| content.parts.len()).sum();
    let mut said = vec![format!("{} kept", unchanged + moved)];
    if rewritten > 0 {
        said.push(format!("{rewritten} rewritten as another agent’s words"));
    }
    if added > 0 {
        said.push(format!("{added} added"));
    }
    if n_hidden > 0 {
        said.push(format!("{n_hidden} hidden by {}", words::counted(summaries.len(), "summary")));
    }
    if left_out > n_hidden {
        said.push(format!("{} left out", left_out - n_hidden));
    }
    format!(
        "{} in, {} out. {}.",
        words::counted(n_events, "event"),
        words::counted(n_parts, "part"),
        said.join(", ")
    )
}

/// "2 parts rewritten, 1 part taken out."
pub(super) fn difference(counts: Counts) -> String {
    let Counts { added, rewritten, left_out, moved, .. } = counts;
    let said = [(added, "added"), (rewritten, "rewritten"), (left_out, "taken out"), (moved, "moved")];
    let said: Vec<String> = said
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, verb)| format!("{} {verb}", words::counted(n, "part")))
        .collect();
    if said.is_empty() { "No part differs.".to_owned() } else { format!("{}.", said.join(", ")) }
}
