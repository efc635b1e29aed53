import type { Failure } from '@/api/client.ts';
import type { Api, Endpoint, EndpointRow, TestAnswer } from '@/api/gen/api.ts';
import { formatCounted, formatInteger } from './format.ts';

/** The forms of requests, as people call them. */
export const API_WORDS: Readonly<Record<Api, string>> = {
  chatCompletions: 'OpenAI-compatible chat',
  responses: 'OpenAI Responses',
  gemini: 'Gemini',
  anthropic: 'Anthropic Messages',
};

/** An endpoint as a new one begins: a server on this computer. */
export const NEW_ENDPOINT: Endpoint = {
  name: '',
  api: 'chatCompletions',
  baseUrl: 'http://127.0.0.1:8080/v1',
  model: null,
  headers: [],
  keyVariable: null,
  contextTokens: null,
  firstByteS: null,
  cacheRule: null,
  slots: null,
  countsTokens: false,
};

/** What is known of a server beside its models: what it runs, how long a prompt it takes, how it caches. */
function knownOf(row: EndpointRow): string {
  return [
    row.software ?? undefined,
    row.contextTokens === null ? undefined : `up to ${formatInteger(row.contextTokens)} tokens`,
    row.slots === null ? undefined : formatCounted(row.slots, 'slot'),
    row.isFree ? 'free' : undefined,
  ]
    .filter((words) => words !== undefined)
    .join(' · ');
}

/** A limit as it is typed: nothing, or a whole number above 0. */
export function readLimit(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text.trim()) : undefined;
}

/** Where the key of an endpoint is from. A key itself is never shown. */
export function keyWords({ hasKey, keyFrom }: EndpointRow): string {
  return hasKey ? (keyFrom?.replace('environment variable ', '$') ?? 'kept') : 'none';
}

interface Tried {
  readonly isRunning: boolean;
  readonly answer: TestAnswer | undefined;
  readonly failure: Failure | undefined;
}

/** What is known of a server: the newest test, else what it said when it was looked for. */
export function stateOf(
  row: EndpointRow,
  trial: Tried | undefined,
): { readonly kind: 'good' | 'bad' | 'open'; readonly words: string; readonly detail: string | undefined } {
  if (trial?.isRunning === true)
    return { kind: 'open', words: 'is being asked for one word', detail: undefined };
  if (trial?.failure !== undefined)
    return { kind: 'bad', words: trial.failure.message, detail: trial.failure.detail ?? undefined };
  if (trial?.answer !== undefined) return stateOfAnswer(trial.answer);
  if (row.isReachable) {
    const models = row.models.length;
    const words =
      models === 0 ? 'answers' : `answers, ${String(models)} ${models === 1 ? 'model' : 'models'}`;
    const known = knownOf(row);
    const detail = [`Cache rule ${row.cacheRule}`, ...row.models.slice(0, 20)].join('\n');
    return { kind: 'good', words: known === '' ? words : `${words} · ${known}`, detail };
  }
  const isOnlyWithoutKey = row.origin === 'provider' && !row.hasKey;
  return {
    kind: isOnlyWithoutKey ? 'open' : 'bad',
    words: isOnlyWithoutKey ? withoutKey(row.endpoint) : (row.problem ?? 'no answer'),
    detail: row.problem ?? undefined,
  };
}

function stateOfAnswer(answer: TestAnswer): ReturnType<typeof stateOf> {
  if (!answer.isOk) return { kind: 'bad', words: answer.message, detail: undefined };
  const usage =
    answer.inputTokens === null
      ? 'usage not reported'
      : `${formatInteger(answer.inputTokens)} tokens in, ${formatInteger(answer.outputTokens ?? 0)} out`;
  const words = `${formatInteger(Math.round(answer.milliseconds))} ms, ${answer.model ?? 'model not named'}, ${usage}`;
  return { kind: 'good', words, detail: answer.message };
}

/** What is missing before an endpoint can be asked or saved. */
export function problemOf(endpoint: Endpoint, others: readonly string[]): string | undefined {
  if (endpoint.name.trim() === '') return 'A name is missing';
  if (others.some((name) => name.toLowerCase() === endpoint.name.trim().toLowerCase()))
    return `There is a ${endpoint.name.trim()} already: change it, or choose another name`;
  if (!/^https?:\/\/[^/\s]/.test(endpoint.baseUrl.trim())) return 'An address is like https://host/v1';
  return undefined;
}

function withoutKey({ keyVariable }: Endpoint): string {
  return keyVariable === null ? 'not asked: no key' : `not asked: no key here, nor in $${keyVariable}`;
}
