//! What is worth a person's time in a session: what google-adk did to its prompts that costs tokens, breaks cached
//! prefixes, loses information or goes against what one would expect.
//!
//! Each finding is made by a [`Rule`]. [`rules`] are all of them, by family; [`NOT_DETECTABLE`] names the surprises
//! of google-adk that a stored session cannot show. Together they account for the 52 of `ADK.md` section 10.
//!
//! Nothing is compiled here: rules read the events, the configuration, the compiled prompts and the ledger, each of
//! them once. Prices of findings overlap, as what they cost overlaps: the frame around another agent's result counts
//! with the frames and with the results.

mod advice;
mod agents;
mod answers;
mod artifacts;
mod call_models;
mod carried;
mod changes;
mod compaction;
mod delegation;
mod evidence;
mod filter;
mod finding;
mod forgotten;
mod framing;
mod history;
mod instruction;
mod losses;
mod prefix;
mod registry;
mod repeated;
mod rule;
mod state;
mod summaries;
mod tally;
mod tools;
mod triggers;

use evidence::Evidence;
use strata_engine::Experiment;

use crate::analysis::{BilledCalls, Counting};

pub use finding::{CallRange, Finding, FindingKind, SpentTokens};
pub use registry::{NOT_DETECTABLE, Undetectable, families, rules};
pub use rule::{Family, Rule};

/// Everything found in the calls that are compiled, the costliest first, then the gravest. What cost a cache is priced as
/// their caches have it.
pub fn findings(experiment: &Experiment, billed: BilledCalls<'_>, counting: &Counting) -> Vec<Finding> {
    let evidence = Evidence::gather(experiment, billed, counting);
    let mut findings: Vec<Finding> = rules().flat_map(|rule| rule.find(&evidence)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.tokens(), finding.severity)));
    findings
}
