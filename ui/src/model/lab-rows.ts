import type { LabRow, LabSweep } from '@/api/gen/api.ts';
import { formatCounted, formatInteger, formatUsd } from './format.ts';
import { changeOf, formatChange } from './lab-bill.ts';
import { settingsTitle } from './lab-settings.ts';

/** A row of a sweep in words: what it is, what it costs, what is odd about it. */
export function describeRow(row: LabRow, sweep: LabSweep): readonly string[] {
  const { bill } = row;
  const billed = changeOf(bill, sweep.unchanged, 'billed');
  return [
    settingsTitle(row.config),
    `${formatInteger(bill.billedTokens)} tokens billed${billed === undefined ? '' : `, ${formatChange(billed)}`}`,
    ...(bill.costUsd === null ? [] : [`${formatUsd(bill.costUsd)} with summaries`]),
    `largest prompt ${formatInteger(bill.peakTokens)} tokens`,
    `${formatCounted(bill.compactions, 'summary', 'summaries')}, ${formatCounted(bill.breaks, 'prefix break')}`,
    ...row.flags,
  ];
}
