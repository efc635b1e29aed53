import type { HeldCall, HeldEdit, PartPlace } from '@/api/gen/api.ts';

/** What somebody has changed of a held call and not applied yet. Parts are named `4.0`. */
export interface HeldDraft {
  readonly model: string | undefined;
  readonly system: string | undefined;
  readonly texts: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
}

/** The changes as they are made: texts first, and what is left out last, so that every part still stands where it was named. */
export function heldEdits(held: HeldCall, draft: HeldDraft): HeldEdit[] {
  const edits: HeldEdit[] = [];
  if (draft.system !== undefined && draft.system !== (held.system ?? ''))
    edits.push({ kind: 'system', text: draft.system });
  const name = draft.model?.trim();
  if (name !== undefined && name !== '' && name !== held.model) edits.push({ kind: 'model', name });
  const parts: PartPlace[] = [];
  for (const { content, part, text, isText } of held.parts) {
    const place = `${String(content)}.${String(part)}`;
    const written = draft.texts[place];
    if (draft.leftOut.includes(place)) parts.push({ content, part });
    else if (isText && written !== undefined && written !== text)
      edits.push({ kind: 'text', content, part, text: written });
  }
  return parts.length === 0 ? edits : [...edits, { kind: 'leaveOut', parts }];
}
