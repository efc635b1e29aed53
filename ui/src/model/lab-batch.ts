import type { BatchCell, BatchRow, LabBatch } from '@/api/gen/api.ts';
import { formatClock, formatCounted, formatDay, formatInteger, formatSigned } from './format.ts';

/** Columns that a batch is sorted by. */
export type BatchColumn =
  'place' | 'cost' | 'billed' | 'lost' | 'regret' | 'answers' | 'tokens' | 'paid' | 'seconds';

/** The number of a cell in a column; nothing where there is none. */
function batchNumber(cell: BatchCell, column: BatchColumn): number | undefined {
  switch (column) {
    case 'place':
      return undefined;
    case 'cost':
      return cell.bill?.costUsd ?? undefined;
    case 'billed':
      return cell.bill?.billedTokens;
    case 'lost':
      return cell.dropped ?? undefined;
    case 'regret':
      return cell.regret ?? undefined;
    case 'answers':
      return cell.answers === null ? undefined : cell.answers.kept;
    case 'tokens':
      return cell.run === null ? undefined : cell.tokens;
    case 'paid':
      return cell.run === null ? undefined : (cell.costUsd ?? undefined);
    case 'seconds':
      return cell.seconds ?? undefined;
  }
}

/** Places of the cells, the least or the most first; cells without a number last. */
export function sortedBatch(
  cells: readonly BatchCell[],
  column: BatchColumn,
  isDescending: boolean,
): readonly number[] {
  const sign = isDescending ? -1 : 1;
  const places = cells.map((_, place) => place);
  if (column === 'place') return isDescending ? places.reverse() : places;
  const number = (place: number): number => {
    const cell = cells[place];
    const value = cell === undefined ? undefined : batchNumber(cell, column);
    return value === undefined ? Infinity : sign * value;
  };
  return places.sort((a, b) => (number(a) === number(b) ? a - b : number(a) - number(b)));
}

/** Of the questions that could be answered from the summaries or from the events, those answered from the summaries. */
export function batchAnswers({ answers }: BatchCell): string {
  if (answers === null) return '';
  const { kept, lost } = answers;
  return kept + lost === 0 ? '–' : `${formatInteger(kept)} of ${formatInteger(kept + lost)}`;
}

/** A batch in a list of several. */
export function batchTitle({ startedMs, configs, models, done, cells }: BatchRow): string {
  const what = `${formatCounted(configs, 'configuration')} × ${formatCounted(models, 'model')}`;
  return `${formatDay(startedMs)} ${formatClock(startedMs)}, ${what}, ${String(done)} of ${String(cells)} done`;
}

/** Who writes a cell's summaries: servers may have models of one name. */
export function batchWriter({ writer, model }: Pick<BatchCell, 'writer' | 'model'>): string {
  return model === null ? writer : `${model}, ${writer}`;
}

/** `−21%`: what a number is against the recording's; nothing where there is none, or no difference. */
export function batchChange(value: number | null | undefined, recorded: number | null | undefined): string {
  if (value === null || value === undefined || recorded === null || recorded === undefined) return '';
  const percent = recorded === 0 ? 0 : Math.round((value / recorded - 1) * 100);
  return percent === 0 ? '' : `${formatSigned(percent)}%`;
}

/** What stands before a cell's state: its shape says what its words say. */
export function batchMark({ state }: BatchCell): string {
  switch (state) {
    case 'waiting':
      return '○';
    case 'running':
    case 'asking':
      return '◐';
    case 'done':
    case 'kept':
      return '●';
    case 'leftOut':
      return '–';
    case 'stopped':
      return '■';
    case 'failed':
      return '×';
  }
}

/** How far a cell is. */
export function batchState(cell: BatchCell): string {
  if (cell.note !== null) return cell.note;
  switch (cell.state) {
    case 'waiting':
      return 'waiting';
    case 'running':
      return `${String(cell.written)} of ${formatCounted(cell.expected, 'summary', 'summaries')}${
        cell.tokensPerS === null ? '' : `, ${formatInteger(cell.tokensPerS)} tokens/s`
      }`;
    case 'asking':
      return 'asking questions';
    case 'done':
      return cell.fromBefore > 0 ? `done, ${String(cell.fromBefore)} paid for before` : 'done';
    case 'kept':
      return cell.keptMs === null ? 'kept' : `kept from ${formatClock(cell.keptMs)}`;
    case 'leftOut':
      return 'left out';
    case 'stopped':
      return 'stopped';
    case 'failed':
      return 'failed';
  }
}

/** A batch as a table for spreadsheets. */
export function batchCsv(batch: LabBatch): string {
  const head = [
    'recommended',
    'config',
    'writer',
    'model',
    'state',
    'sessionCostUsd',
    'billedTokens',
    'peakTokens',
    'factsDropped',
    'factsKept',
    'regret',
    'answersKept',
    'answersLost',
    'tokens',
    'paidUsd',
    'seconds',
    'note',
  ];
  const rows = batch.cells.map((cell, place) => [
    batch.recommended === place ? 'yes' : '',
    cell.config,
    cell.writer,
    cell.model,
    cell.state,
    cell.bill?.costUsd,
    cell.bill?.billedTokens,
    cell.bill?.peakTokens,
    cell.dropped,
    cell.kept,
    cell.regret,
    cell.answers?.kept,
    cell.answers?.lost,
    cell.tokens,
    cell.run === null ? null : cell.costUsd,
    cell.seconds,
    batchState(cell),
  ]);
  const field = (value: string | number | null | undefined): string => {
    const text = String(value ?? '');
    // Spreadsheets take what begins so for a formula.
    const plain = typeof value === 'string' && /^[=+\-@]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return [head, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}
