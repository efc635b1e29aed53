import type { EventDetail } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { callOf, filterFor, parseAddress, printAddress, type Address } from '@/model/address.ts';
import type { ViewState } from '@/model/view-url.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Inspector } from './inspector.svelte.ts';
import type { Location, Step } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';

const RECENT_PLACES = 8;

interface Places {
  readonly host: Host;
  readonly location: Location;
  readonly session: OpenSession;
  readonly cursor: Cursor;
  readonly inspector: Inspector;
  readonly panels: Panels;
  readonly messages: Messages;
}

interface Walk {
  readonly steps: readonly string[];
  readonly at: number;
}

/** Goes to places: selects them, opens them in their best view, walks from a token to its source. */
export class Navigation {
  readonly #in: Places;
  #recent: { readonly session: string; readonly addresses: readonly string[] } = $state.raw({
    session: '',
    addresses: [],
  });
  /** The chain that is walked, so that its steps stay the same while the selection moves along it. */
  #walk: Walk | undefined;

  constructor(places: Places) {
    this.#in = places;
  }

  /** Places of the open session that were opened or selected by a jump, the newest first. */
  get recent(): readonly string[] {
    return this.#recent.session === this.#in.session.id ? this.#recent.addresses : [];
  }

  /** Shows a place in the inspector. The cursor stays. Places without a page of their own become a filter. */
  select(text: string | undefined, step: Step = 'jump'): void {
    const address = parseAddress(text ?? '');
    const filter = address === undefined ? undefined : filterFor(address);
    if (filter !== undefined) this.#in.location.go({ view: 'session', filter }, step);
    else this.#show(text, step);
    if (text !== undefined && step === 'jump') this.#remember(text);
  }

  #show(selection: string | undefined, step: Step): void {
    this.#in.location.go({ selection }, step);
    if (selection !== undefined && step === 'jump') this.#in.panels.showInspector(true);
  }

  /** Moves the cursor to a place and shows it in the view that shows it best. */
  open(text: string): void {
    const address = parseAddress(text);
    if (address === undefined) return;
    const filter = filterFor(address);
    if (filter !== undefined) {
      this.select(text);
      return;
    }
    const selection = printAddress(address);
    const call = callOf(address);
    this.#in.location.go({ selection, ...bestView(address) });
    this.#in.panels.showInspector(true);
    this.#remember(selection);
    if (call !== undefined) this.#in.cursor.show(call);
    if (address.type === 'event') this.#showFirstCall(address.event).catch(this.#in.messages.report);
  }

  /** Opens what is selected. */
  openSelection(): void {
    const { selection } = this.#in.location.view;
    this.open(selection ?? `C${String(this.#in.session.cursor)}`);
  }

  /** One step along "where it came from": towards the source, or back towards the use. */
  walk(direction: 'source' | 'use'): void {
    const walk = this.#presentWalk();
    const next = direction === 'source' ? walk.at - 1 : walk.at + 1;
    const step = walk.steps[next];
    if (step === undefined) {
      this.#in.messages.announce(direction === 'source' ? 'This is the source' : 'This is the last use');
      return;
    }
    this.#walk = { steps: walk.steps, at: next };
    this.#in.location.go({ selection: step });
  }

  #presentWalk(): Walk {
    const selection = this.#in.location.view.selection ?? '';
    if (this.#walk !== undefined && this.#walk.steps[this.#walk.at] === selection) return this.#walk;
    const steps = this.#in.inspector.chain.flatMap(({ address }) =>
      address === null || filterFor(parseAddress(address) ?? { type: 'event', event: 0 }) !== undefined
        ? []
        : [address],
    );
    const at = steps.indexOf(selection);
    return at >= 0 ? { steps, at } : { steps: [...steps, selection], at: steps.length };
  }

  /** An event is best seen where it was first sent. */
  async #showFirstCall(event: number): Promise<void> {
    const { host, session, inspector, cursor } = this.#in;
    const known = inspector.event.value;
    const detail: EventDetail =
      known?.row.event === event
        ? known
        : await host.invoke('event/get', { session: session.id ?? '', event });
    const call = detail.byCall[0]?.from ?? detail.row.call;
    if (call !== null) cursor.show(call);
  }

  #remember(address: string): void {
    const others = this.recent.filter((known) => known !== address);
    this.#recent = {
      session: this.#in.session.id ?? '',
      addresses: [address, ...others].slice(0, RECENT_PLACES),
    };
  }
}

function bestView(address: Address): Partial<ViewState> {
  if (address.type === 'stage') return { view: 'pipeline', stage: address.processor, isChangedOnly: false };
  if (address.type === 'part') return { view: 'pipeline', tab: 'parts' };
  return address.type === 'event' ? { view: 'session' } : {};
}
