//! Names of settings.

/// Names in `config`, and in a body.
pub(crate) type Settings = &'static [(&'static str, &'static str)];

pub(crate) const CHAT: Settings = &[
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("maxOutputTokens", "max_tokens"),
    ("stopSequences", "stop"),
    ("seed", "seed"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
];

pub(crate) const RESPONSES: Settings =
    &[("temperature", "temperature"), ("topP", "top_p"), ("maxOutputTokens", "max_output_tokens")];

pub(crate) const ANTHROPIC: Settings = &[
    ("maxOutputTokens", "max_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("topK", "top_k"),
    ("stopSequences", "stop_sequences"),
];
