/** The browser of this computer. Nothing is downloaded. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function program() {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return named;
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
  if (found === undefined)
    throw new Error('there is no Chromium here: install one, or say where it is in CHROMIUM');
  return found;
}

export function launchChromium() {
  // Containers have no user namespaces for the sandbox, and the pages are our own.
  return chromium.launch({ executablePath: program(), args: ['--no-sandbox'] });
}
