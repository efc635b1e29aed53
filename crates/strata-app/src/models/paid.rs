//! Answers that were paid for, so that none is paid for twice.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_measure::lab::{Payment, WrittenSummary};
use strata_model::{
    Content, Decoder, Fingerprint, FingerprintBuilder, FromJson as _, Json, Object, Usage, json,
};
use strata_store::{Store, StoreError};

/// An answer as it is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Paid {
    pub content: Content,
    pub usage: Option<Usage>,
    pub model: String,
}

impl Paid {
    /// As a summary that `model` was asked for: what it said, without what it thought on the way.
    pub(crate) fn written(self, model: &str, payment: Payment) -> WrittenSummary {
        let by = if self.model.is_empty() { model.into() } else { self.model.as_str().into() };
        let content = without_thoughts(self.content);
        WrittenSummary { content, usage: self.usage, by, is_stand_in: false, payment }
    }
}

/// Answers by what was asked: in memory, and in a store where there is one.
#[derive(Debug, Default)]
pub(crate) struct PaidAnswers {
    known: Mutex<HashMap<Fingerprint, Paid>>,
}

impl PaidAnswers {
    /// What a question is known by: who was asked, and every word of it.
    pub(crate) fn key(endpoint: &str, model: &str, prompt: &str, max_tokens: Option<u32>) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        hash.text(endpoint).text(model).text(prompt).number(max_tokens.map_or(0, u64::from));
        hash.finish()
    }

    pub(crate) fn find(&self, key: Fingerprint, store: Option<&Store>) -> Option<Paid> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.or_else(|| {
            let text = store?.paid_answer(key).ok()??;
            read(&json::parse(text.as_bytes()).ok()?)
        })
    }

    /// Keeps an answer. An answer that looks like a key is not written to the store: that is no error, and it stays
    /// in memory.
    pub(crate) fn keep(
        &self,
        key: Fingerprint,
        paid: Paid,
        store: Option<&mut Store>,
    ) -> Result<(), StoreError> {
        let text = json::to_compact(&write(&paid));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, paid);
        match store.map(|store| store.keep_paid_answer(key, &text)) {
            Some(Err(StoreError::HoldsCredential { .. })) | None => Ok(()),
            Some(kept) => kept,
        }
    }
}

/// What a model said. Thoughts are no summary: no later prompt has them, and nothing is kept by them.
pub(crate) fn without_thoughts(content: Content) -> Content {
    let parts = content.parts().iter().filter(|part| !part.is_thought()).cloned().collect();
    Content { parts: Some(parts), ..content }
}

fn write(paid: &Paid) -> Json {
    let mut object = Object::new();
    object.push("content", paid.content.to_json());
    object.push_some("usage", paid.usage.as_ref().map(|usage| usage.to_json()));
    object.push("model", paid.model.as_str());
    Json::Object(object)
}

fn read(json: &Json) -> Option<Paid> {
    let mut decoder = Decoder::new();
    Some(Paid {
        content: Content::from_json(json.get("content")?.clone(), &mut decoder).ok()?,
        usage: json.get("usage").and_then(|usage| Usage::from_json(usage.clone(), &mut decoder).ok()),
        model: json.get("model").and_then(Json::as_str).unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use strata_model::Part;

    use super::*;

    #[test]
    fn answers_outlive_the_program() {
        let mut store = Store::in_memory().unwrap();
        let key = PaidAnswers::key("live", "m", "Summarise this.", None);
        let usage = Usage { prompt_token_count: Some(7), ..Usage::default() };
        let paid = Paid {
            content: Content::new("model", [Part::from_text("Done.")]),
            usage: Some(usage),
            model: "m".into(),
        };
        PaidAnswers::default().keep(key, paid.clone(), Some(&mut store)).unwrap();
        assert_eq!(PaidAnswers::default().find(key, Some(&store)), Some(paid));
        let other = PaidAnswers::key("live", "m", "Summarise that.", None);
        assert_eq!(PaidAnswers::default().find(other, Some(&store)), None);
    }

    #[test]
    fn what_looks_like_a_key_stays_in_memory() {
        let mut store = Store::in_memory().unwrap();
        let answers = PaidAnswers::default();
        let key = PaidAnswers::key("live", "m", "?", Some(5));
        let text = "The key was sk-planted0123456789abcdefghij.";
        let paid = Paid { content: Content::new("model", [Part::from_text(text)]), ..Paid::default() };
        answers.keep(key, paid.clone(), Some(&mut store)).unwrap();
        assert_eq!(answers.find(key, Some(&store)), Some(paid));
        assert_eq!(PaidAnswers::default().find(key, Some(&store)), None);
    }
}
