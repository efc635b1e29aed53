//! Tools, the models behind agents, and files for code.

use std::collections::BTreeMap;

use strata_engine::is_gemini;
use strata_model::app::CodeExecutor;
use strata_model::{Agent, LlmRequest, Origin, RequestPart, RequestTool, Severity, Str};

use super::carried::PieceKind;
use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::CalledTools;
use crate::phrases::{count, distinct, listed, number, times};
use crate::remedies::Aim;
use crate::tool_parameters::{PassedArguments, SpareParameters};

pub(super) const FAMILY: Family = Family {
    title: "Tools and models",
    rules: &[
        Rule {
            code: "duplicate-tools",
            surprises: &["S50"],
            kind: FindingKind::Trap,
            title: "Two tools of one name",
            meaning: "Both declarations are sent, and the last one runs whichever of them the model meant.",
            advice: "Rename one of them, or give its toolset a prefix.",
            look: duplicate_tools,
        },
        Rule {
            code: "unused-tools",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "Tools that are never called",
            meaning: "Every declaration is sent with every call of its agent, at the head of the prompt, whether the \
                      tool is called or not.",
            advice: "Take the tools from agents that do not need them, or give them to an agent of their own.",
            look: unused_tools,
        },
        Rule {
            code: "unused-parameters",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "Parameters of tools that no call passes",
            meaning: "A declaration is sent with all of its parameters, their descriptions and choices, with every call of \
                      its agent. Many are there for tasks that an agent does not have.",
            advice: "Give the agent a function with the parameters that it needs. What is required has to stay.",
            look: unused_parameters,
        },
        Rule {
            code: "data-file-renamed",
            surprises: &["S37"],
            kind: FindingKind::Trap,
            title: "A data file under changing names",
            meaning: "The code executor names data files after their place in the request. A summary, a filter or an \
                      inserted instruction moves them, and code that was written before no longer finds its file.",
            advice: "Do not compact or filter the history of agents that work on data files.",
            look: data_file_renamed,
        },
        Rule {
            code: "model-family-changed",
            surprises: &["S38"],
            kind: FindingKind::Prefix,
            title: "The model class changed on the way",
            meaning: "Some model classes are sent the ids that the client makes up for calls, others are not. A change \
                      between them changes the bytes of the history, and no cache is shared between models anyway.",
            advice: "Change the model at the beginning of a session, not in it.",
            look: model_family_changed,
        },
    ],
};

fn duplicate_tools(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    for caller in &evidence.callers {
        let Some(call) = caller.calls.first() else { continue };
        let declared = call.result.request.tools.iter().flat_map(|tool| match tool {
            RequestTool::Functions(declarations) => declarations.as_slice(),
            RequestTool::BuiltIn { .. } => &[],
        });
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for declaration in declared {
            *times.entry(declaration.name()).or_default() += 1;
        }
        let twice: Vec<&str> = times.into_iter().filter(|(_, n)| *n > 1).map(|(name, _)| name).collect();
        if twice.is_empty() {
            continue;
        }
        let message = format!(
            "{} has more than one tool called {}; the model sees all of them, and the last one runs.",
            caller.agent.name,
            listed(&twice)
        );
        let origins = twice.iter().map(|name| Origin::Tool { name: (*name).into() });
        found.push(Observation::new(Severity::Warning, message, caller.tally()).of_origins(origins));
    }
    found
}

fn unused_tools(evidence: &Evidence<'_>) -> Vec<Observation> {
    let called = CalledTools::of(evidence.experiment);
    let mut tally = Tally::default();
    let mut names: Vec<Str> = Vec::new();
    for carried in evidence.sent([PieceKind::Head]) {
        let Origin::Tool { name } = &carried.piece.origin else { continue };
        if called.is_unused(name) {
            evidence.add(&mut tally, carried);
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    names.sort();
    let message = format!(
        "{} {} declared in {} and never called: {} tokens, {}.",
        listed(&names),
        if names.len() == 1 { "is" } else { "are" },
        count(tally.n_calls(), "call"),
        number(tokens),
        evidence.share(tokens),
    );
    let origins: Vec<Origin> = names.into_iter().map(|name| Origin::Tool { name }).collect();
    vec![Observation::new(evidence.severity(tokens), message, tally).of_origins(origins)]
}

fn unused_parameters(evidence: &Evidence<'_>) -> Vec<Observation> {
    let passed = PassedArguments::of(evidence.experiment);
    let mut spare: BTreeMap<&str, SpareParameters> = BTreeMap::new();
    let requests = evidence.callers.iter().filter_map(|caller| Some(&caller.calls.last()?.result.request));
    for declaration in requests.flat_map(|request| request.tools.iter()).flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => declarations.as_slice(),
        RequestTool::BuiltIn { .. } => &[],
    }) {
        if let Some(found) = passed.spare(&declaration.json) {
            spare.insert(declaration.name(), found);
        }
    }
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for carried in evidence.sent([PieceKind::Head]) {
        let Origin::Tool { name } = &carried.piece.origin else { continue };
        let Some((name, found)) = spare.get_key_value(&**name) else { continue };
        let tokens = u64::from(carried.piece.tokens) * found.n_spare as u64 / found.n_bytes.max(1) as u64;
        let tally = tallies.entry(name).or_default();
        tally.add_share(&evidence.models, carried, evidence.carriers(carried), tokens as u32);
    }
    let worth = tallies.into_iter().filter(|(_, tally)| evidence.is_worth(tally.tokens()));
    worth
        .map(|(name, tally)| {
            let SpareParameters { names, n_calls, .. } = &spare[name];
            let message = format!(
                "{name} is called {} and never with {}: {} tokens of its declaration in {}, {}.",
                times(*n_calls as u64),
                listed(names),
                number(tally.tokens()),
                count(tally.n_calls(), "call"),
                evidence.share(tally.tokens()),
            );
            let aim = Aim::FewerParameters {
                tool: name.into(),
                names: names.iter().map(|it| (&**it).into()).collect(),
            };
            let seen = Observation::new(evidence.severity(tally.tokens()), message, tally);
            seen.of_origins([Origin::Tool { name: name.into() }]).towards(Some(aim))
        })
        .collect()
}

fn data_file_renamed(evidence: &Evidence<'_>) -> Vec<Observation> {
    let names_files = |agent: &Agent| {
        matches!(agent.code_executor, Some(CodeExecutor::Host { optimize_data_file: true, .. }))
    };
    let mut found = Vec::new();
    for caller in evidence.callers.iter().filter(|caller| names_files(caller.agent)) {
        let mut tally = Tally::default();
        let mut renamed: Vec<String> = Vec::new();
        let mut before: Vec<&str> = Vec::new();
        for call in &caller.calls {
            let now = file_names(&call.result.request);
            // Files stay in their order, so the same file stands at the same place of the list.
            let pairs = before.iter().zip(&now).filter(|(before, now)| before != now);
            let changes: Vec<String> = pairs.map(|(before, now)| format!("{before} → {now}")).collect();
            if !changes.is_empty() && before.len() <= now.len() {
                tally.add_call(call.call.number);
                renamed.extend(changes);
            }
            before = now;
        }
        if renamed.is_empty() {
            continue;
        }
        let message = format!(
            "Data files of {} changed their names {} ({}), because what stands before them changed.",
            caller.agent.name,
            times(renamed.len() as u64),
            listed(&renamed),
        );
        found.push(Observation::new(Severity::Warning, message, tally));
    }
    found
}

/// The data files a request tells of, in order.
fn file_names(request: &LlmRequest) -> Vec<&str> {
    let is_told = |part: &&RequestPart| matches!(part.main_origin(), Origin::Processor { name } if &**name == "code_execution");
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    let texts = parts.filter(is_told).filter_map(|part| part.part.text.as_deref());
    texts.filter_map(|text| text.strip_prefix("\nAvailable file: `")?.strip_suffix("`\n")).collect()
}

fn model_family_changed(evidence: &Evidence<'_>) -> Vec<Observation> {
    let callers = evidence.callers.iter();
    callers
        .filter_map(|caller| {
            let mut tally = Tally::default();
            let mut models: Vec<&str> = Vec::new();
            for pair in caller.calls.windows(2) {
                let (Some(before), Some(now)) = (&pair[0].call.model, &pair[1].call.model) else { continue };
                if is_gemini(before) != is_gemini(now) {
                    tally.add_rebilled(&evidence.models, pair[1].call.number, pair[0].result.total.tokens);
                    models.extend([&**before, &**now]);
                }
            }
            if models.is_empty() {
                return None;
            }
            let message = format!(
                "{} was answered by {} in turn: {}, and {} tokens of history had to be read anew.",
                caller.agent.name,
                listed(&distinct(models)),
                count(tally.n_calls(), "change"),
                number(tally.tokens()),
            );
            Some(Observation::new(Severity::Info, message, tally))
        })
        .collect()
}
