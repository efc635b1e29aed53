//! What a person pays for models, where that is not what is listed.

use serde::{Deserialize, Serialize};
use strata_measure::prices::{Price, Prices, Rates};
use strata_store::{Store, StoreError};

/// The setting under which they are kept.
const SETTING: &str = "prices.own";

/// The price of one model, in US dollars per million tokens, whatever the length of the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OwnPrice {
    pub model: String,
    pub input: f64,
    pub cached_read: f64,
    #[serde(default)]
    pub cache_write: Option<f64>,
    #[serde(default)]
    pub cache_write_long: Option<f64>,
    pub output: f64,
}

/// Those that were set, in the order of their models. None where they were written by a version that keeps them in
/// another way.
pub(crate) fn own_prices(store: &Store) -> Result<Vec<OwnPrice>, StoreError> {
    Ok(serde_json::from_str(&store.setting(SETTING)?.unwrap_or_default()).unwrap_or_default())
}

/// Keeps a price in place of the one that was set for the same model.
pub(crate) fn set_own_price(store: &mut Store, price: OwnPrice) -> Result<(), StoreError> {
    let mut own = own_prices(store)?;
    own.retain(|known| known.model != price.model);
    own.push(price);
    own.sort_by(|a, b| a.model.cmp(&b.model));
    keep(store, &own)
}

/// From here on the listed price holds, if there is one.
pub(crate) fn forget_own_price(store: &mut Store, model: &str) -> Result<(), StoreError> {
    let mut own = own_prices(store)?;
    own.retain(|known| known.model != model);
    keep(store, &own)
}

fn keep(store: &mut Store, own: &[OwnPrice]) -> Result<(), StoreError> {
    store.set_setting(SETTING, &serde_json::to_string(own).unwrap_or_default())
}

/// The listed prices, with a person's own in front.
pub(crate) fn prices_of(store: &Store) -> Result<Prices, StoreError> {
    Ok(Prices::embedded().with(own_prices(store)?.into_iter().map(Price::from)))
}

impl From<OwnPrice> for Price {
    fn from(own: OwnPrice) -> Self {
        let OwnPrice { model, input, cached_read, cache_write, cache_write_long, output } = own;
        Self {
            model,
            context_tokens: None,
            rates: Rates { input, cached_read, cache_write, cache_write_long, output },
            tiers: Vec::new(),
            is_open_weights: false,
            source: "set in Settings".to_owned(),
            seen_on: String::new(),
            note: None,
        }
    }
}
