//! A session as a learner's edits leave it, measured by what goals ask for.

use strata_engine::{Edit, StageCache};
use strata_measure::analysis::{BillTotals, CacheAnalysis, CallAnalysis, CallCache, Cause};
use strata_measure::findings::findings;
use strata_model::Origin;
use strata_wire::{Segment, prompt_segments};

use crate::api::common::Basis;
use crate::api::lesson::LessonNumbers;
use crate::error::AppError;
use crate::lesson_shelf::Check;
use crate::lesson_shelf::Shelved;
use crate::report::OpenedSession;
use crate::show::words::{counted, whole};
use crate::show::writer;
use crate::watch::Watch;

/// What was measured for a goal, and whether that is what it asks for.
pub(super) struct Measured {
    pub is_met: bool,
    /// In words, with its unit.
    pub said: String,
    /// What the number rests on; none where it is no number of tokens or dollars.
    pub basis: Option<Basis>,
}

/// The session of a lesson with edits over it, all of its calls compiled.
pub(super) struct LearnedSession {
    pub opened: OpenedSession,
}

impl LearnedSession {
    /// Reads the session of a lesson and compiles it as it was recorded.
    pub(super) fn recorded_of(shelved: &Shelved, watch: &dyn Watch) -> Result<Self, AppError> {
        let (session, app) = shelved.session()?;
        let name = format!("lesson:{}", shelved.lesson.head.session);
        Ok(Self { opened: OpenedSession::of_imported(session, &name, app, watch)? })
    }

    /// The same session with edits over it; what they leave alone is not compiled again. An edit that does not fit is an
    /// error: grades of a session without it would be taken for those with it.
    pub(super) fn with_edits(&self, edits: &[Edit], watch: &dyn Watch) -> Result<Self, AppError> {
        Ok(Self { opened: self.opened.with_edits(edits, watch)? })
    }

    /// What it comes to.
    pub(super) fn numbers(&self) -> LessonNumbers {
        let broken = self.caches().calls.iter().filter(|call| call.broken().is_some());
        LessonNumbers { bill: self.caches().bill().into(), breaks: broken.count() as u32 }
    }

    /// Measures what a goal asks of the session. Questions are graded elsewhere: what they ask is about the recording.
    pub(super) fn measure(&self, check: &Check) -> Result<Measured, AppError> {
        match check {
            Check::PromptTokens { call, at_most } => Ok(at_most_tokens(self.call(*call)?, *at_most)),
            Check::PeakPrompt { agent, at_most } => {
                Ok(at_most_tokens(self.largest(agent.as_deref())?, *at_most))
            }
            Check::TotalTokens { agent, less_by } => self.total(agent.as_deref(), *less_by),
            Check::Cost { less_by } => Ok(self.cost(*less_by)),
            Check::CachedShare { call, agent, at_least } => {
                let bill = match call {
                    Some(call) => BillTotals::of(std::iter::once(&self.call(*call)?.bill)),
                    None => self.bill(agent.as_deref())?,
                };
                let share = bill.cache_ratio();
                let basis = Some(bill.basis.into());
                Ok(Measured { is_met: share >= *at_least, said: format!("{:.1} %", share * 100.0), basis })
            }
            Check::AvoidableLoss { at_most } => {
                let totals = self.caches().totals();
                let lost = totals.avoidable_tokens;
                let basis = self.caches().bill().basis.into();
                let said = format!("{} tokens", whole(lost as i64));
                Ok(Measured { is_met: lost <= *at_most, said, basis: Some(basis) })
            }
            Check::NoBreakBy { key } => Ok(self.breaks_by(key)),
            Check::NoFinding { code } => {
                let Self { opened } = self;
                let found = findings(opened.experiment(), opened.billed(), opened.counting());
                let n = found.iter().filter(|finding| finding.code == *code).count();
                Ok(Measured::plain(
                    n == 0,
                    if n == 0 { "not found".to_owned() } else { format!("{n} found") },
                ))
            }
            Check::Readable { call, text } => {
                let is_there = self.segment_with(*call, text)?.is_some();
                Ok(Measured::plain(is_there, said_of_text(is_there, *call)))
            }
            Check::Unreadable { call, text } => {
                let is_there = self.segment_with(*call, text)?.is_some();
                Ok(Measured::plain(!is_there, said_of_text(is_there, *call)))
            }
            Check::Summaries { at_least, at_most } => {
                let n = self.caches().bill().summaries.summaries;
                let said = if n == 1 { "1 summary".to_owned() } else { format!("{n} summaries") };
                Ok(Measured::plain((*at_least..=*at_most).contains(&n), said))
            }
            Check::Answer(_) => Ok(Measured::plain(false, "not answered".to_owned())),
        }
    }

    pub(super) fn caches(&self) -> &CacheAnalysis {
        self.opened.billed().caches
    }

    pub(super) fn call(&self, number: u32) -> Result<&CallCache, AppError> {
        self.caches().call(number).ok_or_else(|| self.no_call(number))
    }

    pub(super) fn compiled(&self, number: u32) -> Result<&CallAnalysis, AppError> {
        self.opened.billed().analysis.call(number).ok_or_else(|| self.no_call(number))
    }

    fn no_call(&self, number: u32) -> AppError {
        let n_calls = counted(self.caches().calls.len(), "call");
        AppError::bad_input(format!("There is no C{number}: the session has {n_calls}."))
    }

    /// The call with the largest prompt, the first of them.
    pub(super) fn largest(&self, agent: Option<&str>) -> Result<&CallCache, AppError> {
        let calls = self.calls_of(agent)?.into_iter();
        let largest = calls.max_by_key(|call| (call.bill.prompt_tokens, std::cmp::Reverse(call.call)));
        largest.ok_or_else(|| AppError::bad_input("The session has no calls."))
    }

    fn calls_of(&self, agent: Option<&str>) -> Result<Vec<&CallCache>, AppError> {
        calls_of(self.caches(), agent)
    }

    /// Summaries are nobody's: they are in the bill of the whole session.
    fn bill(&self, agent: Option<&str>) -> Result<BillTotals, AppError> {
        bill_of(self.caches(), agent)
    }

    /// What it was before the edits.
    fn recorded(&self) -> &CacheAnalysis {
        self.opened.recorded()
    }

    fn total(&self, agent: Option<&str>, less_by: f64) -> Result<Measured, AppError> {
        let (before, after) = (bill_of(self.recorded(), agent)?, self.bill(agent)?);
        let less = less(before.prompt_tokens as f64, after.prompt_tokens as f64);
        let basis: Basis = after.basis.max(before.basis).into();
        let tokens = |bill: &BillTotals| {
            format!("{}{}", Basis::from(bill.basis).mark(), whole(bill.prompt_tokens as i64))
        };
        let said = format!("{} tokens instead of {}, {}", tokens(&after), tokens(&before), said_less(less));
        Ok(Measured { is_met: less >= less_by, said, basis: Some(basis) })
    }

    fn cost(&self, less_by: f64) -> Measured {
        let dollars = |bill: &BillTotals| bill.cost_usd();
        let (before, after) = (self.recorded().bill(), self.caches().bill());
        let (Some(was), Some(is)) = (dollars(&before), dollars(&after)) else {
            let why = "not known: a model of the session has no known price";
            return Measured::plain(false, why.to_owned());
        };
        let less = less(was, is);
        let said = format!("${is:.4} instead of ${was:.4}, {}", said_less(less));
        let basis = after.basis.max(before.basis).into();
        Measured { is_met: less >= less_by, said, basis: Some(basis) }
    }

    fn breaks_by(&self, key: &str) -> Measured {
        let key = key.trim_start_matches("state.");
        let is_by = |cause: &Cause| matches!(cause, Cause::State { key: by, .. } if **by == *key);
        let broken = self.caches().losses();
        let calls: Vec<_> = broken.iter().filter(|(_, loss)| is_by(&loss.cause)).collect();
        let said = match calls.first() {
            None => "no break".to_owned(),
            Some((call, _)) => format!("{}, first C{}", counted(calls.len(), "break"), call.call),
        };
        Measured::plain(calls.is_empty(), said)
    }

    /// The first segment of a call's prompt that holds a text.
    pub(super) fn segment_with(&self, call: u32, text: &str) -> Result<Option<Segment<'_>>, AppError> {
        let request = &self.compiled(call)?.request;
        Ok(prompt_segments(request).find(|segment| segment.text().contains(text)))
    }

    /// The source of a text in a call's prompt.
    pub(super) fn origin_of(&self, call: u32, text: &str) -> Result<Option<Origin>, AppError> {
        Ok(self.segment_with(call, text)?.and_then(|segment| segment.main_origin().cloned()))
    }

    /// The first processor whose stage has a text as it is sent.
    pub(super) fn stage_of(&self, call: u32, text: &str) -> Result<Option<String>, AppError> {
        let Some(segment) = self.segment_with(call, text)? else { return Ok(None) };
        let experiment = self.opened.experiment();
        let made = experiment.call(call);
        let compilation = made.and_then(|made| experiment.compile(made, &mut StageCache::default()));
        Ok(compilation.and_then(|compilation| writer(&compilation, &segment)).map(|(stage, _)| stage))
    }
}

impl Measured {
    pub(super) fn plain(is_met: bool, said: String) -> Self {
        Self { is_met, said, basis: None }
    }
}

fn calls_of<'c>(caches: &'c CacheAnalysis, agent: Option<&str>) -> Result<Vec<&'c CallCache>, AppError> {
    let is_of = |call: &&CallCache| agent.is_none_or(|agent| *call.agent == *agent);
    let calls: Vec<_> = caches.calls.iter().filter(is_of).collect();
    match agent {
        Some(agent) if calls.is_empty() => {
            Err(AppError::bad_input(format!("No call of the session is by an agent {agent}.")))
        }
        _ => Ok(calls),
    }
}

fn bill_of(caches: &CacheAnalysis, agent: Option<&str>) -> Result<BillTotals, AppError> {
    Ok(match agent {
        None => caches.bill(),
        Some(_) => BillTotals::of(calls_of(caches, agent)?.into_iter().map(|call| &call.bill)),
    })
}

fn at_most_tokens(call: &CallCache, at_most: u64) -> Measured {
    let basis: Basis = call.bill.basis.into();
    let said = format!("{}{} tokens (C{})", basis.mark(), whole(call.bill.prompt_tokens), call.call);
    Measured { is_met: u64::from(call.bill.prompt_tokens) <= at_most, said, basis: Some(basis) }
}

/// The share by which it is less; below 0 where it is more.
fn less(before: f64, after: f64) -> f64 {
    if before > 0.0 { 1.0 - after / before } else { 0.0 }
}

fn said_less(less: f64) -> String {
    let percent = less * 100.0;
    if percent < 0.0 { format!("{:.1} % more", -percent) } else { format!("{percent:.1} % less") }
}

fn said_of_text(is_there: bool, call: u32) -> String {
    if is_there { format!("in C{call}") } else { format!("not in C{call}") }
}
