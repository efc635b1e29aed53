import { GROUPINGS } from '@/model/session-table.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';
import type { Command } from './command.ts';

const move =
  (by: number) =>
  ({ table }: Workbench): void =>
    table.activate((table.activeLine ?? -1) + by);

export const sessionTableCommands: readonly Command[] = [
  {
    id: 'table.next',
    title: 'Next session',
    keys: ['J', 'ArrowDown'],
    view: 'sessions',
    run: move(1),
  },
  {
    id: 'table.previous',
    title: 'Previous session',
    keys: ['K', 'ArrowUp'],
    view: 'sessions',
    run: move(-1),
  },
  {
    id: 'table.open',
    title: 'Open the session',
    keys: ['Enter'],
    view: 'sessions',
    when: ({ table }) => table.active !== undefined,
    run: ({ table }) => table.open(),
  },
  {
    id: 'table.mark',
    title: 'Mark the session, two to compare them',
    words: 'compare sessions',
    keys: ['X'],
    view: 'sessions',
    when: ({ table }) => table.active !== undefined,
    run: ({ table }) => table.mark(),
  },
  {
    id: 'table.group',
    title: 'Group the sessions by tool, by project, or not',
    keys: ['G'],
    view: 'sessions',
    run: ({ location }) => {
      const next = (GROUPINGS.indexOf(location.view.grouping) + 1) % GROUPINGS.length;
      location.go({ grouping: GROUPINGS[next] ?? 'none' }, 'replace');
    },
  },
];
