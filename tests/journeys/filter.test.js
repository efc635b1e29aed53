import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { whole } from './support/numbers.js';

journey('the filter completes names, suggests corrections and shows its terms', async (window, strata) => {
  const { session, events } = await window.openSample();
  const count = async (filter) => {
    const page = { order: 'byLifetime', offset: 0, limit: 1 };
    return (await strata.ask('event/page', { session, filter, ...page })).total;
  };

  // `/` leads to the filter; a word completes with what the session holds.
  await window.press('/');
  await window.type('tool:gre');
  await window.option(/^tool:grep/).waitFor();
  await window.press('ArrowDown', 'Enter');
  assert.equal(await window.filter.inputValue(), 'tool:grep ');
  await window.type('size:>2000');
  await window.press('Escape', 'Escape');
  const greps = await count('tool:grep size:>2000');
  assert.ok(greps > 0 && greps < events);
  await window.reads(window.events, `${whole(greps)} of ${whole(events)}`);
  await window.settle();
  await window.pictures('filter');

  // A chip takes its term away.
  await window.events.getByRole('button', { name: 'Remove size:>2000' }).click();
  await window.reads(window.events, `${whole(await count('tool:grep'))} of ${whole(events)}`);

  // A name that is not there, and the nearest that is.
  await window.filter.fill('tool:serch_logs');
  await window.reads(window.events, 'Did you mean');
  await window.settle();
  await window.pictures('filter-suggestion');
  await window.events.getByRole('button', { name: 'Did you mean' }).click();
  await window.reads(window.events, `${whole(await count('tool:search_logs'))} of ${whole(events)}`);
  assert.match(window.place(), /filter=tool:search_logs/);

  // A word the filter does not know.
  await window.filter.fill('knd:result');
  await window.reads(window.events, 'kind:result');
  await window.events.getByRole('button', { name: 'Clear the filter' }).last().click();
  await window.becomes(() => window.filter.inputValue(), '');
  await window.option(/^E\d+/, window.events).first().waitFor();
});
