import assert from 'node:assert/strict';
import { journey } from './support/journey.js';

/** Windows people have: a small one, half a screen, a laptop, a large screen, and a laptop's at 200 %. */
const SIZES = [
  { width: 900, height: 800 },
  { width: 1100, height: 800 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1300 },
  { width: 720, height: 450 },
];

/** What a person must reach in each view, wherever it lies. */
const VIEWS = {
  session: (window) => window.events.getByRole('option').first(),
  pipeline: (window) => window.stages.getByRole('option').first(),
  cache: (window) => window.inspector.getByRole('heading', { name: /^Why C/ }),
  lab: (window) => window.inspector.getByRole('button', { name: /^Run/ }),
};

for (const { width, height } of SIZES)
  journey(
    `everything can be reached at ${width} × ${height}`,
    async (window) => {
      const { session } = await window.openSample();
      const toggle = window.page.getByRole('button', { name: 'Inspector', exact: true });
      for (const [view, reached] of Object.entries(VIEWS)) {
        await window.page.evaluate((hash) => (location.hash = hash), `#/${session}/${view}`);
        await window.page.getByRole('main', { name: new RegExp(view, 'i') }).waitFor();
        await window.settle();
        if ((await toggle.getAttribute('aria-pressed')) === 'false') {
          await window.picture(`width-${width}-${view}-closed`);
          await toggle.click();
        }
        await reached(window).scrollIntoViewIfNeeded();
        await window.settle();
        await window.picture(`width-${width}-${view}`);
        assert.deepEqual(await overprinted(window.page), [], `${view} at ${width}`);
        if (width < 1000) await toggle.click();
      }

      for (const [view, title] of [
        ['settings', 'Settings'],
        ['sessions', 'All sessions'],
      ]) {
        await window.page.evaluate((hash) => (location.hash = hash), `#/${session}/${view}`);
        const main = window.page.getByRole('main', { name: title });
        await main.waitFor();
        await window.settle();
        await window.picture(`width-${width}-${view}`);
        assert.deepEqual(await overprinted(window.page), [], `${view} at ${width}`);
        const [inner, outer] = await main.evaluate((shown) => [shown.scrollWidth, shown.clientWidth]);
        assert.ok(inner <= outer, `${view} is ${inner} wide at ${outer}`);
      }

      // An event that is pressed is shown.
      await window.page.evaluate((hash) => (location.hash = hash), `#/${session}/session`);
      await window.option(/^E7 /, window.events).click({ position: { x: 20, y: 8 } });
      await window.reads(window.inspector, 'Where it came from');
    },
    { width, height },
  );

/** Buttons, links and titles of the bars that lie over each other or outside of the window. */
function overprinted(page) {
  return page.evaluate(() => {
    const boxes = ['header[class*=bar]', 'footer[aria-label=Status]'].flatMap((bar) =>
      [...document.querySelectorAll(`${bar} :is(button, a)`)].map((element) => ({
        name: element.getAttribute('aria-label') ?? element.textContent.trim(),
        box: element.getBoundingClientRect(),
      })),
    );
    const seen = boxes.filter(({ box }) => box.width > 0);
    const outside = seen.filter(({ box }) => box.left < 0 || box.right > window.innerWidth + 0.5);
    const crossed = seen.flatMap((one, index) =>
      seen
        .slice(index + 1)
        .filter(
          (other) =>
            one.box.left < other.box.right - 1 &&
            other.box.left < one.box.right - 1 &&
            one.box.top < other.box.bottom - 1 &&
            other.box.top < one.box.bottom - 1,
        )
        .map((other) => `${one.name} over ${other.name}`),
    );
    return [...outside.map(({ name }) => `${name} outside`), ...crossed];
  });
}
