import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import type { CallColumns } from '@/model/columns.ts';

const NOT_KNOWN = 0xffffffff;

/** Columns of so many calls, in which those that were recorded come again and again. */
export function repeatColumns(columns: CallColumns, length: number, calls: number): CallColumns {
  const cell = (array: Uint16Array | Uint32Array, at: number): number => array[at % columns.length] ?? 0;
  const words = (array: Uint32Array): Uint32Array => Uint32Array.from({ length }, (_, at) => cell(array, at));
  const halves = (array: Uint16Array): Uint16Array =>
    Uint16Array.from({ length }, (_, at) => cell(array, at));
  const firstCall = Uint32Array.from({ length }, (_, at) => 1 + Math.floor((at * calls) / length));
  return {
    length,
    firstCall,
    peakCall: firstCall,
    tokens: words(columns.tokens),
    cached: words(columns.cached),
    hidden: words(columns.hidden),
    byKind: columns.byKind.map(words),
    agent: halves(columns.agent),
    flags: halves(columns.flags),
    lastCall: calls,
  };
}

/** The same columns while only so many calls are compiled. */
export function compiledTo(columns: CallColumns, calls: number): CallColumns {
  return {
    ...columns,
    tokens: columns.tokens.map((tokens, at) => (at < calls ? tokens : 0)),
    cached: columns.cached.map((cached, at) => (at < calls ? cached : NOT_KNOWN)),
    flags: columns.flags.map((flags, at) => (at < calls ? flags : COLUMN_FLAGS.notCompiled)),
  };
}
