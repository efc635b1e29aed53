import { assertExhaustive } from '@/lib/assert.ts';

/** A place in a session. Written as short text: `E7`, `C17`, `C17/contents`, `C17/4.0`, `state.hits`. */
export type Address =
  | { readonly type: 'event'; readonly event: number }
  | { readonly type: 'call'; readonly call: number }
  | { readonly type: 'stage'; readonly call: number; readonly processor: string }
  | { readonly type: 'part'; readonly call: number; readonly path: string }
  | { readonly type: 'state'; readonly key: string }
  | { readonly type: 'agent'; readonly name: string }
  | { readonly type: 'tool'; readonly name: string };

const PART_PATH = /^(?:\d+\.\d+|sys\.\d+|tool\..+)$/;
const NUMBERED = /^([CE])([1-9]\d*)(?:\/(.+))?$/i;
const NAMED = /^(state|agent|tool)\.(.+)$/;

/** Reads an address, also with the session in front (`ctx:invoice-triage/C17`). */
export function parseAddress(text: string): Address | undefined {
  const bare = text.trim().replace(/^ctx:[^/]*\//, '');
  const numbered = NUMBERED.exec(bare);
  if (numbered !== null) return parseNumbered(numbered);
  const named = NAMED.exec(bare);
  const name = named?.[2];
  if (named === null || name === undefined) return undefined;
  if (named[1] === 'state') return { type: 'state', key: name };
  return named[1] === 'agent' ? { type: 'agent', name } : { type: 'tool', name };
}

function parseNumbered(match: RegExpExecArray): Address | undefined {
  const number = Number(match[2]);
  const rest = match[3];
  // A part of a stored event (`E7/0`) is looked at with its event.
  if (match[1]?.toUpperCase() === 'E') return { type: 'event', event: number };
  if (rest === undefined) return { type: 'call', call: number };
  if (PART_PATH.test(rest)) return { type: 'part', call: number, path: rest };
  return { type: 'stage', call: number, processor: rest };
}

export function printAddress(address: Address): string {
  switch (address.type) {
    case 'event':
      return `E${String(address.event)}`;
    case 'call':
      return `C${String(address.call)}`;
    case 'stage':
      return `C${String(address.call)}/${address.processor}`;
    case 'part':
      return `C${String(address.call)}/${address.path}`;
    case 'state':
      return `state.${address.key}`;
    case 'agent':
      return `agent.${address.name}`;
    case 'tool':
      return `tool.${address.name}`;
    default:
      return assertExhaustive(address);
  }
}

/** The call an address belongs to, if it names one. */
export function callOf(address: Address): number | undefined {
  return 'call' in address ? address.call : undefined;
}

export function eventOf(address: Address | undefined): number | undefined {
  return address?.type === 'event' ? address.event : undefined;
}

/** The filter that lists the events behind a place that has no page of its own. */
export function filterFor(address: Address): string | undefined {
  if (address.type === 'state') return `state:${address.key}`;
  if (address.type === 'agent') return `agent:${address.name}`;
  if (address.type === 'tool') return `tool:${address.name}`;
  return undefined;
}
