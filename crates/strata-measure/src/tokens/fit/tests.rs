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

/// Where nothing is held of the provider.
fn free(growths: &[Growth]) -> TokenFit {
    TokenFit::of(growths, &TokenPrior::new(Doubt::Much)).unwrap()
}

#[test]
fn the_ratio_of_each_kind_is_found() {
    let fit = free(&growths(300, claude, 0.03, 1));
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result] {
        assert!((fit.ratio(kind) / claude(kind) - 1.0).abs() < 0.03, "{}: {}", kind.name(), fit.ratio(kind));
    }
    let framing = fit.ratio(SizeKind::ToolFraming);
    assert!((framing - 2.2).abs() < 0.15, "{framing}");
    let held_out = fit.held_out().unwrap();
    assert!(held_out.predicted.bias.abs() < 0.015 && held_out.predicted.median < 0.03, "{held_out:?}");
    assert!(held_out.predicted.median < held_out.counted.median / 2.0, "{held_out:?}");
}

#[test]
fn few_growths_move_all_texts_together() {
    let fit = free(&growths(9, |_| 1.3, 0.02, 2));
    let texts = [SizeKind::Text, SizeKind::Call, SizeKind::Result].map(|kind| fit.ratio(kind));
    assert!(texts.iter().all(|ratio| (1.2..1.4).contains(ratio)), "{texts:?}");
    assert!((fit.ratio(SizeKind::Media) - 1.0).abs() < 1e-9, "nothing is said of media");
}

#[test]
fn what_is_hidden_in_some_growths_moves_no_ratio() {
    let clean = growths(200, claude, 0.03, 3);
    let mut hiding = clean.clone();
    hide(&mut hiding, 12, 4_000);
    let (clean, hiding) = (free(&clean), free(&hiding));
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result] {
        let moved = hiding.ratio(kind) / clean.ratio(kind) - 1.0;
        assert!(moved.abs() < 0.01, "{}: {moved}", kind.name());
    }
    let held_out = hiding.held_out().unwrap();
    assert!(held_out.set_aside >= 17, "all that hide something: {held_out:?}");
    assert!((held_out.hidden_tokens - 17 * 4_000).abs() < 4_000, "{held_out:?}");
    assert!(held_out.shown.bias.abs() < 0.01, "{held_out:?}");
    assert!(held_out.predicted.bias < -0.05, "what is hidden is no part of a prediction: {held_out:?}");
}

#[test]
fn more_growths_give_no_precision_that_is_not_there() {
    let error = |n: usize| free(&growths(n, claude, 0.10, 4)).error();
    // 19 of 20 tokens are within two standard deviations.
    for n in [100, 400, 1_600] {
        assert!((0.13..0.30).contains(&error(n)), "± {} from {n} growths", error(n));
    }
}

#[test]
fn too_little_says_nothing() {
    let prior = TokenPrior::new(Doubt::Much);
    assert_eq!(TokenFit::of(&growths(7, claude, 0.0, 5), &prior), None);
    let short = Growth { sizes: Sizes::of(SizeKind::Text, 20), reported: 30 };
    assert_eq!(TokenFit::of(&[short; 50], &prior), None);
    assert_eq!(TokenFit::of(&[], &prior), None);
}

#[test]
fn a_count_that_is_right_is_left_alone() {
    let fit = free(&growths(50, |_| 1.0, 0.0, 6));
    assert!(SizeKind::ALL.iter().all(|kind| (fit.ratio(*kind) - 1.0).abs() < 0.01), "{fit:?}");
    assert!(fit.error() < 0.02, "what is reported shows how near it is: {fit:?}");
}

#[test]
fn reports_of_something_else_say_nothing() {
    let mut chance = Chance(7);
    let mut strange = growths(40, |_| 1.0, 0.0, 7);
    for growth in &mut strange {
        growth.reported = 50 + (chance.next() * 5_000.0) as u32;
    }
    assert_eq!(TokenFit::of(&strange, &TokenPrior::new(Doubt::Much)), None);
    let prior = learned(claude);
    let fit = TokenFit::of(&strange, &prior).unwrap();
    assert_eq!((fit.held_out(), fit.learned()), (None, prior.learned()), "what was learned elsewhere stays");
    assert!((fit.ratio(SizeKind::Call) - prior.ratio(SizeKind::Call)).abs() < f64::EPSILON);
}

/// From sessions that each differ a little.
fn learned(ratios: fn(SizeKind) -> f64) -> TokenPrior {
    let sessions: Vec<Vec<Growth>> = (0..6)
        .map(|seed| growths(60, |kind| ratios(kind) * (0.98 + 0.008 * seed as f64), 0.03, 100 + seed))
        .collect();
    TokenPrior::new(Doubt::Much).learned_from(&sessions).unwrap()
}

#[test]
fn what_other_sessions_told_is_where_a_session_begins() {
    let prior = learned(claude);
    let Learned { sessions, growths: n, error } = prior.learned().unwrap();
    assert_eq!((sessions, n), (6, 360));
    assert!((0.03..0.15).contains(&error), "± {error}");
    let alone = TokenFit::of(&[], &prior).unwrap();
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result, SizeKind::ToolFraming] {
        let off = alone.ratio(kind) / claude(kind) - 1.0;
        assert!(off.abs() < 0.06, "{}: {off}", kind.name());
    }
    assert!((alone.error() - error).abs() < f64::EPSILON, "as far off as sessions are by others");
}

#[test]
fn few_growths_are_no_worse_than_what_others_told() {
    let prior = learned(claude);
    let later = growths(200, claude, 0.03, 8);
    let off = |fit: &TokenFit| -> f64 {
        later.iter().map(|growth| (fit.predict(&growth.sizes) / f64::from(growth.reported) - 1.0).abs()).sum()
    };
    let alone = off(&TokenFit::of(&[], &prior).unwrap());
    let mut sum = 0.0;
    for seed in 0..20 {
        let mut few = growths(8, claude, 0.03, 200 + seed);
        hide(&mut few, 4, 900);
        let off = off(&TokenFit::of(&few, &prior).unwrap());
        assert!(off < 1.5 * alone, "seed {seed}: {off} by itself, {alone} by others");
        sum += off;
    }
    assert!(sum < 20.0 * 1.15 * alone, "{} by themselves, {alone} by others", sum / 20.0);
}

#[test]
fn a_provider_that_counts_otherwise_is_believed() {
    let fit = TokenFit::of(&growths(60, |kind| 1.6 * claude(kind), 0.03, 9), &learned(claude)).unwrap();
    for kind in [SizeKind::Text, SizeKind::Call, SizeKind::Result] {
        let off = fit.ratio(kind) / claude(kind) / 1.6 - 1.0;
        assert!(off.abs() < 0.08, "{}: {off}", kind.name());
    }
}

#[test]
fn one_session_is_no_other_sessions() {
    let one = growths(200, claude, 0.03, 10);
    assert_eq!(TokenPrior::new(Doubt::Much).learned_from(&[one, Vec::new()]), None);
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
        let Some(fit) = TokenFit::of(known, &TokenPrior::new(Doubt::Much)) else { return Ok(()) };
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
        if let Some((fit, _)) = TokenFit::tried(&growths, &TokenPrior::new(Doubt::Little)) {
            for kind in SizeKind::ALL {
                let Ratio { low, middle, high } = fit.bounded(kind);
                prop_assert!(low.is_finite() && 0.0 <= low && low <= middle && middle <= high && high.is_finite());
            }
        }
    }
}
