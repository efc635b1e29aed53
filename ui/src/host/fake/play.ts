import type { Kind } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { contentOf } from './content.ts';
import { AGENTS, TRIAGE } from './script.ts';
import type { FakeEvent } from './session.ts';

const START_MS = Date.UTC(2026, 10, 20, 14, 2, 0) + new Date(2026, 10, 20).getTimezoneOffset() * 60_000;

export interface Draft {
  readonly call: number;
  readonly agent: number;
  readonly turn: number;
  readonly eventsBefore: number;
  readonly filled: number;
}

interface Compaction {
  readonly event: number;
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

export interface Played {
  readonly events: readonly FakeEvent[];
  readonly drafts: readonly Draft[];
  readonly compactions: readonly Compaction[];
}

/** Plays the script: events with authors and times, and where the calls were made. */
export function play(): Played {
  const events: FakeEvent[] = [];
  const drafts: Draft[] = [];
  const compactions: Compaction[] = [];
  const filled = AGENTS.map(() => 1);
  let agent = 0;
  let turn = 0;
  let seconds = 0;
  const agentName = (): string => ensureExists(AGENTS[agent], 'an agent of the script').name;
  const add = (kind: Kind, what: string, tokens: number, more: Partial<FakeEvent> = {}): FakeEvent => {
    seconds += 2 + ((events.length * 7) % 5);
    const number = events.length + 1;
    const tool = more.tool ?? '';
    const added: FakeEvent = {
      event: number,
      kind,
      agent: kind === 'user' ? 'user' : agentName(),
      call: kind === 'user' || kind === 'summary' ? null : drafts.length,
      turn,
      tokens,
      tool,
      what,
      timeMs: START_MS + seconds * 1000,
      label: 'text',
      error: null,
      state: [],
      transferTo: null,
      text: () => contentOf(more.label === 'result' ? tool : '', what, tokens, number),
      ...more,
    };
    events.push(added);
    return added;
  };
  const call = (): void => {
    drafts.push({
      call: drafts.length + 1,
      agent,
      turn,
      eventsBefore: events.length,
      filled: filled[agent] ?? 1,
    });
  };
  for (const step of TRIAGE) {
    switch (step.do) {
      case 'user':
        turn += 1;
        seconds += 40;
        add('user', step.text, step.tokens);
        break;
      case 'say':
        call();
        add('model', step.text.replace(/\n(?=.)/g, ' '), step.tokens, {
          text: () => contentOf('', step.text, step.tokens, 3),
        });
        break;
      case 'tool':
        call();
        add('model', `${step.tool}(${step.args})`, step.callTokens, { tool: step.tool, label: 'call' });
        add('result', step.result, step.tokens, {
          tool: step.tool,
          label: 'result',
          state: step.hits === undefined ? [] : [{ key: 'hits', before: step.hits[0], after: step.hits[1] }],
        });
        if (step.hits !== undefined) filled[agent] = (filled[agent] ?? 1) + 1;
        break;
      case 'transfer': {
        call();
        const from = agentName();
        const tool = 'transfer_to_agent';
        add('model', `${tool}("${step.to}")`, 38, { tool, label: 'call', transferTo: step.to });
        add('result', `${from} → ${step.to}`, 26, { tool, label: 'result' });
        agent = AGENTS.findIndex(({ name }) => name === step.to);
        break;
      }
      case 'compact': {
        const what = `Summary of turns ${String(step.from)}–${String(step.to)}`;
        const added = add('summary', what, step.tokens, { agent: 'compactor' });
        compactions.push({ event: added.event, from: step.from, to: step.to, tokens: step.tokens });
        break;
      }
    }
  }
  return { events, drafts, compactions };
}
