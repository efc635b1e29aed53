import assert from 'node:assert/strict';
import { journey } from './support/journey.js';

journey('reload, back, forward and a pasted link restore the view', async (window) => {
  const { session } = await window.openSample();
  await window.becomes(() => window.place(), `#/${session}/session`);

  await window.press('Control+k');
  await window.type('C25/contents');
  await window.press('Enter');
  await window.stages.waitFor();
  await window.reads(window.stage, 'contents');
  await window.settle();
  await window.stage.getByRole('option').nth(1).click();
  await window.page.getByRole('region', { name: 'Difference' }).waitFor();
  await window.press('u');
  await window.becomes(() => /diff=unified/.test(window.place()), true);
  const deep = window.place();
  const shown = await window.inspector.getByRole('heading', { level: 2 }).innerText();

  // The token is in the tab, not in the address.
  assert.doesNotMatch(window.page.url(), /token/);
  await window.page.reload();
  await window.settle();
  assert.equal(window.place(), deep);
  await window.reads(window.inspector, shown.split('\n')[0]);
  await window.reads(window.stage, 'contents');
  assert.equal(await window.cursor(), 25);
  assert.ok(await window.page.getByRole('radio', { name: 'Unified' }).isChecked());

  await window.press('1');
  await window.page.getByRole('main', { name: 'Session' }).waitFor();
  await window.page.goBack();
  await window.page.getByRole('main', { name: 'Pipeline' }).waitFor();
  assert.equal(window.place(), deep);
  await window.page.goForward();
  await window.page.getByRole('main', { name: 'Session' }).waitFor();
  await window.press('Alt+ArrowLeft');
  await window.page.getByRole('main', { name: 'Pipeline' }).waitFor();

  // A link with a token of its own, as `strata serve` prints it, and a place behind it.
  await window.page.goto('about:blank');
  await window.open(`/${session}/session?call=7&order=bySize&filter=kind:result`);
  await window.settle();
  assert.equal(await window.cursor(), 7);
  assert.equal(await window.filter.inputValue(), 'kind:result');
  assert.ok(await window.page.getByRole('radio', { name: 'By size' }).isChecked());
});
