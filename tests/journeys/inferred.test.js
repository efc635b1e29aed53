import assert from 'node:assert/strict';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const SAMPLES = join(import.meta.dirname, '..', '..', 'crates', 'strata-import', 'samples');

journey(
  'what rests on an inferred configuration says so everywhere',
  async (window) => {
    await window.open();
    await window.reads(window.page.getByRole('banner'), 'How many invoices are overdue?');
    await window.settle();
    await window.reads(window.status, 'App: inferred');
    const marks = (place) => place.getByRole('note').filter({ hasText: 'inferred' });
    await marks(window.inspector).first().waitFor();
    await window.reads(window.inspector, 'Not in the session');
    await window.pictures('inferred-session');

    await window.press('2');
    await window.option(/agent_tools/, window.stages).click();
    await marks(window.option(/agent_tools/, window.stages)).waitFor();
    await marks(window.stage).first().waitFor();
    await window.settle();
    await window.option(/find_invoices/, window.stage).click();
    await window.reads(window.inspector, 'Tool definition');
    await marks(window.inspector).first().waitFor();
    await window.settle();
    await window.pictures('inferred-pipeline');

    // Why, and what to do about it.
    await window.status.getByRole('button', { name: /^App:/ }).click();
    const dialog = window.page.getByRole('dialog', {
      name: 'App configuration',
    });
    await window.reads(dialog, 'inferred');
    await dialog.getByRole('textbox', { name: /^Path of/ }).waitFor();
    await window.settle();
    await window.pictures('inferred-app');
    await window.press('Escape');
  },
  { files: [join(SAMPLES, 'adk-rest-session.json')] },
);

journey('the sample has its configuration, and nothing of it is marked as inferred', async (window) => {
  await window.openSample('/SAMPLE/pipeline?call=25&stage=agent_tools');
  await window.reads(window.status, 'App: invoice_triage');
  assert.equal(await window.page.getByRole('note').filter({ hasText: 'inferred' }).count(), 0);
});
