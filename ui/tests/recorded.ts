/**
 * What Strata answers, as `cargo xtask record` and `cargo xtask gen` wrote it down. How the file is laid out is said in
 * `tests/recorder/recording.rs`.
 */

import { readFileSync } from 'node:fs';
import {
  CommandFailure,
  type BytesCommand,
  type Failure,
  type JsonCommand,
  type Params,
  type Result,
} from '@/api/client.ts';
import type { Notification } from '@/api/gen/api.ts';
import { listenForDrops } from '@/host/drops.ts';
import type { Host } from '@/host/host.ts';
import { askRecorder, isRecording, RECORDINGS } from './recorder.ts';

/** Where the files are that were recorded with. */
const FILES = '/strata/files';

export interface Call {
  readonly name: string;
  readonly params: unknown;
}

/** What a call came to. */
export interface Outcome {
  readonly answer?: unknown;
  /** Base64. */
  readonly bytes?: string;
  readonly error?: Failure;
}

interface Step extends Outcome {
  readonly notifications: readonly Notification[];
  readonly state: State;
}

/** What holds after some acts. */
interface State {
  readonly before: State | undefined;
  readonly acts: readonly Call[];
  readonly answers: Map<string, Outcome>;
  readonly next: Map<string, Step>;
}

interface Line extends Outcome {
  readonly depth?: number;
  readonly act?: string;
  readonly ask?: string;
  readonly params: unknown;
  readonly notifications?: readonly Notification[];
}

function stateAfter(before: State | undefined, acts: readonly Call[]): State {
  return { before, acts, answers: new Map(), next: new Map() };
}

let start: State | undefined;

/** What holds after a fresh start. */
function freshStart(): State {
  start ??= isRecording ? stateAfter(undefined, []) : read(readFileSync(RECORDINGS, 'utf8'));
  return start;
}

function read(text: string): State {
  const fresh = stateAfter(undefined, []);
  const line: State[] = [fresh];
  for (const row of text.split('\n')) {
    if (row === '') continue;
    const { depth = line.length, act, ask, params, notifications = [], ...outcome }: Line = JSON.parse(row);
    line.length = depth;
    const state = line[depth - 1] ?? fresh;
    if (act === undefined) {
      state.answers.set(keyOf({ name: ask ?? '', params }), outcome);
      continue;
    }
    const call = { name: act, params };
    const after = stateAfter(state, [...state.acts, call]);
    state.next.set(keyOf(call), { ...outcome, notifications, state: after });
    line.push(after);
  }
  return fresh;
}

/** Equal for equal parameters, in whatever order their fields are. */
function keyOf({ name, params }: Call): string {
  const inOrder = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return `${name} ${JSON.stringify(params, inOrder)}`;
}

/** What was asked and is not recorded. */
const unrecorded = new Set<string>();

/** Takes what was asked and is not recorded, so that a test can fail with it, whatever the window made of it. */
export function takeUnrecorded(): readonly string[] {
  const found = [...unrecorded];
  unrecorded.clear();
  return found;
}

/** What a call comes to in a state, and the state it leads to. */
async function find(state: State, call: Call): Promise<Step> {
  if (isRecording) {
    const { isAct, notifications, ...outcome } = await askRecorder(state.acts, call);
    const after = isAct ? stateAfter(undefined, [...state.acts, call]) : state;
    return { ...outcome, notifications, state: after };
  }
  const key = keyOf(call);
  const step = state.next.get(key);
  if (step !== undefined) return step;
  for (let at: State | undefined = state; at !== undefined; at = at.before) {
    const outcome = at.answers.get(key);
    if (outcome !== undefined) return { ...outcome, notifications: [], state };
  }
  const after = state.acts.map((act) => ` after ${keyOf(act)}`).join('');
  const message = `Not recorded: ${key}${after}. If the window may ask this: cargo xtask record`;
  unrecorded.add(message);
  throw new CommandFailure({ code: 'internal', message, detail: null });
}

function answerOf({ answer, error }: Outcome): unknown {
  if (error !== undefined) throw new CommandFailure(error);
  return structuredClone(answer);
}

function bytesOf({ bytes, error }: Outcome): ArrayBuffer {
  if (error !== undefined) throw new CommandFailure(error);
  return Uint8Array.from(Buffer.from(bytes ?? '', 'base64')).buffer;
}

/** What Strata answers after a fresh start: what a test expects the window to show. */
export async function recorded<N extends JsonCommand>(name: N, params: Params<N>): Promise<Result<N>> {
  return answerOf(await find(freshStart(), { name, params })) as Result<N>;
}

/** The same of columns of numbers. */
export async function recordedBytes<N extends BytesCommand>(
  name: N,
  params: Params<N>,
): Promise<ArrayBuffer> {
  return bytesOf(await find(freshStart(), { name, params }));
}

export interface RecordedHost extends Host {
  /** What was asked, in order. */
  readonly asked: readonly Call[];
  /** What was saved as a file, in order. */
  readonly saved: readonly { readonly name: string; readonly text: string }[];
  /** Does what no command does: `file/grow` writes more of the transcript `claude-code`. */
  readonly happen: (name: 'file/grow') => Promise<void>;
  /** Says something to the window. */
  readonly notify: (notification: Notification) => void;
  /** Says the next of what is held back, and tells what it was. */
  readonly play: () => Notification | undefined;
}

export interface Changes {
  /** The file that a person chooses. */
  readonly picked?: string;
  /** What follows an act is said one by one, by `play`. */
  readonly isHeld?: boolean;
  /** What is made of answers: for moments at which no recording can be held, such as calls half compiled. */
  readonly changed?: Readonly<Record<string, (answer: never) => unknown>>;
}

/** A Strata that was recorded, from a fresh start on. */
export function recordedHost({
  picked = 'picked.jsonl',
  isHeld = false,
  changed = {},
}: Changes = {}): RecordedHost {
  const listeners = new Set<(notification: Notification) => void>();
  const asked: Call[] = [];
  const held: Notification[] = [];
  let state = freshStart();
  let last: Promise<unknown> = Promise.resolve();

  const notify = (notification: Notification): void => {
    for (const listener of listeners) listener(structuredClone(notification));
  };
  const play = (): Notification | undefined => {
    const next = held.shift();
    if (next !== undefined) notify(next);
    return next;
  };
  /** One after the other, as what is asked behind an act is about what the act made. */
  const ask = (name: string, params: object): Promise<Outcome> => {
    const call = { name, params: structuredClone(params) };
    asked.push(call);
    const answered = last.then(async () => {
      await new Promise((resolve) => setTimeout(resolve));
      const step = await find(state, call);
      state = step.state;
      held.push(...step.notifications);
      // The answer arrives before what is said behind it.
      setTimeout(() => {
        while (!isHeld && held.length > 0) play();
      });
      return step;
    });
    last = answered.catch(() => undefined);
    return answered;
  };

  const saved: { readonly name: string; readonly text: string }[] = [];

  return {
    asked,
    saved,
    happen: async (name) => {
      answerOf(await ask(name, { session: 'claude-code' }));
    },
    notify,
    play,
    hasPaths: true,
    setZoom: undefined,
    invoke: async (name, params) => {
      const answer = answerOf(await ask(name, params));
      const change = changed[name];
      return (change === undefined ? answer : change(answer as never)) as never;
    },
    invokeBytes: async (name, params) => bytesOf(await ask(name, params)),
    listen: (onNotification) => {
      listeners.add(onNotification);
      return () => void listeners.delete(onNotification);
    },
    pickFiles: () => Promise.resolve([{ type: 'path', path: `${FILES}/${picked}` }]),
    pickFolders: () => Promise.resolve([{ type: 'path', path: FILES }]),
    saveText: (name, text) => {
      saved.push({ name, text });
      return Promise.resolve(`${FILES}/${name}`);
    },
    saveImage: (name) => Promise.resolve(`${FILES}/${name}`),
    onDrop: (listener) =>
      listenForDrops(listener, ({ name }) => Promise.resolve({ type: 'path', path: `${FILES}/${name}` })),
  };
}
