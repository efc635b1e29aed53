import assert from 'node:assert/strict';
import { journey } from './support/journey.js';

journey('the palette finds, asks and runs', async (window, strata) => {
  const { session } = await window.openSample();

  // A place by its address.
  await window.press('Control+k');
  await window.palette.waitFor();
  await window.option(/Which tool result costs the most/).waitFor();
  await window.pictures('palette');
  await window.type('C25');
  await window.option(/^Go to C25/).waitFor();
  await window.press('Enter');
  await window.becomes(() => window.cursor(), 25);

  // A place by what it says.
  await window.press('Control+k');
  await window.type('search_logs');
  await window
    .option(/^search_logs/)
    .first()
    .waitFor();
  await window.press('Escape');

  // A question, whose answer shows the rows it rests on.
  await window.press('1', 'q');
  await window.type('tool result');
  await window.press('Enter');
  const asked = await strata.ask('palette/ask', {
    session,
    question: 'costliestToolResult',
    cursor: 25,
  });
  await window.reads(window.events, asked.text);
  assert.ok(asked.address !== null);
  await window.reads(window.inspector, asked.address);
  await window.settle();
  await window.pictures('answer');

  // A command.
  await window.press('Control+k');
  await window.type('>Rows');
  await window.press('Enter');
  await window.becomes(async () => (await strata.ask('app/start')).settings.isComfortable, true);
});

journey('every question has an answer', async (window) => {
  await window.openSample();
  await window.press('q');
  const questions = window.page.getByRole('group', { name: 'Questions' }).getByRole('option');
  await questions.nth(27).waitFor();
  const titles = (await questions.allInnerTexts()).map((text) => text.split('\n')[0]);
  assert.equal(titles.length, 28);
  await window.press('Escape');
  for (const title of titles) {
    await window.press('q');
    await window.type(title.replace('?', ''));
    await window.press('Enter');
    const answer = window.page.getByRole('group', { name: 'Answer' }).filter({ hasText: title });
    await answer.waitFor();
    const said = (await answer.innerText()).replace(title, '').trim();
    assert.ok(said.length > 10, `“${title}” is answered with “${said}”`);
  }
});
