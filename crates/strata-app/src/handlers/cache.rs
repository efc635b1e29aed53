//! What the caches make of a session's calls, and what would help.

use strata_measure::analysis::{
    BillTotals, CacheAnalysis, CacheFix, CallCache, FixKind, Link, Loss, SessionAnalysis, Zone,
};
use strata_measure::remedies::{Aim, remedy};
use strata_model::{InstructionKind, Json, Object};
use strata_wire::CacheRule;

use super::chain;
use crate::Strata;
use crate::api::cache::{
    BreakDetail, BreakOrder, BreakPage, Breaks, CacheReportSummary, CacheRuleInfo, CacheSummary, CacheZone,
    CallCacheDetail, CauseCount, FixList, FixRow, Fixes, PreviousCall, ReportedCache, Why, ZoneRow,
};
use crate::api::common::ChainStep;
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::breaks;
use crate::show::words::{self, whole};
use strata_engine::{Edit, FlowEdit};

/// Calls that a summary names.
const NAMED_CALLS: usize = 4;

impl Handler for Breaks {
    fn run(self, strata: &Strata) -> Result<BreakPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let mut losses = caches.losses();
        losses.sort_by_key(|(_, loss)| !loss.cause.is_avoidable());
        let summary = summary(&caches, open.experiment.calls().len() as u32, &losses);
        if self.order == BreakOrder::InOrder {
            losses.sort_by_key(|(call, _)| call.call);
        }
        let rows = losses.iter().skip(self.offset as usize).take(self.limit as usize);
        Ok(BreakPage {
            total: losses.len() as u32,
            rows: rows.map(|(call, loss)| breaks::row(&open.experiment, call, loss)).collect(),
            summary,
        })
    }
}

/// The dearest losses first.
fn summary(caches: &CacheAnalysis, of_calls: u32, losses: &[(&CallCache, &Loss)]) -> CacheSummary {
    let totals = caches.totals();
    let avoidable: Vec<_> = losses.iter().filter(|(_, loss)| loss.cause.is_avoidable()).collect();
    let mut other_causes: Vec<CauseCount> = Vec::new();
    for (_, loss) in losses.iter().filter(|(_, loss)| !loss.cause.is_avoidable()) {
        let title = breaks::kind(&loss.cause);
        match other_causes.iter_mut().find(|known| known.title == title) {
            Some(known) => known.breaks += 1,
            None => other_causes.push(CauseCount { title: title.to_owned(), breaks: 1 }),
        }
    }
    other_causes.sort_by_key(|cause| std::cmp::Reverse(cause.breaks));
    let mut reported = CacheReportSummary::default();
    for call in &caches.calls {
        let (Some(report), Some(comparison)) = (call.reported, call.comparison) else { continue };
        reported.calls += 1;
        reported.prompt_tokens += u64::from(report.prompt);
        reported.cached_tokens += u64::from(comparison.reported);
        reported.predicted_tokens += u64::from(comparison.predicted);
        reported.differing_calls += u32::from(comparison.difference.is_some());
        reported.unexplained_calls +=
            u32::from(comparison.difference.is_some_and(|difference| !breaks::is_explained(difference)));
    }
    CacheSummary {
        calls: caches.calls.len() as u32,
        of_calls,
        bill: caches.bill().into(),
        predicted_tokens: totals.cached_tokens,
        lost_tokens: totals.lost_tokens,
        most_rebilled_tokens: losses.iter().map(|(_, loss)| loss.tokens).max().unwrap_or(0),
        avoidable_breaks: avoidable.len() as u32,
        avoidable_calls: avoidable.iter().take(NAMED_CALLS).map(|(call, _)| call.call).collect(),
        avoidable_tokens: totals.avoidable_tokens,
        avoidable_cost_usd: avoidable.iter().map(|(_, loss)| loss.cost_usd).sum(),
        other_causes,
        reported: (reported.calls > 0).then_some(reported),
        rules: caches.rule_names().into_iter().map(str::to_owned).collect(),
        is_rule_known: caches.is_rule_known(),
    }
}

impl Handler for Why {
    fn run(self, strata: &Strata) -> Result<CallCacheDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis_of(self.call)?;
        let caches = open.caches(&analysis, &strata.tables)?;
        let call = caches.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let compiled = analysis.call(self.call).ok_or_else(|| AppError::internal("A call got lost."))?;
        let previous = compiled.previous.or(call.loss.as_ref().map(|loss| loss.against));
        let rule = analysis.rules().of_model(&compiled.sent_to);
        Ok(CallCacheDetail {
            call: call.call,
            agent: call.agent.to_string(),
            model: call.model.to_string(),
            bill: BillTotals::of(std::iter::once(&call.bill)).into(),
            predicted_tokens: call.prediction.expected,
            is_from_elsewhere: call.prediction.is_from_elsewhere,
            previous: previous.and_then(|previous| caches.call(previous)).map(|previous| PreviousCall {
                call: previous.call,
                prompt_tokens: previous.bill.prompt_tokens,
                cached_tokens: previous.bill.cached_tokens,
            }),
            prefix_break: call.loss.as_ref().map(|loss| break_detail(&open, &analysis, call, loss)),
            zones: zones(call, rule),
            reported: reported(call),
            rule: rule_info(rule, call.lifetime_s),
        })
    }
}

fn break_detail(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    call: &CallCache,
    loss: &Loss,
) -> BreakDetail {
    // The first difference may stand in a part that only the earlier prompt has.
    let is_sent = analysis
        .call(call.call)
        .is_some_and(|compiled| strata_wire::find(&compiled.request, &loss.path).is_some());
    let of = if is_sent { call.call } else { loss.against };
    let address = (!loss.path.is_empty()).then(|| format!("C{of}/{}", loss.path));
    BreakDetail {
        row: breaks::row(&open.experiment, call, loss),
        sentence: loss.cause.sentence(&open.experiment),
        remedy: Aim::of_cause(&loss.cause).and_then(|aim| remedy(open.writer(), &aim)).map(Into::into),
        stage: loss.stage.as_ref().map(ToString::to_string),
        chain: loss.chain.iter().map(|link| chain_step(open, call.call, address.as_deref(), link)).collect(),
        address,
        could_have_tokens: call.bill.cached_tokens + loss.tokens,
    }
}

fn chain_step(open: &OpenSession, call: u32, address: Option<&str>, link: &Link) -> ChainStep {
    match link {
        Link::Wrote { event, key, before, after } => ChainStep {
            code: Some(format!("{key} {} → {}", breaks::value(before), breaks::value(after))),
            ..chain::event_step(open, *event, format!("wrote state.{key}"))
        },
        Link::Reads { agent, kind, key } => {
            let kind = match kind {
                InstructionKind::Global => "global instruction",
                InstructionKind::Static => "static instruction",
                InstructionKind::Dynamic => "instruction",
            };
            let text = format!("is read by the template in {agent}’s {kind}");
            chain::code_step(Some(format!("state.{key}")), &format!("{{{key}}}"), text)
        }
        Link::Event { event, did } => chain::event_step(open, *event, *did),
        Link::Stage { processor, did } => {
            chain::code_step(Some(format!("C{call}/{processor}")), processor, *did)
        }
        Link::Ends { at_token, .. } => chain::step(
            None,
            address.map(str::to_owned),
            "",
            format!("prefix ends at token {}", whole(*at_token)),
        ),
    }
}

fn zones(call: &CallCache, rule: &CacheRule) -> Vec<ZoneRow> {
    let meaning = |zone: Zone| match zone {
        Zone::Stable => "found in the cache".to_owned(),
        Zone::BelowMinimum => {
            format!("sent before, below the minimum of {}", whole(rule.minimum_tokens()))
        }
        Zone::Unmarked => "sent before, behind the last block or breakpoint".to_owned(),
        Zone::Expired => "sent before, too long ago".to_owned(),
        Zone::Evicted => "sent before, since replaced by other prompts".to_owned(),
        Zone::Variable => "not sent before".to_owned(),
    };
    let zone = |zone: Zone| match zone {
        Zone::Stable => CacheZone::Stable,
        Zone::BelowMinimum => CacheZone::BelowMinimum,
        Zone::Unmarked => CacheZone::Unmarked,
        Zone::Expired => CacheZone::Expired,
        Zone::Evicted => CacheZone::Evicted,
        Zone::Variable => CacheZone::Variable,
    };
    let rows = call.zones.iter();
    rows.map(|span| ZoneRow {
        zone: zone(span.zone),
        from: span.from,
        to: span.to,
        meaning: meaning(span.zone),
    })
    .collect()
}

fn reported(call: &CallCache) -> Option<ReportedCache> {
    let (report, comparison) = (call.reported?, call.comparison?);
    Some(ReportedCache {
        prompt_tokens: report.prompt,
        cached_tokens: comparison.reported,
        written_tokens: report.written,
        predicted_tokens: comparison.predicted,
        difference: comparison.difference.map(|difference| difference.sentence().to_owned()),
        is_explained: comparison.difference.is_none_or(breaks::is_explained),
    })
}

pub(super) fn rule_info(rule: &CacheRule, lifetime_s: Option<f64>) -> CacheRuleInfo {
    CacheRuleInfo {
        name: rule.name.clone(),
        is_known: rule.is_known,
        is_best_effort: rule.is_best_effort,
        minimum_tokens: rule.minimum_tokens(),
        block_tokens: rule.block_tokens(),
        lifetime_s,
        source: rule.source.clone(),
        seen_on: rule.seen_on.clone(),
        note: rule.note.clone(),
    }
}

impl Handler for Fixes {
    fn run(self, strata: &Strata) -> Result<FixList, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let fixes = open.cache_fixes(&analysis, &strata.tables)?;
        let rows = fixes.unwrap_or_default().iter().map(|fix| FixRow {
            kind: fix.kind.code().to_owned(),
            agent: fix.agent.to_string(),
            title: words::typographic(&fix.title),
            causes: fix.kind.causes().iter().map(|cause| (*cause).to_owned()).collect(),
            saves_tokens: fix.saves_tokens,
            saves_cost_usd: fix.saves_cost,
            changed_prompts: fix.changes as u32,
            edits: edits_of(fix),
        });
        Ok(FixList {
            is_complete: fixes.is_some(),
            calls: analysis.calls().len() as u32,
            rows: rows.collect(),
        })
    }
}

/// The edits that make a fix. Some are changes of the agent's own code, which no edit makes.
fn edits_of(fix: &CacheFix) -> Vec<Edit> {
    let FixKind::MoveBehindHistory { keys } = &fix.kind else { return Vec::new() };
    let keys: Vec<Json> = keys.iter().cloned().map(Json::String).collect();
    let edit = FlowEdit::Insert {
        kind: "move_volatile".into(),
        name: None,
        before: None,
        params: Object::from_iter([("keys", keys)]),
        agent: Some(fix.agent.clone()),
    };
    vec![edit.into()]
}
