import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findTerms, GLOSSARY } from '@/model/glossary.ts';
import { changesOf } from '@/model/effects.ts';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.svelte'),
);

/** Words of the window that claim to be in the glossary: `term="…"`, `term: '…'`, `<Term name="…">`, `data-term="…"`. */
const claimed = files.flatMap((file) =>
  [
    ...readFileSync(`src/${file}`, 'utf8').matchAll(
      /(?:\bterm="|\bterm: '|<Term\s+name="|data-term=")(\w+)["']/g,
    ),
  ].map((match) => ({ file, name: match[1] ?? '' })),
);

test('every word that offers an explanation has one', () => {
  expect(claimed.length).toBeGreaterThan(30);
  expect(claimed.filter(({ name }) => !GLOSSARY.has(name))).toEqual([]);
});

test('words refer to words that are there, and to others', () => {
  for (const [name, { see = [] }] of GLOSSARY) {
    expect(see.filter((other) => !GLOSSARY.has(other) || other === name)).toEqual([]);
  }
});

test('a definition is one to three sentences, and says more than its word', () => {
  for (const { term, definition } of GLOSSARY.values()) {
    expect(definition).toMatch(/^[“A-Z].*\.$/);
    expect(definition.split(/(?<=[.:])\s+(?=[A-Z])/).length, term).toBeLessThanOrEqual(3);
    expect(definition.length, term).toBeGreaterThan(40);
  }
});

test('no two words have one name', () => {
  const terms = [...GLOSSARY.values()].map(({ term }) => term.toLowerCase());
  expect(new Set(terms).size).toBe(terms.length);
});

test('a word is found by its name, by other names of it, and by what it means, in this order', () => {
  expect(findTerms('')).toHaveLength(GLOSSARY.size);
  expect(findTerms('ttl').map(([name]) => name)).toEqual(['cacheLifetime']);
  expect(findTerms('prefix break')[0]?.[0]).toBe('prefixBreak');
  expect(findTerms('breakfast')).toEqual([]);
});

test('what an edit changes is called by words of the glossary', () => {
  const effect = {
    calls: 2,
    callsCompared: 2,
    callsChanged: 1,
    tokensBefore: 10,
    tokensAfter: 9,
    cachedBefore: 1,
    cachedAfter: 2,
    costBeforeUsd: null,
    costAfterUsd: null,
    breaksBefore: 2,
    breaksAfter: 1,
  };
  const terms = changesOf(effect).flatMap(({ term }) => term ?? []);
  expect(terms.every((term) => GLOSSARY.has(term))).toBe(true);
  expect(terms).toHaveLength(2);
});
