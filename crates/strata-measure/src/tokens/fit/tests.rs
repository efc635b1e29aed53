//! Providers that count by known ratios: what is learned of them.

use proptest::prelude::*;

use super::*;

/// Numbers as they seem to come by chance, the same each time.
struct Chance(u64);

impl Chance {
    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Around 0, with a standard deviation of 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }

    /// As sizes of texts are: many short ones, and some that are a hundred times as long.
    fn size(&mut self) -> u32 {
        (30.0 * 150_f64.powf(self.next())) as u32
    }
}

/// What a transcript of a coding agent grows by: a call of a tool and its result, or a few words.
fn sizes(chance: &mut Chance) -> Sizes {
    let thought = if chance.next() < 0.4 { chance.size() / 4 } else { 0 };
    let thought = Sizes::of(SizeKind::Thought, thought) + Sizes::of(SizeKind::MessageFraming, 8);
    if chance.next() < 0.2 {
        return thought + Sizes::of(SizeKind::Text, chance.size());
    }
    let calls = 1 + (chance.next() * 3.0) as u32;
    let text = Sizes::of(SizeKind::Text, (chance.next() * 60.0) as u32);
    let call = Sizes::of(SizeKind::Call, calls * (20 + chance.size() / 8));
    let framing = Sizes::of(SizeKind::ToolFraming, 35 * calls);
    thought + text + call + framing + Sizes::of(SizeKind::Result, calls * chance.size())
}

/// Growths of a provider that counts by these ratios, off by `noise` of each at random.
fn growths(n: usize, ratios: impl Fn(SizeKind) -> f64, noise: f64, seed: u64) -> Vec<Growth> {
    let mut chance = Chance(seed);
    let growth = || {
        let sizes = sizes(&mut chance);
        let tokens: f64 = SizeKind::ALL.iter().map(|kind| ratios(*kind) * f64::from(sizes.get(*kind))).sum();
        Growth { sizes, reported: (tokens * (1.0 + noise * chance.normal())).max(1.0).round() as u32 }
    };
    std::iter::repeat_with(growth).take(n).collect()
}

fn claude(kind: SizeKind) -> f64 {
    match kind {
        SizeKind::Text => 0.94,
        SizeKind::Call => 0.85,
        SizeKind::Result => 0.90,
        SizeKind::Thought => 1.10,
        SizeKind::ToolFraming => 2.2,
        SizeKind::Media | SizeKind::MessageFraming => 1.0,
    }
}

/// Hides tokens in some of them, as reminders do that a client adds without recording them.
fn hide(growths: &mut [Growth], every: usize, tokens: u32) {
    growths.iter_mut().step_by(every).for_each(|growth| growth.reported += tokens);
}

#[test]
fn the_ratio_of_each_kind_is_found() {
    let fit = TokenFit::of(&growths(300, claude, 0.03, 1)).unwrap();
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result] {
        assert!((fit.ratio(kind) / claude(kind) - 1.0).abs() < 0.03, "{}: {}", kind.name(), fit.ratio(kind));
    }
    let framing = fit.ratio(SizeKind::ToolFraming);
    assert!((framing - 2.2).abs() < 0.15, "{framing}");
    let held_out = fit.held_out();
    assert!(held_out.predicted.bias.abs() < 0.015 && held_out.predicted.median < 0.03, "{held_out:?}");
    assert!(held_out.predicted.median < held_out.counted.median / 2.0, "{held_out:?}");
}

#[test]
fn few_growths_move_all_texts_together() {
    let fit = TokenFit::of(&growths(9, |_| 1.3, 0.02, 2)).unwrap();
    let texts = [SizeKind::Text, SizeKind::Call, SizeKind::Result].map(|kind| fit.ratio(kind));
    assert!(texts.iter().all(|ratio| (1.2..1.4).contains(ratio)), "{texts:?}");
    assert!((fit.ratio(SizeKind::Media) - 1.0).abs() < 1e-9, "nothing is said of media");
}

#[test]
fn what_is_hidden_in_some_growths_moves_no_ratio() {
    let clean = growths(200, claude, 0.03, 3);
    let mut hiding = clean.clone();
    hide(&mut hiding, 12, 4_000);
    let (clean, hiding) = (TokenFit::of(&clean).unwrap(), TokenFit::of(&hiding).unwrap());
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result] {
        let moved = hiding.ratio(kind) / clean.ratio(kind) - 1.0;
        assert!(moved.abs() < 0.01, "{}: {moved}", kind.name());
    }
    let held_out = hiding.held_out();
    assert!(held_out.set_aside >= 17, "all that hide something: {held_out:?}");
    assert!((held_out.hidden_tokens - 17 * 4_000).abs() < 4_000, "{held_out:?}");
    assert!(held_out.shown.bias.abs() < 0.01, "{held_out:?}");
    assert!(held_out.predicted.bias < -0.05, "what is hidden is no part of a prediction: {held_out:?}");
}

#[test]
fn more_growths_give_no_precision_that_is_not_there() {
    let error = |n: usize| TokenFit::of(&growths(n, claude, 0.10, 4)).unwrap().error();
    // 19 of 20 tokens are within two standard deviations.
    for n in [100, 400, 1_600] {
        assert!((0.13..0.30).contains(&error(n)), "± {} from {n} growths", error(n));
    }
}

#[test]
fn too_little_says_nothing() {
    assert_eq!(TokenFit::of(&growths(7, claude, 0.0, 5)), None);
    let short = Growth { sizes: Sizes::of(SizeKind::Text, 20), reported: 30 };
    assert_eq!(TokenFit::of(&[short; 50]), None);
    assert_eq!(TokenFit::of(&[]), None);
}

#[test]
fn a_count_that_is_right_is_left_alone() {
    let exact = growths(50, |_| 1.0, 0.0, 6);
    assert_eq!(TokenFit::of(&exact), None, "there is nothing to gain");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Held out growths lie within what is said of them.
    #[test]
    fn predictions_are_as_near_as_they_say(
        seed in any::<u64>(),
        ratio in 0.7..1.8_f64,
        noise in 0.01..0.12_f64,
    ) {
        let all = growths(180, |kind| ratio * claude(kind), noise, seed);
        let (known, others) = all.split_at(120);
        let Some(fit) = TokenFit::of(known) else { return Ok(()) };
        let is_within = |growth: &&Growth| {
            let reported = f64::from(growth.reported);
            (fit.predict(&growth.sizes) - reported).abs() <= 1.2 * fit.error() * reported
        };
        let tokens = |growths: &mut dyn Iterator<Item = &Growth>| -> u64 {
            growths.map(|growth| u64::from(growth.reported)).sum()
        };
        let (all, within) = (tokens(&mut others.iter()), tokens(&mut others.iter().filter(is_within)));
        prop_assert!(within as f64 >= 0.6 * all as f64, "{within} of {all} tokens, ± {}", fit.error());
        let predicted: f64 = others.iter().map(|growth| fit.predict(&growth.sizes)).sum();
        prop_assert!((predicted / all as f64 - 1.0).abs() < 0.03 + noise);
    }

    /// Whatever is reported, ratios are numbers that can be counted with.
    #[test]
    fn any_reports_give_usable_ratios(
        reports in prop::collection::vec((0..50_000_u32, 0..50_000_u32, 0..50_000_u32, any::<u32>()), 0..40),
    ) {
        let growth = |(text, result, media, reported): (u32, u32, u32, u32)| Growth {
            sizes: Sizes::of(SizeKind::Text, text)
                + Sizes::of(SizeKind::Result, result)
                + Sizes::of(SizeKind::Media, media),
            reported,
        };
        let growths: Vec<Growth> = reports.into_iter().map(growth).collect();
        if let Some((fit, _)) = TokenFit::tried(&growths) {
            for kind in SizeKind::ALL {
                let Ratio { low, middle, high } = fit.bounded(kind);
                prop_assert!(low.is_finite() && 0.0 <= low && low <= middle && middle <= high && high.is_finite());
            }
        }
    }
}
