import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Plugin, ServerOptions } from 'vite';

const PROGRAM = '../target/debug/strata';
/** Apart from a person's own sessions. */
const DATABASE = '../target/dev.db';

/**
 * While Vite serves the page, it talks to a `strata serve` of its own. Only a server starts one: linters and checkers read the
 * settings too, on machines where it isn't built.
 */
export const strata: Plugin = {
  name: 'strata',
  apply: 'serve',
  configureServer: async ({ config }) => {
    if (config.mode !== 'test') {
      Object.assign(config.server, await serveStrata());
    }
  },
};

/** Starts `strata serve` and lets the page that Vite serves talk to it. */
async function serveStrata(): Promise<ServerOptions> {
  const program = process.env['STRATA'] ?? PROGRAM;
  const served = spawn(program, ['serve', '--db', DATABASE], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => served.kill());
  const failed = once(served, 'error').then(([error]) => Promise.reject(error));
  const [address] = await Promise.race([once(createInterface({ input: served.stdout }), 'line'), failed]);
  const { origin, hash } = new URL(String(address));
  // It answers to pages of its own only.
  const proxy = { target: origin, changeOrigin: true, headers: { origin } };
  return { open: `/${hash}`, proxy: { '/api': proxy, '/upload': proxy } };
}
