//! Processors that can be inserted, and scripts that are tried.

use strata_engine::{FlowEdit, PROCESSOR_KINDS, ParamKind, ParamSpec};
use strata_model::{Object, json};

use super::stages::{console_line, script_failure_of};
use crate::Strata;
use crate::api::processor::{Catalog, Param, ParamInput, ProcessorCatalog, ProcessorKind};
use crate::api::script::{Check, ScriptReport, ScriptTarget, ScriptTokens};
use crate::command::Handler;
use crate::error::AppError;

/// What a script that is tried is called in its flow.
const TRIED: &str = "script (tried)";

impl Handler for Catalog {
    fn run(self, _: &Strata) -> Result<ProcessorCatalog, AppError> {
        let kind = |kind: &&strata_engine::ProcessorKind| ProcessorKind {
            name: kind.name.to_owned(),
            title: kind.title.to_owned(),
            summary: kind.summary.to_owned(),
            place: kind.place.to_owned(),
            params: kind.params.iter().map(param).collect(),
        };
        Ok(ProcessorCatalog { kinds: PROCESSOR_KINDS.iter().map(kind).collect() })
    }
}

fn param(spec: &ParamSpec) -> Param {
    let input = match spec.kind {
        ParamKind::Integer { min, max } => {
            ParamInput::Integer { min: min as f64, max: (max < i64::MAX).then_some(max as f64) }
        }
        ParamKind::Text => ParamInput::Text,
        ParamKind::Choice(words) => {
            ParamInput::Choice { words: words.iter().map(|word| (*word).to_owned()).collect() }
        }
        ParamKind::Words => ParamInput::Words,
        ParamKind::Code => ParamInput::Code,
    };
    Param {
        name: spec.name.to_owned(),
        input,
        default: json::parse(spec.default.as_bytes()).unwrap_or_default(),
        unit: spec.unit.map(str::to_owned),
        doc: spec.doc.to_owned(),
    }
}

impl Handler for Check {
    fn run(self, strata: &Strata) -> Result<ScriptReport, AppError> {
        let host = strata.tables.catalog.script_host();
        let host = host.ok_or_else(|| AppError::internal("Nothing here runs scripts."))?;
        match &self.on {
            Some(target) => try_on(strata, &self.source, target),
            None => {
                let run = host.check(&self.source);
                Ok(ScriptReport {
                    stage: String::new(),
                    failure: run.result.err().as_ref().map(script_failure_of),
                    console: run.console.iter().map(console_line).collect(),
                    tokens: None,
                })
            }
        }
    }
}

fn try_on(strata: &Strata, source: &str, target: &ScriptTarget) -> Result<ScriptReport, AppError> {
    let open = strata.sessions.get(&target.session)?;
    let call = open.call(target.call)?;
    let (base, applied) = match &open.edits {
        Some(edits) => (&*edits.base, edits.applied()),
        None => (&*open, &[][..]),
    };
    let mut edits = applied.to_vec();
    let script = FlowEdit::Insert {
        kind: "script".into(),
        name: Some(TRIED.into()),
        before: target.before.as_deref().map(Into::into),
        params: Object::from_iter([("source", source)]),
        agent: None,
    };
    edits.push(script.into());
    let edited = strata.tables.edited(&base.experiment, &edits);
    if let Some(found) = edited.notes.iter().find(|note| note.edit == applied.len()) {
        return Err(AppError::bad_input(found.message.clone()));
    }
    let analysis = open.analysis_of(target.call)?;
    let compiled = analysis.sharing().compiler().compile(&edited.experiment, call);
    let compiled =
        compiled.ok_or_else(|| AppError::bad_input("The call's agent is not in the configuration."))?;
    let at = compiled.stages.iter().position(|stage| &*stage.processor == TRIED);
    let at = at.ok_or_else(|| AppError::bad_input("This call ends before the script would run."))?;
    let analysed = analysis.call(target.call).ok_or_else(|| AppError::internal("A call got lost."))?;
    let scale = open.scale(&analysis, &strata.tables, analysed)?;
    let before = at.checked_sub(1).map(|before| compiled.stages[before].request.clone()).unwrap_or_default();
    let stage = &compiled.stages[at];
    Ok(ScriptReport {
        stage: stage.processor.to_string(),
        failure: stage.output.script_failure.as_ref().map(script_failure_of),
        console: stage.output.console.iter().map(console_line).collect(),
        tokens: Some(ScriptTokens {
            before: scale.prompt(&before).total().tokens,
            after: scale.prompt(&stage.request).total().tokens,
        }),
    })
}
