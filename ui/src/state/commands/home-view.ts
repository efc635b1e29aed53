import type { Workbench } from '@/state/workbench.svelte.ts';
import type { Command } from './command.ts';

const move =
  (by: number) =>
  ({ home }: Workbench): void =>
    home.activate((home.activeLine ?? -1) + by);

const hasActive = ({ home }: Workbench): boolean => home.active !== undefined && !home.isFirst;

export const homeCommands: readonly Command[] = [
  {
    id: 'home.next',
    title: 'Next session',
    keys: ['J', 'ArrowDown'],
    view: 'home',
    run: move(1),
  },
  {
    id: 'home.previous',
    title: 'Previous session',
    keys: ['K', 'ArrowUp'],
    view: 'home',
    run: move(-1),
  },
  {
    id: 'home.read',
    title: 'Read the places that agents left sessions in',
    words: 'agree consent import',
    keys: ['Enter'],
    view: 'home',
    when: ({ home }) => home.isFirst && home.wantedPlaces.length > 0,
    run: ({ home }) => home.readWanted(),
  },
  {
    id: 'home.open',
    title: 'Open the session at its worst call',
    keys: ['Enter'],
    view: 'home',
    when: hasActive,
    run: ({ home }) => home.open(),
  },
  {
    id: 'home.mark',
    title: 'Mark the session, two to compare them',
    words: 'compare sessions',
    keys: ['X'],
    view: 'home',
    when: hasActive,
    run: ({ home }) => home.mark(),
  },
  {
    id: 'home.sample',
    title: 'Try the sample session',
    keys: ['S'],
    view: 'home',
    when: ({ start }) => start.latest !== undefined,
    run: (workbench) => workbench.openSession(workbench.start.latest?.sampleSession ?? ''),
  },
];
