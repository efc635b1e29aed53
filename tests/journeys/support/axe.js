/** What axe finds on a page. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function violations(page) {
  // The page's own policy forbids scripts from elsewhere, so axe comes over the debugger.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations: found } = await window.axe.run(document);
    return found.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    }));
  });
}
