/** The window as a person uses it: by role and name, keys and clicks. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NEVER_MS } from './never.js';

/** In the page: whether it is at rest, and still is once it was drawn twice. Views of no one session have no strip. */
async function isStill() {
  const isAtRest = () =>
    document.querySelector(
      '[role=slider][aria-valuetext], main:is([aria-label=Settings], [aria-label="All sessions"], [aria-label=Learn]) section',
    ) !== null && document.querySelector('[aria-busy=true], .stale, .placeholder, .compiling') === null;
  if (!isAtRest()) return false;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return isAtRest();
}

export class Window {
  /** What the browser may complain about, because the journey provokes it. */
  expectedTroubles = [];
  #pictures;

  constructor(page, strata, pictures) {
    this.page = page;
    this.strata = strata;
    this.#pictures = pictures;
  }

  /** Opens the printed address, at a place of the view if one is given (`#/session/view?…`). */
  async open(place = '') {
    await this.page.goto(`${this.strata.address}${place}`);
    return this;
  }

  /** Opens the sample and waits until its numbers and its cursor are there. */
  async openSample(place = '/SAMPLE/session') {
    const header = await this.strata.sample();
    await this.open(place.replace('SAMPLE', header.session));
    await this.settle();
    return header;
  }

  /** Waits until all calls are compiled, nothing is being fetched, and what came is drawn. */
  async settle() {
    await this.page.waitForLoadState('load');
    const deadline = Date.now() + NEVER_MS;
    while (!(await this.page.evaluate(isStill))) {
      if (Date.now() > deadline) assert.fail('The page does not come to rest.');
    }
  }

  get strip() {
    return this.page.getByRole('slider', { name: /^Prompt tokens of/ });
  }

  get inspector() {
    return this.page.getByRole('complementary', { name: 'Inspector' });
  }

  get events() {
    return this.page.getByRole('region', { name: 'Events' });
  }

  get stages() {
    return this.page.getByRole('region', { name: 'Processors' });
  }

  get edits() {
    return this.page.getByRole('region', { name: 'Edits' });
  }

  get stage() {
    return this.page.getByRole('region', { name: 'Stage', exact: true });
  }

  get breaks() {
    return this.page.getByRole('region', { name: 'Cache losses' });
  }

  get ladder() {
    return this.page.getByRole('region', { name: 'Prefix ladder' });
  }

  get difference() {
    return this.page.getByRole('region', { name: 'Difference from the prompt before' });
  }

  get sweep() {
    return this.page.getByRole('region', { name: 'Sweep' });
  }

  get summaries() {
    return this.page.getByRole('region', { name: 'Before and after' });
  }

  get filter() {
    return this.page.getByRole('combobox', { name: 'Filter events' });
  }

  get palette() {
    return this.page.getByRole('combobox', {
      name: 'Find, ask or run a command',
    });
  }

  get status() {
    return this.page.getByRole('contentinfo', { name: 'Status' });
  }

  option(name, inside = this.page) {
    return inside.getByRole('option', { name });
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** The call under the cursor. */
  async cursor() {
    return Number(await this.strip.getAttribute('aria-valuenow'));
  }

  /** Waits until the locator's text matches. */
  async reads(locator, text) {
    try {
      await locator.filter({ hasText: text }).first().waitFor();
    } catch {
      const shown = await locator
        .first()
        .innerText()
        .catch(() => 'nothing');
      assert.fail(`${String(text)} is not shown, but:\n${shown}`);
    }
  }

  /** Waits until a value that changes with the page is what it should be. */
  async becomes(read, expected) {
    const deadline = Date.now() + NEVER_MS;
    for (;;) {
      const found = await read();
      if (found === expected || Date.now() > deadline) return assert.equal(found, expected);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What is after the `#`, where the state of the view is. */
  place() {
    return new URL(this.page.url()).hash;
  }

  /** Drops files on the window, as from a file manager. */
  async drop(...paths) {
    const files = await Promise.all(
      paths.map(async (path) => ({
        name: basename(path),
        content: (await readFile(path)).toString('base64'),
      })),
    );
    await this.page.evaluate((dropped) => {
      const dataTransfer = new DataTransfer();
      for (const { name, content } of dropped) {
        const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
        dataTransfer.items.add(new File([bytes], name));
      }
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
          new DragEvent(type, {
            dataTransfer,
            bubbles: true,
            cancelable: true,
          }),
        );
    }, files);
  }

  /** Leaves a picture in `target/journeys/`. */
  async picture(name) {
    await this.page.screenshot({ path: join(this.#pictures, `${name}.png`) });
  }

  /** The same place in both themes. */
  async pictures(name) {
    for (const theme of ['dark', 'light']) {
      await this.page.emulateMedia({ colorScheme: theme });
      await this.settle();
      await this.picture(`${name}-${theme}`);
    }
  }
}
