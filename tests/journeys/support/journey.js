/** A journey: Strata, a page on it, and what holds on every page. */

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launchChromium } from './chromium.js';
import { NEVER_MS } from './never.js';
import { Strata } from './strata.js';
import { Window } from './window.js';

const PICTURES = join(
  process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '..', '..', '..', 'target'),
  'journeys',
);

let browser;
before(async () => {
  await mkdir(PICTURES, { recursive: true });
  browser = await launchChromium();
});
after(() => browser.close());

/**
 * Walks a journey on a Strata and a page of its own.
 *
 * Wherever it goes, the page must not fail, say so in the console, or talk to anybody but this Strata.
 */
export function journey(name, walk, { files = [], theme = 'dark', width = 1440, height = 900 } = {}) {
  test(name, async () => {
    const strata = await Strata.start(files);
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme: theme,
    });
    page.setDefaultTimeout(NEVER_MS);
    const troubles = watch(page, strata.origin);
    const window = new Window(page, strata, PICTURES);
    try {
      await walk(window, strata);
      assert.deepEqual(
        troubles.filter((trouble) => !window.expectedTroubles.some((expected) => expected.test(trouble))),
        [],
      );
    } catch (error) {
      await window.picture(`failed-${name.replaceAll(/\W+/g, '-')}`);
      throw error;
    } finally {
      await page.close();
      await strata.stop();
    }
  });
}

function watch(page, origin) {
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== origin)
      troubles.push(`foreign request: ${request.url()}`);
  });
  return troubles;
}
