//! A question to a model that is paid for once.

use strata_model::Content;
use strata_provider::{Cancel, Endpoint};
use strata_store::PromptShape;

use super::ask::ask;
use super::measured::{Expected, measure};
use super::paid::{Paid, PaidAnswers};
use super::writer::question;
use crate::Strata;
use crate::error::{AppError, ErrorCode};
use crate::lab::counted;

/// Asks a question, unless its answer is known.
pub(crate) fn ask_once(
    strata: &Strata,
    endpoint: &Endpoint,
    model: &str,
    prompt: &str,
    max_tokens: u32,
    cancel: &Cancel,
) -> Result<Paid, AppError> {
    let key = PaidAnswers::key(&endpoint.base_url, model, prompt, Some(max_tokens));
    if let Some(paid) = strata.paid().find(key, Some(&strata.store())) {
        return Ok(paid);
    }
    if cancel() {
        return Err(AppError::new(ErrorCode::Provider, "Stopped."));
    }
    let request = question(prompt);
    let asked = ask(endpoint, model, &request, Some(max_tokens), cancel, &mut |_| {})?;
    let answer = asked.map_err(|error| AppError::new(ErrorCode::Provider, error.message))?;
    let paid = Paid {
        usage: answer.usage.as_ref().map(|report| report.usage.clone()),
        model: answer.model.as_deref().unwrap_or(model).to_owned(),
        content: answer.into_content(),
    };
    let mut store = strata.store();
    // An answer that cannot be stored is there until Strata is closed.
    strata.paid().keep(key, paid.clone(), Some(&mut store)).ok();
    let tokens = counted(&strata.tables().counting, model, &request).tokens;
    measure(
        &mut store,
        model,
        Expected { shape: PromptShape::Text, request: key, tokens, cached: None },
        paid.usage.as_ref(),
    )
    .ok();
    Ok(paid)
}

/// What an answer says, without thoughts.
pub(crate) fn spoken_text(content: &Content) -> String {
    let parts = content.parts().iter().filter(|part| !part.is_thought());
    parts.filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n").trim().to_owned()
}
