import { LANDMARK_WORDS, type Landmark } from '@/state/cursor.svelte.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';
import { isOnCall, type Command } from './command.ts';

export const callCommands: readonly Command[] = [
  {
    id: 'call.previous',
    title: 'Previous call',
    keys: ['ArrowLeft'],
    when: isOnCall,
    run: ({ cursor }) => cursor.move(-1),
  },
  {
    id: 'call.next',
    title: 'Next call',
    keys: ['ArrowRight'],
    when: isOnCall,
    run: ({ cursor }) => cursor.move(1),
  },
  {
    id: 'range.shrink',
    title: 'Range one call back',
    keys: ['Shift+ArrowLeft'],
    when: isOnCall,
    run: ({ cursor }) => cursor.extend(-1),
  },
  {
    id: 'range.extend',
    title: 'Range one call further',
    keys: ['Shift+ArrowRight'],
    when: isOnCall,
    run: ({ cursor }) => cursor.extend(1),
  },
  {
    id: 'range.commit',
    title: 'Look at the range only',
    keys: ['R'],
    when: ({ cursor }) => cursor.preview !== undefined,
    run: ({ cursor }) => cursor.commit(),
  },
  {
    id: 'call.runAgain',
    title: 'Run again from this call',
    words: 'live rerun replay branch agents model',
    keys: ['Shift+G'],
    when: (workbench) => isOnCall(workbench) && workbench.session.info?.app.isAdk === true,
    run: ({ runs, session }) => runs.startFrom(session.cursor),
  },
  ...jumpCommands('break', 'B'),
  ...jumpCommands('compaction', 'C'),
  ...jumpCommands('handoff', 'H'),
  ...jumpCommands('error', 'E'),
];

function jumpCommands(landmark: Landmark, key: string): readonly Command[] {
  const jump =
    (direction: 1 | -1) =>
    ({ cursor, cache, location, messages }: Workbench): void => {
      // The Cache view knows losses that leave no trace in the prompt, such as a prefix that expired.
      if (landmark === 'break' && location.view.view === 'cache') cache.jump(direction);
      else void cursor.jump(landmark, direction).catch(messages.report);
    };
  return [
    {
      id: `${landmark}.next`,
      title: `Next ${LANDMARK_WORDS[landmark]}`,
      keys: [key],
      when: isOnCall,
      run: jump(1),
    },
    {
      id: `${landmark}.previous`,
      title: `Previous ${LANDMARK_WORDS[landmark]}`,
      keys: [`Shift+${key}`],
      when: isOnCall,
      run: jump(-1),
    },
  ];
}
