import type { Question } from '@/api/gen/api.ts';
import type { ViewName } from './view-url.ts';

/** Questions that the window answers of what several commands say. */
export type ViewQuestion =
  'carriedBy' | 'swapped' | 'summaryLoss' | 'overflow' | 'handedOff' | 'sinceLastRun';

export type AskedQuestion = Question | ViewQuestion;

export interface QuestionText {
  readonly question: AskedQuestion;
  readonly title: string;
  /** Other words people look for it by. */
  readonly words?: string;
  readonly view: ViewName;
}

/** The questions, in the order in which they are offered. */
export const QUESTIONS: readonly QuestionText[] = [
  {
    question: 'costliestToolResult',
    title: 'Which tool result costs the most over the session?',
    words: 'waste bloat biggest expensive output',
    view: 'session',
  },
  {
    question: 'largestCalls',
    title: 'Which calls are the largest?',
    words: 'biggest longest prompts waste',
    view: 'session',
  },
  { question: 'promptByKind', title: 'What is in this prompt, by kind?', view: 'session' },
  { question: 'whatGrewSincePreviousCall', title: 'What grew since the previous call?', view: 'session' },
  {
    question: 'carriedBy',
    title: 'When did this event enter the prompts, and when did it leave?',
    view: 'session',
  },
  {
    question: 'overflow',
    title: 'When will the context window overflow at this rate?',
    words: 'full limit window',
    view: 'session',
  },
  {
    question: 'toolsNeverCalled',
    title: 'Which tool definitions were never called?',
    words: 'waste unused mcp',
    view: 'session',
  },
  {
    question: 'costliestTurn',
    title: 'Which turn costs the most?',
    words: 'expensive money price',
    view: 'session',
  },
  {
    question: 'costliestAgent',
    title: 'Which agent costs the most?',
    words: 'expensive money price',
    view: 'session',
  },
  {
    question: 'hiddenContext',
    title: 'What did providers read that the session does not show?',
    view: 'session',
  },
  {
    question: 'sinceLastRun',
    title: 'What changed since the last run?',
    words: 'yesterday before previous session compare difference regression',
    view: 'sessions',
  },
  { question: 'lookedUp', title: 'What did memory and artifacts put into prompts?', view: 'session' },
  { question: 'stageThatAddedMost', title: 'Which processor added the most tokens?', view: 'pipeline' },
  { question: 'stagesThatDidNothing', title: 'Which processors did nothing?', view: 'pipeline' },
  { question: 'leftOut', title: 'Which events does this prompt leave out, and why?', view: 'pipeline' },
  { question: 'reframed', title: 'Why is this text a message of the user?', view: 'pipeline' },
  { question: 'handedOff', title: 'What did the other agent see at the hand-off?', view: 'pipeline' },
  { question: 'swapped', title: 'What if I swap this processor with the one before it?', view: 'pipeline' },
  { question: 'stateShown', title: 'Which state does this prompt show, and who wrote it?', view: 'pipeline' },
  { question: 'editEffect', title: 'What do these edits change, over all calls?', view: 'pipeline' },
  {
    question: 'whyMissed',
    title: 'Why did this call miss the cache, and what did that cost?',
    words: 'break broke lost prefix',
    view: 'cache',
  },
  { question: 'dearestCalls', title: 'Which calls cost the most?', view: 'cache' },
  {
    question: 'avoidableBreaks',
    title: 'Which cache losses could be avoided?',
    words: 'waste broke prefix misses money',
    view: 'cache',
  },
  { question: 'stableShare', title: 'How much of each prompt is stable?', view: 'cache' },
  {
    question: 'bestCacheFix',
    title: 'Which change would help the cache most, over all calls?',
    words: 'waste save money fix',
    view: 'cache',
  },
  { question: 'belowMinimum', title: 'Are prompts too short to be cached?', view: 'cache' },
  {
    question: 'compactionSavings',
    title: 'What would a summary every 8 turns, with an overlap of 2, have saved?',
    words: 'waste save money',
    view: 'lab',
  },
  { question: 'summaryLoss', title: 'What does the summary lose?', view: 'lab' },
];

const VIEW_QUESTIONS: readonly string[] = [
  'carriedBy',
  'swapped',
  'summaryLoss',
  'overflow',
  'handedOff',
  'sinceLastRun',
] satisfies readonly ViewQuestion[];

export function isViewQuestion(question: AskedQuestion): question is ViewQuestion {
  return VIEW_QUESTIONS.includes(question);
}

/** The questions of a view first, then the others. */
export function questionsFor(view: ViewName): readonly QuestionText[] {
  return [...QUESTIONS].sort((a, b) => Number(b.view === view) - Number(a.view === view));
}
