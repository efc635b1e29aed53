//! How writers of sessions spell the counts of a call.

use strata_model::take::{count_of, take_count};
use strata_model::{Json, Object};

use super::counts::Counts;

/// Names of counts: of several for one count, the first that is there is taken. `a/b` is the member `b` of `a`.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    input: &'static [&'static str],
    cached: &'static [&'static str],
    written: &'static [&'static str],
    output: &'static [&'static str],
    thoughts: &'static [&'static str],
    total: &'static [&'static str],
    /// Where what the cache read and wrote stands to the input.
    cache: Place,
    /// Where thoughts stand to the output.
    thinking: Place,
    zeros: Zeros,
}

/// Whether a count is a part of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Within,
    Beside,
    /// Versions of the writer, or the providers it passes on, do not agree: the total tells which. Where it tells
    /// nothing, the part is within the whole unless it is larger.
    AsTotalOrWithin,
    /// The same, but where the total tells nothing the part stands beside.
    AsTotalOrBeside,
}

/// What a zero of the cache or of thoughts is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zeros {
    /// A count like any other: it is left out where the provider says nothing.
    Said,
    /// The tool speaks to any provider, and writes a zero where that says nothing: nobody knows.
    Filled,
}

/// What a spelling has unless it says otherwise.
const PLAIN: Spelling = Spelling {
    input: &[],
    cached: &[],
    written: &[],
    output: &[],
    thoughts: &[],
    total: &[],
    cache: Place::Within,
    thinking: Place::Within,
    zeros: Zeros::Said,
};

/// Attributes of spans, in every set of names. By the conventions an input holds what the cache read and wrote; libraries that
/// pass on Anthropic's own counts leave it out.
pub const SPAN: Spelling = Spelling {
    input: &[
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
    ],
    cached: &[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.cached_tokens",
        "llm.token_count.prompt_details.cache_read",
        "llm.usage.cache_read_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.details.cached_tokens",
        "ai.usage.cachedInputTokens",
        "ai.usage.inputTokenDetails.cacheReadTokens",
    ],
    written: &[
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
        "llm.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
        "ai.usage.inputTokenDetails.cacheWriteTokens",
    ],
    output: &[
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.outputTokens",
        "ai.usage.completionTokens",
    ],
    thoughts: &[
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.experimental.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "gen_ai.usage.details.reasoning_tokens",
        "llm.usage.reasoning_tokens",
        "ai.usage.reasoningTokens",
        "ai.usage.outputTokenDetails.reasoningTokens",
    ],
    total: &["gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens"],
    cache: Place::AsTotalOrWithin,
    ..PLAIN
};

/// Langfuse's details of an observation. Whether parts stand beside the whole shows in the total alone:
/// [`Counts::with_parts_beside`].
pub const LANGFUSE: Spelling = Spelling {
    input: &["input", "promptTokens", "prompt_tokens"],
    cached: &[
        "input_cached_tokens",
        "input_cache_read",
        "cache_read_input_tokens",
        "prompt_details.cache_read",
        "input_cache_read_tokens",
    ],
    written: &[
        "input_cache_creation",
        "cache_creation_input_tokens",
        "prompt_details.cache_write",
        "input_cache_write",
    ],
    output: &["output", "completionTokens", "completion_tokens"],
    thoughts: &["output_reasoning", "output_reasoning_tokens", "completion_details.reasoning", "reasoning"],
    total: &["total", "totalTokens", "total_tokens"],
    ..PLAIN
};

/// Chats of Gemini CLI. Gemini leaves out counts that are zero, and its client puts them in again. Qwen Code, which
/// descends from it, passes on outputs of OpenAI's shape, which hold the thoughts.
pub const GEMINI_CLI: Spelling = Spelling {
    input: &["input"],
    cached: &["cached"],
    output: &["output"],
    thoughts: &["thoughts"],
    total: &["total"],
    thinking: Place::AsTotalOrBeside,
    ..PLAIN
};

/// What Gemini CLI puts out at the end of a run.
pub const GEMINI_CLI_STATS: Spelling = Spelling {
    input: &["prompt", "input_tokens"],
    cached: &["cached"],
    output: &["candidates", "output_tokens"],
    thoughts: &["thoughts"],
    total: &["total", "total_tokens"],
    thinking: Place::AsTotalOrBeside,
    ..PLAIN
};

/// Log records of Gemini CLI.
pub const GEMINI_TELEMETRY: Spelling = Spelling {
    input: &["input_token_count"],
    cached: &["cached_content_token_count"],
    output: &["output_token_count"],
    thoughts: &["thoughts_token_count"],
    total: &["total_token_count"],
    thinking: Place::AsTotalOrBeside,
    ..PLAIN
};

/// What Copilot CLI says of the call that wrote a summary.
pub const COPILOT_SUMMARY: Spelling = Spelling {
    input: &["inputTokens", "input"],
    cached: &["cacheReadTokens", "cachedInput"],
    written: &["cacheWriteTokens"],
    output: &["outputTokens", "output"],
    ..PLAIN
};

/// What newer versions of Cline keep beside a message: what the cache read and wrote is one number.
pub const CLINE_MESSAGE: Spelling = Spelling {
    input: &["prompt"],
    cached: &["cached"],
    output: &["completion"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Requests that the interface of Cline and Roo shows.
pub const CLINE_REQUEST: Spelling = Spelling {
    input: &["tokensIn"],
    cached: &["cacheReads"],
    written: &["cacheWrites"],
    output: &["tokensOut"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// The same, where Roo says that it counts as OpenAI does.
pub const CLINE_REQUEST_OF_OPENAI: Spelling = Spelling { cache: Place::Within, ..CLINE_REQUEST };

/// Older versions write an output that holds the reasoning, newer ones leave it out and say the total.
pub const OPENCODE: Spelling = Spelling {
    input: &["input"],
    cached: &["cache/read"],
    written: &["cache/write"],
    output: &["output"],
    thoughts: &["reasoning"],
    total: &["total"],
    cache: Place::Beside,
    thinking: Place::AsTotalOrWithin,
    zeros: Zeros::Filled,
};

/// The same of Gemini's models, whose provider counts thoughts beside the output in every version.
pub const OPENCODE_OF_GEMINI: Spelling = Spelling { thinking: Place::AsTotalOrBeside, ..OPENCODE };

/// Messages of Pi, in the words of which an output holds its reasoning.
pub const PI: Spelling = Spelling {
    input: &["input"],
    cached: &["cacheRead"],
    written: &["cacheWrite"],
    output: &["output"],
    thoughts: &["reasoning"],
    total: &["totalTokens"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Answers of Anthropic's models as Continue keeps them: under OpenAI's names, with the input that Anthropic counts.
pub const CONTINUE_OF_ANTHROPIC: Spelling = Spelling {
    input: &["prompt_tokens"],
    cached: &["prompt_tokens_details/cache_read_tokens"],
    written: &["prompt_tokens_details/cache_write_tokens"],
    output: &["completion_tokens"],
    cache: Place::Beside,
    ..PLAIN
};

/// Sums over a session of Continue.
pub const CONTINUE_SUM: Spelling =
    Spelling { input: &["promptTokens"], output: &["completionTokens"], ..PLAIN };

/// What all calls of a turn of VS Code's chat come to, a model each.
pub const VSCODE_MODEL_TOTAL: Spelling =
    Spelling { input: &["inputTokens"], cached: &["cachedTokens"], output: &["outputTokens"], ..PLAIN };

/// What Cursor keeps with a bubble of its interface; zeros where nothing is known.
pub const CURSOR_BUBBLE: Spelling =
    Spelling { input: &["inputTokens"], output: &["outputTokens"], zeros: Zeros::Filled, ..PLAIN };

/// What a run of Cursor's agent came to.
pub const CURSOR_RUN: Spelling = Spelling {
    input: &["inputTokens"],
    cached: &["cacheReadTokens"],
    written: &["cacheWriteTokens"],
    output: &["outputTokens"],
    cache: Place::Beside,
    ..PLAIN
};

/// Messages of Amp.
pub const AMP: Spelling = Spelling {
    input: &["inputTokens"],
    cached: &["cacheReadInputTokens"],
    written: &["cacheCreationInputTokens"],
    output: &["outputTokens"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Calls of Zed's agent.
pub const ZED: Spelling = Spelling {
    input: &["input_tokens"],
    cached: &["cache_read_input_tokens"],
    written: &["cache_creation_input_tokens"],
    output: &["output_tokens"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Sums over a session of Factory's Droid.
pub const DROID_SUM: Spelling = Spelling {
    input: &["inputTokens"],
    cached: &["cacheReadTokens"],
    written: &["cacheCreationTokens"],
    output: &["outputTokens"],
    thoughts: &["thinkingTokens"],
    cache: Place::Beside,
    zeros: Zeros::Filled,
    ..PLAIN
};

pub const OPENHANDS: Spelling = Spelling {
    input: &["prompt_tokens"],
    cached: &["cache_read_tokens"],
    written: &["cache_write_tokens"],
    output: &["completion_tokens"],
    thoughts: &["reasoning_tokens"],
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Sums over a session of goose that is not in its database.
pub const GOOSE_SUM: Spelling = Spelling {
    input: &["accumulated_input_tokens"],
    cached: &["accumulated_cache_read_tokens"],
    written: &["accumulated_cache_write_tokens"],
    output: &["accumulated_output_tokens"],
    total: &["accumulated_total_tokens"],
    ..PLAIN
};

/// Inspect's usage of a model, whose input holds what the cache did where the provider's does.
pub const INSPECT: Spelling = Spelling {
    input: &["input_tokens"],
    cached: &["input_tokens_cache_read"],
    written: &["input_tokens_cache_write"],
    output: &["output_tokens"],
    thoughts: &["reasoning_tokens"],
    total: &["total_tokens"],
    cache: Place::AsTotalOrWithin,
    ..PLAIN
};

/// MLflow's counts of a call. Older versions wrote what Anthropic and Bedrock call the input, which leaves out the cache.
pub const MLFLOW: Spelling = Spelling {
    input: &["input_tokens"],
    cached: &["cache_read_input_tokens"],
    written: &["cache_creation_input_tokens"],
    output: &["output_tokens"],
    total: &["total_tokens"],
    cache: Place::AsTotalOrWithin,
    ..PLAIN
};

/// Pydantic AI's usage of a request; older versions had other names. What a provider does not say is a zero.
pub const PYDANTIC_AI: Spelling = Spelling {
    input: &["input_tokens", "request_tokens"],
    cached: &["cache_read_tokens"],
    written: &["cache_write_tokens"],
    output: &["output_tokens", "response_tokens"],
    thoughts: &["output_reasoning_tokens", "details/reasoning_tokens", "details/thoughts_tokens"],
    total: &["total_tokens"],
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Metrics of a step of a trajectory in Harbor's format. What they have no name for stands in `extra`.
pub const ATIF: Spelling = Spelling {
    input: &["prompt_tokens"],
    cached: &["cached_tokens"],
    written: &["extra/cache_creation_input_tokens", "extra/cache_write_tokens"],
    output: &["completion_tokens"],
    thoughts: &["extra/reasoning_tokens", "extra/reasoning_output_tokens", "extra/thoughts_tokens"],
    zeros: Zeros::Filled,
    ..PLAIN
};

/// The same of the whole trajectory.
pub const ATIF_TOTAL: Spelling = Spelling {
    input: &["total_prompt_tokens"],
    cached: &["total_cached_tokens"],
    output: &["total_completion_tokens"],
    zeros: Zeros::Filled,
    ..PLAIN
};

/// Braintrust's metrics of a span, where parts are within the whole as its SDKs write them.
pub const BRAINTRUST: Spelling = Spelling {
    input: &["prompt_tokens"],
    cached: &["prompt_cached_tokens"],
    written: &["prompt_cache_creation_tokens"],
    output: &["completion_tokens"],
    thoughts: &["completion_reasoning_tokens"],
    total: &["tokens"],
    cache: Place::AsTotalOrWithin,
    ..PLAIN
};

/// Helicone's counts of a request, where the body of its answer has none.
pub const HELICONE: Spelling = Spelling {
    input: &["prompt_tokens"],
    cached: &["prompt_cache_read_tokens"],
    written: &["prompt_cache_write_tokens"],
    output: &["completion_tokens"],
    total: &["total_tokens"],
    cache: Place::AsTotalOrWithin,
    zeros: Zeros::Filled,
    ..PLAIN
};

/// AutoGen's and smolagents' counts, which know of no cache.
pub const PLAIN_COUNTS: Spelling = Spelling {
    input: &["prompt_tokens", "input_tokens"],
    output: &["completion_tokens", "output_tokens"],
    total: &["total_tokens"],
    ..PLAIN
};

pub const SWE_AGENT: Spelling = Spelling { input: &["tokens_sent"], output: &["tokens_received"], ..PLAIN };

/// Amazon's log of invocations, beside the bodies: some with the request, some with the answer. The cache stands beside
/// the input ([`Counts::with_cache_beside`]), once both are known.
pub const BEDROCK_LOG: Spelling = Spelling {
    input: &["inputTokenCount"],
    cached: &["cacheReadInputTokenCount"],
    written: &["cacheWriteInputTokenCount"],
    output: &["outputTokenCount"],
    ..PLAIN
};

/// LiteLLM's payload, on the call itself.
pub const LITELLM: Spelling =
    Spelling { input: &["prompt_tokens"], output: &["completion_tokens"], total: &["total_tokens"], ..PLAIN };

/// Ollama, in the answer itself.
pub const OLLAMA: Spelling = Spelling { input: &["prompt_eval_count"], output: &["eval_count"], ..PLAIN };

/// llama.cpp's times, where only what was computed is counted and not what the cache had.
pub const LLAMA_TIMINGS: Spelling = Spelling {
    input: &["prompt_n"],
    cached: &["cache_n"],
    output: &["predicted_n"],
    cache: Place::Beside,
    ..PLAIN
};

impl Spelling {
    /// The counts of an object, which loses them.
    pub fn take(&self, object: &mut Object) -> Counts {
        self.counted(|name| match name.split_once('/') {
            Some((outer, inner)) => match object.get_mut(outer)? {
                Json::Object(of) => take_count(of, inner),
                _ => None,
            },
            None => take_count(object, name),
        })
    }

    /// The counts of an object, which keeps them.
    pub fn read(&self, object: &Object) -> Counts {
        self.counted(|name| match name.split_once('/') {
            Some((outer, inner)) => count_of(object.get(outer)?.get(inner)?),
            None => count_of(object.get(name)?),
        })
    }

    /// All names that it knows, as they stand at the top of an object.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let lists = [self.input, self.cached, self.written, self.output, self.thoughts, self.total];
        lists.into_iter().flatten().map(|name| name.split_once('/').map_or(*name, |(outer, _)| outer))
    }

    fn counted(&self, mut count: impl FnMut(&str) -> Option<u64>) -> Counts {
        let mut first = |names: &[&str]| names.iter().find_map(|name| count(name));
        let counts = Counts {
            input: first(self.input),
            cached: first(self.cached),
            written: first(self.written),
            output: first(self.output),
            thoughts: first(self.thoughts),
            total: first(self.total),
        };
        let counts = if self.zeros == Zeros::Filled { counts.without_zeros() } else { counts };
        let (has_cache_beside, has_thoughts_beside) = self.beside(&counts);
        counts.with_beside(has_cache_beside, has_thoughts_beside)
    }

    /// Whether the counts of the cache stand beside the input, and the thoughts beside the output.
    fn beside(&self, counts: &Counts) -> (bool, bool) {
        let of_cache = counts.of_cache();
        let cache = self.cache.ways(of_cache > counts.input.unwrap_or(0));
        let thinking = self.thinking.ways(counts.thoughts.unwrap_or(0) > counts.output.unwrap_or(0));
        let ways = || cache.iter().flat_map(|cache| thinking.iter().map(move |thinking| (*cache, *thinking)));
        let is_total = |(cache, thinking): &(bool, bool)| {
            let placed = counts.with_beside(*cache, *thinking);
            counts.total == Some(placed.input.unwrap_or(0).saturating_add(placed.output.unwrap_or(0)))
        };
        ways().find(is_total).or_else(|| ways().next()).unwrap_or_default()
    }
}

impl Place {
    /// Whether the part may stand beside its whole, the likelier answer first. One that `is_larger` is no part of it.
    fn ways(self, is_larger: bool) -> &'static [bool] {
        match self {
            Self::Within => &[false],
            Self::Beside => &[true],
            Self::AsTotalOrWithin | Self::AsTotalOrBeside if is_larger => &[true],
            Self::AsTotalOrWithin => &[false, true],
            Self::AsTotalOrBeside => &[true, false],
        }
    }
}

impl Counts {
    /// Counts of which nothing is known of the cache and of thoughts where they are zero.
    fn without_zeros(self) -> Self {
        let known = |count: Option<u64>| count.filter(|count| *count > 0);
        let (cached, written, thoughts) = (known(self.cached), known(self.written), known(self.thoughts));
        Self { cached, written, thoughts, ..self }
    }

    /// What the cache read and wrote.
    fn of_cache(&self) -> u64 {
        self.cached.unwrap_or(0).saturating_add(self.written.unwrap_or(0))
    }

    /// Counts of which the input left out what the cache did, or the output the thoughts.
    fn with_beside(self, cache: bool, thoughts: bool) -> Self {
        let counts = if cache { self.with_cache_beside() } else { self };
        if thoughts { counts.with_thoughts_beside() } else { counts }
    }

    /// Counts of which the input left out what the cache read and wrote.
    pub fn with_cache_beside(self) -> Self {
        Self { input: self.input.map(|input| input.saturating_add(self.of_cache())), ..self }
    }

    /// Counts of which the output left out the thoughts.
    pub fn with_thoughts_beside(self) -> Self {
        let thoughts = self.thoughts.unwrap_or(0);
        Self { output: self.output.map(|output| output.saturating_add(thoughts)), ..self }
    }

    /// Counts that add up to their total only with those of the cache and the thoughts: then these stand beside input
    /// and output.
    pub fn with_parts_beside(self) -> Self {
        let sum = |counts: &[Option<u64>]| {
            counts.iter().flatten().fold(0_u64, |sum, count| sum.saturating_add(*count))
        };
        let all = [self.input, self.output, self.cached, self.written, self.thoughts];
        let is_beside =
            self.total.is_some_and(|total| total > sum(&[self.input, self.output]) && total == sum(&all));
        if is_beside { self.with_cache_beside().with_thoughts_beside() } else { self }
    }
}
