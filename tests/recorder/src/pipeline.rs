//! Fixes of a pipeline, predicted and tried: what it comes to before them, what Strata says they would make of it, and
//! what it comes to when they are in the app.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use strata_engine::{Catalog, Edit, Experiment, FlowKind, StageCache};
use strata_import::{ImportedSession, import};
use strata_model::{EventIndex, Json, RecordedCall, json};
use strata_oracle::diff::diff;
use strata_wire::request_of;

use crate::compare::{self, Comparison};
use crate::python::{self, text};

/// A prediction may be so far off where the requests are those it was made for: as a share of what it then really was,
/// and of what the fix took away, which is counted and not reported.
const OF_REALLY: f64 = 0.02;
const OF_SAVED: f64 = 0.001;

/// Fixes after which requests are not quite those that were predicted, and why.
const EXPLAINED: &[(&str, &str)] = &[(
    "7-output-schema",
    "google-adk has an agent with tools give structured answers by calling set_model_response: a call and its result \
     stand in the history beside the answer. Nobody knows that of a model before it answers.",
)];

/// What runs and what it is told.
pub(crate) struct Tools<'t> {
    pub python: &'t Path,
    /// The command line of Strata.
    pub strata: &'t Path,
    pub scripts: &'t Path,
    /// Where recordings, edits and patches are written.
    pub folder: PathBuf,
    pub shows_differences: bool,
}

/// What a session comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sums {
    prompt_tokens: i64,
    cached_tokens: i64,
    output_tokens: i64,
    /// US dollars; and of these, for answers.
    cost: f64,
    output_cost: f64,
}

/// A fix, predicted and tried.
struct Tried {
    fix: String,
    before: Sums,
    predicted: Sums,
    really: Sums,
    n_calls: usize,
    /// Calls whose request is not the one that was compiled, a line each.
    differing: Vec<String>,
    /// What should not be.
    problems: Vec<String>,
    /// Prompt tokens by agent: before, predicted, really.
    agents: Vec<(String, [i64; 3])>,
    /// What the patch says it cannot hold.
    left_out: String,
}

/// Prints the table. False where a prediction is off by more than is explained.
pub(crate) fn run(tools: &Tools<'_>) -> Result<bool> {
    let before = tools.recorded("before", None)?;
    let fixes = before.get("fixes").and_then(Json::as_array).context("pipeline.py named no fixes")?;
    println!("{}", Sums::HEAD);
    let mut is_fine = true;
    let mut last = None;
    for fix in fixes.iter().filter_map(Json::as_str) {
        let tried = tools.tried(fix)?;
        println!("{tried}");
        is_fine &= tried.is_as_predicted();
        tried.show_details(tools.shows_differences);
        last = Some(tried);
    }
    if let Some(Tried { fix, agents, .. }) = last {
        println!(
            "\nPrompt tokens by agent, {fix}\n{:<18}{:>12}{:>12}{:>12}",
            "", "before", "predicted", "really"
        );
        for (agent, [before, predicted, really]) in agents {
            println!("{agent:<18}{before:>12}{predicted:>12}{really:>12}");
        }
    }
    Ok(is_fine)
}

impl Tools<'_> {
    fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    /// Runs the pipeline, as it is or with a patch.
    fn recorded(&self, name: &str, patch: Option<&Path>) -> Result<Json> {
        let mut arguments = vec![name.to_owned()];
        arguments.extend(patch.map(|patch| patch.display().to_string()));
        let script = self.scripts.join("pipeline.py");
        let answers = python::answers(self.python, &script, &self.folder, &arguments)?;
        answers.into_iter().next().context("pipeline.py said nothing")
    }

    /// What a command of Strata puts out, and what it says beside it.
    fn strata(&self, arguments: &[&Path]) -> Result<(Vec<u8>, String)> {
        let mut command = Command::new(self.strata);
        command.args(arguments).stdin(Stdio::null());
        let output = command.output().with_context(|| format!("start {}", self.strata.display()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            bail!("{command:?} ended with {}:\n{said}", output.status);
        }
        Ok((output.stdout, said))
    }

    fn difference(&self, other: &Path) -> Result<Json> {
        let before = self.file("before", "strata.jsonl");
        let (document, _) = self.strata(&[Path::new("diff"), &before, other, Path::new("--json")])?;
        json::parse(&document).context("read what `strata diff` says")
    }

    fn tried(&self, fix: &str) -> Result<Tried> {
        let (before, after) = (self.file("before", "strata.jsonl"), self.file(fix, "strata.jsonl"));
        let edits = self.file(fix, "edits.json");
        let export = ["export", "--as", "patch", "--edit"].map(Path::new);
        let (patch, left_out) = self.strata(&[&export[..], &[&edits, &before]].concat())?;
        let patch_file = self.file(fix, "patch.py");
        std::fs::write(&patch_file, patch)?;
        self.recorded(fix, Some(&patch_file))?;
        let (predicted, really) = (self.difference(&edits)?, self.difference(&after)?);
        let (recording, sent) = (std::fs::read(&after)?, std::fs::read(self.file(fix, "sent.json"))?);
        let sent_json = json::parse(&sent)?;
        let requests = sent_json.get("requests").and_then(Json::as_array).context("requests")?;
        let mut tried = Tried {
            fix: fix.to_owned(),
            before: Sums::of_bill(&predicted, "a")?,
            predicted: Sums::of_bill(&predicted, "b")?,
            really: Sums::of_bill(&really, "b")?,
            n_calls: requests.len(),
            differing: differing(&std::fs::read(&before)?, &std::fs::read(&edits)?, requests)?,
            problems: Vec::new(),
            agents: agents(&predicted, &really),
            left_out,
        };
        let Comparison { differences, problems, .. } = compare::compare(&recording, &sent)?;
        tried.problems.extend(problems.into_iter().chain(differences));
        tried.check_reports(&sent_json, &Sums::of_bill(&really, "a")?);
        Ok(tried)
    }
}

impl Sums {
    const HEAD: &'static str = "\
                        prompt tokens                        cached                US dollars               requests
fix                    before  predicted     really  predicted     really   before predicted really   as compiled";

    /// Of a side of what `strata diff` says.
    fn of_bill(document: &Json, side: &str) -> Result<Self> {
        let bill = document.get(side).and_then(|side| side.get("bill")).context("a bill")?;
        let count = |name: &str| bill.get(name).and_then(Json::as_i64).with_context(|| format!("no {name}"));
        let dollars =
            |name: &str| bill.get(name).and_then(Json::as_f64).with_context(|| format!("no {name}"));
        Ok(Self {
            prompt_tokens: count("promptTokens")?,
            cached_tokens: count("cachedTokens")?,
            output_tokens: count("outputTokens")?,
            cost: dollars("cost")?,
            output_cost: dollars("outputCost")?,
        })
    }

    /// What prompts cost.
    fn input_cost(&self) -> f64 {
        self.cost - self.output_cost
    }
}

impl Tried {
    fn why_not(&self) -> Option<&'static str> {
        EXPLAINED.iter().find(|(fix, _)| *fix == self.fix).map(|(_, why)| *why)
    }

    fn is_as_predicted(&self) -> bool {
        let is_same = self.differing.is_empty() && self.is_near();
        self.problems.is_empty() && (is_same || self.why_not().is_some())
    }

    /// Whether prompts are about as large, and cost about as much. What models will answer is not predicted.
    fn is_near(&self) -> bool {
        let Self { before, predicted, really, .. } = self;
        let is_near = |of: fn(&Sums) -> f64| {
            let (before, predicted, really) = (of(before), of(predicted), of(really));
            (predicted - really).abs() <= OF_REALLY * really + OF_SAVED * (before - really).abs()
        };
        is_near(|sums| sums.prompt_tokens as f64) && is_near(Sums::input_cost)
    }

    /// What Strata says a run came to is what its models reported.
    fn check_reports(&mut self, sent: &Json, before: &Sums) {
        let usage = |request: &Json, name: &str| request.get("usage")?.get(name)?.as_i64();
        let requests = || sent.get("requests").and_then(Json::as_array).into_iter().flatten();
        let sum = |name| requests().filter_map(|request| usage(request, name)).sum::<i64>();
        let reported =
            [sum("prompt_token_count"), sum("cached_content_token_count"), sum("candidates_token_count")];
        let Sums { prompt_tokens, cached_tokens, output_tokens, .. } = self.really;
        if reported != [prompt_tokens, cached_tokens, output_tokens] {
            self.problems.push(format!(
                "the models reported {reported:?} tokens of prompts, caches and answers, and Strata says {:?}",
                [prompt_tokens, cached_tokens, output_tokens]
            ));
        }
        if *before != self.before {
            self.problems
                .push(format!("before it is {:?} beside edits, {before:?} beside a recording", self.before));
        }
    }

    fn show_details(&self, with_differences: bool) {
        for problem in &self.problems {
            println!("    WRONG  {problem}");
        }
        if let Some(why) = self.why_not() {
            println!("    {why}");
        } else if !self.is_as_predicted() {
            println!("    NOT AS PREDICTED");
        }
        let n_shown = if with_differences { usize::MAX } else { usize::from(!self.is_as_predicted()) };
        for difference in self.differing.iter().take(n_shown) {
            println!("    {difference}");
        }
        if with_differences {
            print!("{}", self.left_out);
        }
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fix, before, predicted, really, n_calls, differing, .. } = self;
        write!(
            f,
            "{fix:<20}{:>10}{:>11}{:>11}{:>11}{:>11}{:>9.4}{:>10.4}{:>8.4}{:>8} of {n_calls}",
            before.prompt_tokens,
            predicted.prompt_tokens,
            really.prompt_tokens,
            predicted.cached_tokens,
            really.cached_tokens,
            before.cost,
            predicted.cost,
            really.cost,
            n_calls.saturating_sub(differing.len()),
        )
    }
}

/// Prompt tokens by agent, from two documents of `strata diff`: beside edits, and beside another recording.
fn agents(predicted: &Json, really: &Json) -> Vec<(String, [i64; 3])> {
    let mut agents: Vec<(String, [i64; 3])> = Vec::new();
    let mut add = |call: &Json, at: usize, tokens: Option<i64>| {
        let name = text(call, "agent").unwrap_or_default();
        let known = agents.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            agents.push((name, [0; 3]));
            agents.len() - 1
        });
        agents[known].1[at] += tokens.unwrap_or(0);
    };
    let calls = |document: &Json| document.get("calls").and_then(Json::as_array).unwrap_or_default().to_vec();
    for call in calls(predicted) {
        add(&call, 0, call.get("tokensA").and_then(Json::as_i64));
        add(&call, 1, call.get("tokensB").and_then(Json::as_i64));
    }
    for call in calls(really) {
        add(&call, 2, call.get("b").and_then(|side| side.get("tokens")?.as_i64()));
    }
    agents
}

/// Calls whose request, compiled of a recording under edits, is not what was sent once the edits were in the app. Both are
/// written as JSON and compared as texts.
fn differing(recording: &[u8], edits: &[u8], sent: &[Json]) -> Result<Vec<String>> {
    let edits: Vec<Edit> = serde_json::from_slice(edits).context("read the edits")?;
    let imported = import(recording).sessions.into_iter().next().context("a session")?;
    let edited = recorded(imported)?.lay(&edits, &Catalog::new()).finish();
    if let Some(note) = edited.notes.first() {
        bail!("an edit does not fit: {}", note.message);
    }
    let experiment = edited.experiment;
    let mut cache = StageCache::new();
    let mut differing = Vec::new();
    if experiment.calls().len() != sent.len() {
        differing.push(format!("{} calls, and {} were made", experiment.calls().len(), sent.len()));
    }
    for (call, sent) in experiment.calls().iter().zip(sent) {
        let name = format!("C{} of {}", call.number, call.invocation.agent);
        let sent = sent.get("request").context("a request")?;
        let compiled = experiment.compile(call, &mut cache).map(|it| it.working_context().to_json());
        let compiled = compiled.with_context(|| format!("{name} cannot be compiled"))?;
        if json::to_compact(sent) != json::to_compact(&compiled) {
            let places = diff("request", sent, &compiled);
            let first = places.into_iter().next().unwrap_or("request: members in another order".to_owned());
            differing.push(format!("{name}: {first}"));
        }
    }
    Ok(differing)
}

/// A recorded session with all that was recorded of its calls.
fn recorded(imported: ImportedSession) -> Result<Experiment> {
    let answered =
        || imported.requests.iter().filter_map(|it| Some((EventIndex(it.answer? as u32), &it.body)));
    let calls: Vec<_> =
        answered().filter_map(|(at, body)| Some((at, RecordedCall::of_body(body)?))).collect();
    let requests: Vec<_> = answered().filter_map(|(at, body)| Some((at, request_of(body)?))).collect();
    let app = imported.app.context("a recording without its app")?;
    let experiment = Experiment::new(Arc::new(imported.session), Arc::new(app), FlowKind::Adk);
    Ok(experiment.with_recorded_calls(calls).with_requests(requests))
}
