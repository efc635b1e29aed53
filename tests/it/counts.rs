//! How near counts come to what providers reported, on recorded sessions: every growth is predicted from others.

use std::fmt::Write as _;
use std::fs;

use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::import;
use strata_measure::analysis::{Counting, model_growths};
use strata_measure::tokens::{Errors, Growth, HeldOut, LearnedRatios, TokenFit, TokenPrior, Tokenizer};
use strata_testkit::samples;

/// Fewer growths are no session to measure by.
const ENOUGH: usize = 10;
const FOLDS: usize = 5;

/// Goals, as shares of what was reported.
const BIAS: f64 = 0.015;
const SUMMED: f64 = 0.02;
const MEDIAN: f64 = 0.06;
/// Tokens of growths that are set aside.
const HIDDEN: f64 = 0.25;

/// Samples whose reports are not of what is recorded: a router between client and provider counts by itself, and twice as
/// much in arguments.
const COUNTED_ELSEWHERE: &[&str] = &["30530d66-37fb-4f3b-aa5f-d92b6a8afae2"];

/// What misses a goal, by how much at most, as the goal would have it: a formatter changed files that the client then showed
/// again, and an agent's thoughts are not in its records. Both are small enough not to be set aside.
const MISSES: &[(&str, &str, f64)] = &[("glued-lines-dup-uuid.8c_fa910f8ef9_0", "summed", 0.022)];

/// What prompts of one session to one model grew by.
struct Sample {
    name: String,
    model: String,
    growths: Vec<Growth>,
}

impl Sample {
    fn prior(&self, others: &LearnedRatios) -> TokenPrior {
        others.prior_of(&Tokenizer::of_model(&self.model))
    }

    /// As the other sessions have it, this one not being among them.
    fn by_others(&self, others: &LearnedRatios) -> Errors {
        let Some(fit) = TokenFit::of(&[], &self.prior(others)) else { return Errors::default() };
        Errors::of(self.growths.iter().map(|growth| (growth, fit.predict(&growth.sizes))))
    }

    /// Each fifth of it as the other sessions and its other fifths have it.
    fn by_both(&self, others: &LearnedRatios) -> Errors {
        let prior = self.prior(others);
        let fold = |fold: usize| {
            let at = move |place: usize| place % FOLDS == fold;
            let known = self.growths.iter().enumerate().filter(|(place, _)| !at(*place));
            let known: Vec<Growth> = known.map(|(_, growth)| *growth).collect();
            let fit = TokenFit::of(&known, &prior);
            let held_out = self.growths.iter().enumerate().filter(move |(place, _)| at(*place));
            held_out.map(move |(_, growth)| {
                let predicted = fit.as_ref().map(|fit| fit.predict(&growth.sizes));
                (growth, predicted.unwrap_or_else(|| f64::from(growth.sizes.total())))
            })
        };
        Errors::of((0..FOLDS).flat_map(fold))
    }

    /// Each fifth of it as its other fifths have it.
    fn by_itself(&self) -> HeldOut {
        let prior = self.prior(&LearnedRatios::default());
        let (fit, is_used) = TokenFit::tried(&self.growths, &prior).expect("enough growths");
        assert!(is_used, "{}: reports that no count comes near", self.name);
        *fit.held_out().expect("growths")
    }
}

fn samples_of(counting: &Counting) -> Vec<Sample> {
    let mut found = Vec::new();
    for path in
        samples::files("claude-code").iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
    {
        for imported in import(&fs::read(path).expect("a sample")).sessions {
            let session = std::sync::Arc::new(imported.session);
            let app = infer_app(&session, FlowKind::Transcript, &[]).app;
            let experiment = Experiment::new(session, app, FlowKind::Transcript);
            for of_model in model_growths(&experiment, counting) {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                found.push(Sample { name, model: of_model.model, growths: of_model.growths });
            }
        }
    }
    found
}

fn learned<'s>(samples: impl Iterator<Item = &'s Sample>) -> LearnedRatios {
    LearnedRatios::of(samples.map(|sample| vec![(&*sample.model, &*sample.growths)]))
}

/// Of each sample a fifth is predicted from the other four, or all of it from the other samples. Growths that hide something,
/// such as a client's reminder, are set aside by the first, and no more than a few of them may be.
#[test]
fn claude_is_counted_as_near_as_was_promised() {
    if samples::larger().is_none() {
        return;
    }
    let samples = samples_of(&Counting::default());
    let mut table = String::from("\n");
    let mut misses = Vec::new();
    let (mut counted, mut reported) = (0.0, 0.0);
    for (at, sample) in samples.iter().enumerate() {
        if sample.growths.len() < ENOUGH || COUNTED_ELSEWHERE.contains(&&*sample.name) {
            continue;
        }
        let others = learned(samples.iter().filter(|other| other.name != sample.name));
        let HeldOut { counted: before, predicted, shown, set_aside, .. } = sample.by_itself();
        let (alone, both) = (sample.by_others(&others), sample.by_both(&others));
        let errors = |errors: Errors| format!("{:+.1} % {:.1} %", errors.bias * 100.0, errors.median * 100.0);
        let _ = writeln!(
            table,
            "{at:2} {:28} {:27} {:4} plain {} | others {} | itself {} | both {} | shown {} aside {set_aside}",
            sample.name.chars().take(28).collect::<String>(),
            sample.model,
            predicted.growths,
            errors(before),
            errors(alone),
            errors(predicted),
            errors(both),
            errors(shown),
        );
        counted += (1.0 + shown.bias) * shown.reported as f64;
        reported += shown.reported as f64;
        let mut check = |what: &str, error: f64, goal: f64| {
            let known = MISSES.iter().find(|(name, of, _)| (*name, *of) == (&*sample.name, what));
            if error.abs() > known.map_or(goal, |(.., most)| *most) {
                misses.push(format!("{} {what}: {:+.1} %", sample.name, error * 100.0));
            }
        };
        check("summed", shown.bias, SUMMED);
        check("at the median", predicted.median, MEDIAN);
        check("at the median by others", alone.median, MEDIAN);
        check("at the median by both", both.median, MEDIAN);
        check("hidden", 1.0 - shown.reported as f64 / predicted.reported as f64, HIDDEN);
    }
    let bias = counted / reported - 1.0;
    assert!(bias.abs() < BIAS, "{bias:+.4}{table}");
    assert!(misses.is_empty(), "bias {bias:+.4}, {misses:#?}{table}");
}
