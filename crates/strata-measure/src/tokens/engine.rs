//! Loading vocabularies, and counting with them whatever the text.

use std::sync::OnceLock;

use tiktoken::{CoreBpe, encoding};

use super::safe_cuts;
use super::vocabulary::{TokenCounter, Vocabulary};

static ENGINES: [OnceLock<Engine>; Vocabulary::ALL.len()] =
    [const { OnceLock::new() }; Vocabulary::ALL.len()];

impl Vocabulary {
    /// Its counter, loaded when it is first used, once in a program.
    ///
    /// Vocabularies are embedded in the program. Loading one takes some 80 ms and up to 32 MB, so it is best done off the
    /// thread that must answer quickly.
    ///
    /// Time is linear in the length of the text, about 10 ms per MB and 0.1 s per MB at worst. To hold that, a run of
    /// more than 64 KB that cannot be cut (one word, one line of spaces) goes to another engine for OpenAI's
    /// vocabularies; for the others it is cut every 64 KB, and each such cut may add a token or two.
    pub fn counter(self) -> &'static dyn TokenCounter {
        ENGINES[self as usize].get_or_init(|| Engine::load(self))
    }
}

/// Longest run, in bytes, that is merged with a heap; its time grows faster than the run.
pub(super) const LONGEST_RUN: usize = 64 << 10;

struct Engine {
    vocabulary: Vocabulary,
    bpe: CoreBpe,
}

impl Engine {
    fn load(vocabulary: Vocabulary) -> Self {
        let bpe = match vocabulary {
            Vocabulary::O200kBase => encoding::o200k_base(),
            Vocabulary::Cl100kBase => encoding::cl100k_base(),
            Vocabulary::Llama3 => encoding::llama3(),
            Vocabulary::Qwen2 => encoding::qwen2(),
            Vocabulary::DeepseekV3 => encoding::deepseek_v3(),
            Vocabulary::MistralV3 => encoding::mistral_v3(),
            Vocabulary::KimiK2 => encoding::kimi_k2(),
            Vocabulary::Glm4 => encoding::glm4(),
            Vocabulary::Glm5 => encoding::glm5(),
            Vocabulary::MinimaxM2 => encoding::minimax_m2(),
        };
        Self { vocabulary, bpe }
    }

    /// The lengths of the tokens of `chunk`.
    fn lengths(&self, chunk: &str) -> Vec<usize> {
        let ordinary = |text: &str| -> Vec<usize> {
            self.bpe.encode(text).iter().map(|token| self.bpe.decode(&[*token]).len()).collect()
        };
        match linear_engine(self.vocabulary) {
            _ if chunk.len() <= LONGEST_RUN => ordinary(chunk),
            Some(engine) => {
                let engine = engine();
                engine.encode(chunk).iter().map(|token| engine.bpe.token_len(*token)).collect()
            }
            None => slices(chunk).flat_map(ordinary).collect(),
        }
    }
}

impl TokenCounter for Engine {
    fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    fn count(&self, text: &str) -> u32 {
        if text.len() <= LONGEST_RUN {
            return self.bpe.count(text) as u32;
        }
        let count = |chunk: &str| match linear_engine(self.vocabulary) {
            _ if chunk.len() <= LONGEST_RUN => self.bpe.count(chunk),
            Some(engine) => engine().count(chunk),
            None => slices(chunk).map(|slice| self.bpe.count(slice)).sum(),
        };
        safe_cuts::chunks(text).map(count).sum::<usize>() as u32
    }

    fn token_ends(&self, text: &str) -> Vec<u32> {
        let mut end = 0;
        let lengths = safe_cuts::chunks(text).flat_map(|chunk| self.lengths(chunk));
        lengths
            .map(|length| {
                end += length as u32;
                end
            })
            .collect()
    }
}

/// Whether `chunk`, which cannot be cut safely, is beyond what `vocabulary` counts exactly.
pub(super) fn is_forced(vocabulary: Vocabulary, chunk: &str) -> bool {
    chunk.len() > LONGEST_RUN && linear_engine(vocabulary).is_none()
}

/// Loads a tokenizer of the same vocabulary whose time is linear in the length of a word, at a third of the usual
/// speed.
fn linear_engine(vocabulary: Vocabulary) -> Option<fn() -> &'static bpe_openai::Tokenizer> {
    match vocabulary {
        Vocabulary::O200kBase => Some(bpe_openai::o200k_base),
        Vocabulary::Cl100kBase => Some(bpe_openai::cl100k_base),
        _ => None,
    }
}

/// Cuts every [`LONGEST_RUN`] bytes, between characters.
fn slices(chunk: &str) -> impl Iterator<Item = &str> {
    let mut rest = chunk;
    std::iter::from_fn(move || {
        let (slice, after) = rest.split_at(rest.floor_char_boundary(LONGEST_RUN));
        rest = after;
        (!slice.is_empty()).then_some(slice)
    })
}
