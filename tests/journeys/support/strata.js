/** `strata serve` with a database of its own, as a person starts it. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NEVER_MS } from './never.js';

export class Strata {
  #process;
  #folder;
  /** What it printed: where it listens, with the token in the fragment. */
  address;

  constructor(process, folder, address) {
    this.#process = process;
    this.#folder = folder;
    this.address = address;
  }

  /** Starts it on a free port; `files` are opened as those of a command line are. */
  static async start(files = []) {
    const folder = await mkdtemp(join(tmpdir(), 'strata-journey-'));
    const program = process.env.STRATA;
    if (program === undefined)
      throw new Error('say where `strata` is in STRATA, or run `cargo xtask test journeys`');
    const started = spawn(program, ['serve', '--port', '0', '--db', join(folder, 'strata.db'), ...files], {
      env: { ...process.env, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A journey that ends early leaves nothing behind.
    process.once('exit', () => started.kill('SIGKILL'));
    return new Strata(started, folder, await firstLine(started));
  }

  /** Its home, which is removed with it. */
  get folder() {
    return this.#folder;
  }

  get origin() {
    return new URL(this.address).origin;
  }

  get token() {
    return new URL(this.address).hash.replace('#token=', '');
  }

  /** Asks for what the page should show, as the page does. */
  async ask(name, params = {}) {
    const response = await fetch(`${this.origin}/api/${name}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Strata-Token': this.token,
      },
      body: JSON.stringify(params),
    });
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
    return response.json();
  }

  /** The bundled sample's header, once all of its calls are compiled. */
  async sample() {
    const { sampleSession: session } = await this.ask('app/start');
    const deadline = Date.now() + NEVER_MS;
    for (;;) {
      const header = await this.ask('session/open', { session });
      if (header.compiledCalls === header.calls) return header;
      if (Date.now() > deadline) throw new Error('the sample is not compiled');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop() {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGTERM');
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function firstLine(started) {
  let said = '';
  started.stderr.on('data', (text) => (said += text));
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('`strata serve` prints no address')), NEVER_MS);
    createInterface({ input: started.stdout }).once('line', (line) => {
      clearTimeout(limit);
      resolve(line.trim());
    });
    started.once('exit', (code) => reject(new Error(`\`strata serve\` ended with ${code}: ${said}`)));
    started.once('error', reject);
  });
}
