/** How much a model can be given, for "how full": what its maker says of a prompt and its answer together. */
export interface ContextWindow {
  readonly tokens: number;
  readonly source: string;
}

interface Known {
  readonly pattern: RegExp;
  readonly tokens: number;
  readonly source: string;
}

const ANTHROPIC = 'Anthropic, models overview';
const OPENAI = 'OpenAI, models';
const GOOGLE = 'Google, Gemini models';

/** The first that fits counts. A name that no maker lists has none: a guess would be a limit that is not there. */
const KNOWN: readonly Known[] = [
  { pattern: /\[1m\]$/, tokens: 1_000_000, source: ANTHROPIC },
  { pattern: /claude-(?:3|opus-4|sonnet-4|haiku-4)/, tokens: 200_000, source: ANTHROPIC },
  { pattern: /gpt-4\.1/, tokens: 1_047_576, source: OPENAI },
  { pattern: /gpt-4o/, tokens: 128_000, source: OPENAI },
  { pattern: /gpt-5(?:\.\d)?(?:-codex|-mini|-nano)?(?:-\d{4}-\d\d-\d\d)?$/, tokens: 400_000, source: OPENAI },
  { pattern: /(?:^|\/)o[34](?:-mini|-pro)?(?:-\d{4}-\d\d-\d\d)?$/, tokens: 200_000, source: OPENAI },
  { pattern: /gemini-(?:1\.5|2\.0|2\.5|3|3\.5)-(?:flash|pro)/, tokens: 1_048_576, source: GOOGLE },
];

/**
 * The window of a model. None where it is not known, or where a prompt of the session was larger: then another one was
 * in force, such as a long-context tier.
 */
export function contextWindow(model: string, peakTokens: number): ContextWindow | undefined {
  const known = KNOWN.find(({ pattern }) => pattern.test(model.toLowerCase()));
  return known === undefined || peakTokens > known.tokens ? undefined : known;
}
