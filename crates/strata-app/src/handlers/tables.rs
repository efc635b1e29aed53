//! What comes with Strata: prices, and how providers cache.

use strata_measure::prices::{Price, Rates};
use strata_wire::{CacheRule, CacheRules, Machine};

use crate::Strata;
use crate::api::app::{CacheRuleRow, CacheRuleTable, PriceRates, PriceRow, PriceTable, PriceTier};
use crate::command::Handler;
use crate::error::AppError;

impl Handler for PriceTable {
    fn run(self, strata: &Strata) -> Result<Vec<PriceRow>, AppError> {
        Ok(strata.tables.prices.all().iter().map(price_row).collect())
    }
}

fn price_row(price: &Price) -> PriceRow {
    let tier = |tier: &strata_measure::prices::Tier| PriceTier {
        above_prompt_tokens: tier.above_prompt_tokens as f64,
        rates: tier.rates.into(),
    };
    PriceRow {
        model: price.model.clone(),
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
