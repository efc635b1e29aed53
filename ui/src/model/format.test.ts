import { expect, test } from 'vitest';
import {
  formatAxis,
  formatBytes,
  formatCalls,
  formatCompact,
  formatCounted,
  formatInteger,
  formatPercent,
  formatRate,
  formatRough,
  formatSeconds,
  formatSigned,
  formatUsd,
  withClock,
} from './format.ts';

test.each([
  [formatInteger(11940), '11,940'],
  [formatInteger(-3), '−3'],
  [formatSigned(684), '+684'],
  [formatSigned(-46434), '−46,434'],
  [formatSigned(0), '0'],
  [formatSigned(-0), '0'],
  [formatCompact(940), '940'],
  [formatCompact(46434), '46.4k'],
  [formatCompact(167216), '167k'],
  [formatCompact(999_499), '999k'],
  [formatCompact(999_500), '1.00M'],
  [formatCompact(1_850_000), '1.85M'],
  [formatCompact(380_100_000), '380M'],
  [formatCompact(2_100_000_000), '2.10B'],
  [formatAxis(0), '0'],
  [formatAxis(2500), '2.5k'],
  [formatAxis(10000), '10k'],
  [formatPercent(0.7761), '77.6%'],
  [formatPercent(0 / 0), '–'],
  [formatRough(0), '0'],
  [formatRough(65.4), '65'],
  [formatRough(786), '790'],
  [formatRough(996), '1,000'],
  [formatRough(10_258), '10,000'],
  [formatRate(5), '5.00'],
  [formatRate(0.075), '0.075'],
  [formatBytes(1), '1 byte'],
  [formatBytes(940), '940 bytes'],
  [formatBytes(32_768), '32.8 kB'],
  [formatBytes(2_400_000), '2.40 MB'],
  [formatBytes(999_700_000), '1.00 GB'],
  [formatUsd(0), '$0.00'],
  [formatUsd(0.0004), 'under $0.001'],
  [formatUsd(0.0762), '$0.076'],
  [formatUsd(0.645), '$0.65'],
  [formatUsd(1234.5), '$1,234.50'],
  [formatSeconds(6), '0:06'],
  [formatSeconds(3750), '1:02:30'],
  [formatCounted(1, 'event'), '1 event'],
  [formatCounted(84, 'event'), '84 events'],
  [formatCalls(4, 17), 'C4–C17'],
  [formatCalls(4, 4), 'C4'],
  [withClock('clerk · tool result', null), 'clerk · tool result'],
])('%s', (written, expected) => {
  expect(written).toBe(expected);
});

test('the time of an event stands before what it is', () => {
  expect(withClock('clerk · call C3 · tool result', 0)).toMatch(
    /^clerk · call C3 · \d\d:\d\d:\d\d · tool result$/,
  );
  expect(withClock('user', 0)).toMatch(/^user · \d\d:\d\d:\d\d$/);
});
