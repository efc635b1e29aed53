//! What was sent to servers since Strata was started: by it what they find again, and how fast they are, is predicted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use strata_measure::analysis::{Counting, Prediction, SentPrompts};
use strata_model::LlmRequest;
use strata_wire::CacheRule;

/// Servers with their models: address and name.
type Target = (String, String);

/// What was sent, by server and model.
#[derive(Default)]
pub(crate) struct SentHistory {
    known: Mutex<HashMap<Target, Sent>>,
}

struct Sent {
    prompts: SentPrompts,
    /// Prompt tokens a second that it read anew when it was asked last.
    read_per_s: Option<f64>,
}

/// What a server should find of a prompt, and how soon it should answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Foreseen {
    /// By our count.
    pub cached: u32,
    /// Prompts that were sent to it before.
    pub n_sent: usize,
    pub read_per_s: Option<f64>,
}

impl SentHistory {
    pub(crate) fn foresee(
        &self,
        (base_url, model): (&str, &str),
        request: &LlmRequest,
        (rule, at_s): (&CacheRule, f64),
        counting: &Counting,
    ) -> Foreseen {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sent) = known.get(&(base_url.to_owned(), model.to_owned())) else {
            return Foreseen::default();
        };
        let Prediction { expected, .. } = sent.prompts.predict(request, (rule, at_s), counting);
        Foreseen { cached: expected, n_sent: sent.prompts.n_sent(), read_per_s: sent.read_per_s }
    }

    /// A server has read a prompt. `fresh` are the tokens of it that it did not find again, as it reports them.
    pub(crate) fn enter(
        &self,
        (base_url, model): (&str, &str),
        request: &LlmRequest,
        (rule, at_s): (&CacheRule, f64),
        counting: &Counting,
        (fresh, first_token): (Option<u64>, Option<Duration>),
    ) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = known.entry((base_url.to_owned(), model.to_owned())).or_insert_with(|| Sent {
            prompts: SentPrompts::new(counting.tokenizer(model)),
            read_per_s: None,
        });
        sent.prompts.push(request.clone(), (rule, at_s), counting);
        // The time of a short prompt is that of the way to the server and back.
        let rate = fresh.zip(first_token).filter(|(fresh, _)| *fresh >= 256);
        if let Some((fresh, took)) = rate {
            sent.read_per_s = Some(fresh as f64 / took.as_secs_f64().max(1e-3));
        }
    }
}
