import type { EventEdit } from '@/api/gen/api.ts';

const MEANINGS: Readonly<Record<EventEdit, string>> = {
  edited: 'Has another content here than was recorded',
  dropped: 'Dropped from every history here',
  pinned: 'Pinned: no summary and no processor takes it out',
};

/** What an edit of an event comes to, in words. */
export function explainEventEdit(edit: EventEdit): string {
  return MEANINGS[edit];
}
