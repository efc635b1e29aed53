import type {
  AgentPage,
  HandOffDetail,
  HandOffPart,
  HandOffRow,
  KeyDetail,
  KeyRow,
  StatePage,
  VersionRow,
} from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { callOfVersion, versionBeside } from '@/model/stores.ts';
import type { Cursor } from './cursor.svelte.ts';
import { KeptStores } from './kept-stores.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages } from './pages.svelte.ts';

/** Columns of the chart of a key; calls share them where there are more. */
const MOST_COLUMNS = 120;

/** What the state holds at the call under the cursor, and what agents hand to one another. */
export class Stores {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #cursor: Cursor;
  readonly #messages: Messages;
  /** Those that are listed one by one. */
  readonly kept: KeptStores;
  readonly keys: Pages<KeyRow, StatePage>;
  readonly versions: Pages<VersionRow, KeyDetail & { readonly rows: readonly VersionRow[] }>;
  readonly agents: Pages<HandOffRow, AgentPage>;
  readonly parts: Pages<HandOffPart, HandOffDetail & { readonly rows: readonly HandOffPart[] }>;

  constructor(host: Host, location: Location, session: OpenSession, cursor: Cursor, messages: Messages) {
    this.#location = location;
    this.#session = session;
    this.#cursor = cursor;
    this.#messages = messages;
    this.kept = new KeptStores(host, location, session, messages);
    const id = (): string => session.id ?? '';
    const isShown = (store: string): boolean =>
      session.isOpen && location.view.view === 'stores' && location.view.store === store;
    const keyAtCursor = (): string | undefined =>
      isShown('state') && session.keyOfCall(session.cursor) !== undefined
        ? `${session.key ?? ''} ${String(session.cursor)}`
        : undefined;
    this.keys = new Pages(
      keyAtCursor,
      (offset, limit) =>
        host.invoke('stores/state', {
          session: id(),
          call: session.cursor,
          maxColumns: MOST_COLUMNS,
          offset,
          limit,
        }),
      () => (isShown('state') ? `${session.recording} state` : undefined),
    );
    this.versions = new Pages(
      () => {
        const key = keyAtCursor();
        return key === undefined || this.key === undefined ? undefined : `${key} ${this.key}`;
      },
      async (offset, limit) => {
        const asked = { session: id(), key: this.key ?? '', call: session.cursor, offset, limit };
        const detail = await host.invoke('stores/key', asked);
        return { ...detail, rows: detail.versions };
      },
      () => (isShown('state') ? `${session.recording} ${this.key ?? ''}` : undefined),
    );
    const keyOfAgents = (): string | undefined =>
      isShown('agents') && session.compiledCalls > 0 ? session.key : undefined;
    this.agents = new Pages(keyOfAgents, (offset, limit) =>
      host.invoke('stores/agents', { session: id(), order: 'inOrder', offset, limit }),
    );
    this.parts = new Pages(
      () => {
        const key = keyOfAgents();
        return key === undefined || this.agents.total === 0 ? undefined : `${key} ${String(this.handOff)}`;
      },
      async (offset, limit) => {
        const asked = { session: id(), number: this.handOff, offset, limit };
        const detail = await host.invoke('stores/handOff', asked);
        return { ...detail, rows: detail.parts };
      },
    );
    session.refreshAfter(() => this.keys.isLoading || this.agents.isLoading);
  }

  /** The key that is looked at. */
  get key(): string | undefined {
    const { key } = this.#location.view;
    return key === '' ? (this.keys.about?.keyToSee ?? undefined) : key;
  }

  get activeKey(): number | undefined {
    return this.keys.find(({ key }) => key === this.key)?.index;
  }

  get handOff(): number {
    return Math.min(Math.max(1, this.agents.total), this.#location.view.handOff);
  }

  /** Shows a key of the state in the Stores view. */
  open(key: string): void {
    this.#location.go({ view: 'stores', store: 'state', key, selection: undefined });
  }

  /** Shows the key whose change broke the cache of a call. */
  openBreak(call: number): void {
    this.#location.go({ view: 'stores', store: 'state', key: '', cursor: call, selection: undefined });
  }

  async choose(index: number): Promise<void> {
    const wanted = Math.min(this.keys.total - 1, Math.max(0, index));
    const row = this.keys.row(wanted) ?? (await this.keys.load(wanted));
    if (row !== undefined) this.#location.go({ key: row.key, selection: undefined }, 'walk');
  }

  chooseHandOff(number: number): void {
    const handOff = Math.min(this.agents.total, Math.max(1, number));
    if (handOff > 0) this.#location.go({ handOff, selection: undefined }, 'walk');
  }

  /** To the next key, or the next hand-off. */
  move(delta: number): void {
    if (this.#location.view.store === 'agents') this.chooseHandOff(this.handOff + delta);
    else this.choose((this.activeKey ?? -1) + delta).catch(this.#messages.report);
  }

  /** To a call that another version of the key was there for. */
  moveVersion(direction: 1 | -1): void {
    const rows = this.versions.about?.rows ?? [];
    const version = versionBeside(rows, this.#session.cursor, this.#session.calls, direction);
    if (version === undefined) {
      this.#messages.announce(`No ${direction === 1 ? 'later' : 'earlier'} version`);
    } else this.showVersion(version);
  }

  showVersion(version: VersionRow): void {
    this.#location.go({ key: this.key ?? '' }, 'replace');
    this.#cursor.set(callOfVersion(version, this.#session.calls), 'walk');
  }

  /** The event that wrote what the key holds at the cursor, if one did. */
  get writer(): number | undefined {
    const about = this.versions.about;
    const version = this.versions.find(({ number }) => number === about?.current)?.row;
    return version?.event ?? undefined;
  }
}
