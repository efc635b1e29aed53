import type { TokenCount } from '@/api/gen/api.ts';
import { formatInteger } from './format.ts';

/** Reports of a model that have to be known before its counts can be bounded. */
const FEWEST_REPORTS = 4;

/** A count with what it rests on: "1,234 tokens", "1,234 ± 20 tokens, calibrated", "≈ 1,234 tokens". */
export function formatTokenCount({ tokens, basis, low, high }: TokenCount): string {
  const whole = formatInteger(tokens);
  if (basis === 'calibrated') {
    return `${whole} ± ${formatInteger(Math.ceil((high - low) / 2))} tokens, calibrated`;
  }
  return basis === 'estimated' ? `≈ ${whole} tokens` : `${whole} tokens`;
}

/** What the reports of a model are good for. */
export function calibrationNote(measuredCalls: number): string {
  const missing = FEWEST_REPORTS - measuredCalls;
  if (missing > 0) {
    return `Kept: ${formatInteger(measuredCalls)} of ${String(FEWEST_REPORTS)} reports that counts of this model are calibrated from.`;
  }
  return `Kept: counts of this model are calibrated from ${formatInteger(measuredCalls)} reports.`;
}
