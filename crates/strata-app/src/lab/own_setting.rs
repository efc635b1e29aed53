//! A configuration in the terms of the tool that made the session.

use strata_engine::turn::compaction::{CompactionConfig, Policy};
use strata_measure::remedies::{Aim, Writer, remedy};

use crate::api::lab::LabOwnSetting;

/// What a person writes in their tool to have a configuration. `None` where the tool has no such setting.
pub(super) fn own_setting(writer: Writer, config: &CompactionConfig) -> Option<LabOwnSetting> {
    let tokens = match config.policy {
        Policy::Off => return None,
        Policy::Adk { .. } if writer == Writer::Adk => {
            return Some(LabOwnSetting { tool: "google-adk".to_owned(), text: None, place: None });
        }
        Policy::Adk { window: None, threshold: Some(threshold) } => threshold.tokens,
        Policy::Steps(steps) if !steps.clears_results => steps.limit_tokens,
        Policy::Adk { .. } | Policy::Steps(_) => return None,
    };
    let found = remedy(writer, &Aim::CompactAt { tokens })?;
    Some(LabOwnSetting {
        tool: writer.name()?.to_owned(),
        text: Some(found.text),
        place: Some(found.place.to_owned()),
    })
}
