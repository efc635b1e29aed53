//! Where a window becomes a summary, or the reason why there is none.

use std::collections::HashSet;
use std::sync::Arc;

use strata_engine::LoggedEvent;
use strata_engine::turn::compaction::{CompactionConfig, Window};
use strata_model::{Content, Event, EventIndex, SharedList, Str};

use super::plan::{BlockReason, Moment, Stop, SummaryDue, WindowPlan, Writer};
use super::prepared::Lab;

/// Everything the windows of one moment have in common.
pub(super) struct WindowContext<'d, 'a> {
    pub lab: &'d Lab<'a>,
    pub config: &'d CompactionConfig,
    pub moment: Moment,
    pub isolation_scope: Option<&'d str>,
    pub prompt_tokens: Option<u64>,
    pub model: &'d Str,
    /// Windows of moments before this one.
    pub earlier: &'d [WindowPlan],
    /// Recorded events so far.
    pub after: usize,
    /// All events so far.
    pub events: &'d SharedList<LoggedEvent>,
}

impl WindowContext<'_, '_> {
    /// Has a window summarised; `nth` counts those of the same moment from 0.
    pub(super) fn write(
        &self,
        window: &Window<'_>,
        nth: usize,
        writer: &mut dyn Writer,
    ) -> Result<WindowPlan, Stop> {
        let number = self.earlier.len() + nth + 1;
        let seed = self.seed(window);
        let mut plan = WindowPlan {
            moment: self.moment,
            trigger: window.trigger,
            events: window.events.iter().filter_map(|logged| logged.index).collect(),
            after: self.after,
            seed,
            prompt_tokens: self.prompt_tokens,
            source_tokens: 0,
            summary_tokens: 0,
            model: self.model.clone(),
            written: None,
            event: None,
            blocked: None,
        };
        let Some(scale) = self.lab.scale(self.moment.first_call()) else { return Ok(plan) };
        let seed_tokens = seed.map_or(0, |at| self.earlier[at].summary_tokens);
        plan.source_tokens = self.lab.sources.of(window, scale.weigher()) + seed_tokens;
        if self.splits_a_call(window) {
            plan.blocked = Some(BlockReason::OrphanedCalls);
            return Ok(plan);
        }
        let due = SummaryDue {
            number,
            moment: self.moment,
            window,
            source_tokens: plan.source_tokens,
            max_tokens: self.config.summary_tokens,
            model: self.model,
            config: self.config,
            scale,
            isolation_scope: self.isolation_scope,
        };
        let written = writer.write(&due)?;
        let is_text = |content: &Content| {
            content
                .parts()
                .iter()
                .any(|part| part.text.as_deref().is_some_and(|text| !text.trim().is_empty()))
        };
        plan.written = written;
        let Some(content) =
            plan.written.as_ref().map(|written| &written.content).filter(|content| is_text(content))
        else {
            plan.blocked = Some(BlockReason::Empty);
            return Ok(plan);
        };
        plan.summary_tokens =
            content.parts().iter().filter_map(|part| part.text.as_deref()).map(|text| due.tokens(text)).sum();
        if plan.summary_tokens > plan.source_tokens {
            plan.blocked = Some(BlockReason::LongerThanSource);
            return Ok(plan);
        }
        let event = self.summary_event(window, content, number);
        // Its number is given when it is entered.
        plan.event = Some((EventIndex(u32::MAX), Arc::new(event)));
        Ok(plan)
    }

    fn seed(&self, window: &Window<'_>) -> Option<usize> {
        let index = window.seed?.index?;
        self.earlier.iter().position(|plan| plan.event.as_ref().is_some_and(|(event, _)| *event == index))
    }

    fn summary_event(&self, window: &Window<'_>, content: &Content, number: usize) -> Event {
        let mut event = window.summary_event(self.isolation_scope);
        let content = Content { role: Some("model".into()), ..content.clone() };
        if let Some(compaction) = &mut event.actions.compaction {
            compaction.compacted_content = Some(content);
        }
        event.id = format!("summary-{number}").into();
        event.invocation_id = format!("summary-{number}").into();
        event.timestamp = self.events.last().map_or(0.0, |logged| logged.event.timestamp);
        event
    }

    /// Whether a response stays whose call goes, or a call whose response goes.
    fn splits_a_call(&self, window: &Window<'_>) -> bool {
        let inside: HashSet<*const LoggedEvent> =
            window.events.iter().map(|logged| std::ptr::from_ref(*logged)).collect();
        let (start, end) = window.span();
        // What an earlier summary stands for is gone already.
        let outside = self.events.iter().filter(|logged| {
            !inside.contains(&std::ptr::from_ref(*logged)) && !(start..=end).contains(&logged.event.timestamp)
        });
        let calls = |logged: &LoggedEvent| ids(logged.event.function_calls().map(|call| call.id.as_deref()));
        let responses = |logged: &LoggedEvent| {
            ids(logged.event.function_responses().map(|response| response.id.as_deref()))
        };
        let called: HashSet<String> = window.events.iter().flat_map(|logged| calls(logged)).collect();
        let answered: HashSet<String> = window.events.iter().flat_map(|logged| responses(logged)).collect();
        let covered_until = self.covered_until();
        outside.filter(|logged| logged.event.timestamp > covered_until).any(|logged| {
            responses(logged).iter().any(|id| called.contains(id))
                || calls(logged).iter().any(|id| answered.contains(id) && !called.contains(id))
        })
    }

    fn covered_until(&self) -> f64 {
        let spans = self.earlier.iter().filter_map(|plan| plan.event.as_ref());
        let ends = spans.filter_map(|(_, event)| event.actions.compaction.as_ref()?.end_timestamp);
        ends.fold(0.0, f64::max)
    }
}

fn ids<'e>(ids: impl Iterator<Item = Option<&'e str>>) -> Vec<String> {
    ids.flatten().filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
