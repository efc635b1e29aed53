//! Finding places by typing.

use super::event::used_events;
use super::filter::{state_keys, tool_names};
use super::session::agent_names;
use crate::Strata;
use crate::api::common::Kind;
use crate::api::palette::{PaletteItem, PaletteResults, PlaceKind, Search};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::words::{counted, whole};
use crate::tables::Tables;

/// Shorter words match too many stages.
const MIN_STAGE_WORD: usize = 3;

impl Handler for Search {
    fn run(self, strata: &Strata) -> Result<PaletteResults, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let wanted = self.query.trim().to_lowercase();
        let mut items = names(&open, &wanted);
        items.extend(call(&open, &wanted));
        items.extend(stages(&open, &wanted)?);
        let limit = self.limit as usize;
        let missing = limit.saturating_sub(items.len());
        items.extend(events(&open, &strata.tables, &wanted, missing));
        items.truncate(limit);
        Ok(PaletteResults { items })
    }
}

fn item(place: PlaceKind, address: String, title: String, detail: String) -> PaletteItem {
    PaletteItem { place, address, title, detail, kind: None }
}

fn names(open: &OpenSession, wanted: &str) -> Vec<PaletteItem> {
    let fits = |name: &str| name.to_lowercase().contains(wanted);
    let calls = open.experiment.calls();
    let agents = agent_names(open).into_iter().filter(|name| fits(name)).map(|name| {
        let n_calls = calls.iter().filter(|call| call.invocation.agent == name).count();
        item(
            PlaceKind::Agent,
            format!("agent.{name}"),
            name.to_string(),
            format!("agent, {}", counted(n_calls, "call")),
        )
    });
    let facts = open.events().facts();
    let tools = tool_names(open).into_iter().filter(|name| fits(name)).map(|name| {
        let is_result = |kind| kind == strata_measure::analysis::Kind::Result;
        let uses = facts
            .iter()
            .filter(|facts| is_result(facts.kind) && facts.tools.iter().any(|tool| **tool == *name));
        let detail = format!("tool, {}", counted(uses.count(), "result"));
        PaletteItem { kind: Some(Kind::Tools), ..item(PlaceKind::Tool, format!("tool.{name}"), name, detail) }
    });
    let states = state_keys(open).into_iter().filter(|key| fits(&format!("state.{key}"))).map(|key| {
        let detail = counted(open.experiment.states().writes(&key).count(), "change");
        item(PlaceKind::State, format!("state.{key}"), format!("state.{key}"), detail)
    });
    agents.chain(tools).chain(states).collect()
}

fn call(open: &OpenSession, wanted: &str) -> Option<PaletteItem> {
    let number: u32 = wanted.strip_prefix('c')?.parse().ok()?;
    let call = open.experiment.call(number)?;
    let agent = &call.invocation.agent;
    let size = open.analysis().call(number).map(|call| format!(", {} tokens", whole(call.total.tokens)));
    let detail = format!("{agent}{}", size.unwrap_or_default());
    Some(item(PlaceKind::Call, format!("C{number}"), format!("C{number}"), detail))
}

/// The stages of the last call that is compiled.
fn stages(open: &OpenSession, wanted: &str) -> Result<Vec<PaletteItem>, AppError> {
    let last = open.analysis().calls().len() as u32;
    if last == 0 || wanted.chars().count() < MIN_STAGE_WORD {
        return Ok(Vec::new());
    }
    let compilation = open.compilation(last)?;
    let named = compilation.stages.iter().filter(|stage| stage.processor.contains(wanted));
    let stage = |stage: &strata_engine::Stage| {
        let name = stage.processor.to_string();
        item(PlaceKind::Stage, format!("C{last}/{name}"), name, stage.output.note.clone())
    };
    Ok(named.map(stage).collect())
}

fn events(open: &OpenSession, tables: &Tables, wanted: &str, limit: usize) -> Vec<PaletteItem> {
    let used = used_events(open, tables);
    let facts = open.events().facts();
    let fits = |at: &u32| {
        let facts = &facts[*at as usize];
        let tool = facts.tools.first().map_or("", |tool| &**tool);
        format!("e{} {tool} {}", at + 1, facts.what).to_lowercase().contains(wanted)
    };
    // The one with the number that was typed, then the costliest first.
    let number = wanted.strip_prefix('e').and_then(|number| number.parse::<u32>().ok());
    let named = number.filter(|number| (1..=facts.len() as u32).contains(number)).map(|number| number - 1);
    let others = used.by_lifetime.iter().copied().filter(|at| Some(*at) != named).filter(fits);
    let event = |at: u32| {
        let facts = &facts[at as usize];
        let tool = facts.tools.first().map_or(String::new(), |tool| format!("{tool} "));
        PaletteItem {
            kind: Some(facts.kind.into()),
            ..item(
                PlaceKind::Event,
                format!("E{}", at + 1),
                format!("{tool}{}", facts.what),
                format!("E{}, {}", at + 1, facts.agent),
            )
        }
    };
    named.into_iter().chain(others).take(limit).map(event).collect()
}
