//! A run of many cases on several workers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use strata_model::Json;
use strata_oracle::Failure;

use crate::coverage::Coverage;
use crate::judge::{Verdict, judge, kind};
use crate::shrink::shrink;
use crate::subject::Subject;
use strata_oracle::worker::Worker;

pub(crate) struct Plan<'p> {
    pub(crate) subject: Subject,
    pub(crate) seed: u64,
    pub(crate) n_sessions: u64,
    /// One case instead of all.
    pub(crate) only: Option<u64>,
    pub(crate) n_workers: usize,
    pub(crate) python: &'p Path,
}

/// A kind of difference, with the case that showed it first.
pub(crate) struct Finding {
    pub(crate) kind: String,
    pub(crate) case: u64,
    pub(crate) n_sessions: u64,
    pub(crate) vector: Json,
    pub(crate) failure: Failure,
}

#[derive(Default)]
pub(crate) struct Results {
    pub(crate) coverage: Coverage,
    pub(crate) findings: Vec<Finding>,
}

/// Differences beyond this many kinds are only counted: they usually have the same cause.
const MAX_KINDS: usize = 12;

/// Judges all cases; the first case of each kind of difference is made small.
pub(crate) fn run(plan: &Plan<'_>) -> Result<Results> {
    let next = AtomicU64::new(0);
    let results = Mutex::new(Found::default());
    std::thread::scope(|scope| {
        let work = || work(plan, &next, &results);
        let workers: Vec<_> = (0..plan.n_workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a worker's thread panicked")))
        })
    })?;
    let found = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut findings: Vec<Finding> = found.kinds.into_values().flatten().collect();
    findings.sort_by_key(|finding| finding.case);
    for finding in &mut findings {
        finding.n_sessions = found.counts.get(&finding.kind).copied().unwrap_or_default();
    }
    Ok(Results { coverage: found.coverage, findings })
}

#[derive(Default)]
struct Found {
    coverage: Coverage,
    counts: BTreeMap<String, u64>,
    /// None while it is being made small.
    kinds: BTreeMap<String, Option<Finding>>,
}

fn work(plan: &Plan<'_>, next: &AtomicU64, results: &Mutex<Found>) -> Result<()> {
    let lock = || results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut worker = Worker::start(plan.python, plan.subject.script())?;
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let case = match plan.only {
            Some(only) if at == 0 => only,
            None if at < plan.n_sessions => at,
            _ => return Ok(()),
        };
        let question = plan.subject.question(plan.seed, case);
        match judge(&mut worker, &plan.subject, &question)? {
            Verdict::Invalid { why } => lock().coverage.count_invalid(&why),
            Verdict::Agreed { vector } => lock().coverage.count(&vector),
            Verdict::Differs { vector, failure } => {
                let kind = kind(&vector, &failure);
                let is_new = {
                    let mut found = lock();
                    found.coverage.count(&vector);
                    *found.counts.entry(kind.clone()).or_default() += 1;
                    let is_new = found.kinds.len() < MAX_KINDS && !found.kinds.contains_key(&kind);
                    if is_new {
                        found.kinds.insert(kind.clone(), None);
                    }
                    is_new
                };
                if is_new {
                    let finding = smallest(&mut worker, &plan.subject, question, &kind, case)?;
                    lock().kinds.insert(kind, finding);
                }
            }
        }
    }
}

/// The case made as small as it gets while it differs in the same way.
fn smallest(
    worker: &mut Worker,
    subject: &Subject,
    question: Json,
    wanted: &str,
    case: u64,
) -> Result<Option<Finding>> {
    let smallest = shrink(question, subject.fixed(), |candidate| -> Result<bool> {
        let verdict = judge(worker, subject, candidate)?;
        Ok(matches!(verdict, Verdict::Differs { vector, failure } if kind(&vector, &failure) == wanted))
    })?;
    let Verdict::Differs { vector, failure } = judge(worker, subject, &smallest)? else { return Ok(None) };
    Ok(Some(Finding { kind: wanted.to_owned(), case, n_sessions: 0, vector, failure }))
}
