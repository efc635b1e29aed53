import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const SAMPLES = join(import.meta.dirname, '..', '..', 'crates', 'strata-import', 'samples');

journey('a dropped file is read and opened', async (window, strata) => {
  await window.openSample();
  await window.drop(join(SAMPLES, 'adk-rest-session.json'));
  await window.reads(window.page.getByRole('banner'), 'How many invoices are overdue?');
  await window.reads(window.status, '1 session imported');
  await window.settle();
  await window.pictures('imported');

  // It is in the list, beside the sample.
  await window.press('Control+Shift+O');
  await window.page
    .getByRole('button', { name: /^How many invoices/ })
    .last()
    .waitFor();
  await window.page.getByRole('button', { name: /^invoice-triage · sample/ }).waitFor();
  await window.settle();
  await window.pictures('sessions');
  const { total } = await strata.ask('session/list', {
    filter: '',
    offset: 0,
    limit: 10,
  });
  assert.equal(total, 2);

  // Taken off the list, the sample is shown again.
  await window.page.getByRole('button', { name: /^Remove How many/ }).click();
  await window.page.getByRole('button', { name: 'Remove', exact: true }).click();
  await window.reads(window.page.getByRole('banner'), 'invoice-triage');
});

journey('a broken file says what was wrong with it, and what could be read is shown', async (window) => {
  const folder = await mkdtemp(join(tmpdir(), 'strata-broken-'));
  try {
    const lines = (await readFile(join(SAMPLES, 'claude-code.jsonl'), 'utf8')).split('\n');
    const cut = join(folder, 'cut.jsonl');
    await writeFile(cut, [...lines.slice(0, 20), '{"type":"user","message":{"ro'].join('\n'));
    const garbage = join(folder, 'garbage.json');
    await writeFile(garbage, '{"nothing": "of ours"}');

    await window.openSample();
    await window.drop(cut);
    const notes = window.page.getByRole('button', { name: /\d notes?$/ });
    await notes.click();
    const found = window.page.getByRole('dialog', {
      name: 'What was found while reading the file',
    });
    await window.reads(found, `line 21`);
    await window.settle();
    await window.pictures('diagnostics');
    await window.press('Escape');

    // What cannot be read at all stays on screen until somebody has read why.
    await window.drop(garbage);
    await window.reads(window.status, 'Not a session');
    await window.pictures('unreadable');
    await window.status.getByRole('button', { name: 'Close the result' }).click();
  } finally {
    await rm(folder, { recursive: true });
  }
});
