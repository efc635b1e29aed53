import { describe, expect, test } from 'vitest';
import { callOf, filterFor, parseAddress, printAddress } from './address.ts';

describe('an address', () => {
  test.each([
    ['E7', { type: 'event', event: 7 }],
    ['C17', { type: 'call', call: 17 }],
    ['C17/contents', { type: 'stage', call: 17, processor: 'contents' }],
    ['C17/cap_results.js', { type: 'stage', call: 17, processor: 'cap_results.js' }],
    ['C17/4.0', { type: 'part', call: 17, path: '4.0' }],
    ['C17/sys.1', { type: 'part', call: 17, path: 'sys.1' }],
    ['C17/tool.sql_query', { type: 'part', call: 17, path: 'tool.sql_query' }],
    ['state.user:currency', { type: 'state', key: 'user:currency' }],
    ['agent.log_analyst', { type: 'agent', name: 'log_analyst' }],
    ['tool.sql_query', { type: 'tool', name: 'sql_query' }],
  ] as const)('%s is read and written', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    expect(printAddress(address)).toBe(text);
  });

  test('may be typed in small letters and with its session', () => {
    expect(parseAddress('c17')).toEqual({ type: 'call', call: 17 });
    expect(parseAddress('ctx:invoice-triage/C17/contents')).toEqual(parseAddress('C17/contents'));
  });

  test('of a part of an event is its event', () => {
    expect(parseAddress('E7/0')).toEqual({ type: 'event', event: 7 });
  });

  test.each(['', 'E0', 'C', 'sql', 'C1x'])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

test('places without a page of their own are filters', () => {
  expect(filterFor({ type: 'state', key: 'hits' })).toBe('state:hits');
  expect(filterFor({ type: 'event', event: 7 })).toBeUndefined();
});

test('a call is known from stages and parts', () => {
  expect(callOf({ type: 'part', call: 17, path: '4.0' })).toBe(17);
  expect(callOf({ type: 'event', event: 7 })).toBeUndefined();
});
