import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const SAMPLES = join(import.meta.dirname, '..', '..', 'crates', 'strata-import', 'samples');

journey(
  'words are found in all sessions, and a hit opens its session at the event',
  async (window, strata) => {
    await window.openSample();
    await window.drop(join(SAMPLES, 'adk-rest-session.json'));
    await window.reads(window.page.getByRole('banner'), 'How many invoices are overdue?');
    const { hits } = await strata.ask('search/find', {
      query: 'overdue',
      session: null,
      agent: null,
      tool: null,
      after: null,
      limit: 12,
    });
    const hit = hits.find(({ address }) => address !== null);
    assert.ok(hit !== undefined);

    // From another session.
    await window.press('Control+Shift+O');
    await window.page.getByRole('button', { name: /^invoice-triage · sample/ }).click();
    await window.reads(window.page.getByRole('banner'), 'invoice-triage');
    await window.press('Control+k');
    await window.type('overdue');
    const found = window.page.getByRole('group', { name: 'In all sessions' });
    await found.getByRole('option').first().waitFor();
    await found.locator('mark').first().waitFor();
    await window.settle();
    await window.pictures('search');
    await found
      .getByRole('option')
      .filter({ hasText: `${hit.address} ${hit.author}` })
      .first()
      .click();
    await window.reads(window.page.getByRole('banner'), 'How many invoices are overdue?');
    await window.reads(window.inspector, hit.address);
  },
);

journey('places of tools are offered, and a folder says what came of each file', async (window, strata) => {
  const projects = join(strata.folder, '.claude', 'projects', '-work');
  await mkdir(projects, { recursive: true });
  await copyFile(join(SAMPLES, 'claude-code.jsonl'), join(projects, 'one.jsonl'));
  await writeFile(join(projects, 'broken.jsonl'), 'SQLite format 3\0 and nothing else');
  await window.openSample();
  await window.page.getByRole('button', { name: /^Sessions of Claude Code/ }).click();
  const places = window.page.getByRole('region', { name: 'Found on this computer' });
  await window.reads(places, '2 files');
  await window.settle();
  await window.pictures('places');
  await places.getByRole('button', { name: /^Import Claude Code/ }).click();
  await window.reads(window.status, '1 file imported');
  await window.status.getByRole('button', { name: 'Files' }).click();
  const summary = window.page.getByRole('dialog', { name: 'What came of the files' });
  await window.reads(summary, 'broken.jsonl');
  await window.settle();
  await window.pictures('files');
});
