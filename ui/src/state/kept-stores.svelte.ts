import type {
  ArtifactsPage,
  ContextDetail,
  ContextLine,
  ContextsPage,
  FileRow,
  MemoryPage,
  MemorySearchRow,
  NodeRow,
  NodesPage,
  StoreCounts,
} from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { isKept, type KeptStore } from '@/model/kept.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages, type Page } from './pages.svelte.ts';

/** Files, searches in memory, runs of nodes, and contexts. */
export class KeptStores {
  readonly #location: Location;
  readonly #messages: Messages;
  readonly files: Pages<FileRow, ArtifactsPage>;
  readonly searches: Pages<MemorySearchRow, MemoryPage>;
  readonly nodes: Pages<NodeRow, NodesPage>;
  readonly contexts: Pages<ContextLine, ContextsPage>;
  readonly context: Loaded<ContextDetail>;
  readonly counts: Loaded<StoreCounts>;
  readonly #host: Host;
  readonly #session: OpenSession;
  /** Contexts that were put away or ended here: what was asked before is old. */
  #acted = $state(0);

  constructor(host: Host, location: Location, session: OpenSession, messages: Messages) {
    this.#host = host;
    this.#session = session;
    this.#location = location;
    this.#messages = messages;
    const id = (): string => session.id ?? '';
    const isShown = (store: KeptStore): boolean =>
      session.isOpen && location.view.view === 'stores' && location.view.store === store;
    const pages = <R, P extends Page<R>>(
      store: KeptStore,
      fetchPage: (offset: number, limit: number) => Promise<P>,
    ): Pages<R, P> =>
      new Pages<R, P>(
        () => (isShown(store) ? session.key : undefined),
        fetchPage,
        () => `${session.recording} ${store}`,
      );
    this.files = pages('artifacts', (offset, limit) =>
      host.invoke('stores/artifacts', { session: id(), offset, limit }),
    );
    this.searches = pages('memory', (offset, limit) =>
      host.invoke('stores/memory', { session: id(), offset, limit }),
    );
    this.nodes = pages('nodes', (offset, limit) =>
      host.invoke('stores/nodes', { session: id(), offset, limit }),
    );
    this.contexts = new Pages(
      () => {
        const filter = `${location.view.contextFilter} ${String(this.#acted)}`;
        return session.key !== undefined && isShown('contexts') ? `${session.key} ${filter}` : undefined;
      },
      (offset, limit) =>
        host.invoke('stores/contexts', {
          session: id(),
          filter: location.view.contextFilter,
          offset,
          limit,
        }),
      () => `${session.recording} contexts ${location.view.contextFilter}`,
    );
    this.counts = new Loaded(
      () =>
        session.key !== undefined && session.isOpen && location.view.view === 'stores'
          ? `${session.key} ${String(this.#acted)}`
          : undefined,
      () => host.invoke('stores/counts', { session: id() }),
    );
    this.context = new Loaded(
      () => {
        const chosen = location.view.store === 'contexts' ? this.chosenContext : undefined;
        return session.key === undefined || chosen === undefined
          ? undefined
          : `${session.key} ${chosen.id} ${String(this.#acted)}`;
      },
      () => host.invoke('stores/context', { session: id(), context: this.chosenContext?.id ?? '' }),
    );
    session.refreshAfter(() => this.files.isLoading || this.searches.isLoading || this.nodes.isLoading);
  }

  /** The list of the store that is looked at. */
  get list(): Pages<unknown, Page<unknown>> | undefined {
    const { store } = this.#location.view;
    if (!isKept(store)) return undefined;
    return { artifacts: this.files, memory: this.searches, nodes: this.nodes, contexts: this.contexts }[
      store
    ];
  }

  /** The place of what is looked at. */
  get active(): number {
    const { store, item } = this.#location.view;
    if (item === '' || !isKept(store)) return 0;
    // What is numbered has its place wherever that is.
    const numbered = Math.max(0, (Number.parseInt(item, 10) || 1) - 1);
    return {
      artifacts: () => this.files.find(({ name }) => name === item)?.index ?? 0,
      memory: () => numbered,
      nodes: () => numbered,
      contexts: () => this.contexts.find(({ id }) => id === item)?.index ?? 0,
    }[store]();
  }

  get chosenFile(): FileRow | undefined {
    return this.files.row(this.active);
  }

  get chosenSearch(): MemorySearchRow | undefined {
    return this.searches.row(this.active);
  }

  get chosenNode(): NodeRow | undefined {
    return this.nodes.row(this.active);
  }

  get chosenContext(): ContextLine | undefined {
    return this.contexts.row(this.active);
  }

  /** The event that what is looked at is from. */
  get event(): number | undefined {
    const { store } = this.#location.view;
    if (store === 'artifacts') return this.chosenFile?.versions.at(-1)?.event ?? undefined;
    if (store === 'memory') return this.chosenSearch?.event ?? undefined;
    return store === 'nodes' ? this.chosenNode?.firstEvent : undefined;
  }

  async choose(index: number): Promise<void> {
    const { list } = this;
    const { store } = this.#location.view;
    if (list === undefined || !isKept(store) || list.total === 0) return;
    const wanted = Math.min(list.total - 1, Math.max(0, index));
    const itemOf = {
      artifacts: async () => (await rowOf(this.files, wanted))?.name,
      memory: () => String(wanted + 1),
      nodes: () => String(wanted + 1),
      contexts: async () => (await rowOf(this.contexts, wanted))?.id,
    };
    const item = await itemOf[store]();
    if (item === undefined || this.#location.view.store !== store) return;
    this.#location.go({ item, selection: undefined }, 'walk');
  }

  /** Puts a context away until its client comes back. */
  async archiveContext(context: string): Promise<void> {
    await this.#host.invoke('stores/archiveContext', { session: this.#session.id ?? '', context });
    this.#acted += 1;
    this.#messages.announce(`${context} is put away until its client comes back`);
  }

  /** Ends a context before its time. */
  async expireContext(context: string): Promise<void> {
    await this.#host.invoke('stores/expireContext', { session: this.#session.id ?? '', context });
    this.#acted += 1;
    this.#messages.announce(`${context} is ended and archived`);
  }

  move(delta: number): void {
    this.choose(this.active + delta).catch(this.#messages.report);
  }

  chooseSoon(index: number): void {
    this.choose(index).catch(this.#messages.report);
  }
}

/** A row that may not be here yet. */
async function rowOf<R, P extends Page<R>>(pages: Pages<R, P>, index: number): Promise<R | undefined> {
  return pages.row(index) ?? (await pages.load(index));
}
