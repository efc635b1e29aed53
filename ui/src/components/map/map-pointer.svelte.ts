import { KINDS } from '@/api/gen/api.ts';
import { callAt, isOnCallAxis, tokenAt, type MapLayout } from '@/draw/map-layout.ts';
import { MAP_INSETS } from '@/draw/map-base.ts';
import { splitTitle } from '@/lib/text.ts';
import { formatInteger } from '@/model/format.ts';
import {
  eventsOfColumn,
  mapColumnOfCall,
  SEGMENT_FLAGS,
  segmentAt,
  type MapSegment,
} from '@/model/map-columns.ts';
import type { Viewport } from '@/model/viewport.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly call: number;
  readonly token: number;
  readonly segment: MapSegment | undefined;
}

interface Tip {
  readonly x: number;
  readonly y: number;
  readonly lines: readonly string[];
  /** What the map showed when the tip was made: it says nothing about what is shown later. */
  readonly viewport: Viewport;
}

const ZOOM_PER_PIXEL = 1.0025;

/** What the pointer does on the map: it highlights, selects, pans and zooms. */
export class MapPointer {
  readonly #workbench: Workbench;
  readonly #layout: () => MapLayout;
  tip: Tip | undefined = $state.raw();

  constructor(workbench: Workbench, layout: () => MapLayout) {
    this.#workbench = workbench;
    this.#layout = layout;
  }

  readonly move = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    const spot = this.#spot(event);
    if (spot === undefined) {
      this.leave();
      return;
    }
    const hovered = spot.segment?.event ?? 0;
    const { hover } = this.#workbench;
    if (hover.call !== spot.call || (hover.event ?? 0) !== hovered)
      this.#workbench.hover = { call: spot.call, ...(hovered > 0 ? { event: hovered } : {}) };
    const { viewport } = this.#layout();
    this.tip = { x: spot.x, y: spot.y, lines: this.#describe(spot), viewport };
  };

  readonly leave = (): void => {
    this.tip = undefined;
    this.#workbench.hover = {};
  };

  /** An event is selected; anywhere else the call is. The numbers above the columns move the cursor. */
  readonly press = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    const spot = this.#spot(event);
    if (spot === undefined) return;
    const { navigation, cursor } = this.#workbench;
    if (isOnCallAxis(spot.y)) cursor.set(spot.call);
    else if (spot.segment !== undefined && spot.segment.event > 0)
      navigation.select(`E${String(spot.segment.event)}`);
    else if (spot.segment !== undefined && KINDS[spot.segment.kind] === 'system')
      navigation.select(`C${String(spot.call)}/sys.0`);
    else navigation.select(`C${String(spot.call)}`);
  };

  /** Up and down go through the events in the prompt under the cursor, from its start to its end. */
  readonly walk = (event: KeyboardEvent): void => {
    const delta = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (delta === 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    const { events, navigation } = this.#workbench;
    const all = this.eventsUnderCursor;
    const at = all.indexOf(events.selectedEvent ?? 0);
    const next = at < 0 ? (delta > 0 ? all[0] : all.at(-1)) : all[at + delta];
    if (next !== undefined) navigation.select(`E${String(next)}`, 'walk');
  };

  get eventsUnderCursor(): readonly number[] {
    const { map, showsParts } = this.#workbench.map;
    const { cursor } = this.#workbench.session;
    const column = mapColumnOfCall(map, cursor);
    return showsParts && map.call[column] === cursor ? eventsOfColumn(map, column) : [];
  }

  readonly open = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    const spot = this.#spot(event);
    if (spot !== undefined) this.#workbench.cursor.set(spot.call);
  };

  readonly wheel = (event: WheelEvent & { currentTarget: HTMLElement }): void => {
    event.preventDefault();
    const { map } = this.#workbench;
    const layout = this.#layout();
    const { x, y } = offset(event);
    if (!event.ctrlKey && !event.metaKey) map.panPixels(event.deltaX, event.deltaY);
    else if (event.shiftKey) map.zoomTokens(ZOOM_PER_PIXEL ** -event.deltaY, tokenAt(layout, y));
    else map.zoom(ZOOM_PER_PIXEL ** -event.deltaY, callAt(layout, x));
    this.move(event);
  };

  #spot(event: MouseEvent & { currentTarget: HTMLElement }): Spot | undefined {
    const layout = this.#layout();
    const { x, y } = offset(event);
    const call = Math.floor(callAt(layout, x));
    const isInside = x >= MAP_INSETS.left && x <= layout.width - MAP_INSETS.right;
    if (!isInside || call < 1 || call > this.#workbench.session.calls) return undefined;
    const token = tokenAt(layout, y);
    const { map, showsParts } = this.#workbench.map;
    const column = mapColumnOfCall(map, call);
    const isExact = showsParts && map.call[column] === call && !isOnCallAxis(y);
    return { x, y, call, token, segment: isExact ? segmentAt(map, column, token) : undefined };
  }

  #describe(spot: Spot): readonly string[] {
    const { segment } = spot;
    if (segment === undefined) return splitTitle(this.#workbench.cursor.describe(spot.call));
    if ((segment.flags & SEGMENT_FLAGS.hidden) !== 0)
      return [
        `C${String(spot.call)}, ${formatInteger(segment.tokens)} tokens of hidden context`,
        'The provider counted them, and the session does not show them',
      ];
    const kind = KINDS[segment.kind] ?? '';
    const name =
      segment.event > 0
        ? `E${String(segment.event)} in C${String(spot.call)}`
        : `C${String(spot.call)}, ${kind}`;
    const end = segment.fromToken + segment.tokens;
    const isMerged = (segment.flags & SEGMENT_FLAGS.merged) !== 0;
    const isReframed = (segment.flags & SEGMENT_FLAGS.reframed) !== 0;
    const known = this.#workbench.events.rows.find(({ event }) => event === segment.event)?.row;
    return [
      `${name}, ${formatInteger(segment.tokens)} tokens`,
      `${isMerged ? 'several parts, ' : ''}${segment.event > 0 ? `${kind}, ` : ''}tokens ${formatInteger(segment.fromToken)}–${formatInteger(end)}${isReframed ? ', another agent’s words' : ''}`,
      ...(known === undefined ? [] : [`${known.tool} ${known.what}`.trim()]),
    ];
  }
}

function offset(event: MouseEvent & { currentTarget: HTMLElement }): {
  readonly x: number;
  readonly y: number;
} {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}
