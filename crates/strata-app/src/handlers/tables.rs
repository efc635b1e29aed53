//! What comes with Strata: prices, and how providers cache.

use strata_measure::prices::{Price, Rates};
use strata_wire::{CacheRule, CacheRules, Machine};

use crate::Strata;
use crate::api::app::{
    CacheRuleRow, CacheRuleTable, ForgetPrice, PriceRates, PriceRow, PriceTable, PriceTier, SetPrice,
};
use crate::command::Handler;
use crate::error::AppError;
use crate::own_prices::{OwnPrice, forget_own_price, own_prices, set_own_price};

impl Handler for PriceTable {
    fn run(self, strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
        price_rows(strata)
    }
}

impl Handler for SetPrice {
    fn run(self, strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
        let model = self.model.trim().to_owned();
        if model.is_empty() {
            return Err(AppError::bad_input("The price has no model. Name the model as its calls do."));
        }
        let PriceRates { input, cached_read, cache_write, cache_write_long, output } = self.rates;
        let all = [Some(input), Some(cached_read), cache_write, cache_write_long, Some(output)];
        if all.into_iter().flatten().any(|rate| !(rate.is_finite() && rate >= 0.0)) {
            let message =
                "A price is a number of US dollars per million tokens, 0 or more. Nothing was changed.";
            return Err(AppError::bad_input(message));
        }
        let price = OwnPrice { model, input, cached_read, cache_write, cache_write_long, output };
        set_own_price(&mut strata.workspace.store(), price)?;
        renew(strata)
    }
}

impl Handler for ForgetPrice {
    fn run(self, strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
        forget_own_price(&mut strata.workspace.store(), &self.model)?;
        renew(strata)
    }
}

/// Prices stand in all that was made of a session: it is made anew.
fn renew(strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
    strata.tables.renew(&strata.workspace.store())?;
    strata.sessions.reopen_all();
    price_rows(strata)
}

/// Those that were set first, then the list.
fn price_rows(strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
    let own = own_prices(&strata.workspace.store())?;
    let is_own = |price: &Price| own.iter().any(|own| own.model == price.model);
    let rows = strata.tables.prices.all().iter().map(|price| price_row(price, is_own(price)));
    let (mut own, listed): (Vec<_>, Vec<_>) = rows.partition(|row| row.is_own);
    own.extend(listed);
    Ok(own)
}

fn price_row(price: &Price, is_own: bool) -> PriceRow {
    let tier = |tier: &strata_measure::prices::Tier| PriceTier {
        above_prompt_tokens: tier.above_prompt_tokens as f64,
        rates: tier.rates.into(),
    };
    PriceRow {
        model: price.model.clone(),
        is_own,
        rates: price.rates.into(),
        tiers: price.tiers.iter().map(tier).collect(),
        context_tokens: price.context_tokens,
        is_open_weights: price.is_open_weights,
        source: price.source.clone(),
        seen_on: price.seen_on.clone(),
        note: price.note.clone(),
    }
}

impl From<Rates> for PriceRates {
    fn from(rates: Rates) -> Self {
        let Rates { input, cached_read, cache_write, cache_write_long, output } = rates;
        Self { input, cached_read, cache_write, cache_write_long, output }
    }
}

impl Handler for CacheRuleTable {
    fn run(self, _: &Strata) -> Result<Vec<CacheRuleRow>, AppError> {
        Ok(CacheRules::embedded().all().map(rule_row).collect())
    }
}

fn rule_row(rule: &CacheRule) -> CacheRuleRow {
    CacheRuleRow {
        rule: super::cache::rule_info(rule, rule.lifetime_s),
        longest_lifetime_s: rule.longest_lifetime_s,
        needs_marks: matches!(rule.machine, Machine::Breakpoints { .. }),
    }
}
