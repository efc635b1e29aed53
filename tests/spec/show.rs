//! What the blocks of an example show.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use strata_engine::turn::compaction::{Decision, TokenScope, Trigger, after_invocation, token_threshold};
use strata_engine::{Call, Compilation, EarlyEnd, Outcome, Sections, Stage};
use strata_measure::tokens::{CountMemo, Tokenizer, Weigher};
use strata_model::{LlmRequest, Origin};
use strata_testkit::shape::{Row, rows, source};
use strata_wire::{Path, Segment, prompt_segments};

use crate::example::Example;
use crate::page::Block;

/// Tokens are counted with this model's vocabulary, which is exact and does not depend on the model of the example.
const COUNTED_AS: &str = "openai/gpt-4o";

/// Shows what blocks ask for.
pub(crate) struct Shows {
    tokenizer: Tokenizer,
    memo: CountMemo,
}

impl Shows {
    pub(crate) fn new() -> Self {
        Self { tokenizer: Tokenizer::of_model(COUNTED_AS), memo: CountMemo::default() }
    }

    pub(crate) fn block(&self, example: &Example, block: &Block) -> Result<String, String> {
        let known: &[&str] = match &*block.kind {
            "request" => &["stage", "call"],
            "diff" => &["stage", "call", "calls"],
            "tokens" => &["call", "calls"],
            "window" => &["call", "turn"],
            _ => &["stage", "call", "of"],
        };
        if let Some((key, _)) = block.options.iter().find(|(key, _)| !known.contains(&&**key)) {
            return Err(format!("`{}` takes no {key}", block.kind));
        }
        let stage = block.option("stage");
        match &*block.kind {
            "request" => changed(&compile(example, number(block, "call")?)?, stage),
            "diff" if block.option("calls").is_some() => self.calls(example, &numbers(block)?, stage),
            "diff" => edits(&compile(example, number(block, "call")?)?, stage),
            "tokens" => self.weights(example, &numbers(block)?),
            "window" => window(example, block),
            _ => words(&compile(example, number(block, "call")?)?, stage, block.option("of")),
        }
    }

    fn weigher(&self) -> Weigher<'_> {
        Weigher::new(&self.tokenizer, &self.memo)
    }

    /// From one call to the next: what changed in the prompt, and how much of it the provider could reuse.
    fn calls(&self, example: &Example, calls: &[u32], stage: Option<&str>) -> Result<String, String> {
        let [before, after] = calls else { return Err("`calls` takes two numbers".to_owned()) };
        let request = |number: &u32| -> Result<LlmRequest, String> {
            let compilation = compile(example, Some(*number))?;
            Ok(match stage {
                Some(name) => find_stage(&compilation, name)?.request.clone(),
                None => compilation.working_context(),
            })
        };
        let (before, after) = (request(before)?, request(after)?);
        let prompt = Sections::SYSTEM | Sections::TOOLS | Sections::CONTENTS;
        let (shared, total) = self.shared_tokens(&before, &after);
        Ok(diff(&of_prompt(&before, prompt), &of_prompt(&after, prompt))
            + &format!("@@ {shared} of {total} tokens are a prefix of the call before @@\n"))
    }

    /// Tokens of the later prompt up to the first difference, and all of them.
    fn shared_tokens(&self, earlier: &LlmRequest, later: &LlmRequest) -> (u32, u32) {
        let mut earlier = prompt_segments(earlier);
        let (mut shared, mut total, mut is_same) = (0, 0, true);
        for segment in prompt_segments(later) {
            let text = segment.text();
            let before = earlier.next().filter(|before| before.role() == segment.role());
            let before = before.map(|before| before.text()).unwrap_or_default();
            let same = text.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
            let same = text.floor_char_boundary(same);
            let counts = self.weigher().spans(&text, [same as u32, (text.len() - same) as u32]);
            let tokens: u32 = counts.iter().map(|count| count.tokens).sum();
            total += tokens;
            if is_same {
                shared += counts.first().map_or(0, |count| count.tokens);
                is_same = text.len() == same && before.len() == same;
            }
        }
        (shared, total)
    }

    /// Tokens of calls by where they stand and where they come from.
    fn weights(&self, example: &Example, calls: &[u32]) -> Result<String, String> {
        let mut table: Vec<(String, Vec<u32>)> = Vec::new();
        for (column, call) in calls.iter().enumerate() {
            let request = compile(example, Some(*call))?.working_context();
            for segment in prompt_segments(&request) {
                for (name, tokens) in self.segment_weights(&segment) {
                    let row = match table.iter().position(|(known, _)| *known == name) {
                        Some(row) => row,
                        None => {
                            table.push((name, vec![0; calls.len()]));
                            table.len() - 1
                        }
                    };
                    table[row].1[column] += tokens;
                }
            }
        }
        let total = (0..calls.len()).map(|column| table.iter().map(|(_, row)| row[column]).sum()).collect();
        table.push(("all".to_owned(), total));
        let head: Vec<String> = calls.iter().map(|call| format!("{:>6}", format!("C{call}"))).collect();
        let row = |(name, tokens): &(String, Vec<u32>)| {
            let cells: Vec<String> = tokens.iter().map(|tokens| format!("{tokens:>6}")).collect();
            format!("{}  {name}\n", cells.concat())
        };
        Ok(format!("{}\n{}", head.concat(), table.iter().map(row).collect::<String>()))
    }

    fn segment_weights(&self, segment: &Segment<'_>) -> Vec<(String, u32)> {
        let place = match segment.path {
            Path::Tool { .. } => "tools",
            Path::System { .. } => "system",
            Path::Part { .. } => "contents",
            Path::Config { .. } | Path::Request { .. } => "config",
        };
        let spans = segment.spans();
        let counts = self.weigher().spans(&segment.text(), spans.iter().map(|(bytes, _)| *bytes as u32));
        let named = spans.iter().zip(counts);
        named
            .map(|((_, origin), count)| (format!("{place:<10}{}", described(origin)), count.tokens))
            .collect()
    }
}

fn described(origin: &Origin) -> String {
    match origin {
        Origin::Processor { name } => format!("words of {name}"),
        other => source(other),
    }
}

fn number(block: &Block, name: &str) -> Result<Option<u32>, String> {
    let parse = |text: &str| text.parse().map_err(|_| format!("{name}: `{text}` is no number"));
    block.option(name).map(parse).transpose()
}

/// `calls=1,2` or `call=1`.
fn numbers(block: &Block) -> Result<Vec<u32>, String> {
    let text = block.option("calls").or(block.option("call")).ok_or("which calls?")?;
    text.split(',').map(|part| part.parse().map_err(|_| format!("calls: `{part}` is no number"))).collect()
}

fn compile(example: &Example, call: Option<u32>) -> Result<Compilation, String> {
    example.compile(example.call(call)?)
}

fn find_stage<'c>(compilation: &'c Compilation, name: &str) -> Result<&'c Stage, String> {
    let names = || compilation.stages.iter().map(|stage| &*stage.processor).collect::<Vec<_>>().join(", ");
    compilation.stage(name).ok_or_else(|| format!("there is no stage {name}, only {}", names()))
}

/// How a compile ended before the model was called.
fn early_end(compilation: &Compilation) -> Option<String> {
    match &compilation.outcome {
        Outcome::Request => None,
        Outcome::Early(EarlyEnd::Ended) => Some("ended\n".to_owned()),
        Outcome::Early(EarlyEnd::Answered { text }) => Some(format!("answered \"{text}\"\n")),
        Outcome::Failed { processor, error } => {
            Some(format!("failed  {processor}: {}: {}\n", error.kind.python_name(), error.message))
        }
    }
}

/// What a stage wrote, as it left it; or the whole working context.
fn changed(compilation: &Compilation, stage: Option<&str>) -> Result<String, String> {
    let end = early_end(compilation);
    let Some(name) = stage else {
        return Ok(end.unwrap_or_else(|| text(&rows(&compilation.working_context()))));
    };
    match (compilation.stage(name), end) {
        (None, Some(end)) => Ok(end),
        (None, None) => find_stage(compilation, name).map(|_| String::new()),
        (Some(stage), _) => {
            let shown = text(&of_prompt(&stage.request, stage.changed));
            Ok(if shown.is_empty() { "unchanged\n".to_owned() } else { shown } + &warnings(stage))
        }
    }
}

/// What a stage did to the request it received.
fn edits(compilation: &Compilation, stage: Option<&str>) -> Result<String, String> {
    let name = stage.ok_or("which stage, or which calls?")?;
    let stage = find_stage(compilation, name)?;
    let at = compilation.stages.iter().position(|other| *other.processor == *name).unwrap_or(0);
    let before = at.checked_sub(1).map(|at| compilation.stages[at].request.clone()).unwrap_or_default();
    Ok(diff(&of_prompt(&before, stage.changed), &of_prompt(&stage.request, stage.changed)) + &warnings(stage))
}

fn warnings(stage: &Stage) -> String {
    stage.output.diagnostics.iter().flat_map(|finding| ["warning ", finding.code, "\n"]).collect()
}

fn of_prompt(request: &LlmRequest, sections: Sections) -> Vec<Row> {
    rows(request).into_iter().filter(|row| sections.contains(row.section)).collect()
}

fn text(rows: &[Row]) -> String {
    rows.iter().flat_map(|row| [&*row.text, "\n"]).collect()
}

fn diff(before: &[Row], after: &[Row]) -> String {
    let of =
        |rows: &[Row], section| rows.iter().filter(|row| row.section == section).cloned().collect::<Vec<_>>();
    let mut sections: Vec<Sections> = Vec::new();
    for row in before.iter().chain(after) {
        if !sections.contains(&row.section) {
            sections.push(row.section);
        }
    }
    sections.into_iter().map(|section| diff_section(&of(before, section), &of(after, section))).collect()
}

fn diff_section(before: &[Row], after: &[Row]) -> String {
    fn keys(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| &*row.key).collect()
    }
    let mut out = String::new();
    let mut add = |mark: &str, rows: &[Row]| {
        for row in rows {
            out += &format!("{mark} {}\n", row.text);
        }
    };
    for op in capture_diff_slices(Algorithm::Myers, &keys(before), &keys(after)) {
        match op {
            DiffOp::Equal { new_index, len, .. } => add(" ", &after[new_index..new_index + len]),
            DiffOp::Delete { old_index, old_len, .. } => add("-", &before[old_index..old_index + old_len]),
            DiffOp::Insert { new_index, new_len, .. } => add("+", &after[new_index..new_index + new_len]),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                add("-", &before[old_index..old_index + old_len]);
                add("+", &after[new_index..new_index + new_len]);
            }
        }
    }
    out
}

/// A text of the request as it is sent: the system instruction, or the parts of a content.
fn words(compilation: &Compilation, stage: Option<&str>, of: Option<&str>) -> Result<String, String> {
    let request = match stage {
        Some(name) => find_stage(compilation, name)?.request.clone(),
        None => compilation.working_context(),
    };
    let wanted = |segment: &Segment<'_>| match (&segment.path, of) {
        (Path::System { .. }, Some("system")) => true,
        (Path::Part { content, .. }, Some(of)) => of.parse() == Ok(*content),
        _ => false,
    };
    let parts: Vec<String> =
        prompt_segments(&request).filter(wanted).map(|segment| segment.text().into_owned()).collect();
    match of {
        None => Err("words of what? `of=system` or the number of a content".to_owned()),
        Some(of) if parts.is_empty() => Err(format!("there is no {of}")),
        Some("system") => Ok(parts.concat() + "\n"),
        Some(_) => Ok(parts.join("\n") + "\n"),
    }
}

/// Which events a compaction would replace: before a call, or after a turn.
fn window(example: &Example, block: &Block) -> Result<String, String> {
    let config = example.experiment.index().app().events_compaction_config.clone().unwrap_or_default();
    if let Some(turn) = number(block, "turn")? {
        return Ok(decision(&after_invocation(example.turn(turn)?, &config)));
    }
    let call = example.call(number(block, "call")?)?;
    example.in_context(call, |context| decision(&token_threshold(context.events, &config, scope(call))))
}

pub(crate) fn scope(call: &Call) -> TokenScope<'_> {
    TokenScope {
        agent_name: &call.invocation.agent,
        branch: call.invocation.branch.as_ref(),
        isolation_scope: call.invocation.isolation_scope.as_deref(),
    }
}

fn decision(decision: &Decision<'_>) -> String {
    let mut out = String::new();
    if let Some(tokens) = decision.prompt_tokens {
        out += &format!("prompt     {tokens} tokens\n");
    }
    if let Some(worth) = decision.worth.filter(|worth| !worth.is_worth()) {
        return out
            + &format!(
                "nothing    {} characters to gain, the last summary has {}\n",
                worth.removable, worth.previous_summary
            );
    }
    let Some(window) = &decision.window else { return out + "nothing\n" };
    let trigger = match window.trigger {
        Trigger::TokenThreshold => "token threshold",
        Trigger::SlidingWindow => "sliding window",
        Trigger::PromptLimit => "prompt limit",
    };
    let number = |event: &strata_engine::LoggedEvent| {
        event.index.map_or_else(|| "E?".to_owned(), |index| format!("E{}", index.number()))
    };
    let seed = window.seed.map(|seed| format!("summary {}", number(seed)));
    let events: Vec<String> =
        seed.into_iter().chain(window.events.iter().map(|event| number(event))).collect();
    let (start, end) = window.span();
    out + &format!(
        "trigger    {trigger}\nsummarises {}\ncovers     seconds {start} to {end}\n",
        events.join(", ")
    )
}
