import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { Job, JobState, SessionListItem, StartInfo } from '@/api/gen/api.ts';
import { inspector, openWindow } from './window.ts';
import type { Changes } from './recorded.ts';

const FAILED = { path: '/other.jsonl', reason: 'It is not JSON.' };

/** A start with files, which were read before the window asked. */
function ofTheStart(state: JobState, sessions: readonly string[]): NonNullable<Changes['changed']> {
  const row = (session: string): SessionListItem => ({
    session,
    title: session,
    format: 'ADK session',
    source: '/files.jsonl',
    events: 1,
    calls: 1,
    lastEventMs: null,
    openedMs: null,
    isSample: false,
  });
  const job: Job = {
    job: 'first',
    title: 'Importing files.jsonl',
    state,
    done: 1,
    total: 1,
    unit: 'bytes',
    secondsElapsed: 1,
    secondsLeft: null,
    outcome: 'What came of it.',
    sessions: sessions.map(row),
    lessons: [],
    diagnostics: [],
    // What failed stays until it is read.
    files: { imported: sessions.length, unchanged: 0, withoutSession: 0, failed: [FAILED] },
    paths: [],
  };
  return {
    'app/start': (info: StartInfo) => ({ ...info, openJob: job.job, openSession: null }),
    'job/list': () => ({ jobs: [job] }),
  };
}

describe('files of the start', () => {
  test('open the first of their sessions and the list of all', async () => {
    const { view } = openWindow('#/', { changed: ofTheStart('done', ['invoice-triage', 'other']) });
    await inspector(/Call C17/);
    expect(view().session).toBe('invoice-triage');
    expect(await screen.findByRole('dialog', { name: /sessions/i })).toBeVisible();
    expect(screen.getByText('What came of it.')).toBeVisible();
  });

  test('that cannot be read are told beside what is shown first', async () => {
    openWindow('#/', { changed: ofTheStart('failed', []) });
    expect(await screen.findByRole('heading', { name: 'What agents left on this computer' })).toBeVisible();
    expect(screen.getByText('What came of it.')).toBeVisible();
  });
});
