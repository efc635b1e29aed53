//! What conversations of the second generation say of their usage: every call of every model, or the sums of them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use strata_model::take::{take_count, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::usage::spelling::OPENHANDS;
use strata_wire::usage::{Counts, UsageReport};

use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::own_total;
use crate::source::SourceRecord;

/// The list of all calls, which not every record of the sums has.
const CALLS: &str = "token_usages";
/// What all calls used.
const SUM: &str = "accumulated_token_usage";

/// Events that wait for the usage of their call, in their order.
#[derive(Default)]
struct Unpaid {
    named: HashMap<Str, VecDeque<usize>>,
    unnamed: VecDeque<usize>,
}

impl Unpaid {
    fn of(answers: &[(usize, Option<Str>)]) -> Self {
        let mut unpaid = Self::default();
        for (at, id) in answers {
            match id {
                Some(id) => unpaid.named.entry(id.clone()).or_default().push_back(*at),
                None => unpaid.unnamed.push_back(*at),
            }
        }
        unpaid
    }
}

/// The last word on usage, by what the models were used for.
#[derive(Default)]
pub(super) struct Stats {
    last: BTreeMap<Str, (Object, SourceRecord)>,
    /// The last sums of a run of the first generation.
    run: Option<(Object, SourceRecord)>,
}

impl Stats {
    /// Takes `{usage_to_metrics: {…}}`.
    pub(super) fn update(&mut self, stats: Option<&Json>, source: &SourceRecord) {
        let metrics = stats.and_then(|stats| stats.get("usage_to_metrics")?.as_object());
        for (purpose, metrics) in metrics.into_iter().flat_map(Object::iter) {
            let Some(metrics) = metrics.as_object() else { continue };
            let known = self.last.get(purpose).map(|(known, _)| (total_of(known), known.contains_key(CALLS)));
            if known.is_none_or(|known| (total_of(metrics), metrics.contains_key(CALLS)) >= known) {
                self.last.insert(purpose.clone(), (metrics.clone(), source.clone()));
            }
        }
    }

    /// Takes the sums of a run of the first generation, which events and results of evaluations repeat.
    pub(super) fn update_run(&mut self, metrics: Option<Json>, source: &SourceRecord) {
        if let Some(Json::Object(metrics)) = metrics.filter(|metrics| metrics.get(SUM).is_some()) {
            self.run = Some((metrics, source.clone()));
        }
    }

    /// Gives every answer the usage of its call. Calls without an answer (of a condenser) are events of their own.
    pub(super) fn tell(
        &mut self,
        draft: &mut Draft,
        answers: &[(usize, Option<Str>)],
        findings: &mut Findings,
    ) {
        if let Some((metrics, source)) = self.run.take() {
            let usages = (0..draft.len()).filter_map(|at| draft.event(at)?.usage_metadata.as_deref());
            let counts =
                usages.map(|usage| UsageReport { usage: usage.clone(), ..UsageReport::default() }.counts());
            let calls = counts.reduce(Counts::plus);
            sum_up(draft, metrics, calls, None, source, findings);
        }
        let mut answers = Unpaid::of(answers);
        for (mut metrics, source) in std::mem::take(&mut self.last).into_values() {
            let model = take_text(&mut metrics, "model_name");
            let calls = take_list(&mut metrics, CALLS).unwrap_or_default();
            let mut ids = calls.iter().filter_map(|call| call.get("response_id")?.as_str());
            let is_of_agent = ids.any(|id| answers.named.get(id).is_some_and(|events| !events.is_empty()));
            let mut reported: Option<Counts> = None;
            for call in calls {
                let Json::Object(mut call) = call else { continue };
                let id = take_text(&mut call, "response_id").filter(|id| !id.is_empty());
                let by_id = id.and_then(|id| answers.named.get_mut(&id)?.pop_front());
                // Messages do not always say which response they are.
                let at = by_id.or_else(|| if is_of_agent { answers.unnamed.pop_front() } else { None });
                let model = take_text(&mut call, "model").or_else(|| model.clone());
                let counts = OPENHANDS.take(&mut call);
                reported = Some(reported.unwrap_or_default().plus(counts));
                add(draft, at, model, counts.into(), &source);
            }
            sum_up(draft, metrics, reported, model, source, findings);
        }
    }
}

/// Holds sums against what the calls report, and tells them where these report nothing.
fn sum_up(
    draft: &mut Draft,
    mut metrics: Object,
    calls: Option<Counts>,
    model: Option<Str>,
    source: SourceRecord,
    findings: &mut Findings,
) {
    let Some(mut sum) = take_object(&mut metrics, SUM) else { return };
    let own = OPENHANDS.take(&mut sum);
    let place = format!("session {}", draft.session.id);
    if let Some(calls) = calls {
        return own_total::check("the conversation's own total", own, calls, place, findings);
    }
    let cost = metrics.get("accumulated_cost").and_then(Json::as_f64);
    own_total::alone(own, cost, place, findings);
    let usage = UsageReport::from(own);
    if usage.usage.total_token_count.is_some_and(|total| total > 0) {
        let about = EventDraft::new(Kind::Notice, Vec::new(), source);
        draft.push_sum(EventDraft { usage: Some(usage), model, ..about });
    }
}

fn add(draft: &mut Draft, at: Option<usize>, model: Option<Str>, usage: UsageReport, source: &SourceRecord) {
    let Some(at) = at else {
        draft.push(EventDraft {
            usage: Some(usage),
            model,
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        });
        return;
    };
    draft.set_usage(at, usage);
    draft.add_source(at, source.clone());
    if let Some(event) = draft.event_mut(at) {
        event.model_version = event.model_version.take().or(model);
    }
}

fn total_of(metrics: &Object) -> u64 {
    let sum = metrics.get(SUM).and_then(Json::as_object).cloned();
    sum.and_then(|mut sum| take_count(&mut sum, "prompt_tokens")).unwrap_or(0)
}
