//! Looks through the sessions of a file for what need not have been.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use strata_engine::{Experiment, infer_app};
use strata_import::ImportedSession;
use strata_measure::analysis::{BilledCalls, CacheAnalysis, SessionAnalysis};
use strata_measure::findings::{Finding, FindingKind, findings};
use strata_measure::remedies::Writer;
use strata_store::RecordedRequest;

use super::file::{Examined, Found};
use crate::beside::{ServicePlaces, SessionServices};
use crate::import::{NotRead, SessionFile, flow_kind, new_request, recorded_app};
use crate::open::{AppSource, answered, finding_cost, made_from};
use crate::show::context_window;
use crate::tables::TableSet;
use crate::watch::Watch;

/// `None` when the watcher wanted to stop. A session that Strata fails on has nothing found.
pub(crate) fn examine(file: &SessionFile, tables: &TableSet, watch: &dyn Watch) -> Option<Vec<Examined>> {
    let mut examined = Vec::new();
    let path = file.path().to_owned();
    let read = file.read(watch, |import| {
        for session in import.sessions {
            let look = AssertUnwindSafe(|| of_session(session, &path, tables, watch));
            examined.push(catch_unwind(look).ok().flatten().unwrap_or_default());
        }
    });
    let is_stopped = watch.is_cancelled() || matches!(read, Err(NotRead::Cancelled));
    (!is_stopped).then_some(examined)
}

fn of_session(
    imported: ImportedSession,
    path: &Path,
    tables: &TableSet,
    watch: &dyn Watch,
) -> Option<Examined> {
    let format = imported.format;
    let kind = flow_kind(format.id());
    let requests: Vec<RecordedRequest> = imported.requests.iter().map(new_request).collect();
    let sent: Vec<_> = answered(&requests).collect();
    let config = recorded_app(&imported);
    let places = ServicePlaces::default();
    let services =
        SessionServices::of_named(places.clone(), places, kind, &imported.session, Some(path)).ok()?;
    let session = imported.session;
    let app = AppSource::of(config, &session, || infer_app(&session, kind, &sent), &mut Vec::new());
    let app = app.with_services(&services);
    let experiment = Experiment::new(Arc::new(session), app.app.clone(), kind)
        .with_services(services.given.clone())
        .with_recorded_calls(made_from(&requests))
        .with_requests(sent);
    let mut analysis = SessionAnalysis::default();
    for _ in 0..experiment.calls().len() {
        analysis.step(&experiment, &tables.counting);
        if watch.is_cancelled() {
            return None;
        }
    }
    let caches = CacheAnalysis::new(&experiment, &analysis, analysis.rules(), &tables.prices);
    let billed = BilledCalls { analysis: &analysis, caches: &caches };
    let writer = Writer::of(format.name(), &experiment);
    let is_waste = |finding: &Finding| {
        matches!(finding.kind, FindingKind::Bloat | FindingKind::Prefix) && finding.tokens() > 0
    };
    let found = findings(&experiment, billed, &tables.counting).into_iter().filter(is_waste);
    let mut found: Vec<Found> = found
        .map(|finding| Found {
            code: finding.code.to_owned(),
            title: finding.title.to_owned(),
            advice: finding.advice_for(writer).to_owned(),
            tokens: finding.tokens(),
            cost: finding_cost(&finding, &tables.prices),
            first_call: finding.calls.first().map(|range| range.first),
            remedy: finding.remedy_in(writer).map(Into::into),
        })
        .collect();
    found.sort_by(|a, b| by_worth(b, a));
    let last = caches.calls.last().map(|call| &*call.agent);
    let window =
        last.and_then(|agent| context_window(agent, format.id(), &experiment, billed, &tables.prices));
    Some(Examined { limit: window.map(|window| window.tokens.into()), found })
}

/// By cost where that is known, else by tokens.
fn by_worth(a: &Found, b: &Found) -> std::cmp::Ordering {
    a.cost.unwrap_or(-1.0).total_cmp(&b.cost.unwrap_or(-1.0)).then(a.tokens.cmp(&b.tokens))
}
