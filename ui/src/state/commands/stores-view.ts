import { isKept } from '@/model/kept.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';
import type { Command } from './command.ts';

const OTHERS = [
  { store: 'artifacts', title: 'Artifacts: the files that agents saved' },
  { store: 'memory', title: 'Memory: what agents searched for and found' },
  { store: 'nodes', title: 'Nodes and what came of their runs' },
  { store: 'contexts', title: 'Contexts of served apps' },
] as const;

/** The event that what is looked at is from. */
function writer({ stores, location }: Workbench): number | undefined {
  const { store } = location.view;
  if (isKept(store)) return stores.kept.event;
  return store === 'state' ? stores.writer : undefined;
}

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'stores.next',
    title: 'Next row',
    keys: ['J', 'ArrowDown'],
    run: ({ stores, location }) => (isKept(location.view.store) ? stores.kept : stores).move(1),
  },
  {
    id: 'stores.previous',
    title: 'Previous row',
    keys: ['K', 'ArrowUp'],
    run: ({ stores, location }) => (isKept(location.view.store) ? stores.kept : stores).move(-1),
  },
  {
    id: 'stores.nextVersion',
    title: 'Next version of the key',
    keys: [']'],
    when: ({ location }) => location.view.store === 'state',
    run: ({ stores }) => stores.moveVersion(1),
  },
  {
    id: 'stores.previousVersion',
    title: 'Previous version of the key',
    keys: ['['],
    when: ({ location }) => location.view.store === 'state',
    run: ({ stores }) => stores.moveVersion(-1),
  },
  {
    id: 'stores.writer',
    title: 'To the event that wrote it',
    keys: ['W'],
    when: (workbench) => writer(workbench) !== undefined,
    run: (workbench) => workbench.navigation.open(`E${String(writer(workbench))}`),
  },
  {
    id: 'stores.state',
    title: 'State, key by key',
    keys: [],
    when: ({ location }) => location.view.store !== 'state',
    run: ({ location }) => location.go({ store: 'state', selection: undefined }, 'replace'),
  },
  {
    id: 'stores.agents',
    title: 'Agents and what they hand over',
    keys: [],
    when: ({ location }) => location.view.store !== 'agents',
    run: ({ location }) => location.go({ store: 'agents', selection: undefined }, 'replace'),
  },
  ...OTHERS.map(({ store, title }) => ({
    id: `stores.${store}`,
    title,
    keys: [],
    when: ({ location }: Workbench) => location.view.store !== store,
    run: ({ location }: Workbench) => location.go({ store, item: '', selection: undefined }, 'replace'),
  })),
];

export const storesCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'stores' }));
