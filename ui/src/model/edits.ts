import type { Edit, EditRow, StageRow } from '@/api/gen/api.ts';

/** Where a list of processors has a place for one that is moved: before another, or behind all. */
export type Place = { readonly before: string } | { readonly before?: never };

/**
 * The place that puts the processor at index `from` to where that of index `to` is. `names` are those of all
 * processors in their order; an index behind the last one means the end. Undefined when it is there already.
 */
export function placeFor(names: readonly string[], from: number, to: number): Place | undefined {
  if (to === from || names[from] === undefined) return undefined;
  const others = names.filter((_, index) => index !== from);
  const before = others[Math.min(others.length, Math.max(0, to))];
  return before === undefined ? {} : { before };
}

/** The index a dragged row gets when it is let go over the gap before row `gap` of the list it was taken from. */
export function indexOfGap(from: number, gap: number): number {
  return gap > from ? gap - 1 : gap;
}

/** Edits that count. */
export function appliedEdits(list: readonly EditRow[]): readonly EditRow[] {
  return list.filter(({ isUndone }) => !isUndone);
}

/** What a stage has become, against the same stage of the recording. */
export type StageChange =
  { readonly type: 'new' } | { readonly type: 'changed'; readonly tokens: number } | undefined;

/** The change of the prompt that a stage makes. */
export function netTokens(row: StageRow): number {
  return row.tokensAfter - row.tokensBefore;
}

/** What edits made of a stage. `recorded` is the same stage as it was recorded. */
export function changeOf(row: StageRow, recorded: StageRow | undefined): StageChange {
  if (recorded === undefined) return { type: 'new' };
  const tokens = netTokens(row) - netTokens(recorded);
  return tokens === 0 ? undefined : { type: 'changed', tokens };
}

/** The edit that switches a processor. */
export function toggleEdit(row: StageRow): Edit {
  return { edit: row.isEnabled ? 'disable_processor' : 'enable_processor', processor: row.processor };
}

/** An edit for one agent's flow only. Edits of other things are left as they are. */
export function forAgent(edit: Edit, agent: string | undefined): Edit {
  if (agent === undefined) return edit;
  switch (edit.edit) {
    case 'enable_processor':
    case 'disable_processor':
    case 'move_processor':
    case 'insert_processor':
    case 'configure_processor':
    case 'remove_processor':
      return { ...edit, agent };
    case 'set_instruction':
    case 'set_static_instruction':
    case 'set_global_instruction':
    case 'set_tool':
    case 'set_output_schema':
    case 'set_include_contents':
    case 'drop_event':
    case 'edit_event':
    case 'pin_event':
    case 'set_compaction':
    case 'set_cache':
    case 'lay_summaries':
    case 'set_state_map':
      return edit;
  }
}
