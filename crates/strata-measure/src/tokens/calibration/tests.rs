//! What calibration promises, on providers made up for it.

use proptest::prelude::*;

use super::*;

/// A provider that reports so many tokens for each of ours, and adds some to every prompt.
#[derive(Debug, Clone, Copy)]
struct Provider {
    ratio: f64,
    added: f64,
}

impl Provider {
    fn call(self, ours: u32) -> Measured {
        Measured { ours, reported: (f64::from(ours) * self.ratio + self.added).round() as u32 }
    }
}

/// One call of a session: what its prompt adds to the one before, unless it starts anew.
#[derive(Debug, Clone, Copy)]
struct Step {
    tokens: u32,
    is_start: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tokens = prop_oneof![1..20_u32, 20..2_000_u32, 2_000..60_000_u32];
    let step = (tokens, prop::bool::weighted(0.2)).prop_map(|(tokens, is_start)| Step { tokens, is_start });
    prop::collection::vec(step, 1..90)
}

/// Predicts each call, then observes it. What was predicted is beside the truth.
fn predictions(provider: Provider, steps: &[Step]) -> Vec<(TokenCount, u32)> {
    let mut calibration = Calibration::default();
    let mut before: Option<Measured> = None;
    let mut predictions = Vec::new();
    for Step { tokens, is_start } in steps {
        let anchor = before.filter(|_| !is_start).map(Anchor::whole);
        let call = provider.call(anchor.map_or(0, |anchor| anchor.shared) + tokens);
        predictions.extend(calibration.predict(call.ours, anchor).map(|count| (count, call.reported)));
        calibration.observe(call, anchor);
        before = Some(call);
    }
    predictions
}

fn of(lengths: &[u32], provider: Provider) -> Calibration {
    let mut calibration = Calibration::default();
    let mut before: Option<Measured> = None;
    for ours in lengths {
        let call = provider.call(*ours);
        calibration.observe(call, before.map(Anchor::whole));
        before = Some(call);
    }
    calibration
}

const GEMMA: Provider = Provider { ratio: 1.2, added: 300.0 };

#[test]
fn four_reports_are_enough_and_three_are_not() {
    let anchor = Some(Anchor::whole(GEMMA.call(4000)));
    assert_eq!(Calibration::default().predict(5000, anchor), None);
    assert_eq!(of(&[1000, 2000, 3000], GEMMA).predict(5000, anchor), None);
    let count = of(&[1000, 2000, 3000, 4000], GEMMA).predict(5000, anchor);
    assert_eq!(count, Some(TokenCount::calibrated(6300, 6295, 6305)));
}

#[test]
fn the_same_prompt_has_the_tokens_reported_for_it() {
    let call = Measured { ours: 1000, reported: 1234 };
    let count = Calibration::default().predict(1000, Some(Anchor::whole(call)));
    assert_eq!(count, Some(TokenCount::calibrated(1234, 1234, 1234)));
}

#[test]
fn an_edited_prompt_is_predicted_from_what_it_was() {
    let calibration = of(&[1000, 2000, 3000, 4000], GEMMA);
    let edited =
        |ours, shared| calibration.predict(ours, Some(Anchor { call: GEMMA.call(4000), shared })).unwrap();
    // Half of it was cut off, replaced by as much, replaced by more.
    assert_eq!(edited(2000, 2000).tokens, 2700);
    assert_eq!(edited(4000, 2000).tokens, 5100);
    assert_eq!(edited(5000, 2000).tokens, 6300);
    let width = |count: TokenCount| count.high - count.low;
    assert!(width(edited(2000, 2000)) < width(edited(4000, 2000)));
    assert!(width(edited(4000, 2000)) < width(edited(5000, 2000)));
}

#[test]
fn prompts_without_an_anchor_are_set_beside_others_without_one() {
    let mut calibration = Calibration::default();
    for ours in [1000, 1500, 1200] {
        calibration.observe(GEMMA.call(ours), None);
        assert_eq!(calibration.predict(1400, None), None);
    }
    calibration.observe(GEMMA.call(900), None);
    let count = calibration.predict(1400, None).unwrap();
    assert_eq!(count.tokens, 1980);
    assert!(1970 < count.low && count.high < 1990, "{count:?}");
}

#[test]
fn a_ratio_that_varies_gives_wider_bounds() {
    let width = |error: u32| {
        let mut calibration = Calibration::default();
        let mut before = GEMMA.call(1000);
        for n in 2..20 {
            let exact = GEMMA.call(n * 1000);
            let call = Measured { reported: exact.reported + error * (n % 2), ..exact };
            calibration.observe(call, Some(Anchor::whole(before)));
            before = call;
        }
        let count = calibration.predict(20_000, Some(Anchor::whole(before))).unwrap();
        count.high - count.low
    };
    assert!(width(0) < width(20) && width(20) < width(100));
}

#[test]
fn the_residual_is_what_our_count_missed() {
    assert_eq!(Measured { ours: 100, reported: 107 }.residual(), 7);
    assert_eq!(Measured { ours: 100, reported: 90 }.residual(), -10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn bounds_hold_a_provider_that_goes_by_a_ratio(
        ratio in 0.5..2.0_f64,
        added in 0.0..3_000.0_f64,
        steps in steps(),
    ) {
        for (count, reported) in predictions(Provider { ratio, added }, &steps) {
            prop_assert!(count.low <= reported && reported <= count.high, "{count:?}, reported {reported}");
        }
    }

    #[test]
    fn a_constant_residual_makes_predictions_exact(added in 0..5_000_u32, steps in steps()) {
        for (count, reported) in predictions(Provider { ratio: 1.0, added: added.into() }, &steps) {
            prop_assert_eq!(count.tokens, reported);
        }
    }
}
