import { expect, test } from 'vitest';
import { NO_PRICE, ratesOf, typedPrice } from './own-price.ts';

const TYPED = { ...NO_PRICE, model: 'house', input: '2.5', output: '10' };

test('what is typed is a price once model, input and output are there', () => {
  expect(ratesOf(NO_PRICE)).toBeUndefined();
  expect(ratesOf({ ...TYPED, output: '' })).toBeUndefined();
  expect(ratesOf({ ...TYPED, model: ' ' })).toBeUndefined();
  expect(ratesOf(TYPED)).toEqual({
    input: 2.5,
    cachedRead: 2.5,
    cacheWrite: null,
    cacheWriteLong: null,
    output: 10,
  });
  expect(ratesOf({ ...TYPED, cachedRead: '0.25', cacheWrite: '3' })).toMatchObject({
    cachedRead: 0.25,
    cacheWrite: 3,
  });
});

test.each(['-1', '1e3', 'free', '1,5', '.'])('%s is no rate', (text) => {
  for (const field of ['input', 'cachedRead', 'cacheWrite', 'cacheWriteLong', 'output'])
    expect(ratesOf({ ...TYPED, [field]: text })).toBeUndefined();
});

test('a listed price can be changed', () => {
  const rates = { input: 5, cachedRead: 0.5, cacheWrite: 6.25, cacheWriteLong: 10, output: 25 };
  const row = { model: 'm', isOwn: false, rates, tiers: [], contextTokens: null, isOpenWeights: false };
  const typed = typedPrice({ ...row, source: 's', seenOn: '2026-11-20', note: null });
  expect(typed).toEqual({
    model: 'm',
    input: '5',
    cachedRead: '0.5',
    cacheWrite: '6.25',
    cacheWriteLong: '10',
    output: '25',
  });
  expect(ratesOf(typed)).toEqual(rates);
});
