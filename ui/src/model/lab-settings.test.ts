import { describe, expect, test } from 'vitest';
import {
  adkSnippet,
  parseSettings,
  printSettings,
  settingsProblem,
  settingsTitle,
  withPin,
} from './lab-settings.ts';

test.each([
  'interval=3,overlap=1',
  'threshold=60000,retention=10',
  'interval=3,overlap=0,threshold=60000,retention=10,summary_tokens=800,model=gpt-5',
  'limit=40000,keep=12,clear=results,pin=E3+E9',
  '',
])('%s is printed as it was read', (text) => {
  expect(printSettings(parseSettings(text))).toBe(text);
});

describe('what is wrong is said', () => {
  test.each([
    ['interval=3', 'Interval is set and overlap is not'],
    ['retention=3', 'Keep raw events is set and token threshold is not'],
    ['limit=9000', 'Prompt limit is set and keep raw events is not'],
    ['interval=0,overlap=1', 'Interval is “0”. It is a whole number, 1 or more.'],
    ['interval=x,overlap=1', 'Interval is “x”'],
    ['summary_tokens=0,interval=3,overlap=1', 'Summary size is “0”'],
    ['pin=E3', 'Nothing makes a compaction due'],
    ['', 'Set interval and overlap, or threshold and raw events'],
  ])('of %s', (text, problem) => {
    expect(settingsProblem(parseSettings(text))).toContain(problem);
  });

  test.each(['interval=3,overlap=0', 'interval=3,overlap=1,threshold=9,retention=0', 'limit=9,keep=0'])(
    'and nothing of %s',
    (text) => {
      expect(settingsProblem(parseSettings(text))).toBeUndefined();
    },
  );
});

test('a configuration in words', () => {
  expect(settingsTitle('interval=8,overlap=2')).toBe('Interval 8, overlap 2');
  expect(settingsTitle('limit=40000,keep=12,clear=results,pin=E3')).toBe(
    'Limit 40,000, keep 12, clears results, 1 pinned',
  );
  expect(settingsTitle('off')).toBe('No compaction');
});

test('pins are kept in order, and go when they are asked for again', () => {
  const pinned = withPin(withPin(parseSettings('interval=3,overlap=1'), 9), 3);
  expect(printSettings(pinned)).toBe('interval=3,overlap=1,pin=E3+E9');
  expect(printSettings(withPin(pinned, 9))).toBe('interval=3,overlap=1,pin=E3');
});

test('google-adk gets its own names, and nothing it does not have', () => {
  expect(adkSnippet('interval=3,overlap=1', '')).toBe(
    'EventsCompactionConfig(\n    compaction_interval=3,\n    overlap_size=1,\n)',
  );
  expect(adkSnippet('threshold=9000,retention=5,model=gpt-5', 'Say "it".\n')).toContain(
    String.raw`prompt_template="Say \"it\".\n"`,
  );
  expect(adkSnippet('limit=9000,keep=5', '')).toBeUndefined();
});
