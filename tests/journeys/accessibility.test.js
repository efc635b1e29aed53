import assert from 'node:assert/strict';
import { violations } from './support/axe.js';
import { journey } from './support/journey.js';

/** Places that together hold every kind of panel. */
const PLACES = [
  ['session?call=17', (window) => window.reads(window.inspector, 'C17')],
  ['session?at=E7', (window) => window.reads(window.inspector, 'Where it came from')],
  ['session?filter=tool:serch_logs', (window) => window.reads(window.events, 'Did you mean')],
  ['session?look=table', (window) => window.page.getByRole('listbox', { name: '41 calls' }).waitFor()],
  ['session?range=4..17', (window) => window.reads(window.events, 'C4–C17')],
  ['settings', (window) => window.page.getByRole('group', { name: 'Prices of models' }).waitFor()],
  ['sessions', (window) => window.page.getByRole('listbox', { name: /sorted$/ }).waitFor()],
  ['cache?call=17', (window) => window.reads(window.inspector, 'Why C17 missed')],
  ['cache?call=18&zoom=1&ladder=agent', (window) => window.reads(window.difference, 'C17 against C18')],
  ['cache?call=1', (window) => window.reads(window.difference, 'first prompt')],
  [
    'lab?config=interval=2,overlap=0&grid=interval=2..4,overlap=0',
    (window) => window.reads(window.inspector, 'What the sweep says'),
  ],
  [
    'lab?axes=threshold&grid=threshold=20000,retention=10&look=table',
    (window) => window.reads(window.sweep, /threshold 20,?000/i),
  ],
  ['run', (window) => window.page.getByRole('form', { name: 'Begin a run' }).waitFor()],
  ['pipeline?call=25&stage=contents', (window) => window.reads(window.stage, 'contents')],
  [
    'pipeline?call=25&stage=contents&tab=text&tokens=1',
    (window) => window.stage.locator('.cm-content').waitFor(),
  ],
  ['pipeline?call=25&stage=contents&tab=json', (window) => window.stage.locator('.cm-content').waitFor()],
];

/** Opened over a place. */
const DIALOGS = [
  ['Control+k', 'dialog'],
  ['?', 'dialog'],
  ['Control+Shift+O', 'dialog'],
];

for (const theme of ['dark', 'light'])
  journey(
    `axe finds nothing in the ${theme} theme`,
    async (window, strata) => {
      const { session } = await window.openSample();
      const found = [];
      const look = async (place) => {
        await window.settle();
        for (const { id, nodes } of await violations(window.page))
          found.push(`${place}: ${id}: ${nodes.join(' | ')}`);
      };
      for (const [place, isThere] of PLACES) {
        await window.page.evaluate((hash) => (location.hash = hash), `#/${session}/${place}`);
        await isThere(window);
        await look(place);
      }
      for (const [keys, role] of DIALOGS) {
        await window.page.evaluate((hash) => (location.hash = hash), `#/${session}/session`);
        await window.settle();
        await window.press(keys);
        await window.page.getByRole(role).first().waitFor();
        await look(keys);
        await window.press('Escape');
      }
      assert.deepEqual(found, []);
      assert.ok(strata.token.length > 0);
    },
    { theme },
  );
