//! Catching what clients send.

use super::app::settings;
use crate::Strata;
use crate::api::capture::{CaptureState, Get, Release, SetHolds, Start, Stop};
use crate::api::session::SessionRow;
use crate::capture_folder::{new_log, telemetry_of};
use crate::capture_upstreams::upstreams;
use crate::captured_sessions::captured_sessions;
use crate::captures::Heard;
use crate::command::Handler;
use crate::error::{AppError, ErrorCode};
use crate::runs::conditions;

impl Handler for Start {
    fn run(self, strata: &Strata) -> Result<CaptureState, AppError> {
        let upstreams = upstreams(&self.upstreams, |name| std::env::var(name).ok())?;
        let log = new_log(strata.workspace.database()).map_err(|error| {
            AppError::new(ErrorCode::Store, "There is no place to write what is caught.").with_detail(&error)
        })?;
        if strata.captures.start(self.port.unwrap_or(0), upstreams, log.clone())? {
            strata.ingest.follows.start(telemetry_of(&log));
            strata.ingest.follows.start(log);
        }
        state(strata)
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<CaptureState, AppError> {
        state(strata)
    }
}

impl Handler for Stop {
    fn run(self, strata: &Strata) -> Result<CaptureState, AppError> {
        // The file is followed on: what was written last is yet to be read.
        strata.captures.stop();
        state(strata)
    }
}

impl Handler for SetHolds {
    fn run(self, strata: &Strata) -> Result<CaptureState, AppError> {
        strata.captures.held.holds.set_conditions(conditions(&self.holds)?);
        state(strata)
    }
}

impl Handler for Release {
    fn run(self, strata: &Strata) -> Result<CaptureState, AppError> {
        strata.captures.held.decide(self.number as u64, self.decision, self.body)?;
        state(strata)
    }
}

fn state(strata: &Strata) -> Result<CaptureState, AppError> {
    let sessions = sessions(strata)?;
    let budget = settings(&strata.workspace.store())?.budget;
    let Heard { exchanges, n_exchanges, bytes_sent, bytes_received, telemetry } = strata.captures.heard();
    Ok(CaptureState {
        listening: strata.captures.listening(),
        holds: strata.captures.held.holds.conditions().iter().map(ToString::to_string).collect(),
        held: strata.captures.held.waiting(),
        exchanges: exchanges.into(),
        n_exchanges,
        bytes_sent,
        bytes_received,
        telemetry,
        budget_words: sessions.iter().filter_map(|row| budget.word(row)).collect(),
        sessions,
    })
}

/// The sessions that the log gave, as far as it was read.
fn sessions(strata: &Strata) -> Result<Vec<SessionRow>, AppError> {
    let Some(log) = strata.captures.log() else { return Ok(Vec::new()) };
    Ok(captured_sessions(&strata.workspace.store(), &log, &strata.tables.prices)?)
}
