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
  {
    id: 'settings.learnCounts',
    title: 'Learn from all sessions how providers count',
    words: 'calibrate tokens ratios',
    keys: [],
    run: ({ counts, messages }) => void counts.learn().catch(messages.report),
  },
  {
    id: 'settings.forgetCounts',
    title: 'Forget what was learned of how providers count',
    words: 'calibrate tokens ratios',
    keys: [],
    view: 'settings',
    when: ({ counts }) => (counts.known.latest?.models.length ?? 0) > 0,
    run: ({ counts, messages }) => void counts.forget().catch(messages.report),
  },
];
