import type { Command } from './command.ts';

export const settingsCommands: readonly Command[] = [
  {
    id: 'settings.addEndpoint',
    title: 'Add an endpoint',
    keys: ['N'],
    view: 'settings',
    run: ({ servers }) => servers.startNew(),
  },
  {
    id: 'settings.testAll',
    title: 'Test all endpoints',
    keys: ['T'],
    view: 'settings',
    run: ({ servers, messages }) => void servers.testAll().catch(messages.report),
  },
];
