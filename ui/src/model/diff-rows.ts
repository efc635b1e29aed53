import type { DiffLine } from '@/api/gen/api.ts';

export type DiffRow =
  | { readonly type: 'fold'; readonly key: string; readonly lines: number }
  | {
      readonly type: 'lines';
      readonly key: string;
      readonly before: DiffLine | undefined;
      readonly after: DiffLine | undefined;
    };

const CONTEXT_LINES = 3;
/** Shorter runs are shown, because a line saying that they are hidden would be as long. */
const SHORTEST_FOLD = 4;

interface Run {
  readonly isSame: boolean;
  readonly lines: readonly DiffLine[];
  readonly start: number;
}

function runsOf(lines: readonly DiffLine[]): readonly Run[] {
  const runs: { isSame: boolean; lines: DiffLine[]; start: number }[] = [];
  lines.forEach((line, index) => {
    const isSame = line.sign === 'same';
    const run = runs.at(-1);
    if (run?.isSame === isSame) run.lines.push(line);
    else runs.push({ isSame, lines: [line], start: index });
  });
  return runs;
}

/** Rows of a difference: changes with a little around them, long runs of the same lines folded unless opened. */
export function diffRows(
  lines: readonly DiffLine[],
  mode: 'split' | 'unified',
  opened: ReadonlySet<string>,
): readonly DiffRow[] {
  const runs = runsOf(lines);
  return runs.flatMap((run, index) => {
    if (!run.isSame) return mode === 'split' ? pairs(run) : singles(run.lines, run.start);
    const head = index === 0 ? 0 : CONTEXT_LINES;
    const tail = index === runs.length - 1 ? 0 : CONTEXT_LINES;
    const hidden = run.lines.length - head - tail;
    const key = `fold ${String(run.start)}`;
    const isWhole = runs.length === 1;
    if (hidden < SHORTEST_FOLD || opened.has(key) || isWhole) return both(run.lines, run.start);
    return [
      ...both(run.lines.slice(0, head), run.start),
      { type: 'fold', key, lines: hidden },
      ...both(run.lines.slice(run.lines.length - tail), run.start + run.lines.length - tail),
    ];
  });
}

function both(lines: readonly DiffLine[], start: number): readonly DiffRow[] {
  return lines.map((line, i) => ({ type: 'lines', key: String(start + i), before: line, after: line }));
}

function singles(lines: readonly DiffLine[], start: number): readonly DiffRow[] {
  return lines.map((line, i) => ({
    type: 'lines',
    key: String(start + i),
    before: line.sign === 'removed' ? line : undefined,
    after: line.sign === 'added' ? line : undefined,
  }));
}

/** What was removed beside what was added. */
function pairs(run: Run): readonly DiffRow[] {
  const removed = run.lines.filter(({ sign }) => sign === 'removed');
  const added = run.lines.filter(({ sign }) => sign === 'added');
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, i) => ({
    type: 'lines',
    key: `${String(run.start)} ${String(i)}`,
    before: removed[i],
    after: added[i],
  }));
}
