import type { EventRow, LabLoss, LabReplay, LabWindow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { asCurve, type Series } from '@/model/curves.ts';
import type { Experiments } from './experiments.svelte.ts';
import type { Jobs } from './jobs.svelte.ts';
import { LabBatches } from './lab-batch.svelte.ts';
import { LabChoice } from './lab-choice.svelte.ts';
import { LabProbes } from './lab-probes.svelte.ts';
import { LabRuns } from './lab-runs.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { ModelServers } from './model-servers.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';

/** Facts and events of a window that are fetched; what is beyond is counted. */
const MOST_FACTS = 1000;
const MOST_EVENTS = 200;

interface Parts {
  readonly location: Location;
  readonly session: OpenSession;
  readonly jobs: Jobs;
  readonly panels: Panels;
  readonly experiments: Experiments;
  readonly messages: Messages;
  readonly servers: ModelServers;
}

/** Compaction tried out: a configuration of a sweep, its runs, and what their summaries keep. */
export class Lab {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #messages: Messages;
  readonly choice: LabChoice;
  readonly runs: LabRuns;
  readonly batches: LabBatches;
  readonly probes: LabProbes;
  readonly plan: Loaded<LabReplay>;
  readonly loss: Loaded<LabLoss>;
  readonly events: Loaded<readonly EventRow[]>;

  constructor(host: Host, parts: Parts) {
    const { location, session, jobs, messages } = parts;
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#messages = messages;
    this.choice = new LabChoice(host, location, session, jobs, messages);
    this.runs = new LabRuns(host, this.choice, parts);
    this.batches = new LabBatches(host, this.choice, parts);
    this.plan = new Loaded(
      () => (this.choice.problem === undefined ? this.choice.key('plan', this.#chosen) : undefined),
      () =>
        host.invoke('lab/plan', {
          session: session.id ?? '',
          config: this.choice.config,
          prompt: this.choice.promptOrNone,
          summaries: 'sized',
        }),
    );
    this.probes = new LabProbes(host, parts, parts.servers.list, () => {
      const { run } = this.runs;
      const isWritten =
        run !== undefined && run.replay !== null && this.window !== undefined && this.window.summary !== '';
      return isWritten ? { run: run.run, window: this.summary } : undefined;
    });
    this.loss = new Loaded(
      () => {
        const { run } = this.runs;
        return run?.replay ? `${session.id ?? ''} ${run.run} ${String(this.summary)}` : undefined;
      },
      () =>
        host.invoke('lab/loss', {
          run: this.runs.run?.run ?? '',
          window: this.summary - 1,
          offset: 0,
          limit: MOST_FACTS,
        }),
    );
    this.events = new Loaded(
      () => this.choice.key('events', this.window?.firstEvent ?? '', this.window?.lastEvent ?? ''),
      () => this.#fetchEvents(),
    );
  }

  /** What the configuration does: as it was run, else as it is planned. */
  get replay(): LabReplay | undefined {
    return this.runs.run?.replay ?? this.plan.latest;
  }

  /** The summary that is looked at, from 1. */
  get summary(): number {
    return Math.max(1, Math.min(this.#location.view.summary, this.replay?.windows.length ?? 1));
  }

  get window(): LabWindow | undefined {
    return this.replay?.windows[this.summary - 1];
  }

  readonly series: readonly Series[] = $derived.by(() => this.#makeSeries());

  /** Calls that first see a summary. */
  get marks(): readonly number[] {
    return (this.replay?.windows ?? []).flatMap(({ atCall, blocked }) =>
      atCall === null || blocked !== null ? [] : [atCall],
    );
  }

  /** The configuration in the terms of the tool that made the session; nothing where that has no such setting. */
  get ownSetting(): { readonly tool: string; readonly text: string; readonly tip: string } | undefined {
    const own = this.replay?.ownSetting ?? undefined;
    const text = own?.text ?? this.choice.snippet;
    if (own === undefined || text === undefined || this.choice.problem !== undefined) return undefined;
    return { tool: own.tool, text, tip: own.place === null ? text : `${text} in ${own.place}` };
  }

  copy(): void {
    const { ownSetting } = this;
    if (ownSetting === undefined) return;
    navigator.clipboard
      .writeText(ownSetting.text)
      .then(() => this.#messages.announce(`Copied the configuration for ${ownSetting.tool}`))
      .catch(this.#messages.report);
  }

  moveSummary(delta: number): void {
    const most = this.replay?.windows.length ?? 0;
    const summary = Math.min(most, Math.max(1, this.summary + delta));
    if (most > 0) this.#location.go({ summary, selection: undefined }, 'replace');
  }

  get #chosen(): string {
    return `${this.choice.config} ${this.choice.prompt}`;
  }

  #makeSeries(): readonly Series[] {
    const { replay } = this;
    const { curve } = this.#location.view;
    const unchanged = replay?.unchangedTokens ?? this.choice.swept?.unchangedTokens;
    if (unchanged === undefined) return [];
    const none = { role: 'none', name: 'no compaction', values: asCurve(unchanged, curve) } as const;
    if (replay === undefined) return [none];
    return [
      none,
      { role: 'recorded', name: 'as recorded', values: asCurve(replay.recordedTokens, curve) },
      { role: 'chosen', name: 'this configuration', values: asCurve(replay.promptTokens, curve) },
    ];
  }

  async #fetchEvents(): Promise<readonly EventRow[]> {
    const { window } = this;
    if (window === undefined) return [];
    const first = Number(window.firstEvent.slice(1));
    const last = Number(window.lastEvent.slice(1));
    const page = await this.#host.invoke('event/page', {
      session: this.#session.id ?? '',
      order: 'inOrder',
      filter: '',
      offset: first - 1,
      limit: Math.min(MOST_EVENTS, last - first + 1),
    });
    return page.rows;
  }
}
