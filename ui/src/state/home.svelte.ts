import type {
  ChosenPlace,
  HomePage,
  HomeSession,
  Job,
  PlaceChoice,
  PlaceList,
  PlaceRow,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import type { Host, ImportSource } from '@/host/host.ts';
import { ensureExists } from '@/lib/assert.ts';
import { firstDay, homeLines, localDay, toggleTerm, type HomeLine } from '@/model/home.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';

/** Sessions that are asked for at a time. */
const PAGE = 200;
/** Numbers follow what is read this often at most. */
const REFRESH_MS = 700;
/** Files that changed are looked for this often, as long as somebody looks at Home. */
const LOOK_MS = 5_000;

interface Surroundings {
  readonly location: Location;
  readonly messages: Messages;
  readonly places: Loaded<PlaceList>;
  readonly isStarted: boolean;
  importFrom(sources: Promise<readonly ImportSource[]>): void;
  openSession(session: string, selection?: string): void;
  compareSessions(a: string, b: string): void;
}

/** What agents did on this computer: the places they leave sessions in, and what is read of them. */
export class Home {
  readonly #host: Host;
  readonly #in: Surroundings;
  readonly page: Loaded<HomePage>;
  /** Counts what changed since the numbers were asked for. */
  #revision = $state(0);
  #isRefreshDue = false;
  #limit = $state(PAGE);
  /** Counts choices of places, which change the list of them. */
  placesRevision = $state(0);
  /** The row under the cursor, by its file and id. */
  #chosen: string | undefined = $state();
  /** Places that are to be left out when reading begins. */
  #unwanted: ReadonlySet<string> = $state.raw(new Set());
  /** Rows that are to be compared, two at most. */
  marked: readonly HomeSession[] = $state.raw([]);
  /** Files that are imported to be opened. */
  #opening: readonly HomeSession[] = [];

  constructor(host: Host, surroundings: Surroundings) {
    this.#host = host;
    this.#in = surroundings;
    this.page = new Loaded(
      () => (this.#isShown ? `home ${JSON.stringify(this.#question)} ${String(this.#revision)}` : undefined),
      () => host.invoke('home/get', this.#question),
    );
    $effect(() => {
      if (!this.#isShown) return undefined;
      this.#look(false);
      const timer = setInterval(() => this.#look(false), LOOK_MS);
      return () => clearInterval(timer);
    });
  }

  get #isShown(): boolean {
    return this.#in.isStarted && this.#in.location.view.view === 'home';
  }

  get #question(): Params<'home/get'> {
    const { homeFilter, period, homeOrder } = this.#in.location.view;
    return {
      filter: homeFilter,
      since: firstDay(period, localDay(new Date())) ?? null,
      until: null,
      timezone: null,
      order: homeOrder,
      offset: 0,
      limit: this.#limit,
    };
  }

  /** Places that Home could read; those with other tools' sessions as text are none. */
  get places(): readonly PlaceRow[] | undefined {
    return this.#in.places.latest?.places.filter(({ isRendered }) => !isRendered);
  }

  get readPlaces(): readonly PlaceRow[] {
    return this.places?.filter(({ choice }) => choice === 'read') ?? [];
  }

  /** Nobody has said yet whether they may be read. */
  get openPlaces(): readonly PlaceRow[] {
    return this.places?.filter(({ choice }) => choice === 'open') ?? [];
  }

  /** Nothing may be read so far. */
  get isFirst(): boolean {
    const missing = this.page.latest?.reading.missingPlaces ?? [];
    return this.places !== undefined && this.readPlaces.length === 0 && missing.length === 0;
  }

  readonly lines: readonly HomeLine[] = $derived.by(() => {
    const page = this.page.latest;
    return page === undefined ? [] : homeLines(page, this.#in.location.view.homeOrder === 'newest');
  });

  get activeLine(): number | undefined {
    const at = this.lines.findIndex((line) => line.type === 'session' && keyOf(line.row) === this.#chosen);
    return at < 0 ? undefined : at;
  }

  get active(): HomeSession | undefined {
    const line = this.lines[this.activeLine ?? -1];
    return line?.type === 'session' ? line.row : undefined;
  }

  get activeKey(): string {
    return this.#chosen ?? '';
  }

  /** Puts the cursor on a line, or on the next session beyond a day, in the direction it came from. */
  activate(index: number): void {
    const step = index < (this.activeLine ?? -1) ? -1 : 1;
    for (let at = index; at >= 0 && at < this.lines.length; at += step) {
      const line = this.lines[at];
      if (line?.type !== 'session') continue;
      this.#chosen = keyOf(line.row);
      return;
    }
  }

  /** The rows up to this one are looked at. */
  seen(until: number): void {
    const page = this.page.latest;
    if (page === undefined || page.sessions.length >= page.nSessions) return;
    if (until >= this.lines.length - 1 && this.#limit <= page.sessions.length) this.#limit += PAGE;
  }

  /** Reads a session's file as any other, and shows the session at its worst call. */
  open(row: HomeSession | undefined = this.active): void {
    if (row !== undefined && !row.isUnread) this.#import([row]);
  }

  /** Marks a session to be compared, or no longer. With the second, both are read and compared. */
  mark(row: HomeSession | undefined = this.active): void {
    if (row === undefined || row.isUnread) return;
    const key = keyOf(row);
    const others = this.marked.filter((other) => keyOf(other) !== key);
    this.marked = others.length < this.marked.length ? others : [...others, row];
    if (this.marked.length < 2) return;
    this.#import(this.marked);
    this.marked = [];
  }

  markOf(row: HomeSession): boolean {
    return this.marked.some((other) => keyOf(other) === keyOf(row));
  }

  clearMarks(): void {
    this.marked = [];
  }

  /** Takes an import that Home asked for. False when it is another one, or does not hold what was looked for. */
  takeImported(job: Job): boolean {
    const wanted = this.#opening;
    if (wanted.length === 0 || wanted.some(({ path }) => !job.paths.includes(path))) return false;
    this.#opening = [];
    const found = wanted.flatMap((row) => sessionOf(row, job));
    const [a, b] = found;
    if (a === undefined || found.length < wanted.length) return false;
    const call = wanted[0]?.waste?.worstCall ?? undefined;
    if (b !== undefined) this.#in.compareSessions(a, b);
    else this.#in.openSession(a, call === undefined ? undefined : `C${String(call)}`);
    return true;
  }

  /** Leaves only sessions of this in the list, or no longer. */
  toggle(term: string): void {
    this.filter(toggleTerm(this.#in.location.view.homeFilter, term));
  }

  filter(text: string): void {
    this.#limit = PAGE;
    this.#in.location.go({ homeFilter: text }, 'replace');
  }

  isWanted(path: string): boolean {
    return !this.#unwanted.has(path);
  }

  want(path: string, isWanted: boolean): void {
    const others = [...this.#unwanted].filter((other) => other !== path);
    this.#unwanted = new Set(isWanted ? others : [...others, path]);
  }

  get wantedPlaces(): readonly PlaceRow[] {
    return this.openPlaces.filter(({ path }) => this.isWanted(path));
  }

  /** Agrees to the places that are wanted. */
  readWanted(): void {
    if (this.wantedPlaces.length === 0) return;
    const choices = this.openPlaces.map(({ path }) => {
      const choice: PlaceChoice = this.isWanted(path) ? 'read' : 'leave';
      return { path, choice };
    });
    this.#choose(choices).catch(this.#in.messages.report);
  }

  /** Says whether places may be read, and begins to. */
  choose(paths: readonly string[], choice: PlaceChoice): void {
    this.#choose(paths.map((path) => ({ path, choice }))).catch(this.#in.messages.report);
  }

  async #choose(choices: ChosenPlace[]): Promise<void> {
    await this.#host.invoke('place/choose', { choices });
    this.placesRevision += 1;
    this.#look(true);
  }

  /** Goes on with reading after it was stopped. */
  goOn(): void {
    this.#look(true);
  }

  /** Something was read. */
  changed(): void {
    if (this.#isRefreshDue) return;
    this.#isRefreshDue = true;
    setTimeout(() => {
      this.#isRefreshDue = false;
      this.#revision += 1;
    }, REFRESH_MS);
  }

  #look(goesOn: boolean): void {
    this.#host
      .invoke('home/read', { goesOn })
      .then((reading) => {
        const known = this.page.latest?.reading;
        // What was read before this start is there at once.
        if ((known?.readFiles ?? 0) === 0 && reading.readFiles > 0) this.#revision += 1;
        if (goesOn || reading.isRunning || reading.files !== known?.files) this.changed();
      })
      .catch(this.#in.messages.report);
  }

  #import(rows: readonly HomeSession[]): void {
    this.#opening = rows;
    const paths = [...new Set(rows.map(({ path }) => path))];
    this.#in.importFrom(Promise.resolve(paths.map((path) => ({ type: 'path', path }))));
  }
}

/** A file may hold several sessions. */
function keyOf({ path, id }: HomeSession): string {
  return `${path} ${id}`;
}

/** The imported session of a row: the only one of its file, or the one that is called the same. */
function sessionOf(row: HomeSession, { sessions }: Job): readonly string[] {
  const ofFile = sessions.filter(({ source }) => source === row.path);
  const candidates = ofFile.length > 0 ? ofFile : sessions;
  const named = candidates.find(({ session, title }) => session === row.id || title === row.title);
  const found =
    named ?? (candidates.length === 1 ? ensureExists(candidates[0], 'the only session') : undefined);
  return found === undefined ? [] : [found.session];
}
