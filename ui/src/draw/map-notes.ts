import type { CallColumns } from '@/model/columns.ts';
import { callsOfColumn, columnOfCall } from '@/model/columns.ts';
import { MAP_INSETS } from './map-base.ts';
import { callAt, xOfCall, yOfToken, type MapLayout } from './map-layout.ts';
import type { Surface, TextStyle } from './surface.ts';
import type { DrawTheme } from './theme.ts';

/** Words beside a place of the map, with a line that leads to it. */
export interface MapNote {
  readonly lines: readonly [string, ...string[]];
  readonly tone: 'selection' | 'break';
  /** The place: a call, and the tokens it covers there. */
  readonly call: number;
  readonly fromToken: number;
  readonly toToken: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LINE_HEIGHT = 16;
const CLEARANCE = 20;
const STEP = 12;
const GAP = 9;

/** Puts each note where no column is, as near to its place as possible. A note without such a place is left out. */
export function drawNotes(
  surface: Surface,
  theme: DrawTheme,
  layout: MapLayout,
  columns: CallColumns,
  cursor: number,
  notes: readonly MapNote[],
): void {
  const taken: Box[] = [cursorBox(layout, cursor)];
  for (const note of notes) {
    const width = Math.max(...note.lines.map((line, i) => surface.measure(line, textStyle(theme, i))));
    const height = LINE_HEIGHT * note.lines.length;
    const box = findPlace(layout, columns, note, { width, height }, taken);
    if (box === undefined) continue;
    taken.push(box);
    drawLeader(surface, theme, layout, note, box);
    note.lines.forEach((line, i) => {
      surface.text(box.x, box.y + 12 + i * LINE_HEIGHT, line, textStyle(theme, i));
    });
  }
}

/** The frame of the cursor would go through words. */
function cursorBox(layout: MapLayout, cursor: number): Box {
  const x = xOfCall(layout, cursor);
  return { x, y: 0, width: xOfCall(layout, cursor + 1) - x, height: layout.height };
}

function textStyle(theme: DrawTheme, line: number): TextStyle {
  return line === 0 ? { color: theme.textHi, size: 11, weight: 600 } : { color: theme.textMid, size: 11 };
}

function anchorX(layout: MapLayout, note: MapNote): number {
  return note.tone === 'break' ? xOfCall(layout, note.call + 1) + 1 : xOfCall(layout, note.call) + 9;
}

function findPlace(
  layout: MapLayout,
  columns: CallColumns,
  note: MapNote,
  size: Pick<Box, 'width' | 'height'>,
  taken: readonly Box[],
): Box | undefined {
  const anchor = anchorX(layout, note);
  const wanted = note.tone === 'break' ? anchor + 13 : anchor - size.width * 0.56;
  const left = MAP_INSETS.left + 4;
  const right = layout.width - MAP_INSETS.right - size.width;
  const start = Math.min(right, Math.max(left, wanted));
  const below = yOfToken(layout, note.tone === 'break' ? note.fromToken : note.toToken);
  for (let distance = 0; distance < layout.width; distance += STEP) {
    for (const x of [start + distance, start - distance]) {
      if (x < left || x > right) continue;
      const depth = Math.max(below, depthOf(layout, columns, x - 8, x + size.width + 8));
      const box = { x, y: depth + CLEARANCE, ...size };
      const isFree = taken.every((other) => !overlaps(box, other));
      if (isFree && box.y + box.height <= layout.height - MAP_INSETS.bottom) return box;
    }
  }
  return undefined;
}

/** The lowest end of the columns between two positions. */
function depthOf(layout: MapLayout, columns: CallColumns, fromX: number, toX: number): number {
  const first = columnOfCall(columns, Math.floor(callAt(layout, fromX)));
  const last = columnOfCall(columns, Math.floor(callAt(layout, toX)));
  let tokens = 0;
  for (let i = first; i <= last; i += 1)
    if (callsOfColumn(columns, i).from <= layout.viewport.to)
      tokens = Math.max(tokens, columns.tokens[i] ?? 0);
  return yOfToken(layout, tokens);
}

function overlaps(a: Box, b: Box): boolean {
  return (
    a.x < b.x + b.width + GAP &&
    b.x < a.x + a.width + GAP &&
    a.y < b.y + b.height + 8 &&
    b.y < a.y + a.height + 8
  );
}

function drawLeader(surface: Surface, theme: DrawTheme, layout: MapLayout, note: MapNote, box: Box): void {
  const x = anchorX(layout, note);
  if (x < MAP_INSETS.left || x > layout.width - MAP_INSETS.right) return;
  const end = box.y - 4;
  if (note.tone === 'break') {
    const y = yOfToken(layout, note.fromToken);
    const turn = Math.min(box.x + box.width, Math.max(box.x, x + 37));
    surface.path([x, y, turn, y, turn, end], { stroke: theme.break });
    return;
  }
  const y = yOfToken(layout, note.toToken);
  const turn = Math.min(box.x + box.width, Math.max(box.x, x));
  const points = turn === x ? [x, y, x, end] : [x, y, x, end - 6, turn, end - 6, turn, end];
  surface.path(points, { stroke: theme.textHi });
}
