import type { CaptureDecision } from '@/api/gen/api.ts';
import type { Chord } from '@/lib/keyboard.ts';

/** What can become of a request that is held. */
export const HELD_DECISIONS: readonly {
  readonly decision: CaptureDecision;
  readonly title: string;
  readonly tip: string;
  readonly key: Chord;
}[] = [
  { decision: 'go', title: 'Go on', tip: 'Send it, and hold requests as before', key: 'G' },
  { decision: 'step', title: 'Next request', tip: 'Send it, and hold the next request', key: 'S' },
  { decision: 'goFreely', title: 'Go freely', tip: 'Send it, and hold nothing any more', key: 'F' },
  {
    decision: 'refuse',
    title: 'Refuse',
    tip: 'Do not send it; its client gets an error that says so',
    key: 'Shift+S',
  },
];
