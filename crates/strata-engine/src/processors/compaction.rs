//! `compaction`: checks the token trigger before every call.
//!
//! Writing a summary takes a model, so it is a job and not part of compiling: in a recorded session the summary that
//! was written here is an event of the history already.

use std::hash::{Hash, Hasher};

use strata_model::LlmRequest;

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct Compaction;

pub enum Inputs {
    NotConfigured,
    Inactive,
    /// The trigger is checked by the runtime; the history holds what came of it.
    Recorded {
        threshold: i64,
        summaries: usize,
    },
}

impl Hash for Inputs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::NotConfigured => 0.hash(state),
            Self::Inactive => 1.hash(state),
            Self::Recorded { threshold, summaries } => (2, threshold, summaries).hash(state),
        }
    }
}

impl Processor for Compaction {
    type Inputs<'c> = Inputs;

    fn name(&self) -> &'static str {
        "compaction"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs {
        let config = context.index.app().events_compaction_config.as_ref();
        match config
            .and_then(|config| config.token_threshold.filter(|_| config.event_retention_size.is_some()))
        {
            None => Inputs::NotConfigured,
            Some(_) if !context.invocation.is_compaction_active => Inputs::Inactive,
            Some(threshold) => Inputs::Recorded {
                threshold,
                summaries: context.events.iter().filter(|logged| logged.event.is_compaction()).count(),
            },
        }
    }

    fn process(inputs: Inputs, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        output.note(match inputs {
            Inputs::NotConfigured => "token threshold not set".to_owned(),
            Inputs::Inactive => "not checked in this run".to_owned(),
            Inputs::Recorded { threshold, summaries } => {
                format!("threshold {threshold} tokens; {summaries} summaries in the history")
            }
        });
        Ok(())
    }
}
