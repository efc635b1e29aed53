import { HELD_DECISIONS } from '@/model/capture.ts';
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
  ...HELD_DECISIONS.map(({ decision, title, key }): Command => ({
    id: `capture.${decision}`,
    title: `Held request: ${title.toLowerCase()}`,
    words: 'breakpoint continue',
    keys: [key],
    view: 'capture',
    when: ({ capture }) => capture.firstHeld !== undefined,
    run: ({ capture, messages }) => {
      const held = capture.firstHeld;
      if (held !== undefined) capture.release(held.number, decision, null).catch(messages.report);
    },
  })),
];
