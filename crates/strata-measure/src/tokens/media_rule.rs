//! What providers charge for images, sound, film and documents.
//!
//! Nobody publishes an exact count, so all of these are estimates. Sources, seen 2026-11-20: OpenAI's guide to images
//! (tiles of 512 pixels, patches of 32 pixels, multipliers by model), Anthropic's page on vision (patches of 28
//! pixels, two tiers of limits; a PDF page is 1,500 to 3,000 tokens of text and an image), Google's pages on tokens
//! and media resolution (258 tokens a tile; since Gemini 3 a flat number that is usually 10 % less than its maximum;
//! 32 tokens a second of sound).

use super::count::TokenCount;
use super::image_size::ImageSize;
use super::ratios::{Ratio, ratio};

/// How a family of models counts media.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MediaRule {
    /// OpenAI: a base and so much for every tile of 512 pixels.
    Tiles {
        base: u32,
        tile: u32,
    },
    /// OpenAI: patches of 32 pixels. At the level of detail that is likely, an image is scaled down to `likely_most`
    /// patches; `most` is the limit of the finest.
    Patches {
        per_mille: u32,
        likely_most: u32,
        most: u32,
    },
    /// Patches of 28 pixels, of images scaled down to a longest edge in pixels and a number of patches.
    Claude {
        longest_edge: u32,
        most: u32,
    },
    /// Up to Gemini 2.5, and Gemma.
    Gemini2,
    Gemini3,
    Unknown,
}

impl MediaRule {
    /// The tokens of an image. `None` if its size could not be read.
    pub(super) fn image(self, size: Option<ImageSize>) -> TokenCount {
        let Some(size) = size else { return self.image_of_unknown_size() };
        match self {
            Self::Tiles { base, tile } => {
                TokenCount::estimated(base + tile * tiles(size), base, base + tile * tiles(size))
            }
            Self::Patches { per_mille, likely_most, most } => {
                let tokens = |most| (patches(size, 32, most) * per_mille).div_ceil(1000);
                TokenCount::estimated(tokens(likely_most), tokens(256), tokens(most))
            }
            Self::Claude { longest_edge, most } => {
                let tokens = patches(size.within(longest_edge), 28, most);
                TokenCount::estimated(tokens, tokens * 9 / 10, tokens + tokens / 10 + 5)
            }
            Self::Gemini2 if size.width.max(size.height) <= 384 => TokenCount::estimated(258, 258, 258),
            Self::Gemini2 => {
                let tiles = (size.width.div_ceil(768) * size.height.div_ceil(768)).min(16);
                TokenCount::estimated(258 * tiles, 258, 258 * tiles.max(9))
            }
            Self::Gemini3 => TokenCount::estimated(1090, 258, 1120),
            Self::Unknown => TokenCount::estimated(1000, 85, 5000),
        }
    }

    fn image_of_unknown_size(self) -> TokenCount {
        let [small, likely, large] =
            [256, 1024, 4096].map(|edge| self.image(Some(ImageSize { width: edge, height: edge })));
        TokenCount::estimated(likely.tokens, small.low, large.high)
    }

    /// The tokens of a second of sound.
    pub(super) fn sound_second(self) -> Ratio {
        match self {
            Self::Tiles { .. } | Self::Patches { .. } => ratio(8.0, 10.0, 12.0),
            Self::Gemini2 | Self::Gemini3 => ratio(25.0, 32.0, 32.0),
            Self::Claude { .. } | Self::Unknown => ratio(0.0, 25.0, 50.0),
        }
    }

    /// The tokens of a second of film with its sound. Google looks at one frame a second.
    pub(super) fn film_second(self) -> Ratio {
        match self {
            Self::Gemini2 => ratio(64.0, 290.0, 300.0),
            Self::Gemini3 => ratio(66.0, 102.0, 312.0),
            Self::Tiles { .. } | Self::Patches { .. } | Self::Claude { .. } | Self::Unknown => {
                ratio(0.0, 250.0, 1000.0)
            }
        }
    }

    /// The tokens of a page of a PDF document.
    pub(super) fn page(self) -> Ratio {
        match self {
            Self::Tiles { .. } | Self::Patches { .. } => ratio(300.0, 1500.0, 4000.0),
            Self::Claude { most, .. } => {
                ratio(1500.0, 2000.0 + f64::from(most) / 2.0, 3000.0 + f64::from(most))
            }
            Self::Gemini2 => ratio(258.0, 300.0, 1500.0),
            Self::Gemini3 => ratio(280.0, 560.0, 2000.0),
            Self::Unknown => ratio(100.0, 1500.0, 5000.0),
        }
    }
}

/// Tiles of 512 pixels of an image that OpenAI scales into a square of 2,048 pixels, then to a shorter side of 768.
fn tiles(size: ImageSize) -> u32 {
    let size = size.within(2048);
    let shorter = size.width.min(size.height);
    let size = if shorter > 768 { size.scaled(768.0 / f64::from(shorter)) } else { size };
    size.width.div_ceil(512) * size.height.div_ceil(512)
}

/// Square patches that cover an image, which is scaled down to hold at most `most` of them.
fn patches(size: ImageSize, edge: u32, most: u32) -> u32 {
    let count = |size: ImageSize| size.width.div_ceil(edge) * size.height.div_ceil(edge);
    if count(size) <= most {
        return count(size);
    }
    // Shrink to the area of that many patches, then until one side holds whole patches.
    let (width, height) = (f64::from(size.width) / f64::from(edge), f64::from(size.height) / f64::from(edge));
    let shrink = (f64::from(most) / (width * height)).sqrt();
    let whole = |side: f64| (side * shrink).floor().max(1.0) / (side * shrink);
    let shrink = shrink * whole(width).min(whole(height));
    let covered = |side: f64| (side * shrink - 1e-9).ceil().max(1.0) as u32;
    (covered(width) * covered(height)).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: MediaRule, width: u32, height: u32, tokens: u32) {
        assert_eq!(rule.image(Some(ImageSize { width, height })).tokens, tokens);
    }

    #[test]
    fn examples_of_the_providers() {
        let gpt_4o = MediaRule::Tiles { base: 85, tile: 170 };
        check(gpt_4o, 1024, 1024, 765);
        check(gpt_4o, 2048, 4096, 1105);
        check(gpt_4o, 4096, 4096, 765);
        check(gpt_4o, 512, 512, 255);
        let one_to_one = MediaRule::Patches { per_mille: 1000, likely_most: 1536, most: 1536 };
        check(one_to_one, 1024, 1024, 1024);
        check(one_to_one, 1800, 2400, 1452);
        check(MediaRule::Patches { per_mille: 1200, likely_most: 2500, most: 30_000 }, 640, 480, 360);
        let large = MediaRule::Claude { longest_edge: 2576, most: 4784 };
        check(large, 1000, 1000, 1296);
        check(large, 1920, 1080, 2691);
        check(MediaRule::Gemini2, 384, 384, 258);
    }

    #[test]
    fn any_size_has_a_count_within_its_bounds() {
        let rules = [
            MediaRule::Tiles { base: 85, tile: 170 },
            MediaRule::Patches { per_mille: 1620, likely_most: 1536, most: 1536 },
            MediaRule::Claude { longest_edge: 1568, most: 1568 },
            MediaRule::Gemini2,
            MediaRule::Gemini3,
            MediaRule::Unknown,
        ];
        for rule in rules {
            for (width, height) in [(1, 1), (1, 65_535), (65_535, 65_535), (3, 40_000)] {
                let count = rule.image(Some(ImageSize { width, height }));
                assert!(count.low <= count.tokens && count.tokens <= count.high, "{rule:?} {count:?}");
                assert!(0 < count.tokens && count.tokens < 100_000, "{rule:?} {count:?}");
            }
            let unknown = rule.image(None);
            assert!(unknown.low <= unknown.tokens && unknown.tokens <= unknown.high);
        }
    }
}
