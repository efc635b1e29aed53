import type { Workbench } from '@/state/workbench.svelte.ts';
import type { Command } from './command.ts';

const hasLesson = ({ learn }: Workbench): boolean => learn.lesson !== '';

const commands: readonly Omit<Command, 'view'>[] = [
  {
    id: 'learn.next',
    title: 'Next lesson',
    keys: ['J', 'ArrowDown'],
    run: ({ learn }) => learn.move(1),
  },
  {
    id: 'learn.previous',
    title: 'Previous lesson',
    keys: ['K', 'ArrowUp'],
    run: ({ learn }) => learn.move(-1),
  },
  {
    id: 'learn.begin',
    title: 'Begin the lesson, or go on with it',
    words: 'start exercise course',
    keys: ['Enter'],
    when: (workbench) => hasLesson(workbench) && !workbench.learn.isOn,
    run: ({ learn, messages }) => void learn.begin().catch(messages.report),
  },
  {
    id: 'learn.again',
    title: 'Begin the lesson again, in a new experiment',
    words: 'restart start over',
    keys: [],
    when: ({ learn }) => learn.attempt !== undefined,
    run: ({ learn, messages }) => void learn.beginAnew().catch(messages.report),
  },
  {
    id: 'learn.hint',
    title: 'Next hint, for the first open goal',
    words: 'help',
    keys: ['H'],
    when: ({ learn }) => learn.nextHint !== undefined,
    run: ({ learn }) => learn.hint(learn.nextHint ?? ''),
  },
  {
    id: 'learn.solution',
    title: 'Solutions of the lesson, or hide them',
    words: 'show answer give up',
    keys: ['V'],
    when: hasLesson,
    run: ({ learn }) => learn.toggleSolutions(),
  },
  {
    id: 'learn.results',
    title: 'Save your results, to hand in',
    words: 'export progress class teacher submit',
    keys: ['E'],
    run: ({ learn, messages }) => void learn.saveResults('strata').catch(messages.report),
  },
  {
    id: 'learn.table',
    title: 'Save your results as a table (CSV)',
    words: 'export progress spreadsheet excel',
    keys: [],
    run: ({ learn, messages }) => void learn.saveResults('csv').catch(messages.report),
  },
];

export const learnCommands: readonly Command[] = commands.map((command) => ({ ...command, view: 'learn' }));
