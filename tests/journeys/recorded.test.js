import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journey } from './support/journey.js';

const messages = [
  { role: 'system', content: 'You are terse.' },
  { role: 'user', content: 'Capital of France?' },
  { role: 'assistant', content: 'Paris.' },
  { role: 'user', content: 'And of Spain?' },
  { role: 'assistant', content: 'Madrid.' },
  { role: 'user', content: 'And of Italy?' },
];
const tools = [
  {
    type: 'function',
    function: { name: 'look_up', description: 'Looks a word up', parameters: { type: 'object' } },
  },
];

function logged(n, id, answer, declared = tools) {
  return JSON.stringify({
    request: { model: 'gpt-4o', messages: messages.slice(0, n), tools: declared },
    response: {
      id,
      object: 'chat.completion',
      model: 'gpt-4o',
      choices: [{ message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 60 + n, completion_tokens: 3, total_tokens: 63 + n },
    },
  });
}

journey('what was really sent is shown, beside what is compiled', async (window) => {
  const folder = await mkdtemp(join(tmpdir(), 'strata-recorded-'));
  try {
    const log = join(folder, 'chat.jsonl');
    // The last request, which is the largest, leaves out the tool that the others declare.
    const lines = [logged(2, 'r1', 'Paris.'), logged(4, 'r2', 'Madrid.'), logged(6, 'r3', 'Rome.', [])];
    await writeFile(log, `${lines.join('\n')}\n`);
    await window.openSample();
    await window.drop(log);
    await window.reads(window.status, '1 session imported');
    await window.press('2');
    const request = window.page.getByRole('radiogroup', { name: 'Request' });
    await request.waitFor();
    await window.reads(window.page.getByRole('option', { name: /recorded/ }), 'what was really sent');
    const stage = window.page.getByRole('region', { name: 'Stage' });
    await request.getByText('Recorded').click();
    await window.reads(stage, 'You are terse.');
    await window.settle();
    await window.pictures('recorded');
    await request.getByText('Difference').click();
    await window.reads(stage, 'left out');
    await window.settle();
    await window.pictures('recorded-difference');
    // The keys go through the three.
    await window.press('Shift+R');
    await window.reads(stage, 'You are terse.');
    await window.press('Shift+R');
    await window.reads(window.page.getByRole('region', { name: 'Stage' }), 'request');
  } finally {
    await rm(folder, { recursive: true });
  }
});
