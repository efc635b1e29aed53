import { describe, expect, test } from 'vitest';
import { recordedBytes } from '../../tests/recorded.ts';
import { decodeColumns } from './columns.ts';
import { clusterMarkers, clusterWidth, countLabel } from './markers.ts';

const all = { session: 'invoice-triage', from: 1, to: 41, maxColumns: 41 };
const each = decodeColumns(await recordedBytes('call/columns', all), 41);
const coarse = decodeColumns(await recordedBytes('call/columns', { ...all, maxColumns: 10 }), 41);

function clusters(width: number, columns = each): readonly string[] {
  const step = width / columns.length;
  return clusterMarkers(columns, (i) => (i + 0.5) * step).map(({ counts }) =>
    counts
      .map(
        (count) =>
          `${countLabel(count)}${{ avoidableBreak: '◆', structuralBreak: '◇', providerBreak: '○', compaction: '▼' }[count.type]}`,
      )
      .join(' '),
  );
}

describe('markers', () => {
  test('stand alone while there is room', () => {
    expect(clusters(1300)).toEqual(['◆', '▼', '◇', '◇', '◆', '▼', '◇', '◇', '◇']);
  });

  test('become counts where they would overlap', () => {
    expect(clusters(200)).toEqual(['◆ ◇ ▼', '◇', '◆', '3◇ ▼']);
  });

  test('of columns with several calls are at least that many', () => {
    expect(clusters(60, coarse).join(' ')).toContain('2+');
  });

  test('never overlap', () => {
    const crowded = clusterMarkers(each, (i) => i * 7);
    crowded.forEach((cluster, i) => {
      const next = crowded[i + 1];
      if (next === undefined) return;
      const room = next.x - cluster.x - (clusterWidth(cluster.counts) + clusterWidth(next.counts)) / 2;
      expect(room).toBeGreaterThanOrEqual(0);
    });
  });
});
