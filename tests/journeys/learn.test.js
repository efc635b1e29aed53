/** A lesson from beginning to end, and one that came in a class file. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { violations } from './support/axe.js';
import { journey } from './support/journey.js';
import { signed, whole } from './support/numbers.js';

const folder = mkdtempSync(join(tmpdir(), 'strata-class-'));
after(() => rmSync(folder, { recursive: true }));

/** A class file, as somebody who teaches makes it. */
function classFile(name) {
  const file = join(folder, name);
  const program = process.env.STRATA ?? join(import.meta.dirname, '..', '..', 'target', 'debug', 'strata');
  execFileSync(program, ['lessons', 'class', 'seven-fixes', '--out', file], { env: { HOME: folder } });
  return file;
}

const goals = (window) => window.page.getByRole('region', { name: 'Goals' });
const lessons = (window) => window.page.getByRole('region', { name: 'Lessons' });

async function openLesson(window, lesson) {
  await window.open(`/-/learn?lesson=${lesson}`);
  await window.page.getByRole('button', { name: 'Begin', exact: true }).waitFor();
}

journey('a lesson is solved by an edit, and compared with its solution', async (window, strata) => {
  await strata.sample();
  await openLesson(window, 'filtering');
  await window.press('Enter');
  await window.reads(goals(window), '1 of 5 goals met');
  await window.settle();
  await window.pictures('learn-begun');
  await window.press('h');
  await window.reads(goals(window), 'The rows are quoted in C3 from E3');

  // The edit is made where edits are made, and the lesson is graded when one comes back.
  await window.press('2', 'n');
  await window.page.getByRole('combobox', { name: 'Find a processor' }).waitFor();
  await window.type('strip_agent_traffic');
  const form = window.page.getByRole('form', { name: /Strip/ });
  await form.waitFor();
  await window.press('Enter');
  await window.option(/strip_agent_traffic.*new/, window.stages).waitFor();
  await window.press('7');
  await window.reads(goals(window), 'All goals are met');
  const text = window.page.getByRole('group', { name: 'Text of the lesson' });
  await window.reads(text, 'The better rule says what kind of thing goes');

  // One's own edits and the author's come to the same, for they are the same.
  await window.press('v');
  const page = await strata.ask('lesson/get', { lesson: 'filtering', withSolutions: true });
  const [solution, other] = page.solutions;
  const { bill } = solution.numbers;
  const own = window.page.getByLabel('What the session comes to: Your edits');
  await window.reads(own, whole(bill.promptTokens));
  await window.reads(own, signed(bill.promptTokens - page.recorded.bill.promptTokens));
  await window.reads(
    window.page.getByLabel(`What the session comes to: ${other.title}`),
    whole(other.numbers.bill.promptTokens),
  );
  await own.scrollIntoViewIfNeeded();
  await window.settle();
  await window.pictures('learn-solved');
  await window.reads(lessons(window), /Filtering by rule\s*intermediate, solved/);

  const download = window.page.waitForEvent('download');
  await window.press('e');
  const saved = await download;
  assert.equal(saved.suggestedFilename(), 'lessons.strata');
  const results = JSON.parse(await readFile(await saved.path(), 'utf8'));
  const [result] = results.lessons;
  assert.deepEqual(
    [result.lesson, result.isSolved, result.tokensAfter],
    ['filtering', true, bill.promptTokens],
  );
  const gone = result.goals.find(({ goal }) => goal === 'gone');
  assert.deepEqual([gone.tries, gone.hints], [1, 1]);
});

journey(
  'the lesson of a class file is in Learn, over the session that came with it',
  async (window, strata) => {
    await window.open();
    await window.reads(lessons(window), /seven fixes.*of a class/is);
    await window.page.getByRole('button', { name: 'Begin', exact: true }).click();
    await window.reads(goals(window), /of \d+ goals met/);
    await window.settle();
    await window.pictures('learn-class');
    const { rows } = await strata.ask('session/list', { filter: '', offset: 0, limit: 9 });
    assert.equal(rows.filter(({ source }) => source.startsWith('lesson:ads.session.json')).length, 1);
  },
  { files: [classFile('class.strata')] },
);

journey('the page of a class is opened as a file, as its document is', async (window, strata) => {
  await strata.sample();
  await window.openSample();
  await window.drop(classFile('class.html'));
  await window.reads(lessons(window), /seven fixes.*of a class/is);
});

for (const theme of ['dark', 'light'])
  journey(
    `axe finds nothing in Learn in the ${theme} theme`,
    async (window, strata) => {
      await strata.sample();
      await openLesson(window, 'append-everything');
      assert.deepEqual(await violations(window.page), []);
      await window.press('Enter');
      await window.reads(goals(window), /of \d+ goals met/);
      await window.press('h', 'v');
      await window.page.getByLabel('What the session comes to: Your edits').waitFor();
      await window.settle();
      assert.deepEqual(await violations(window.page), []);
    },
    { theme },
  );
