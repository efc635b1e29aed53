import type { PartRow } from '@/api/gen/api.ts';

/** Runs of three and more unchanged parts become one row. */
export function fold(rows: readonly PartRow[]): readonly PartRow[] {
  const folded: PartRow[] = [];
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (rows[end]?.change === 'unchanged') end += 1;
    const run = rows.slice(i, end);
    const [first] = run;
    const last = run.at(-1);
    if (first !== undefined && last !== undefined && run.length >= 3) {
      const tokens = run.reduce((sum, row) => sum + row.tokensAfter, 0);
      folded.push({
        ...first,
        path: '',
        address: '',
        kind: null,
        count: run.length,
        from: `${first.path}–${last.path}`,
        tokensBefore: tokens,
        tokensAfter: tokens,
        text: `${String(run.length)} unchanged`,
        codeLength: 0,
      });
      i = end;
    } else {
      folded.push(...rows.slice(i, Math.max(end, i + 1)));
      i = Math.max(end, i + 1);
    }
  }
  return folded;
}
