//! Which models a server has.

use strata_model::json;
use strata_wire::{ListedModel, decode_models};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, plain_cause};
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};
use crate::send::{headers, status_error};

impl Client {
    /// The models of an endpoint, as it lists them.
    pub async fn models(
        &self,
        endpoint: &Endpoint,
        stop: &CancellationToken,
    ) -> Result<Vec<ListedModel>, CallError> {
        let url = endpoint.url(endpoint.api.models_path());
        let request = self.http(endpoint).get(url).headers(headers(endpoint)?);
        let sent = tokio::time::timeout(self.limits.connect * 2, request.send());
        let response = match stop.run_until_cancelled(sent).await {
            None => return Err(CallError::new(CallErrorKind::Cancelled, "Stopped.")),
            Some(Err(_)) => {
                let message = format!("{} did not answer in time.", endpoint.name);
                return Err(CallError::new(CallErrorKind::TimedOut, message));
            }
            Some(Ok(Err(error))) => {
                let message = format!(
                    "{} cannot be reached at {} ({}).",
                    endpoint.name,
                    endpoint.shown_url(""),
                    endpoint.redact(&plain_cause(&error))
                );
                return Err(CallError::new(CallErrorKind::Unreachable, message));
            }
            Some(Ok(Ok(response))) => response,
        };
        if !response.status().is_success() {
            return Err(status_error(endpoint, response).await);
        }
        let bytes = self.whole(endpoint, response, stop).await?;
        let answer = json::parse(&bytes).map_err(|_| {
            let message = format!("{} answered with something that is no list of models.", endpoint.name);
            CallError::new(CallErrorKind::Malformed, message)
        })?;
        Ok(decode_models(endpoint.api, &answer))
    }
}
