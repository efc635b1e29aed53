// Runs in the page. Times what a person sees: from an act to the frame in which its result stands on the screen.
// Every measurement gives milliseconds, a list of them; `arguments[0]` names it, the last argument takes its result.
const [name, options, done] = [arguments[0], arguments[1], arguments[arguments.length - 1]];

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
/** Beyond this an act counts as never shown; the table then has this number. */
const NEVER_MS = 60_000;

const list = () => document.querySelector('section[aria-label=Events] [role=listbox]');
const rows = () => [...list().querySelectorAll('[role=option]')];
const isFilled = (row) => /^E\d/.test(row.innerText);
const isAtRest = () => document.querySelector('[aria-busy=true], .stale, .placeholder') === null;

async function shown(isThere) {
  const start = performance.now();
  for (;;) {
    await frame();
    const took = performance.now() - start;
    if (isThere() || took > NEVER_MS) return took;
  }
}

/** Between the frames of a window in which nothing happens, or in which `act` does a little in each. */
async function frames(act) {
  const times = [];
  let before = await frame();
  for (let at = 0; at < options.rounds; at += 1) {
    act(at);
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return times;
}

/** Numbers that are the same in each run. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const measurements = {
  idle: () => frames(() => undefined),

  scroll: () =>
    frames((at) => {
      // Down and up again, three rows a frame, as a wheel does.
      list().scrollTop += at % 200 < 100 ? 66 : -66;
    }),

  // What its own code takes of a frame in which the list is scrolled.
  async scrollWork() {
    const times = [];
    for (let at = 0; at < options.rounds; at += 1) {
      list().scrollTop += at % 200 < 100 ? 66 : -66;
      const start = performance.now();
      list().dispatchEvent(new Event('scroll'));
      await Promise.resolve();
      list().getBoundingClientRect();
      times.push(performance.now() - start);
      await frame();
    }
    return times;
  },

  async click() {
    const times = [];
    for (let at = 0; at < options.rounds; at += 1) {
      const own = rows().filter(isFilled);
      const row = own[(at * 7 + 3) % own.length];
      const event = /^E\d+/.exec(row.innerText)[0];
      const start = performance.now();
      row.click();
      await shown(() => document.querySelector('aside h2')?.innerText.split(/\s+/).includes(event));
      times.push(performance.now() - start);
      await shown(isAtRest);
    }
    return times;
  },

  async jump() {
    const random = seeded(options.seed ?? 1);
    const times = [];
    for (let at = 0; at < options.rounds; at += 1) {
      const start = performance.now();
      list().scrollTop = random() * (list().scrollHeight - list().clientHeight);
      await frame();
      await shown(() => rows().length > 0 && rows().every(isFilled));
      times.push(performance.now() - start);
    }
    return times;
  },

  // Switches a processor: until its row, the stage and the numbers of the call under the cursor are those of the edit.
  async edit() {
    const stages = () => document.querySelector('section[aria-label=Processors]');
    const chosen = () => stages().querySelector('[role=option][aria-selected=true] .switch');
    const times = [];
    // The same one in each round.
    stages().querySelector('[role=option][aria-selected=true]').click();
    await shown(isAtRest);
    for (let at = 0; at < options.rounds; at += 1) {
      const wasOn = chosen().classList.contains('on');
      const start = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', code: 'Space', bubbles: true }));
      await shown(() => {
        const now = chosen();
        return now !== null && now.classList.contains('on') !== wasOn && document.querySelector('main .stale') === null;
      });
      times.push(performance.now() - start);
      await shown(() => isAtRest() && document.querySelector('.compiling') === null);
    }
    return times;
  },

  async nodes() {
    return [document.querySelectorAll('*').length];
  },
};

measurements[name]().then(
  (times) => done({ times }),
  (error) => done({ error: String(error?.stack ?? error) }),
);
