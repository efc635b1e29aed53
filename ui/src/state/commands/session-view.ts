import type { Workbench } from '@/state/workbench.svelte.ts';
import { hasCalls, hasSelection, type Command } from './command.ts';

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'summary.toggle',
    title: 'Summary on or off',
    keys: ['V'],
    when: hasCalls,
    run: ({ summary }) => summary.toggle(),
  },
  {
    id: 'summary.big',
    title: 'What is big',
    keys: ['Alt+1'],
    when: hasCalls,
    run: ({ summary }) => summary.prove('big'),
  },
  {
    id: 'summary.broke',
    title: 'What broke',
    keys: ['Alt+2'],
    when: hasCalls,
    run: ({ summary }) => summary.prove('broke'),
  },
  {
    id: 'summary.cost',
    title: 'What it cost',
    keys: ['Alt+3'],
    when: hasCalls,
    run: ({ summary }) => summary.prove('cost'),
  },
  {
    id: 'summary.full',
    title: 'How full it is',
    keys: ['Alt+4'],
    when: hasCalls,
    run: ({ summary }) => summary.prove('full'),
  },
  ...[1, 2, 3, 4].map((place) => ({
    id: `summary.advice${String(place)}`,
    title: `Proof of remedy ${String(place)}`,
    keys: [`Alt+${String(place + 4)}`],
    when: ({ summary }: Workbench) => summary.advice.length >= place,
    run: ({ summary }: Workbench) => summary.proveAdvice(place - 1),
  })),
  {
    id: 'event.next',
    title: 'Next event',
    keys: ['J', 'ArrowDown'],
    run: ({ events }) => events.move(1),
  },
  {
    id: 'event.previous',
    title: 'Previous event',
    keys: ['K', 'ArrowUp'],
    run: ({ events }) => events.move(-1),
  },
  {
    id: 'events.inOrder',
    title: 'Events in order',
    keys: [],
    run: ({ location }) => location.go({ order: 'inOrder' }),
  },
  {
    id: 'events.byLifetime',
    title: 'Events by lifetime cost',
    keys: [],
    run: ({ location }) => location.go({ order: 'byLifetime' }),
  },
  {
    id: 'events.bySize',
    title: 'Events by size',
    keys: [],
    run: ({ location }) => location.go({ order: 'bySize' }),
  },
  { id: 'map.in', title: 'Zoom into the map', keys: ['W'], when: hasCalls, run: ({ map }) => map.zoom(1.5) },
  { id: 'map.out', title: 'Zoom out', keys: ['S'], when: hasCalls, run: ({ map }) => map.zoom(1 / 1.5) },
  { id: 'map.left', title: 'Pan left', keys: ['A'], when: hasCalls, run: ({ map }) => map.pan(-0.25) },
  { id: 'map.right', title: 'Pan right', keys: ['D'], when: hasCalls, run: ({ map }) => map.pan(0.25) },
  {
    id: 'map.fitSelection',
    title: 'Fit the selection',
    keys: ['F'],
    when: hasSelection,
    run: ({ map }) => map.fitSelection(),
  },
  {
    id: 'map.look',
    title: 'Calls as a map or a table',
    words: 'list prompts numbers',
    keys: ['T'],
    when: hasCalls,
    run: ({ location }) => location.go({ look: location.view.look === 'map' ? 'table' : 'map' }, 'replace'),
  },
  { id: 'map.fitAll', title: 'Fit all calls', keys: ['0'], when: hasCalls, run: ({ map }) => map.fitAll() },
];

export const sessionCommands: readonly Command[] = commands.map((command) => ({
  ...command,
  view: 'session',
}));
