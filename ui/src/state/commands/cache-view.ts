import type { Command } from './command.ts';

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'cacheBreak.next',
    title: 'Next loss of the list',
    keys: ['J', 'ArrowDown'],
    run: ({ cache }) => cache.moveInList(1),
  },
  {
    id: 'cacheBreak.previous',
    title: 'Previous loss of the list',
    keys: ['K', 'ArrowUp'],
    run: ({ cache }) => cache.moveInList(-1),
  },
  {
    id: 'difference.next',
    title: 'Next difference',
    keys: [']'],
    run: ({ cache }) => cache.moveDifference(1),
  },
  {
    id: 'difference.previous',
    title: 'Previous difference',
    keys: ['['],
    run: ({ cache }) => cache.moveDifference(-1),
  },
  {
    id: 'ladder.zoom',
    title: 'Zoom at the break',
    keys: ['Z'],
    run: ({ location }) => location.go({ isZoomed: !location.view.isZoomed }, 'replace'),
  },
  {
    id: 'ladder.scope',
    title: 'Prompts of all agents, or of this one',
    keys: ['G'],
    run: ({ location }) =>
      location.go({ ladder: location.view.ladder === 'all' ? 'agent' : 'all' }, 'replace'),
  },
  {
    id: 'breaks.order',
    title: 'Losses by cost, or in order',
    keys: ['S'],
    run: ({ location }) =>
      location.go({ breakOrder: location.view.breakOrder === 'byCost' ? 'inOrder' : 'byCost' }, 'replace'),
  },
];

export const cacheCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'cache' }));
