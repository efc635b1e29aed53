import type { MapNote } from '@/draw/map-notes.ts';
import { eventOf, parseAddress } from '@/model/address.ts';
import { formatCompact, formatInteger, formatUsd } from '@/model/format.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

/** The map in a sentence, for those who cannot see it. */
export function mapSentence({ session, events, inspector }: Workbench): string {
  const selected = events.selectedEvent;
  const detail = inspector.event.value;
  const { limit } = session;
  const stratum =
    selected === undefined || detail === undefined
      ? ''
      : ` E${String(selected)} is outlined, carried by ${formatInteger(detail.calls)} calls.`;
  return `Context map: one column for each of ${formatInteger(session.calls)} calls, tokens run down from the start of the prompt, up to ${formatInteger(session.info?.peakTokens ?? 0)}${limit === undefined ? '' : `; a prompt of ${limit.agent} is full at ${formatInteger(limit.tokens)}`}. Strong colour is billed in full, faint is cached.${stratum}`;
}

/** What is selected, among the events of the prompt under the cursor. */
export function mapPlace({ session, events }: Workbench, all: readonly number[]): string {
  const at = all.indexOf(events.selectedEvent ?? 0);
  const prompt = `prompt of C${String(session.cursor)}, ${formatInteger(all.length)} events`;
  return at < 0
    ? `${prompt}; up and down go through them`
    : `E${String(all[at])}, ${String(at + 1)} of the ${prompt}`;
}

/** What stands beside the columns: why the call under the cursor broke, and what the selected event cost. */
export function mapNotes(workbench: Workbench): readonly MapNote[] {
  return [...breakNote(workbench), ...stratumNote(workbench)];
}

function breakNote({ inspector, session }: Workbench): readonly MapNote[] {
  const call = inspector.cursorCall.value;
  const broken = call?.prefixBreak;
  if (call === undefined || broken === undefined || broken === null || call.call !== session.cursor)
    return [];
  if (broken.rebilledTokens === 0) return [];
  const { range } = session;
  if (range !== undefined && (call.call < range.from || call.call > range.to)) return [];
  const cost = broken.costUsd === null ? '' : `, ${formatUsd(broken.costUsd)}`;
  const what =
    broken.atToken === 0
      ? 'shares no prefix with an earlier prompt'
      : `misses the cache at token ${formatInteger(broken.atToken)}`;
  return [
    {
      tone: 'break',
      lines: [
        `C${String(call.call)} ${what}`,
        `${broken.cause}.`,
        `${formatInteger(broken.rebilledTokens)} tokens billed again${cost}`,
      ],
      call: call.call,
      fromToken: broken.atToken,
      toToken: broken.atToken,
    },
  ];
}

function stratumNote({ map, inspector, location }: Workbench): readonly MapNote[] {
  const detail = inspector.event.value;
  const first = map.strata.find(({ to }) => to >= map.viewport.from);
  if (detail === undefined || first === undefined) return [];
  if (eventOf(parseAddress(location.view.selection ?? '')) !== detail.row.event) return [];
  return [
    {
      tone: 'selection',
      lines: [
        `E${String(detail.row.event)} ${detail.title}`,
        `sent in ${formatInteger(detail.calls)} calls, ${formatCompact(detail.row.lifetimeTokens)} tokens`,
      ],
      call: Math.max(first.from, Math.ceil(map.viewport.from)),
      fromToken: first.fromToken,
      toToken: first.fromToken + first.tokens,
    },
  ];
}
