import { expect, test } from 'vitest';
import { beginning } from './text.ts';

test('a short text is shown whole', () => {
  expect(beginning('a\nb\n')).toEqual({ text: 'a\nb\n', lines: 2, isWhole: true });
  expect(beginning('a')).toEqual({ text: 'a', lines: 1, isWhole: true });
  expect(beginning('')).toEqual({ text: '', lines: 1, isWhole: true });
});

test('of a long text the first lines are shown, and of a long line its beginning', () => {
  const many = beginning(Array.from({ length: 50_000 }, (_, line) => String(line)).join('\n'));
  expect(many.text.split('\n')).toHaveLength(1_000);
  expect(many).toMatchObject({ lines: 50_000, isWhole: false });

  const wide = beginning('x'.repeat(1_000_000));
  expect(wide.text).toHaveLength(2_000);
  expect(wide).toMatchObject({ lines: 1, isWhole: false });
});
