import { KINDS } from '@/api/gen/api.ts';

/** A word of a filter: `kind:result`, `size:>2000`, `text:"two words"` or plain text. */
export interface FilterTerm {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export function splitFilter(text: string): readonly FilterTerm[] {
  return [...text.matchAll(/[^\s"]*"[^"]*"?|\S+/g)].map((match) => ({
    text: match[0],
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** The filter without one of its words. */
export function withoutTerm(text: string, term: FilterTerm): string {
  return `${text.slice(0, term.from).trimEnd()} ${text.slice(term.to).trimStart()}`.trim();
}

interface FilterKey {
  readonly key: string;
  readonly note: string;
  /** Values that are always the same. */
  readonly values: readonly string[];
}

const FILTER_KEYS: readonly FilterKey[] = [
  { key: 'kind', note: 'where its tokens are from', values: KINDS },
  { key: 'tool', note: 'name of a tool', values: [] },
  { key: 'agent', note: 'who wrote it', values: [] },
  { key: 'size', note: 'tokens', values: ['>500', '>2000', '<100'] },
  { key: 'call', note: 'carried or made by these calls', values: [] },
  { key: 'state', note: 'state key it changed', values: [] },
  { key: 'error', note: 'only failures', values: ['yes', 'no'] },
  { key: 'text', note: 'words in its content', values: [] },
];

export interface Completion {
  /** What replaces the word at the caret. */
  readonly text: string;
  readonly note: string;
}

/** Names of the session that complete `tool:`, `agent:`, `state:` and `call:`. */
export type FilterNames = Readonly<Record<string, readonly string[]>>;

/** The word that ends at the caret. */
export function termAt(text: string, caret: number): FilterTerm {
  const term = splitFilter(text).find(({ from, to }) => from < caret && caret <= to);
  return term ?? { text: '', from: caret, to: caret };
}

/** What the word at the caret may become: a key with its colon, or a key with a value. */
export function completions(text: string, caret: number, names: FilterNames): readonly Completion[] {
  const typed = text.slice(termAt(text, caret).from, caret);
  const colon = typed.indexOf(':');
  if (colon < 0)
    return FILTER_KEYS.filter(({ key }) => key.startsWith(typed.toLowerCase())).map(({ key, note }) => ({
      text: `${key}:`,
      note,
    }));
  const key = typed.slice(0, colon);
  const value = typed.slice(colon + 1).toLowerCase();
  const known = FILTER_KEYS.find((candidate) => candidate.key === key);
  if (known === undefined) return [];
  return [...known.values, ...(names[key] ?? [])]
    .filter((name) => name.toLowerCase().includes(value) && name !== value)
    .map((name) => ({ text: `${key}:${/\s/.test(name) ? `"${name}"` : name}`, note: '' }));
}

/** The filter with a completion taken, and where the caret is then. A finished word is followed by a space. */
export function complete(
  text: string,
  caret: number,
  completion: Completion,
): { readonly text: string; readonly caret: number } {
  const { from } = termAt(text, caret);
  const taken = completion.text.endsWith(':') ? completion.text : `${completion.text} `;
  return { text: text.slice(0, from) + taken + text.slice(caret).trimStart(), caret: from + taken.length };
}
