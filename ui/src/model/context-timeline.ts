import type { ContextDetail } from '@/api/gen/api.ts';
import { formatSpan } from './kept.ts';

/** Without a word for longer than this a context is idle. */
const IDLE_MS = 5 * 60_000;

/** What came through a door, or went out by it. */
interface Passage {
  readonly door: string;
  readonly atMs: number;
  readonly isIn: boolean;
  readonly text: string;
  /** From 0, the first instant, to 1, the last. */
  readonly x: number;
}

interface TaskSpan {
  readonly id: string;
  readonly operation: string;
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

interface Pause {
  readonly x: number;
  readonly label: string;
}

/** A context over time: a lane for each door, in the order in which they were first used. */
export interface Timeline {
  readonly lanes: readonly string[];
  readonly passages: readonly Passage[];
  readonly tasks: readonly TaskSpan[];
  /** Where it was idle: pauses take no more room than five minutes. */
  readonly pauses: readonly Pause[];
  readonly firstMs: number;
  readonly lastMs: number;
}

type Said = Omit<Passage, 'x'>;

/** By where the open session names it, and else by what is kept of its messages: those that went are in the session only. */
function saidIn(detail: ContextDetail): readonly Said[] {
  if (detail.seen !== null) {
    return detail.seen.sightings.map(({ door, atMs, isIn, place, event }) => {
      return { door, atMs, isIn, text: `${place}, E${String(event)}` };
    });
  }
  return detail.messages.flatMap(({ door, atMs, role, content, isSummary }) =>
    door === null || isSummary ? [] : [{ door, atMs, isIn: role === 'user', text: content }],
  );
}

/** Undefined where nothing is known of any door. */
export function timelineOf(detail: ContextDetail): Timeline | undefined {
  const said = saidIn(detail).toSorted((a, b) => a.atMs - b.atMs);
  if (said.length === 0) return undefined;
  const instants = [
    ...new Set([
      ...said.map(({ atMs }) => atMs),
      ...detail.tasks.flatMap(({ createdMs, updatedMs }) => [createdMs, updatedMs]),
    ]),
  ].toSorted((a, b) => a - b);
  const places = new Map<number, number>();
  const pauses: { readonly at: number; readonly ms: number }[] = [];
  let length = 0;
  instants.forEach((instant, at) => {
    const gap = at === 0 ? 0 : instant - (instants[at - 1] ?? instant);
    if (gap > IDLE_MS) pauses.push({ at: length + IDLE_MS / 2, ms: gap });
    length += Math.min(gap, IDLE_MS);
    places.set(instant, length);
  });
  const scaled = (place: number): number => (length === 0 ? 0.5 : place / length);
  const x = (instant: number): number => scaled(places.get(instant) ?? 0);
  return {
    lanes: [...new Set(said.map(({ door }) => door))],
    passages: said.map((passage) => ({ ...passage, x: x(passage.atMs) })),
    tasks: detail.tasks.map(({ id, operation, status, createdMs, updatedMs }) => ({
      id,
      operation,
      status,
      from: x(createdMs),
      to: x(updatedMs),
    })),
    pauses: pauses.map(({ at, ms }) => ({ x: scaled(at), label: `idle, ${formatSpan(ms)}` })),
    firstMs: instants[0] ?? 0,
    lastMs: instants.at(-1) ?? 0,
  };
}
