import type { SessionPage, SessionRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';

/** Rows that are asked for at a time, and that are read in all: beyond that a list says what it lacks. */
const PAGE = 500;
const MOST = 5_000;

/** All sessions, those used last first. */
export async function readSessions(host: Host): Promise<SessionPage> {
  const rows: SessionRow[] = [];
  for (;;) {
    const { total, rows: more } = await host.invoke('session/list', {
      filter: '',
      offset: rows.length,
      limit: PAGE,
    });
    rows.push(...more);
    if (more.length === 0 || rows.length >= Math.min(total, MOST)) return { total, rows };
  }
}
