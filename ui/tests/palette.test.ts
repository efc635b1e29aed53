import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KINDS } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { contrast, distance, parseHex, SIGHTS, type Rgb } from './colour.ts';

const css = readFileSync('src/styles/tokens.css', 'utf8');

function variablesOf(theme: 'dark' | 'light'): ReadonlyMap<string, string> {
  const block = new RegExp(`:root\\[data-theme='${theme}'\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
}

const BACKGROUNDS = ['app', 'panel', 'raised', 'hover'] as const;

describe.each(['dark', 'light'] as const)('the %s palette', (theme) => {
  const variables = variablesOf(theme);
  const color = (name: string): Rgb => parseHex(ensureExists(variables.get(name), `--${name} in ${theme}`));

  test.each(['text-hi', 'text-mid', 'text-low'])('%s reads on every background', (name) => {
    for (const background of BACKGROUNDS)
      expect(contrast(color(name), color(background))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['added', 'left-out', 'break', 'focus'])('%s reads as text on panels', (name) => {
    expect(contrast(color(name), color('panel'))).toBeGreaterThanOrEqual(4.5);
  });

  test.each([...KINDS.map((kind) => `kind-${kind}`), 'paid', 'cached'])('%s is seen on panels', (name) => {
    expect(contrast(color(name), color('panel'))).toBeGreaterThanOrEqual(3);
  });

  test('paid and cached are told apart', () => {
    expect(contrast(color('paid'), color('cached'))).toBeGreaterThanOrEqual(3);
  });

  test('signs read on the backgrounds of their lines', () => {
    expect(contrast(color('added'), color('added-bg'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(color('left-out'), color('left-out-bg'))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(color('text-hi'), color('rewritten-bg'))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.entries(SIGHTS))('kinds differ for %s sight', (_, sight) => {
    for (const [i, a] of KINDS.entries())
      for (const b of KINDS.slice(i + 1))
        expect(distance(color(`kind-${a}`), color(`kind-${b}`), sight)).toBeGreaterThanOrEqual(10);
  });

  test.each(Object.entries(SIGHTS))('added and left out differ for %s sight', (_, sight) => {
    expect(distance(color('added'), color('left-out'), sight)).toBeGreaterThanOrEqual(20);
  });
});

test('both themes have the same variables', () => {
  expect([...variablesOf('light').keys()]).toEqual([...variablesOf('dark').keys()]);
});
