//! The vocabularies that are carried along, and the one interface to a counter.

/// A set of tokens with its rules for cutting text into them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Vocabulary {
    /// OpenAI, GPT-4o and later; gpt-oss encodes ordinary text with it too.
    O200kBase,
    /// OpenAI, GPT-4 and GPT-3.5.
    Cl100kBase,
    /// Meta, Llama 3.
    Llama3,
    /// Alibaba, Qwen 2 to 3.
    Qwen2,
    /// DeepSeek V3, R1 and V4.
    DeepseekV3,
    /// Mistral, the Tekken vocabulary.
    MistralV3,
    /// Moonshot, Kimi K2 and K3.
    KimiK2,
    /// Zhipu, GLM-4.5 to 4.7.
    Glm4,
    /// Zhipu, GLM-5.
    Glm5,
    /// MiniMax M2.
    MinimaxM2,
}

impl Vocabulary {
    pub const ALL: [Self; 10] = [
        Self::O200kBase,
        Self::Cl100kBase,
        Self::Llama3,
        Self::Qwen2,
        Self::DeepseekV3,
        Self::MistralV3,
        Self::KimiK2,
        Self::Glm4,
        Self::Glm5,
        Self::MinimaxM2,
    ];

    /// The name under which its counts are stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::Llama3 => "llama3",
            Self::Qwen2 => "qwen2",
            Self::DeepseekV3 => "deepseek_v3",
            Self::MistralV3 => "mistral_v3",
            Self::KimiK2 => "kimi_k2",
            Self::Glm4 => "glm4",
            Self::Glm5 => "glm5",
            Self::MinimaxM2 => "minimax_m2",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vocabulary| vocabulary.name() == name)
    }
}

/// Cuts text into the tokens of one vocabulary. Spellings of special tokens are ordinary text.
pub trait TokenCounter: Send + Sync {
    fn vocabulary(&self) -> Vocabulary;

    fn count(&self, text: &str) -> u32;

    /// Where each token ends, as byte offsets; the last one is the length of the text, and there are as many as
    /// [`count`](Self::count) says. Tokens are made of bytes: one that ends inside a character ends at that byte,
    /// which is not a boundary of `text`.
    fn token_ends(&self, text: &str) -> Vec<u32>;
}
