/**
 * Tallest element that every engine still lays out exactly: Firefox stops near 17.9M px, WebKit and Chromium at 2²⁵.
 * Longer lists scale their scroll positions.
 */
export const MAX_HEIGHT_PX = 16_000_000;

export interface VirtualLayout {
  readonly rows: number;
  readonly rowHeight: number;
  readonly viewportHeight: number;
}

export interface VirtualWindow {
  /** First row that is drawn, and how many are. */
  readonly first: number;
  readonly count: number;
  /** Height of the scrolled element. */
  readonly height: number;
  /** Where the first drawn row sits in it. */
  readonly offset: number;
}

const OVERSCAN_ROWS = 4;

function heights(layout: VirtualLayout): { full: number; height: number } {
  const full = layout.rows * layout.rowHeight;
  return { full, height: Math.min(full, MAX_HEIGHT_PX) };
}

/** Pixels above the viewport in a list that were not scaled. */
function unscaledTop(layout: VirtualLayout, scrollTop: number): number {
  const { full, height } = heights(layout);
  const range = height - layout.viewportHeight;
  if (full === height || range <= 0) return Math.max(0, scrollTop);
  return (Math.min(Math.max(0, scrollTop), range) / range) * (full - layout.viewportHeight);
}

/** The rows to draw at a scroll position. */
export function virtualWindow(layout: VirtualLayout, scrollTop: number): VirtualWindow {
  const { full, height } = heights(layout);
  const top = Math.min(unscaledTop(layout, scrollTop), Math.max(0, full - layout.viewportHeight));
  const first = Math.max(0, Math.floor(top / layout.rowHeight) - OVERSCAN_ROWS);
  const shown = Math.ceil(layout.viewportHeight / layout.rowHeight) + 1 + 2 * OVERSCAN_ROWS;
  const count = Math.max(0, Math.min(shown, layout.rows - first));
  return { first, count, height, offset: scrollTop - (top - first * layout.rowHeight) };
}

/** The scroll position that puts `top` unscaled pixels above the viewport. */
function scrollTopFor(layout: VirtualLayout, top: number): number {
  const { full, height } = heights(layout);
  if (full === height) return top;
  return (top / (full - layout.viewportHeight)) * (height - layout.viewportHeight);
}

/**
 * The scroll position that shows a row: unchanged when the row is in view, one row further for a neighbour, centred after
 * a jump.
 */
export function scrollTopToShow(layout: VirtualLayout, scrollTop: number, row: number): number {
  const top = unscaledTop(layout, scrollTop);
  const rowTop = row * layout.rowHeight;
  const rowBottom = rowTop + layout.rowHeight;
  const bottom = top + layout.viewportHeight;
  if (rowTop >= top && rowBottom <= bottom) return scrollTop;
  const isNear = rowBottom > top - layout.viewportHeight / 2 && rowTop < bottom + layout.viewportHeight / 2;
  const centred = rowTop - (layout.viewportHeight - layout.rowHeight) / 2;
  const wanted = isNear ? (rowTop < top ? rowTop : rowBottom - layout.viewportHeight) : centred;
  const limit = Math.max(0, heights(layout).full - layout.viewportHeight);
  return scrollTopFor(layout, Math.min(Math.max(0, wanted), limit));
}

/** Rows that fit into the viewport, for Page up and Page down. */
export function pageRows(layout: VirtualLayout): number {
  return Math.max(1, Math.floor(layout.viewportHeight / layout.rowHeight) - 1);
}
