import { describe, expect, test } from 'vitest';
import { columnBytes } from '@/host/fake/bytes.ts';
import { triageSession } from '@/host/fake/triage.ts';
import { decodeColumns } from './columns.ts';
import { clusterMarkers, clusterWidth, countLabel } from './markers.ts';

const session = triageSession();

function clusters(width: number, maxColumns = 41): readonly string[] {
  const columns = decodeColumns(columnBytes(session, 41, { from: 1, to: 41, maxColumns }), 41);
  const step = width / columns.length;
  return clusterMarkers(columns, (i) => (i + 0.5) * step).map(({ counts }) =>
    counts
      .map(
        (count) =>
          `${countLabel(count)}${{ avoidableBreak: '◆', structuralBreak: '◇', compaction: '▼' }[count.type]}`,
      )
      .join(' '),
  );
}

describe('markers', () => {
  test('stand alone while there is room', () => {
    expect(clusters(1300)).toEqual(['◇', '◆', '▼', '◇', '◇', '◇', '◆', '▼', '◇', '◇']);
  });

  test('become counts where they would overlap', () => {
    expect(clusters(200)).toEqual(['◇', '◆ 3◇ ▼', '◆', '◇ ▼', '◇']);
  });

  test('of columns with several calls are at least that many', () => {
    expect(clusters(60, 20).join(' ')).toContain('2+');
  });

  test('never overlap', () => {
    const columns = decodeColumns(columnBytes(session, 41, { from: 1, to: 41, maxColumns: 41 }), 41);
    const all = clusterMarkers(columns, (i) => i * 7);
    all.forEach((cluster, i) => {
      const next = all[i + 1];
      if (next === undefined) return;
      const room = next.x - cluster.x - (clusterWidth(cluster.counts) + clusterWidth(next.counts)) / 2;
      expect(room).toBeGreaterThanOrEqual(0);
    });
  });
});
