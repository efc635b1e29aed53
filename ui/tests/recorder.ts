/** The program that records, where `cargo xtask record` runs the tests with it. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { Notification } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import type { Call, Outcome } from './recorded.ts';

interface Grant extends Outcome {
  readonly isAct: boolean;
  readonly notifications: readonly Notification[];
}

/** Where it writes. */
export const RECORDINGS = join(import.meta.dirname, 'recorded.jsonl');

const program = process.env['STRATA_RECORDER'];

export const isRecording = program !== undefined;

interface Running {
  readonly recorder: ChildProcess;
  readonly input: Writable;
  readonly lines: Interface;
  /** Never resolves. */
  readonly ended: Promise<never>;
}

let running: Running | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Asks a real Strata that came to where these acts lead. */
export function askRecorder(acts: readonly Call[], call: Call): Promise<Grant> {
  const granted = last.then(async () => {
    running ??= begin(ensureExists(program, 'a recorder is asked where there is one'));
    const { input, lines, ended } = running;
    input.write(`${JSON.stringify({ acts, ...call })}\n`);
    const line = new Promise<string>((resolve) => lines.once('line', resolve));
    return JSON.parse(await Promise.race([line, ended])) as Grant;
  });
  last = granted.catch(() => undefined);
  return granted;
}

function begin(program: string): Running {
  const recorder = spawn(program, ['record', RECORDINGS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(recorder, 'exit').then(() => Promise.reject(new Error('the recorder ended')));
  ended.catch(() => undefined);
  return { recorder, ended, input: recorder.stdin, lines: createInterface({ input: recorder.stdout }) };
}

/** Ends the recorder, which then writes what it was asked. */
export async function endRecorder(): Promise<void> {
  if (running === undefined) return;
  const { recorder, input } = running;
  running = undefined;
  const ended = once(recorder, 'exit');
  input.end();
  await ended;
}
