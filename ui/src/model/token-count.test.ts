import { expect, test } from 'vitest';
import { calibrationNote, formatTokenCount } from './token-count.ts';

test('a count says what it rests on', () => {
  const count = { tokens: 12_010, low: 11_970, high: 12_051 };
  expect(formatTokenCount({ ...count, basis: 'calibrated' })).toBe('12,010 ± 41 tokens, calibrated');
  expect(formatTokenCount({ ...count, basis: 'estimated' })).toBe('≈ 12,010 tokens');
  expect(formatTokenCount({ ...count, basis: 'exact' })).toBe('12,010 tokens');
});

test('a model is calibrated from four reports on', () => {
  expect(calibrationNote(1)).toContain('1 of 4 reports');
  expect(calibrationNote(4)).toContain('calibrated from 4 reports');
});
