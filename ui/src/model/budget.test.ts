import { expect, it } from 'vitest';
import { budgetAmount } from './budget.ts';

it('reads amounts as people write them, and says what is none', () => {
  const read = Object.fromEntries(
    ['', ' ', '2.50', '$2', '500k', '1.5M', '1,200,000', '0', '-1', 'a lot', '1e9', '$'].map((text) => [
      text,
      budgetAmount(text),
    ]),
  );
  expect(read).toEqual({
    '': null,
    ' ': null,
    '2.50': 2.5,
    $2: 2,
    '500k': 500_000,
    '1.5M': 1_500_000,
    '1,200,000': 1_200_000,
    '0': 0,
    '-1': undefined,
    'a lot': undefined,
    '1e9': undefined,
    $: undefined,
  });
});
