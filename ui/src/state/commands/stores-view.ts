import type { Command } from './command.ts';

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'stores.next',
    title: 'Next key or hand-off',
    keys: ['J', 'ArrowDown'],
    run: ({ stores }) => stores.move(1),
  },
  {
    id: 'stores.previous',
    title: 'Previous key or hand-off',
    keys: ['K', 'ArrowUp'],
    run: ({ stores }) => stores.move(-1),
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
    when: ({ stores }) => stores.writer !== undefined,
    run: ({ stores, navigation }) => navigation.open(`E${String(stores.writer)}`),
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
];

export const storesCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'stores' }));
