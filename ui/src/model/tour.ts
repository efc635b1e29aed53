import type { ViewName } from './view-url.ts';

/** A stop of the tour. */
export interface TourStep {
  /** What it points at: an element carries the name in `data-tour`. */
  readonly at: string;
  readonly view: ViewName;
  readonly title: string;
  readonly text: string;
}

export const TOUR: readonly TourStep[] = [
  {
    at: 'strip',
    view: 'session',
    title: 'Each bar is one model call',
    text: 'Its height is the size of the prompt. Strong is billed in full, faint was found in the provider’s cache. A red ◆ is a cache loss that a change of the app would prevent. Arrow keys go from call to call.',
  },
  {
    at: 'map',
    view: 'session',
    title: 'What rides along',
    text: 'One column a call, the first token on top, one colour for each kind of text. A band that goes on through many columns is paid for in each of them.',
  },
  {
    at: 'inspector',
    view: 'session',
    title: 'What it is and where it came from',
    text: 'Select an event, a call, a stage or a piece of a prompt: here is what it costs, which step put it there, and what would help. Words with a dotted line say what they mean.',
  },
  {
    at: 'cache',
    view: 'cache',
    title: 'Why the cache was lost',
    text: 'The calls that were billed again for what had been cached, the dearest first. Beside them: which text changed, what wrote it, and fixes that were tried on all calls.',
  },
  {
    at: 'lab',
    view: 'lab',
    title: 'Try compaction before you ship it',
    text: 'Each cell is a setting, replayed over the whole session: what it costs, and how large the largest prompt gets. Nothing is changed until you apply one. Now open a session of your own.',
  },
];
