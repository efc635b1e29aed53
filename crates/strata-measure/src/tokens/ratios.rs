//! Counts of models whose vocabulary is not known here, as multiples of a vocabulary that is.
//!
//! Unless a source is given, the figures are tokens per o200k_base token over 2 KB pieces of each class, as measured
//! on 2026-11-20: total with the 5th and the 95th percentile of the pieces.

use super::content_class::ContentClass;
use super::marks::Marks;

/// Tokens per token of another vocabulary: the likely value, and the interval that should hold it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

impl Ratio {
    pub const ONE: Self = ratio(1.0, 1.0, 1.0);

    /// The ratio of two steps in a row.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        ratio(self.low * next.low, self.middle * next.middle, self.high * next.high)
    }
}

pub(super) const fn ratio(low: f64, middle: f64, high: f64) -> Ratio {
    Ratio { low, middle, high }
}

/// One [`Ratio`] for each class of content.
#[derive(Debug, PartialEq)]
pub struct Ratios {
    pub prose: Ratio,
    pub code: Ratio,
    pub json: Ratio,
    pub table: Ratio,
    pub cjk: Ratio,
    pub other_script: Ratio,
    /// Tokens more for each [`Marks::humps`].
    pub hump: f64,
    /// Tokens more for each [`Marks::numbered`].
    pub numbered: f64,
    /// By what was reported for prompts of models that count so, framing and calls included: no session's own reports will
    /// tell much else.
    pub is_measured: bool,
    /// Where the figures come from, for people.
    pub source: &'static str,
}

impl Ratios {
    pub fn of(&self, class: ContentClass) -> Ratio {
        match class {
            ContentClass::Prose => self.prose,
            ContentClass::Code => self.code,
            ContentClass::Json => self.json,
            ContentClass::Table => self.table,
            ContentClass::Cjk => self.cjk,
            ContentClass::OtherScript => self.other_script,
            ContentClass::Unbroken => ratio(0.5, 1.0, 2.0),
        }
    }

    /// What marks add to the tokens of a text.
    pub fn of_marks(&self, marks: Marks) -> i64 {
        (self.hump * f64::from(marks.humps) + self.numbered * f64::from(marks.numbered)).round() as i64
    }
}

/// Google's SDK counts Gemini 2.x and 3 with Gemma 3's vocabulary, Gemini 3.1 and later with Gemma 4's; they are
/// equal here. The interval of other scripts is an assumption.
pub(super) static GEMMA: Ratios = Ratios {
    prose: ratio(1.01, 1.05, 1.09),
    code: ratio(1.09, 1.20, 1.32),
    json: ratio(1.28, 1.32, 1.35),
    table: ratio(1.40, 1.50, 1.60),
    cjk: ratio(0.84, 0.90, 0.95),
    other_script: ratio(0.80, 1.00, 1.30),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "measured with Gemma's vocabulary",
};

/// Claude 2 had a public vocabulary, of 2023.
pub(super) static CLAUDE_2: Ratios = Ratios {
    prose: ratio(1.03, 1.08, 1.13),
    code: ratio(0.96, 1.10, 1.22),
    json: ratio(1.05, 1.13, 1.22),
    table: ratio(1.02, 1.11, 1.22),
    cjk: ratio(1.00, 1.15, 1.35),
    other_script: ratio(1.00, 1.40, 2.00),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "measured with Claude 2's vocabulary of 2023",
};

/// Claude 3 to Opus 4.6, as measured on 2026-11-23: by what 1,200 prompts of 13 public transcripts with Claude 4 to Opus 4.6
/// are reported to be longer than those they continue (1,600,000 tokens together), by least squares over classes and marks at
/// once. Each transcript is predicted to 2.5 % in all from the others, and half of its growths to 2 to 6 %. Classes for
/// which there was little are as Anthropic has it: o200k undercounts by 15 to 20 % on typical text, "much more on code or
/// non-English" (anthropics/skills, token-counting.md).
pub(super) static CLAUDE_3: Ratios = Ratios {
    prose: ratio(1.02, 1.11, 1.25),
    code: ratio(1.02, 1.13, 1.30),
    json: ratio(1.04, 1.16, 1.40),
    table: ratio(1.02, 1.16, 1.45),
    cjk: ratio(0.95, 1.25, 1.70),
    other_script: ratio(1.00, 1.50, 2.30),
    hump: 1.0,
    numbered: -1.0,
    is_measured: true,
    source: "measured with what was reported for transcripts of Claude Code",
};

/// Opus 4.7 and later, Sonnet 5 and later, Fable and Mythos: "approximately 30 percent more tokens" than before
/// (platform.claude.com, token counting). Published probes spread from 1.00 (CJK) to 1.47 (documents) times the
/// tokens of earlier models.
pub(super) static CLAUDE_4_7: Ratios = Ratios {
    prose: ratio(1.00, 1.50, 1.90),
    code: ratio(1.05, 1.50, 2.10),
    json: ratio(1.10, 1.60, 2.00),
    table: ratio(1.00, 1.50, 2.10),
    cjk: ratio(0.90, 1.25, 1.80),
    other_script: ratio(1.00, 1.60, 2.60),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "Anthropic's statement on its newer tokenizer, about 30 % more than before",
};

/// OpenAI models after those that OpenAI has published a vocabulary for.
pub(super) static NEXT_OPENAI: Ratios = Ratios {
    prose: ratio(0.95, 1.00, 1.05),
    code: ratio(0.90, 1.00, 1.05),
    json: ratio(0.90, 1.00, 1.05),
    table: ratio(0.85, 1.00, 1.10),
    cjk: ratio(0.80, 1.00, 1.10),
    other_script: ratio(0.80, 1.00, 1.10),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "assumed to stay near o200k_base",
};

/// A successor of a vocabulary that is known.
pub(super) static NEAR: Ratios = Ratios {
    prose: ratio(0.93, 1.00, 1.07),
    code: ratio(0.90, 1.00, 1.10),
    json: ratio(0.88, 1.00, 1.12),
    table: ratio(0.80, 1.00, 1.20),
    cjk: ratio(0.80, 1.00, 1.20),
    other_script: ratio(0.70, 1.00, 1.30),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "assumed to stay near its predecessor",
};

/// Nothing is known: an interval that holds every vocabulary measured.
pub(super) static UNKNOWN: Ratios = Ratios {
    prose: ratio(0.97, 1.10, 1.60),
    code: ratio(0.96, 1.15, 1.80),
    json: ratio(0.95, 1.20, 1.80),
    table: ratio(0.95, 1.30, 2.00),
    cjk: ratio(0.75, 1.00, 1.90),
    other_script: ratio(0.75, 1.20, 2.60),
    hump: 0.0,
    numbered: 0.0,
    is_measured: false,
    source: "the spread of all tokenizers measured",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interval_holds_its_middle() {
        for ratios in [&GEMMA, &CLAUDE_2, &CLAUDE_3, &CLAUDE_4_7, &NEXT_OPENAI, &NEAR, &UNKNOWN] {
            for class in ContentClass::ALL {
                let Ratio { low, middle, high } = ratios.of(class);
                assert!(0.0 < low && low <= middle && middle <= high, "{class:?} of {}", ratios.source);
            }
        }
    }
}
