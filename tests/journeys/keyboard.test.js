import assert from 'node:assert/strict';
import { journey } from './support/journey.js';

journey('everything is reached with the keys alone', async (window) => {
  const { calls } = await window.openSample();
  const start = await window.cursor();

  await window.press('ArrowRight');
  await window.becomes(() => window.cursor(), start + 1);
  await window.press('Shift+B');
  await window.becomes(() => window.cursor(), start);
  await window.press('c');
  await window.becomes(async () => (await window.cursor()) > start, true);

  // A range, and out of it again.
  await window.press('Shift+ArrowRight', 'Shift+ArrowRight', 'r');
  await window.reads(window.page.getByLabel('The range'), '3');
  await window.press('Escape');
  await window.reads(window.page.getByLabel('The session'), String(calls));

  // Events, and from one of them along where it came from.
  await window.press('j', 'j');
  await window.settle();
  await window.reads(window.inspector, 'Where it came from');
  const place = window.place();
  await window.press('p');
  await window.becomes(() => window.place() !== place, true);

  // Stages and parts of the other view.
  await window.settle();
  await window.press('Escape', '2');
  await window.option(/contents/, window.stages).waitFor();
  await window.settle();
  await window.press(']');
  await window.becomes(() => /stage=/.test(window.place()), true);
  await window.press('g');
  await window.becomes(() => /changed=1/.test(window.place()), true);
  await window.press('t');
  await window.stage.locator('.cm-content').waitFor();
  await window.becomes(() => /tokens=1/.test(window.place()), true);

  // Help, from the same list as the keys themselves.
  await window.press('?');
  const help = window.page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  await window.pictures('keys');
  await window.press('Escape');
  await help.waitFor({ state: 'detached' });

  // The focus goes through the window in reading order and is seen wherever it is.
  await window.press('1');
  await window.page.getByRole('main', { name: 'Session' }).waitFor();
  await window.settle();
  const names = [];
  for (let i = 0; i < 20; i += 1) {
    await window.press('Tab');
    const focused = await window.page.evaluate(() => {
      const element = document.activeElement;
      const style = element === null ? undefined : getComputedStyle(element);
      const ring =
        element?.parentElement === null ? '' : getComputedStyle(element.parentElement, '::after').borderStyle;
      const isSeen = style?.outlineStyle !== 'none' || style.boxShadow !== 'none' || ring === 'solid';
      const name = element?.getAttribute('aria-label') ?? element?.textContent?.trim().slice(0, 30);
      return { name: name ?? '', isSeen, tag: element?.tagName };
    });
    if (focused.tag === 'BODY') break;
    names.push(focused.name);
    assert.ok(focused.isSeen || focused.tag === 'INPUT', `the focus on “${focused.name}” is seen`);
  }
  const order = ['invoice-triage', 'Session', 'Pipeline', 'Find, ask', 'Look', 'Prompt tokens'];
  const found = order.map((name) => names.findIndex((other) => other.startsWith(name)));
  assert.deepEqual(
    found,
    [...found].sort((a, b) => a - b),
    `in reading order: ${names.join(' | ')}`,
  );
});
