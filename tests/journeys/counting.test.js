import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const CALLS = 24;
const WORDS = ['water', 'garden', 'green', 'house', 'bed', 'seed', 'light'];

/** A transcript of Claude Code whose provider reports 1.3 tokens for each word that is added. */
function transcript(id) {
  let prompt = 9000;
  const lines = Array.from({ length: CALLS * 2 }, (_, at) => {
    const length = 40 + ((at * 37) % 160);
    const said = Array.from({ length }, (_, word) => WORDS[word % WORDS.length]).join(' ');
    if (at % 2 === 0) prompt += 80 + Math.floor(length * 1.3);
    const message =
      at % 2 === 0
        ? { role: 'user', content: said }
        : {
            role: 'assistant',
            content: [{ type: 'text', text: 'Beds.' }],
            id: `msg_${at}`,
            model: 'claude-opus-4-6',
            usage: { input_tokens: prompt, output_tokens: 50 },
          };
    return JSON.stringify({
      parentUuid: at === 0 ? null : `${id}-${at - 1}`,
      isSidechain: false,
      type: message.role,
      message,
      uuid: `${id}-${at}`,
      sessionId: id,
      version: '2.1.62',
      cwd: '/home/ada/garden',
      timestamp: `2026-03-02T09:${String(at).padStart(2, '0')}:00.000Z`,
    });
  });
  return `${lines.join('\n')}\n`;
}

/** One answer of an agent, of which nothing says which model gave it. */
const TRAJECTORY = JSON.stringify({
  environment: 'demo',
  trajectory: [
    { action: 'ls', observation: 'garden.txt', response: 'I look.', thought: 'I look.', state: '' },
  ],
  history: [
    { role: 'system', content: 'You fix things.', agent: 'primary' },
    { role: 'user', content: 'What is here?', agent: 'primary' },
    { role: 'assistant', content: 'I look.', thought: 'I look.', action: 'ls', agent: 'primary' },
    { role: 'user', content: 'garden.txt', agent: 'primary' },
    { role: 'assistant', content: 'One file.', thought: 'One file.', action: 'submit', agent: 'primary' },
  ],
  info: { exit_status: 'submitted' },
});

journey('what all sessions tell of token counts is learned, shown and forgotten', async (window, strata) => {
  const folder = await mkdtemp(join(tmpdir(), 'strata-counting-'));
  try {
    await window.openSample();
    const files = ['aaaa-1111', 'bbbb-2222', 'cccc-3333'].map((id) => join(folder, `${id}.jsonl`));
    for (const [at, file] of files.entries()) await writeFile(file, transcript(`garden-${at}`));
    await window.drop(...files);
    await window.reads(window.status, 'imported');
    await window.press('Control+,');
    const card = window.page.getByRole('region', { name: 'Token counts' });
    await window.reads(card, 'Nothing is learned');
    await card.getByRole('button', { name: 'Learn from all sessions' }).click();
    await card.getByRole('rowheader', { name: 'claude-opus-4-6' }).waitFor();
    const { models } = await strata.ask('counts/learned', {});
    await window.reads(card, `± ${(models[0].from.error * 100).toFixed(1)} %`);
    await window.reads(card, 'from its next start on');
    await card.scrollIntoViewIfNeeded();
    await window.picture('counts-learned');
    await card.getByRole('button', { name: 'Forget' }).click();
    await window.reads(card, 'Nothing is learned');
    assert.deepEqual((await strata.ask('counts/learned', {})).models, []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

journey('a session that names no model is counted as if sent to one', async (window) => {
  const folder = await mkdtemp(join(tmpdir(), 'strata-counting-'));
  try {
    const file = join(folder, 'garden.traj');
    await writeFile(file, TRAJECTORY);
    window.expectedTroubles.push(/400|Bad Request|session\/setModel/);
    await window.openSample();
    await window.drop(file);
    await window.reads(window.status, 'Model: not named');
    await window.status.getByRole('button', { name: /^Model:/ }).click();
    const dialog = window.page.getByRole('dialog', { name: 'Count as if sent to a model' });
    const name = dialog.getByLabel('A model as its provider calls it');
    await name.fill('gtp-4o');
    await window.press('Enter');
    await window.reads(dialog, 'no model whose tokenizer or price is known');
    await window.pictures('model-refused');
    await name.fill('gpt-4o');
    await window.press('Enter');
    await window.reads(window.status, 'Model: as if gpt-4o');
    await window.reads(window.status, 'Prices: $2.50');
    await window.settle();
    await window.pictures('model-chosen');
    await window.status.getByRole('button', { name: /^Model:/ }).click();
    await dialog.getByRole('button', { name: 'Go back to no model' }).click();
    await window.reads(window.status, 'Model: not named');
  } finally {
    await rm(folder, { recursive: true });
  }
});
