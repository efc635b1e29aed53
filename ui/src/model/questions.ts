import type { Question } from '@/api/gen/api.ts';
import type { ViewName } from './view-url.ts';

export interface QuestionText {
  readonly question: Question;
  readonly title: string;
  readonly view: ViewName;
}

/** The questions, in the order in which they are offered. */
export const QUESTIONS: readonly QuestionText[] = [
  {
    question: 'costliestToolResult',
    title: 'Which tool result costs the most over the session?',
    view: 'session',
  },
  { question: 'largestCalls', title: 'Which calls are the largest?', view: 'session' },
  { question: 'promptByKind', title: 'What is in this prompt, by kind?', view: 'session' },
  { question: 'whatGrewSincePreviousCall', title: 'What grew since the previous call?', view: 'session' },
  { question: 'toolsNeverCalled', title: 'Which tool definitions were never called?', view: 'session' },
  { question: 'costliestTurn', title: 'Which turn costs the most?', view: 'session' },
  { question: 'costliestAgent', title: 'Which agent costs the most?', view: 'session' },
  { question: 'stageThatAddedMost', title: 'Which processor added the most tokens?', view: 'pipeline' },
  { question: 'stagesThatDidNothing', title: 'Which processors did nothing?', view: 'pipeline' },
  { question: 'hiddenContext', title: 'What was left out of this prompt, and why?', view: 'pipeline' },
];

/** The questions of a view first, then the others. */
export function questionsFor(view: ViewName): readonly QuestionText[] {
  return [...QUESTIONS].sort((a, b) => Number(b.view === view) - Number(a.view === view));
}
