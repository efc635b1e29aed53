import type { Command } from './command.ts';

export const captureCommands: readonly Command[] = [
  {
    id: 'capture.show',
    title: 'Capture: what clients send while they work',
    words: 'record proxy gateway live traffic listen claude codex gemini',
    keys: ['Shift+L'],
    run: (workbench) => workbench.toggleCapture(),
  },
  {
    id: 'capture.start',
    title: 'Listen for clients',
    words: 'capture record proxy gateway',
    keys: ['L'],
    view: 'capture',
    when: ({ capture }) => !capture.isListening,
    run: ({ capture, messages }) => void capture.start().catch(messages.report),
  },
  {
    id: 'capture.stop',
    title: 'Stop listening',
    words: 'capture record proxy gateway',
    keys: ['L'],
    view: 'capture',
    when: ({ capture }) => capture.isListening,
    run: ({ capture, messages }) => void capture.stop().catch(messages.report),
  },
];
