//! Cached prefixes that are lost, and caches that never come to be.

use std::collections::BTreeMap;

use strata_engine::bare_model_name;
use strata_model::app::ModelFamily;
use strata_model::{Origin, RequestTool, Severity, Str, json, python};

use super::evidence::{Caller, Evidence, MIN_CACHED_TOKENS, SeenCall};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::{Cause, LeftOut, Loss};
use crate::phrases::{capitalised, duration, listed, number, times};
use crate::remedies::Aim;

/// Calls from which on a cache is worth having: ADK makes none before the second.
const MIN_CACHE_CALLS: usize = 3;

pub(super) const FAMILY: Family = Family {
    title: "Prefixes",
    rules: &[
        Rule {
            code: "state-in-instruction",
            surprises: &["S10"],
            kind: FindingKind::Prefix,
            title: "A changing value in the instruction",
            meaning: "State that is shown in an instruction stands before the whole conversation (a global instruction \
                      even before everything else). When it changes, nothing behind it is found in the cache.",
            advice: "Put what never changes into `static_instruction`: the other instruction then moves behind the \
                     history. Or let a tool return the value.",
            look: state_in_instruction,
        },
        Rule {
            code: "artifact-list-changes",
            surprises: &["S11"],
            kind: FindingKind::Prefix,
            title: "A new artifact in the list",
            meaning: "`load_artifacts` lists all names in the system instruction, before the conversation. Saving under \
                      a new name changes it for all later calls.",
            advice: "Save new versions under the same name, or give `load_artifacts` only to the agent that reads \
                     files.",
            look: artifact_list_changes,
        },
        Rule {
            code: "instruction-before-history",
            surprises: &["S13"],
            kind: FindingKind::Prefix,
            title: "The changing instruction stands at the head",
            meaning: "Files in `static_instruction` pull the other instruction with them to the head of the \
                      conversation. Each change of state then costs the whole history.",
            advice: "Keep `static_instruction` to text and give files to the model as artifacts or in the first \
                     message.",
            look: instruction_before_history,
        },
        Rule {
            code: "cache-never-made",
            surprises: &["S18"],
            kind: FindingKind::Prefix,
            title: "Explicit caching that never starts",
            meaning: "ADK makes a Gemini cache from an agent's second call on, and only from 2,048 (Gemini 2.5) or 4,096 \
                      (Gemini 3) tokens by its own estimate, which counts neither calls nor results nor media.",
            advice: "Move documentation into `static_instruction`, or take `context_cache_config` out and rely on \
                     implicit caching.",
            look: cache_never_made,
        },
        Rule {
            code: "cache-not-asked",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "Prompts that nobody asks to be cached",
            meaning: "Anthropic caches nothing unasked: a request marks where the prefix ends that is to be kept. What stands \
                      behind the last mark is paid in full each time it is sent.",
            advice: "Mark the last block of tools, of the system text and of the newest message with `cache_control`.",
            look: cache_not_asked,
        },
        Rule {
            code: "cache-never-read",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "A cache that is never read",
            meaning: "Prompts begin as earlier ones did, and the provider keeps such beginnings, unasked or as the requests \
                      ask. Its reports say that it never found one: what answers keeps none (a proxy, a gateway, a region, a \
                      model behind another name), or each call reaches another place than the one before it.",
            advice: "Send one such request twice to the provider itself. If the second one reads the cache, whatever stands \
                     between takes that away; if not, give calls that belong together the same key, region and \
                     `prompt_cache_key`. Where marked prefixes are written and never read, take the marks out.",
            look: cache_never_read,
        },
        Rule {
            code: "prefix-out-of-reach",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "A prefix that no mark reaches",
            meaning: "From each mark, Anthropic looks back over 20 blocks for something that it holds; some OpenAI models look \
                      at the marks alone. Where more blocks come in at once, as with many calls of tools and their results, \
                      what was sent before is held and not found.",
            advice: "Mark one of the blocks in between too: four marks are allowed, and each is looked back from.",
            look: prefix_out_of_reach,
        },
    ],
};

/// What is lost under each name.
#[derive(Default)]
struct Losses<'e> {
    by_name: BTreeMap<(Str, &'e str), (Tally, Option<&'e Loss>)>,
}

impl<'e> Losses<'e> {
    /// Adds what a call lost, for a reason with a name.
    fn add(&mut self, evidence: &Evidence<'e>, call: &SeenCall<'e>, name: Str, loss: &'e Loss) {
        let (tally, dearest) = self.by_name.entry((name, call.name())).or_default();
        evidence.add_loss(tally, call, loss);
        if dearest.is_none_or(|known| known.tokens < loss.tokens) {
            *dearest = Some(loss);
        }
    }

    /// Those that cost anything, each with the dearest.
    fn worth(self) -> impl Iterator<Item = (Str, &'e str, Tally, &'e Loss)> {
        let all = self.by_name.into_iter();
        let all = all.filter_map(|((name, agent), (tally, dearest))| Some((name, agent, tally, dearest?)));
        all.filter(|(_, _, tally, _)| tally.tokens() >= MIN_CACHED_TOKENS)
    }
}

/// What happened, in the words of the cache's own view, how often, and what it cost.
pub(super) fn said(evidence: &Evidence<'_>, tally: &Tally, dearest: &Loss) -> String {
    said_of(evidence, tally, &dearest.cause.sentence(evidence.experiment))
}

/// The same with a sentence for all of it.
pub(super) fn said_of(evidence: &Evidence<'_>, tally: &Tally, sentence: &str) -> String {
    let agents = listed(&evidence.agents_of(tally));
    let (often, tokens) = (times(tally.n_calls()), number(tally.tokens()));
    format!(
        "{}. {tokens} tokens were paid in full again for it, {often}, by {agents}.",
        capitalised(sentence)
    )
}

fn state_in_instruction(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut losses = Losses::default();
    for (call, loss) in evidence.losses() {
        if let (Cause::State { key, .. }, true) = (&loss.cause, loss.path.starts_with("sys.")) {
            losses.add(evidence, call, key.clone(), loss);
        }
    }
    losses
        .worth()
        .map(|(key, _, tally, dearest)| {
            let message = said(evidence, &tally, dearest);
            Observation::new(Severity::Warning, message, tally).of_origins([Origin::State { key }])
        })
        .collect()
}

fn artifact_list_changes(evidence: &Evidence<'_>) -> Vec<Observation> {
    const TOOL: &str = "load_artifacts";
    let mut losses = Losses::default();
    for (call, loss) in evidence.losses() {
        if matches!(loss.cause, Cause::Artifacts { .. }) && loss.path.starts_with("sys.") {
            losses.add(evidence, call, TOOL.into(), loss);
        }
    }
    losses
        .worth()
        .map(|(_, agent, tally, _)| {
            let message = format!(
                "The list of artifacts in the instruction of {agent} changed {}, and {} tokens were paid in full again.",
                times(tally.n_calls()),
                number(tally.tokens()),
            );
            let origin = Origin::Artifact { name: "*".into() };
            Observation::new(Severity::Warning, message, tally).of_origins([origin])
        })
        .collect()
}

fn instruction_before_history(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut losses = Losses::default();
    for (call, loss) in evidence.losses() {
        let head = call.result.request.static_prefix_end.filter(|_| call.result.request.has_static_contents);
        let content = loss.path.split('.').next().and_then(|content| content.parse::<usize>().ok());
        if head.zip(content).is_some_and(|(head, content)| content < head) {
            losses.add(evidence, call, "static_instruction".into(), loss);
        }
    }
    losses
        .worth()
        .map(|(_, agent, tally, _)| {
            let message = format!(
                "The static instruction of {agent} holds files, so its other instruction stands before the history. It \
                 changed {}, and {} tokens were paid in full again.",
                times(tally.n_calls()),
                number(tally.tokens()),
            );
            Observation::new(Severity::Warning, message, tally)
        })
        .collect()
}

fn prefix_out_of_reach(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut losses = Losses::default();
    for (call, loss) in evidence.losses() {
        if matches!(loss.cause, Cause::NoBreakpoint { .. }) {
            losses.add(evidence, call, "".into(), loss);
        }
    }
    let observed = losses.worth().map(|(_, _, tally, dearest)| {
        let message = said(evidence, &tally, dearest);
        Observation::new(Severity::Warning, message, tally).towards(Aim::of_cause(&dearest.cause))
    });
    observed.collect()
}

fn cache_never_made(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some(config) = &evidence.app().context_cache_config else { return Vec::new() };
    let min_tokens = u64::try_from(config.min_tokens()).unwrap_or(0);
    let index = evidence.experiment.index();
    evidence
        .callers
        .iter()
        .filter_map(|caller| {
            let model = index.model(caller.id);
            if model.family == ModelFamily::LiteLlm
                || caller.calls.len() < MIN_CACHE_CALLS
                || has_cache(evidence, caller)
            {
                return None;
            }
            let floor = floor(&model.name)?.max(min_tokens);
            let largest = caller.calls.iter().max_by_key(|call| call.result.total.tokens)?;
            let tokens = u64::from(largest.result.total.tokens);
            let estimate = tokens.min(estimate(largest));
            if estimate >= floor {
                return None;
            }
            let why = if tokens < floor {
                format!("its largest prompt has {} tokens", number(tokens))
            } else {
                format!("ADK takes its largest prompt of {} tokens for {}", number(tokens), number(estimate))
            };
            let message = format!(
                "No cache can be made for {}: {why}, and {} needs {}.",
                caller.agent.name,
                model.name,
                number(floor)
            );
            Some(Observation::new(Severity::Info, message, caller.tally()))
        })
        .collect()
}

fn cache_not_asked(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_agent: BTreeMap<&str, (Tally, Vec<&LeftOut>)> = BTreeMap::new();
    for (call, left_out) in evidence.left_out() {
        let (tally, all) = by_agent.entry(call.name()).or_default();
        evidence.add_unread(tally, call, left_out.tokens, left_out.cost_usd);
        all.push(left_out);
    }
    by_agent.retain(|_, (tally, _)| tally.tokens() >= MIN_CACHED_TOKENS);
    let in_vain = unmarked_in_vain(evidence, |agent| by_agent.contains_key(agent));
    let observed = by_agent.into_iter().map(|(agent, (tally, all))| {
        let (often, tokens) = (times(tally.n_calls()), number(tally.tokens()));
        let what = unmarked(agent, &all);
        let pauses =
            all.iter().find_map(|left_out| left_out.lifetime_s).map_or(String::new(), |lifetime_s| {
                format!(" Calls come so far apart that marks would ask for {}.", duration(lifetime_s))
            });
        let message =
            format!("{what}: {tokens} tokens that were sent before were paid in full, {often}.{pauses}");
        Observation::new(Severity::Warning, message, tally)
    });
    observed.chain(in_vain).collect()
}

fn cache_never_read(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_agent: BTreeMap<&str, (Tally, u64)> = BTreeMap::new();
    for (call, unread) in evidence.never_read() {
        let (tally, written) = by_agent.entry(call.name()).or_default();
        evidence.add_unread(tally, call, unread.tokens, unread.cost_usd);
        *written += u64::from(unread.written);
    }
    // A single call may have come too late, or to another place.
    by_agent.retain(|_, (tally, _)| tally.n_calls() > 1 && tally.tokens() >= MIN_CACHED_TOKENS);
    let observed = by_agent.into_iter().map(|(agent, (tally, written))| {
        let (often, tokens) = (times(tally.n_calls()), number(tally.tokens()));
        let but = match written {
            0 => String::new(),
            written => format!(", though {} tokens were written to it", number(written)),
        };
        let message = format!(
            "By the provider's reports, nothing of {agent}'s prompts was ever read from a cache{but}: {tokens} tokens that \
             were sent before were paid in full, {often}."
        );
        Observation::new(Severity::Warning, message, tally)
    });
    observed.collect()
}

/// What requests of an agent do not ask for, in words.
fn unmarked(agent: &str, calls: &[&LeftOut]) -> String {
    let n_known = calls.iter().filter(|call| call.marks_nothing.is_some()).count();
    let n_nothing = calls.iter().filter(|call| call.marks_nothing == Some(true)).count();
    match n_nothing {
        _ if n_known == 0 => {
            format!(
                "By the reports, nothing of {agent}'s prompts was ever read from a cache or written to one"
            )
        }
        0 => format!(
            "Requests of {agent} do not mark their newest message to be cached, but what stands before it"
        ),
        n if n == n_known && calls.iter().any(|call| !call.is_sure) => format!(
            "No request of {agent} asks for its prompt to be cached, and nothing shows that a gateway adds marks"
        ),
        n if n == n_known => format!("No request of {agent} asks for its prompt to be cached"),
        n => format!(
            "{n} of {n_known} requests of {agent} do not ask for their prompt to be cached, or not for all of it"
        ),
    }
}

/// Agents whose prompts are not marked, and would not be found if they were: something changes at their beginning.
fn unmarked_in_vain(evidence: &Evidence<'_>, is_told: impl Fn(&str) -> bool) -> Vec<Observation> {
    let mut by_agent: BTreeMap<&str, Vec<&SeenCall<'_>>> = BTreeMap::new();
    for call in evidence.unmarked().filter(|call| !is_told(call.name())) {
        by_agent.entry(call.name()).or_default().push(call);
    }
    let observed = by_agent.into_iter().filter_map(|(agent, calls)| {
        let breaks: Vec<_> = calls.iter().filter_map(|call| call.result.prefix_break.as_ref()).collect();
        let is_large = |call: &&SeenCall<'_>| u64::from(call.result.total.tokens) >= MIN_CACHED_TOKENS;
        if breaks.len() * 2 < calls.len() || !calls.iter().any(is_large) {
            return None;
        }
        let sentence = breaks.first()?.cause.sentence(evidence.experiment);
        let message = format!(
            "No request of {agent} asks for all of its prompt to be cached, and to ask is not enough: {sentence}. That \
             happened {}.",
            times(breaks.len() as u64)
        );
        let tally = Tally::of_calls(calls.iter().map(|call| call.call.number));
        Some(Observation::new(Severity::Warning, message, tally))
    });
    observed.collect()
}

/// Whether any answer of the agent's came from a cache.
fn has_cache(evidence: &Evidence<'_>, caller: &Caller<'_>) -> bool {
    caller
        .calls
        .iter()
        .filter_map(|call| evidence.event(call.call.answer))
        .any(|answer| answer.event.cache_metadata.as_ref().is_some_and(|metadata| metadata.is_active()))
}

/// The smallest prefix Gemini caches, as ADK has it. None for models it knows no floor of.
fn floor(model: &str) -> Option<u64> {
    let name = bare_model_name(model);
    if name.starts_with("gemini-2.5-") {
        Some(2048)
    } else if name.starts_with("gemini-3") {
        Some(4096)
    } else {
        None
    }
}

/// What ADK takes a request for: a quarter of the characters of instruction, tools and texts. The nulls it also counts
/// in each tool are left out.
fn estimate(call: &SeenCall<'_>) -> u64 {
    let request = &call.result.request;
    let system = request.system_instruction.as_ref().map_or(0, |text| python::len(&text.to_text()));
    let tools =
        request.tools.iter().map(|tool: &RequestTool| python::len(&json::to_compact(&tool.to_json())));
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let texts = parts.filter_map(|part| part.part.text.as_deref()).map(python::len);
    (system + tools.sum::<usize>() + texts.sum::<usize>()) as u64 / 4
}
