/** Reports of all samples, opened as files: they load nothing, complain of nothing, and print. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { violations } from './support/axe.js';
import { launchChromium } from './support/chromium.js';
import { journey } from './support/journey.js';

const run = promisify(execFile);
const SAMPLES = join(import.meta.dirname, '..', '..', 'crates', 'strata-import', 'samples');
const STRATA = process.env.STRATA ?? join(import.meta.dirname, '..', '..', 'target', 'debug', 'strata');
/** Pages that axe looks at: it takes longer than opening them. */
const LOOKED_AT = new Set(['sample', 'claude-code.jsonl', 'adk-saved-session.json', 'codex.jsonl']);

let browser;
let folder;
before(async () => {
  browser = await launchChromium();
  folder = await mkdtemp(join(tmpdir(), 'strata-reports-'));
});
after(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

async function strata(...parameters) {
  const options = { maxBuffer: 1 << 28, env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } };
  const { stdout } = await run(STRATA, parameters, options);
  return stdout;
}

/** The sessions of a file; none where it is no session by itself. */
async function sessions(source) {
  try {
    const shown = JSON.parse(await strata('show', source, '--json'));
    return shown.sessions.filter(({ tokens }) => tokens !== null).map(({ id }) => id);
  } catch {
    return [];
  }
}

async function openReport(page, source, session) {
  const file = join(folder, 'report.html');
  await writeFile(file, await strata('export', source, '--session', session, '--as', 'html'));
  const troubles = [];
  const url = pathToFileURL(file).href;
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== url) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return troubles;
}

test('reports of samples of several tools load nothing and complain of nothing', async () => {
  const files = (await readdir(SAMPLES)).filter((name) => LOOKED_AT.has(name));
  let count = 0;
  for (const name of ['sample', ...files]) {
    const source = name === 'sample' ? name : join(SAMPLES, name);
    for (const session of (await sessions(source)).slice(0, 2)) {
      const page = await browser.newPage({ colorScheme: count % 2 === 0 ? 'dark' : 'light' });
      const troubles = await openReport(page, source, session);
      assert.equal(await page.getByRole('heading', { name: 'Summary', exact: true }).count(), 1, name);
      assert.deepEqual(await violations(page), [], name);
      assert.deepEqual(troubles, [], name);
      await page.close();
      count += 1;
    }
  }
  assert.ok(count >= LOOKED_AT.size, `${count} reports`);
});

journey('the report of what is shown is saved by a key, and opens by itself', async (window, strata) => {
  const { session } = await window.openSample();
  const { experiment } = await strata.ask('experiment/create', { session, name: 'Fewer rows' });
  const edits = [{ edit: 'insert_processor', use: 'cap_rows', params: { max_rows: 20 } }];
  await strata.ask('experiment/edit', { experiment, edits, replacesLast: false });
  await window.page.goto('about:blank');
  await window.open(`/${experiment}/session`);
  await window.settle();
  await window.press('Control+e');
  const dialog = window.page.getByRole('dialog', { name: 'Report' });
  await window.reads(dialog, 'Before and after');
  assert.deepEqual(await violations(window.page), []);
  await window.pictures('report');
  await dialog.getByRole('radio', { name: 'Picture of the map' }).check({ force: true });
  await dialog.getByRole('img', { name: /map\.svg$/ }).waitFor();
  await window.pictures('report-map');
  const drawing = window.page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as PNG…' }).click();
  const drawn = await drawing;
  assert.equal(drawn.suggestedFilename(), 'invoice_triage__fewer_rows.map.png');
  await drawn.saveAs(join(strata.folder, 'map.png'));
  const png = await readFile(join(strata.folder, 'map.png'));
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  // The width stands behind the signature: twice that of the picture.
  assert.equal(png.readUInt32BE(16), 2400);
  assert.ok(png.length > 20_000, `${png.length} bytes`);
  await window.press('Control+e');
  await dialog.getByRole('radio', { name: 'Page' }).check({ force: true });
  await window.reads(dialog, 'Before and after');
  const download = window.page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save…' }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), 'invoice_triage__fewer_rows.html');

  const file = join(strata.folder, 'report.html');
  await saved.saveAs(file);
  const page = await browser.newPage();
  const troubles = [];
  page.on('console', (message) => troubles.push(message.text()));
  await page.goto(pathToFileURL(file).href);
  assert.equal(await page.getByRole('heading', { name: 'Before and after' }).count(), 1);
  assert.deepEqual(troubles, []);
  await page.close();
});

test('a report prints, with what is folded', async () => {
  const page = await browser.newPage();
  const [session] = await sessions('sample');
  await openReport(page, 'sample', session);
  const path = join(folder, 'report.pdf');
  await page.pdf({ path, preferCSSPageSize: true });
  assert.ok((await stat(path)).size > 10_000);
  await page.emulateMedia({ media: 'print' });
  const folded = page.locator('details table').first();
  assert.ok((await folded.boundingBox()).height > 0);
  await page.close();
});
