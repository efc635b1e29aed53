import { DECISIONS } from '@/model/run.ts';
import type { Command } from './command.ts';

const decisions: readonly Omit<Command, 'view'>[] = DECISIONS.map(({ decision, title, tip, key }) => ({
  id: `run.${decision}`,
  title: decision === 'stop' ? 'Stop: the held call is not sent' : `${title}: the held call is sent`,
  words: tip,
  keys: [key],
  when: ({ runs }) => runs.held !== undefined && !runs.isEditing,
  run: ({ runs }) => runs.release(decision),
}));

const commands: readonly Omit<Command, 'view'>[] = [
  ...decisions,
  {
    id: 'run.edit',
    title: 'Edit the held call, or leave it as it is',
    keys: ['D'],
    when: ({ runs }) => runs.held !== undefined,
    run: ({ runs }) => {
      runs.isEditing = !runs.isEditing;
    },
  },
  {
    id: 'run.say',
    title: 'Say something to the agents',
    keys: ['W'],
    when: ({ runs }) => runs.canSend,
    run: () => {
      document.querySelector<HTMLTextAreaElement>('[data-run-message]')?.focus();
    },
  },
  {
    id: 'run.newest',
    title: 'To the newest call of the run',
    keys: ['J'],
    when: ({ runs }) => runs.run !== undefined,
    run: ({ runs }) => runs.toNewest(),
  },
  {
    id: 'run.end',
    title: 'End the run; its session stays',
    keys: [],
    when: ({ runs }) => runs.run !== undefined && runs.run.phase !== 'stopped',
    run: ({ runs }) => runs.stop(),
  },
  {
    id: 'run.new',
    title: 'Begin another run, or back to the one there is',
    keys: ['A'],
    when: ({ runs }) => runs.run !== undefined,
    run: ({ runs }) => {
      runs.isStarting = !runs.isStarting;
    },
  },
];

export const runCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'run' }));
