import { chromium } from 'playwright-core';
const base = process.argv[2];
const shots = JSON.parse(process.argv[3]);
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const scheme of ['dark', 'light']) {
  const c = await b.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: scheme });
  const p = await c.newPage();
  p.on('console', (m) => m.type() === 'error' && console.log('console', m.text()));
  await p.goto(base);
  await p.waitForTimeout(4000);
  for (const [name, place] of shots) {
    await p.evaluate((place) => { location.hash = place; }, place);
    await p.waitForTimeout(3500);
    await p.screenshot({ path: `/tmp/h1shots/${name}-${scheme}.png` });
  }
  await c.close();
}
await b.close();
