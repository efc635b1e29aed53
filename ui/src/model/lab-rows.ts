import type { LabRow, LabSweep } from '@/api/gen/api.ts';
import { formatCounted, formatInteger, formatUsd } from './format.ts';
import { changeOf, formatChange } from './lab-bill.ts';
import { settingsTitle } from './lab-settings.ts';

/** A row of a sweep in words: what it is, what it costs, what is odd about it. */
export function describeRow(row: LabRow, sweep: LabSweep): readonly string[] {
  const { bill } = row;
  const billed = changeOf(bill, sweep.recorded, 'billed');
  return [
    settingsTitle(row.config),
    `${formatInteger(bill.billedTokens)} tokens billed${billed === undefined ? '' : `, ${formatChange(billed)} against the recording`}`,
    ...(bill.costUsd === null ? [] : [`${formatUsd(bill.costUsd)} with summaries`]),
    `largest prompt ${formatInteger(bill.peakTokens)} tokens`,
    `${formatCounted(bill.compactions, 'summary', 'summaries')}, ${formatCounted(bill.breaks, 'prefix break')}`,
    row.regret === 0
      ? 'nothing summarised is used later'
      : `${formatCounted(row.regret, 'value')} used later that only a summary could tell`,
    ...row.flags,
  ];
}

/** The row of a sweep that is to be taken; nothing where none beats the recording, or it has not ended. */
export function recommendedRow(sweep: LabSweep | undefined): LabRow | undefined {
  return sweep?.rows.find(({ place }) => place === sweep.recommended);
}

/** A sweep with rows that came since, in the order of the grid. */
export function withRows(before: LabSweep | undefined, came: LabSweep): LabSweep {
  const rows = [...(before?.rows ?? []), ...came.rows];
  return { ...came, rows: rows.sort((a, b) => a.place - b.place) };
}
