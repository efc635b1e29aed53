import { formatInteger } from './format.ts';

/** Numbers a configuration of compaction is made of, by the keys of its text (`interval=3,overlap=1`). */
const LAB_NUMBERS = [
  'interval',
  'overlap',
  'threshold',
  'retention',
  'limit',
  'keep',
  'summary_tokens',
] as const;
export type LabNumber = (typeof LAB_NUMBERS)[number];

/** Who decides when to compact: google-adk's triggers, or rarely and in big steps. */
export type LabPolicy = 'adk' | 'steps';

/** A configuration as it is edited: it may be half of one. */
export interface LabSettings {
  readonly policy: LabPolicy;
  /** What was written for each number, also when it is none. */
  readonly numbers: Readonly<Partial<Record<LabNumber, string>>>;
  readonly clearsResults: boolean;
  readonly model: string;
  /** Events that stay as they are, by number. */
  readonly pins: readonly number[];
}

const OF_POLICY: Readonly<Record<LabPolicy, readonly LabNumber[]>> = {
  adk: ['interval', 'overlap', 'threshold', 'retention', 'summary_tokens'],
  steps: ['limit', 'keep', 'summary_tokens'],
};

/** Values that must be given together. */
const PAIRS = [
  ['interval', 'overlap'],
  ['threshold', 'retention'],
  ['limit', 'keep'],
] as const;

const LEAST: Readonly<Record<LabNumber, number>> = {
  interval: 1,
  overlap: 0,
  threshold: 1,
  retention: 0,
  limit: 1,
  keep: 0,
  summary_tokens: 1,
};

const WORDS: Readonly<Record<LabNumber, string>> = {
  interval: 'Interval',
  overlap: 'Overlap',
  threshold: 'Token threshold',
  retention: 'Keep raw events',
  limit: 'Prompt limit',
  keep: 'Keep raw events',
  summary_tokens: 'Summary size',
};

/** Reads a configuration. What is not understood is left out. */
export function parseSettings(text: string): LabSettings {
  const pairs = new Map(
    text.split(',').flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=');
      return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    }),
  );
  const numbers: Partial<Record<LabNumber, string>> = {};
  for (const key of LAB_NUMBERS) {
    const value = pairs.get(key);
    if (value !== undefined) numbers[key] = value;
  }
  return {
    policy: 'limit' in numbers || 'keep' in numbers || pairs.has('clear') ? 'steps' : 'adk',
    numbers,
    clearsResults: pairs.get('clear') === 'results',
    model: pairs.get('model') ?? '',
    pins: (pairs.get('pin') ?? '').split('+').flatMap((pin) => {
      const match = /^E(\d{1,9})$/.exec(pin);
      return match === null ? [] : [Number(match[1])];
    }),
  };
}

/** The same text again, in one order. */
export function printSettings(settings: LabSettings): string {
  const pairs = OF_POLICY[settings.policy].flatMap((key) => {
    const value = settings.numbers[key];
    return value === undefined || value === '' ? [] : [`${key}=${value}`];
  });
  if (settings.policy === 'steps' && settings.clearsResults) pairs.push('clear=results');
  if (settings.model !== '') pairs.push(`model=${settings.model}`);
  if (settings.pins.length > 0) pairs.push(`pin=${settings.pins.map((pin) => `E${String(pin)}`).join('+')}`);
  return pairs.join(',');
}

/** What is wrong, in a sentence; nothing where it can be replayed. */
export function settingsProblem(settings: LabSettings): string | undefined {
  const keys = OF_POLICY[settings.policy];
  const given = (key: LabNumber): string => settings.numbers[key] ?? '';
  for (const key of keys) {
    const text = given(key);
    if (text !== '' && !(/^\d{1,9}$/.test(text) && Number(text) >= LEAST[key]))
      return `${WORDS[key]} is “${text}”. It is a whole number, ${String(LEAST[key])} or more.`;
  }
  for (const [first, second] of PAIRS) {
    if (!keys.includes(first) || (given(first) === '') === (given(second) === '')) continue;
    const missing = given(first) === '' ? second : first;
    const other = missing === first ? second : first;
    return `${WORDS[missing]} is set and ${WORDS[other].toLowerCase()} is not. google-adk takes both or neither.`;
  }
  if (PAIRS.every(([first]) => !keys.includes(first) || given(first) === ''))
    return settings.policy === 'adk'
      ? 'Nothing makes a compaction due. Set interval and overlap, or threshold and raw events, or all four.'
      : 'Nothing makes a compaction due. Set the prompt limit and the raw events.';
  return undefined;
}

/** `Interval 8, overlap 2`. */
export function settingsTitle(text: string): string {
  const { numbers, policy, clearsResults, pins } = parseSettings(text);
  const names: Readonly<Partial<Record<LabNumber, string>>> = {
    interval: 'interval',
    overlap: 'overlap',
    threshold: 'threshold',
    retention: 'keep',
    limit: 'limit',
    keep: 'keep',
  };
  const words = OF_POLICY[policy].flatMap((key) => {
    const value = numbers[key];
    const name = names[key];
    return value === undefined || name === undefined ? [] : [`${name} ${readableNumber(value)}`];
  });
  if (clearsResults) words.push('clears results');
  if (pins.length > 0) words.push(`${String(pins.length)} pinned`);
  const title = words.join(', ');
  return title === '' ? 'No compaction' : title.charAt(0).toUpperCase() + title.slice(1);
}

function readableNumber(text: string): string {
  return /^\d{1,9}$/.test(text) ? formatInteger(Number(text)) : text;
}

/** The configuration as Python, for an app that runs on google-adk; nothing for policies it does not have. */
export function adkSnippet(text: string, prompt: string): string | undefined {
  const { policy, numbers, model } = parseSettings(text);
  if (policy !== 'adk') return undefined;
  const names: readonly (readonly [LabNumber, string])[] = [
    ['interval', 'compaction_interval'],
    ['overlap', 'overlap_size'],
    ['threshold', 'token_threshold'],
    ['retention', 'event_retention_size'],
  ];
  const lines = names.flatMap(([key, name]) =>
    numbers[key] === undefined ? [] : [`    ${name}=${numbers[key]},`],
  );
  const template = prompt.trim() === '' ? [] : [`        prompt_template=${JSON.stringify(prompt)},`];
  if (model !== '' || template.length > 0) {
    const llm = model === '' ? 'root_agent.canonical_model' : `LLMRegistry.new_llm(${JSON.stringify(model)})`;
    lines.push('    summarizer=LlmEventSummarizer(', `        llm=${llm},`, ...template, '    ),');
  }
  return ['EventsCompactionConfig(', ...lines, ')'].join('\n');
}

/** Adds or removes a pinned event. */
export function withPin(settings: LabSettings, event: number): LabSettings {
  const pins = settings.pins.includes(event)
    ? settings.pins.filter((pin) => pin !== event)
    : [...settings.pins, event].sort((a, b) => a - b);
  return { ...settings, pins };
}
