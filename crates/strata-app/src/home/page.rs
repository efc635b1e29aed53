//! What Home shows of what was read.

use std::collections::{BTreeMap, BTreeSet};

use strata_measure::prices::{ChargedTokens, Prices};

use super::filter::{Filter, SessionFacts};
use super::joined::{FileFacts, Joined};
use super::patterns::{no_more_than_paid, patterns};
use crate::api::home::{
    Get, HomeNews, HomeOrder, HomePage, HomePrompt, HomeReading, HomeSession, HomeWaste, SessionWaste,
};
use crate::api::usage::{UsageBy, UsageSums};
use crate::error::AppError;
use crate::usage::{CallKind, Days, Grouped, UsedCall};

/// Prompts that a strip shows.
const MOST_PROMPTS: usize = 64;

/// What is shown beside what was asked for.
pub(crate) struct Around {
    pub reading: HomeReading,
    /// When Home was looked at before.
    pub before_ms: Option<i64>,
}

pub(crate) fn page(
    joined: &Joined,
    asked: &Get,
    prices: &Prices,
    around: Around,
) -> Result<HomePage, AppError> {
    let Get { filter, since, until, timezone, order, offset, limit } = asked;
    let days = Days::new(timezone.as_deref(), since.as_deref(), until.as_deref())?;
    let filter = Filter::parse(filter);
    let all = facts(joined);
    let view = View { joined, days: &days, prices, facts: &all };
    let by = |by: UsageBy| view.grouped(&filter, by);
    let of_days = by(UsageBy::Day);
    let wasted = wasted(joined);
    let mut sessions = view.sessions(&filter, &by(UsageBy::Session), &wasted);
    sort(&mut sessions, *order);
    let paid: BTreeMap<usize, UsageSums> =
        sessions.iter().filter_map(|(root, row)| Some(((*root)?, row.sums))).collect();
    let is_empty = sessions.is_empty() && !filter.is_empty();
    let excluding = || {
        let mut beginnings = filter.beginnings();
        beginnings
            .find(|(some, _)| view.sessions(some, &view.grouped(some, UsageBy::Session), &wasted).is_empty())
    };
    let excluding_term = is_empty.then(excluding).flatten().map(|(_, term)| term.to_owned());
    let day_rows = of_days.rows();
    let weeks = days.weeks(day_rows.iter().filter_map(|row| row.key.as_deref()));
    let n_sessions = sessions.len() as u32;
    Ok(HomePage {
        reading: around.reading,
        timezone: days.zone_name(),
        today: days.today(),
        total: of_days.total(),
        unpriced_sessions: sessions.iter().filter(|(_, row)| row.sums.unpriced_calls > 0).count() as u32,
        waste: sum_of_waste(&sessions),
        days: day_rows,
        tools: by(UsageBy::Tool).rows(),
        projects: by(UsageBy::Project).rows(),
        models: by(UsageBy::Model).rows(),
        patterns: patterns(joined, &paid, weeks),
        weeks,
        sessions: sessions
            .into_iter()
            .map(|(_, row)| row)
            .skip(*offset as usize)
            .take(*limit as usize)
            .collect(),
        n_sessions,
        news: around.before_ms.map(|since_ms| view.news(since_ms)),
        excluding_term,
    })
}

fn sum_of_waste(sessions: &[(Option<usize>, HomeSession)]) -> HomeWaste {
    let wasted = sessions.iter().filter_map(|(_, row)| row.waste.as_ref());
    wasted.fold(HomeWaste::default(), |sum, waste| HomeWaste {
        tokens: sum.tokens + waste.tokens,
        cost: add(sum.cost, waste.cost),
        examined_sessions: sum.examined_sessions + 1,
    })
}

/// Sums of costs that may be unknown.
fn add(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.zip(other).map(|(one, other)| one + other).or(one).or(other)
}

fn facts(joined: &Joined) -> Vec<SessionFacts<'_>> {
    let mut facts: Vec<SessionFacts<'_>> = joined
        .sessions
        .iter()
        .map(|session| SessionFacts {
            title: &session.title,
            tool: &session.tool,
            project: session.project.as_deref(),
            ..SessionFacts::default()
        })
        .collect();
    let mut seen = BTreeSet::new();
    for (at, of) in &joined.once.calls {
        let (root, model) = (joined.root(*at), joined.sessions[*at].calls[*of].model.as_deref());
        if seen.insert((root, model)) {
            facts[root].models.push(model);
        }
        facts[root].project = facts[root].project.or(joined.sessions[*at].project.as_deref());
    }
    for (at, found) in joined.examined() {
        facts[joined.root(at)].found.extend(found.found.iter().map(|one| &*one.code));
    }
    facts
}

/// Of each session that was looked through, its costliest finding, with those of its sub-agents.
fn wasted(joined: &Joined) -> BTreeMap<usize, SessionWaste> {
    let mut wasted: BTreeMap<usize, SessionWaste> = BTreeMap::new();
    for (at, examined) in joined.examined() {
        let root = joined.root(at);
        let known = wasted.entry(root).or_insert_with(|| SessionWaste {
            tokens: 0,
            cost: None,
            worst_call: None,
            title: None,
        });
        if let Some(worst) = examined.found.first() {
            known.tokens += worst.tokens;
            known.cost = add(known.cost, worst.cost);
            if at == root {
                known.worst_call = worst.first_call;
            }
            known.title.get_or_insert_with(|| worst.title.clone());
        }
    }
    wasted
}

struct View<'v> {
    joined: &'v Joined,
    days: &'v Days,
    prices: &'v Prices,
    facts: &'v [SessionFacts<'v>],
}

impl View<'_> {
    fn grouped(&self, filter: &Filter, by: UsageBy) -> Grouped {
        let is_wanted: Vec<bool> = self.facts.iter().map(|facts| filter.takes(facts)).collect();
        let Joined { sessions, once, .. } = self.joined;
        Grouped::of(sessions, &once.calls, by, self.days, self.prices, &|call| {
            is_wanted[call.root] && filter.takes_model(call.call.model.as_deref())
        })
    }

    /// Sessions by their numbers, and files that could not be read.
    fn sessions(
        &self,
        filter: &Filter,
        grouped: &Grouped,
        wasted: &BTreeMap<usize, SessionWaste>,
    ) -> Vec<(Option<usize>, HomeSession)> {
        let mut rows: Vec<(Option<usize>, HomeSession)> = grouped
            .of_roots()
            .map(|(root, sums)| (Some(root), self.session(root, sums, wasted.get(&root))))
            .collect();
        // Nobody was asked in these.
        let silent = self.joined.sessions.iter().enumerate().filter(|(_, session)| session.calls.is_empty());
        for (at, _) in silent {
            let is_in = self.joined.root(at) == at && filter.takes(&self.facts[at]);
            let row = self.session(at, Grouped::no_sums(), wasted.get(&at));
            if is_in && self.days.include(row.last_ms.and_then(|ms| self.days.day(ms as i64))) {
                rows.push((Some(at), row));
            }
        }
        for file in &self.joined.of_files {
            rows.extend(self.unread(filter, file, Grouped::no_sums()).map(|row| (None, row)));
        }
        rows
    }

    fn session(&self, root: usize, sums: UsageSums, waste: Option<&SessionWaste>) -> HomeSession {
        let session = &self.joined.sessions[root];
        let file = &self.joined.of_files[self.joined.files[root]];
        let last_ms = session.calls.iter().filter_map(|call| call.time_ms).max().or(file.modified_ms);
        let prompts: Vec<HomePrompt> = session.calls.iter().filter_map(prompt).collect();
        HomeSession {
            path: file.path.display().to_string(),
            id: session.id.to_string(),
            title: session.title.clone(),
            tool: session.tool.clone(),
            project: self.facts[root].project.map(str::to_owned),
            models: self.facts[root].models.iter().flatten().map(ToString::to_string).collect(),
            last_ms: last_ms.map(|ms| ms as f64),
            day: last_ms.and_then(|ms| self.days.day(ms)).map(|day| day.to_string()),
            sums,
            peak_tokens: prompts.iter().map(|prompt| prompt.tokens).max(),
            limit_tokens: self.joined.limit(root),
            prompts: thinned(&prompts),
            waste: waste.map(|waste| SessionWaste {
                tokens: waste.tokens.min(sums.input_tokens),
                cost: no_more_than_paid(waste.cost, &sums),
                ..waste.clone()
            }),
            problem: file.problem.clone(),
            is_unread: false,
        }
    }

    fn unread(&self, filter: &Filter, file: &FileFacts, sums: UsageSums) -> Option<HomeSession> {
        let reason = file.unread.as_ref()?;
        let path = file.path.display().to_string();
        let title =
            file.path.file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
        let tool = file.tool.clone().unwrap_or_default();
        let facts = SessionFacts { title: &title, tool: &tool, ..SessionFacts::default() };
        let day = file.modified_ms.and_then(|ms| self.days.day(ms));
        let is_wanted = filter.takes(&facts) && self.days.include(day);
        is_wanted.then(|| HomeSession {
            id: path.clone(),
            path,
            title,
            tool,
            project: None,
            models: Vec::new(),
            last_ms: file.modified_ms.map(|ms| ms as f64),
            day: day.map(|day| day.to_string()),
            sums,
            peak_tokens: None,
            limit_tokens: None,
            prompts: Vec::new(),
            waste: None,
            problem: Some(reason.clone()),
            is_unread: true,
        })
    }

    fn news(&self, since_ms: i64) -> HomeNews {
        let Joined { sessions, once, .. } = self.joined;
        let is_new = |call: &UsedCall| call.time_ms.is_some_and(|time| time > since_ms);
        let grouped =
            Grouped::of(sessions, &once.calls, UsageBy::Tool, &self.days.all(), self.prices, &|call| {
                is_new(call.call)
            });
        HomeNews { since_ms: since_ms as f64, sums: grouped.total() }
    }
}

fn prompt(call: &UsedCall) -> Option<HomePrompt> {
    let ChargedTokens { prompt, cached, written, written_long, .. } = call.tokens;
    let tokens = prompt.max(cached + written + written_long);
    (call.kind == CallKind::Reported && tokens > 0).then_some(HomePrompt { tokens, cached })
}

/// Of each of so many stretches, the largest prompt.
fn thinned(prompts: &[HomePrompt]) -> Vec<HomePrompt> {
    let each = prompts.len().div_ceil(MOST_PROMPTS).max(1);
    prompts.chunks(each).filter_map(|some| some.iter().max_by_key(|prompt| prompt.tokens).copied()).collect()
}

fn sort(rows: &mut [(Option<usize>, HomeSession)], order: HomeOrder) {
    let fullness = |row: &HomeSession| match (row.peak_tokens, row.limit_tokens) {
        (Some(peak), Some(limit)) => peak as f64 / limit.max(1) as f64,
        _ => -1.0,
    };
    let worth = |row: &HomeSession| match order {
        HomeOrder::Newest => 0.0,
        HomeOrder::Cost => row.sums.cost.unwrap_or(-1.0),
        HomeOrder::Tokens => (row.sums.input_tokens + row.sums.output_tokens) as f64,
        HomeOrder::Waste => row.waste.as_ref().map_or(-1.0, |waste| waste.cost.unwrap_or(0.0)),
        HomeOrder::Peak => fullness(row),
    };
    rows.sort_by(|(_, a), (_, b)| {
        let newest = b.last_ms.unwrap_or(0.0).total_cmp(&a.last_ms.unwrap_or(0.0));
        worth(b).total_cmp(&worth(a)).then(newest).then_with(|| a.path.cmp(&b.path))
    });
}
