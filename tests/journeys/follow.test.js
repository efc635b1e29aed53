import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const SAMPLE = join(
  import.meta.dirname,
  '..',
  '..',
  'crates',
  'strata-import',
  'samples',
  'claude-code.jsonl',
);

journey('a file that an agent writes is shown as it grows', async (window, strata) => {
  const lines = (await readFile(SAMPLE, 'utf8')).trimEnd().split('\n');
  const file = join(strata.folder, 'agent.jsonl');
  await writeFile(file, `${lines.slice(0, 8).join('\n')}\n`);
  const { job } = await strata.ask('session/import', { paths: [file] });
  let session;
  while (session === undefined) {
    const { jobs } = await strata.ask('job/list');
    session = jobs.find((known) => known.job === job)?.sessions[0]?.session;
  }
  const before = await strata.ask('session/header', { session });
  await window.openSample();
  await window.open(`#/${session}/session`);

  const follow = window.page.getByRole('switch', { name: 'Follow' });
  await follow.click();
  await follow.and(window.page.locator('[aria-checked=true]')).waitFor();
  for (const line of lines.slice(8)) {
    await appendFile(file, `${line}\n`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }

  // What is there in the end is there without anything else being done; the cursor is on the newest call.
  let after = before;
  await window.becomes(async () => {
    after = await strata.ask('session/header', { session });
    return after.calls > before.calls && (await window.cursor()) === after.calls;
  }, true);
  assert.ok(after.events > before.events);
  await window.reads(window.page.getByRole('banner'), `${after.events} events`);
  await window.settle();
  await window.pictures('following');

  // Moved away, it stays where it was put, and the newest call is one click away.
  await window.press('ArrowLeft');
  const newest = window.page.getByRole('button', { name: `Newest call: C${after.calls}` });
  await newest.click();
  await window.becomes(() => window.cursor(), after.calls);
});
