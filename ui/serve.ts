import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ServerOptions } from 'vite';

const PROGRAM = '../target/debug/strata';
/** Apart from a person's own sessions. */
const DATABASE = '../target/dev.db';

/** Starts `strata serve` and lets the page that Vite serves talk to it. */
export async function serveStrata(): Promise<ServerOptions> {
  const program = process.env['STRATA'] ?? PROGRAM;
  const strata = spawn(program, ['serve', '--db', DATABASE], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => strata.kill());
  const failed = once(strata, 'error').then(([error]) => Promise.reject(error));
  const [address] = await Promise.race([once(createInterface({ input: strata.stdout }), 'line'), failed]);
  const { origin, hash } = new URL(String(address));
  // It answers to pages of its own only.
  const proxy = { target: origin, changeOrigin: true, headers: { origin } };
  return { open: `/${hash}`, proxy: { '/api': proxy, '/upload': proxy } };
}
