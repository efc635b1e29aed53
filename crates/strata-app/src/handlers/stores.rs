//! What a session's stores hold.

use crate::Strata;
use crate::api::stores::{
    AgentPage, Agents, HandOff, HandOffDetail, HandOffDiff, HandOffText, Key, KeyDetail, State, StatePage,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::stores::{
    CompiledSession, StateQuestion, agent_rows, hand_off, hand_off_rows, hand_off_text, in_order_of,
    key_detail, state_page,
};

/// Most rows and columns of one answer.
pub(super) const MOST_ROWS: u32 = 500;
const MOST_COLUMNS: u32 = 400;

/// Answers from what is compiled, once `call` is (0 for none).
pub(super) fn with<T>(
    strata: &Strata,
    open: &OpenSession,
    call: u32,
    answer: impl FnOnce(CompiledSession<'_>) -> Result<T, AppError>,
) -> Result<T, AppError> {
    let analysis = if call == 0 { open.analysis() } else { open.analysis_of(call)? };
    let caches = open.caches(&analysis, &strata.tables)?;
    answer(CompiledSession {
        experiment: &open.experiment,
        analysis: &analysis,
        caches: &caches,
        counting: &strata.tables.counting,
    })
}

impl Handler for State {
    fn run(self, strata: &Strata) -> Result<StatePage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let question = StateQuestion {
            call: self.call,
            max_columns: self.max_columns.min(MOST_COLUMNS),
            offset: self.offset,
            limit: self.limit.min(MOST_ROWS),
        };
        with(strata, &open, self.call, |of| state_page(of, &question))
    }
}

impl Handler for Key {
    fn run(mut self, strata: &Strata) -> Result<KeyDetail, AppError> {
        self.limit = self.limit.min(MOST_ROWS);
        let open = strata.sessions.get(&self.session)?;
        with(strata, &open, self.call, |of| key_detail(of, &self))
    }
}

impl Handler for Agents {
    fn run(self, strata: &Strata) -> Result<AgentPage, AppError> {
        let open = strata.sessions.get(&self.session)?;
        with(strata, &open, 0, |of| {
            let mut rows = hand_off_rows(of);
            let uncached = rows.iter().filter(|row| !row.is_unpaid && row.cached_tokens == 0).count();
            in_order_of(self.order, &mut rows);
            let total = rows.len() as u32;
            let page = rows.into_iter().skip(self.offset as usize).take(self.limit.min(MOST_ROWS) as usize);
            Ok(AgentPage { agents: agent_rows(of), total, uncached: uncached as u32, rows: page.collect() })
        })
    }
}

impl Handler for HandOff {
    fn run(self, strata: &Strata) -> Result<HandOffDetail, AppError> {
        let open = strata.sessions.get(&self.session)?;
        with(strata, &open, 0, |of| {
            let page = (self.offset, self.limit.min(MOST_ROWS));
            hand_off(of, self.number, page, |call| open.compilation(call).ok())
        })
    }
}

impl Handler for HandOffText {
    fn run(self, strata: &Strata) -> Result<HandOffDiff, AppError> {
        let open = strata.sessions.get(&self.session)?;
        with(strata, &open, 0, |of| hand_off_text(of, self.number, self.part))
    }
}
