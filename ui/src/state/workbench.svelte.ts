import { getContext, setContext } from 'svelte';
import type { CallRange, Job, Notification, PlaceList, StartInfo, StratumRun } from '@/api/gen/api.ts';
import type { Host, ImportSource } from '@/host/host.ts';
import { ensureExists } from '@/lib/assert.ts';
import { FrameLoop } from '@/lib/frame.ts';
import { strataOf } from '@/model/map-columns.ts';
import type { AskedQuestion } from '@/model/questions.ts';
import { isApart, type ApartView, type ViewName } from '@/model/view-url.ts';
import { addRequests } from './added-requests.ts';
import { Answers } from './answers.svelte.ts';
import { Appearance } from './appearance.svelte.ts';
import { CacheView } from './cache-view.svelte.ts';
import { CallTable } from './call-table.svelte.ts';
import { Capture } from './capture.svelte.ts';
import { Comparison } from './comparison.svelte.ts';
import { CallReplay } from './call-replay.svelte.ts';
import { ContextMap } from './context-map.svelte.ts';
import { Cursor } from './cursor.svelte.ts';
import { EventTable } from './event-table.svelte.ts';
import { Experiments } from './experiments.svelte.ts';
import { Findings } from './findings.svelte.ts';
import { Following } from './following.svelte.ts';
import { Home } from './home.svelte.ts';
import { Inspector } from './inspector.svelte.ts';
import { Jobs } from './jobs.svelte.ts';
import { Lab } from './lab.svelte.ts';
import { KeptSecrets } from './kept-secrets.svelte.ts';
import { Learn } from './learn.svelte.ts';
import { LearnedTokenCounts } from './learned-counts.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import { Location, type PageHistory } from './location.svelte.ts';
import { Messages } from './messages.svelte.ts';
import { ModelServers } from './model-servers.svelte.ts';
import { Navigation } from './navigation.svelte.ts';
import { OpenSession } from './open-session.svelte.ts';
import { Palette } from './palette.svelte.ts';
import { Panels } from './panels.svelte.ts';
import { PipelineEdits } from './pipeline-edits.svelte.ts';
import { Pipeline } from './pipeline.svelte.ts';
import { Runs } from './runs.svelte.ts';
import { SessionSummary } from './session-summary.svelte.ts';
import { SessionTable } from './session-table.svelte.ts';
import { Stores } from './stores.svelte.ts';
import { Tour } from './tour.svelte.ts';
import { ViewQuestions } from './view-questions.svelte.ts';

/** What the pointer is over. Highlights only: it never scrolls and never loads. */
export interface Hover {
  readonly call?: number;
  readonly event?: number;
}

/** Everything the window knows and can do, made once per window. */
export class Workbench {
  readonly host: Host;
  readonly frames = new FrameLoop();
  readonly messages = new Messages();
  readonly panels = new Panels();
  readonly location: Location;
  readonly appearance: Appearance;
  readonly session: OpenSession;
  readonly events: EventTable;
  readonly map: ContextMap;
  readonly pipeline: Pipeline;
  readonly experiments: Experiments;
  readonly edits: PipelineEdits;
  readonly findings: Findings;
  readonly summary: SessionSummary;
  readonly table: SessionTable;
  readonly home: Home;
  readonly comparison: Comparison;
  readonly inspector: Inspector;
  readonly cursor: Cursor;
  readonly callTable: CallTable;
  readonly following: Following;
  readonly cache: CacheView;
  readonly stores: Stores;
  readonly navigation: Navigation;
  readonly palette: Palette;
  readonly answers: Answers;
  readonly jobs: Jobs;
  readonly servers: ModelServers;
  readonly counts: LearnedTokenCounts;
  readonly secrets: KeptSecrets;
  readonly capture: Capture;
  readonly lab: Lab;
  readonly replay: CallReplay;
  readonly runs: Runs;
  readonly learn: Learn;
  readonly tour: Tour;
  readonly start: Loaded<StartInfo>;
  /** Where agents leave sessions on this computer. */
  readonly places: Loaded<PlaceList>;
  hover: Hover = $state.raw({});
  /** Counts changes of the list of sessions, for those who show it. */
  sessionsRevision = $state(0);

  constructor(host: Host, page: PageHistory) {
    const { messages } = this;
    this.host = host;
    this.location = new Location(page);
    this.appearance = new Appearance(host, messages.report);
    this.session = new OpenSession(host, this.location);
    this.events = new EventTable(host, this.location, this.session);
    this.map = new ContextMap(host, this.session, this.events);
    this.pipeline = new Pipeline(host, this.location, this.session);
    this.experiments = new Experiments(host, this.location, this.session, messages);
    this.edits = new PipelineEdits(this);
    this.findings = new Findings(host, this.location, this.session, this.experiments);
    this.inspector = new Inspector(host, this.location, this.session, this.pipeline);
    this.cursor = new Cursor(this.location, this.session, this.map, messages);
    this.callTable = new CallTable(this);
    this.following = new Following(host, this.location, this.session, this.cursor, () => this.runs.isGrowing);
    this.cache = new CacheView(host, this.location, this.session, this.cursor, messages);
    this.stores = new Stores(host, this.location, this.session, this.cursor, messages);
    this.comparison = new Comparison(host, this.location, this.session, this.experiments, this.cursor);
    this.navigation = new Navigation(this);
    this.summary = new SessionSummary(host, this);
    this.table = new SessionTable(host, this);
    this.palette = new Palette(host);
    this.answers = new Answers(host, this.location, this.session, messages, new ViewQuestions(host, this));
    this.jobs = new Jobs(host, messages.report, (job) => this.#openImported(job));
    this.servers = new ModelServers(host, this.location, messages);
    this.counts = new LearnedTokenCounts(host, this.jobs, () => this.location.view.view === 'settings');
    this.secrets = new KeptSecrets(host, this.jobs, () => this.location.view.view === 'settings');
    this.capture = new Capture(
      host,
      () => this.start.latest?.isCapturing === true,
      () => this.location.view.view === 'capture',
    );
    this.lab = new Lab(host, this);
    this.replay = new CallReplay(
      host,
      this.session,
      this.jobs,
      this.panels,
      this.lab,
      this.servers.list,
      messages,
    );
    this.runs = new Runs(host, {
      location: this.location,
      session: this.session,
      cursor: this.cursor,
      messages,
      openSession: (session) => this.openSession(session),
    });
    this.learn = new Learn(host, this);
    this.tour = new Tour(this);
    this.start = new Loaded(
      () => 'start',
      () => this.#begin(),
    );
    this.places = new Loaded(
      () => this.#keyOfPlaces(),
      () => host.invoke('place/list', {}),
    );
    this.home = new Home(host, this);
    $effect(() => host.listen((notification) => this.#take(notification)));
  }

  /** Calls that carry what is hovered, else what is selected. */
  get ticks(): readonly CallRange[] {
    if (this.hover.event !== undefined) return this.hoveredStrata;
    return this.inspector.event.value?.byCall ?? [];
  }

  get hoveredStrata(): readonly StratumRun[] {
    return this.#hoveredStrata;
  }

  /** Goes to a view. While calls are compiled the largest one changes, but who looks into a call stays with it. */
  show(view: ViewName): void {
    const { isCompiling, cursor } = this.session;
    // What the cache does for the call under the cursor, what compaction does to the session, and what a store holds at it,
    // is what these views are about.
    const place = ['cache', 'lab', 'stores'].includes(view) ? { view, selection: undefined } : { view };
    this.location.go(view !== 'session' && isCompiling ? { ...place, cursor } : place);
  }

  get isStarted(): boolean {
    return this.start.latest !== undefined;
  }

  /** Goes to what agents did on this computer, or back to the view it was opened from. */
  toggleHome(): void {
    this.panels.dialog = undefined;
    this.#toggleApart('home');
  }

  /** Goes to the list of all sessions, or back to the view it was opened from. */
  toggleSessions(): void {
    this.panels.dialog = undefined;
    this.#toggleApart('sessions');
  }

  /** Goes to the settings, or back to the view they were opened from. */
  toggleSettings(): void {
    this.#toggleApart('settings');
  }

  /** Goes to what clients send, or back to the view it was opened from. */
  toggleCapture(): void {
    this.#toggleApart('capture');
  }

  #toggleApart(apart: ApartView): void {
    const { view } = this.location.view;
    if (!isApart(view)) this.#viewBefore = view;
    // Without a session there is no view to go back to but Home.
    const before = this.session.id === undefined ? 'home' : this.#viewBefore;
    this.location.go({ view: view === apart ? before : apart });
  }

  /** Opens a session at a place in it. */
  openPlace(session: string, address: string | undefined): void {
    if (session === this.session.recording && address !== undefined) this.navigation.open(address);
    else this.openSession(session, address);
  }

  /** Shows two sessions beside each other. */
  compareSessions(a: string, b: string): void {
    if (this.session.id === undefined) this.openSession(a);
    this.table.compare(a, b);
  }

  openSession(session: string, selection?: string): void {
    this.panels.dialog = undefined;
    if (session === this.session.id) {
      if (isApart(this.location.view.view)) this.location.go({ view: 'session' });
      if (selection !== undefined) this.navigation.open(selection);
      return;
    }
    // What the files of the start gave is told beside whatever is shown first.
    if (this.session.id !== undefined) this.jobs.leave(session);
    this.messages.dismiss();
    const { view: before } = this.location.view;
    const view = selection !== undefined || isApart(before) ? 'session' : before;
    const place = {
      session,
      view,
      cursor: 0,
      ranges: [],
      selection,
      filter: '',
      stage: undefined,
      against: undefined,
      finding: undefined,
      config: '',
      grid: '',
      key: '',
      handOff: 1,
      summary: 1,
      attempt: '',
    };
    // Before the first session there is nothing to go back to.
    this.location.go(place, this.session.id === undefined ? 'replace' : 'jump');
  }

  importFrom(sources: Promise<readonly ImportSource[]>): void {
    sources.then((files) => this.jobs.import(files)).catch(this.messages.report);
  }

  pickFiles(): void {
    this.panels.dialog = undefined;
    this.importFrom(this.host.pickFiles());
  }

  pickFolders(): void {
    this.panels.dialog = undefined;
    const picked = this.host.pickFolders?.();
    if (picked !== undefined) this.importFrom(picked);
  }

  /** Gives the open session what another file recorded of its calls. */
  addRequests(): void {
    this.panels.dialog = undefined;
    addRequests(this.host, this.session, this.messages).catch(this.messages.report);
  }

  ask(question: AskedQuestion): void {
    this.answers.ask(question).catch(this.messages.report);
  }

  async copyAddress(): Promise<void> {
    const address = `ctx:${this.session.id ?? ''}/${this.inspector.address}`;
    await navigator.clipboard.writeText(address);
    this.messages.announce(`Copied ${address}`);
  }

  #viewBefore: ViewName = 'session';
  #keyOfPlaces(): string | undefined {
    if (!this.isStarted) return undefined;
    const { view } = this.location.view;
    const isShown = this.panels.dialog === 'sessions' || view === 'settings' || view === 'home';
    return `places ${String(isShown)} ${String(this.home.placesRevision)}`;
  }

  readonly #hoveredStrata = $derived.by(() =>
    this.hover.event === undefined ? [] : strataOf(this.map.map, this.hover.event),
  );

  async #begin(): Promise<StartInfo> {
    const info = await this.host.invoke('app/start', {});
    this.appearance.restore(info.settings);
    await this.jobs.refresh();
    // An address that names a session or a lesson stands, also when the page is loaded again.
    const isAsked = this.session.id !== undefined || this.location.view.lesson !== '';
    if (!isAsked && info.openJob !== null) this.jobs.expect(info.openJob);
    this.#openFirst();
    return info;
  }

  /** Home is shown when nothing was asked for. A file that is being read is waited for. */
  #openFirst(): void {
    if (this.session.id !== undefined || this.jobs.isExpecting) return;
    if (!isApart(this.location.view.view)) this.location.go({ view: 'home' }, 'replace');
  }

  #take(notification: Notification): void {
    switch (notification.type) {
      case 'job':
        this.jobs.update(notification.job);
        if (this.isStarted) this.#openFirst();
        break;
      case 'sessions':
        this.sessionsRevision += 1;
        if (this.capture.isListening) this.capture.heard();
        this.jobs.refresh().catch(this.messages.report);
        break;
      case 'missed':
        // Anything may have happened unheard: jobs ended, sessions came and went, what is shown has grown.
        this.home.changed();
        this.sessionsRevision += 1;
        this.jobs.refresh().catch(this.messages.report);
        this.following.forgetAnswer();
        this.session.edited();
        this.runs.refresh();
        if (this.capture.isListening) this.capture.heard();
        break;
      case 'changed':
        if (this.capture.isListening) this.capture.heard();
        this.following.forgetAnswer();
        if (notification.session === this.session.recording) this.session.edited();
        break;
      case 'begun':
        this.#followInto(notification.session, notification.after);
        break;
      case 'analysis':
        this.session.compiled(notification.session, notification.compiledCalls);
        break;
      case 'findings':
        this.findings.tried(notification.session);
        break;
      case 'run':
        this.runs.refresh();
        break;
      case 'home':
        this.home.changed();
        break;
      case 'capture':
        this.capture.heard();
        break;
      case 'open':
        this.openSession(notification.session);
        break;
      case 'lesson':
        this.learn.show(notification.lesson);
        break;
    }
  }

  /** Goes on with what a followed file holds now, where what it held before is shown. */
  #followInto(session: string, after: readonly string[]): void {
    if (!after.includes(this.session.recording)) return;
    this.following.expect(session);
    this.openSession(session);
    this.messages.announce(
      'The file was begun anew: this is what it holds now. What it held before is kept.',
    );
  }

  #openImported(job: Job): void {
    if (this.home.takeImported(job) || this.learn.takeImported(job)) return;
    const [session] = job.sessions;
    if (session === undefined) return;
    if (job.sessions.length === 1 || this.session.id === undefined) this.openSession(session.session);
    if (job.sessions.length > 1) this.panels.dialog = 'sessions';
  }
}

const KEY = Symbol('workbench');

export function provideWorkbench(workbench: Workbench): Workbench {
  return setContext(KEY, workbench);
}

export function useWorkbench(): Workbench {
  return ensureExists(getContext<Workbench | undefined>(KEY), 'a workbench around this component');
}
