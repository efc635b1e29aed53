import { expect, test } from 'vitest';
import { headerOf } from './store.ts';
import { tokenEnds } from './tokens.ts';
import { triageSession } from './triage.ts';

const session = triageSession();

test('the sample has the numbers that its documentation names', () => {
  const header = headerOf(session, 41, null);
  expect(header).toMatchObject({
    events: 84,
    calls: 41,
    totalTokens: 789_382,
    cachedTokens: 612_608,
    peakTokens: 50_631,
    compactions: 2,
  });
  expect(header.costUsd).toBeCloseTo(0.645, 3);
  expect(header.agents.map(({ name }) => name)).toEqual(['coordinator', 'log_analyst', 'report_writer']);
});

test('its avoidable breaks are C17 and C31', () => {
  const avoidable = session.calls.filter((call) => call.break?.isAvoidable === true);
  expect(avoidable.map(({ call, break: broken }) => [call, broken?.atToken, broken?.rebilledTokens])).toEqual(
    [
      [17, 3803, 46_336],
      [31, 3803, 22_144],
    ],
  );
});

test('texts have as many tokens as they are said to have', () => {
  for (const event of session.events) expect(tokenEnds(event.text())).toHaveLength(event.tokens);
});
