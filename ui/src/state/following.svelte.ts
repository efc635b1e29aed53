import { untrack } from 'svelte';
import type { FollowState } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** The file of the session, read again whenever it changes. The cursor stays on the newest call until it is moved. */
export class Following {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #cursor: Cursor;
  /** A run adds to the session. */
  readonly #isGrowing: () => boolean;
  /** The calls there were when they were last counted. */
  #counted: { readonly recording: string; readonly calls: number } | undefined;
  /** What switching it answered, until the numbers of the session say so. */
  #answered: { readonly session: string; readonly state: FollowState } | undefined = $state.raw();

  constructor(
    host: Host,
    location: Location,
    session: OpenSession,
    cursor: Cursor,
    isGrowing: () => boolean,
  ) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#cursor = cursor;
    this.#isGrowing = isGrowing;
    $effect(() => this.#keepUp());
  }

  get state(): FollowState | undefined {
    const { info } = this.#session;
    const answered = this.#answered;
    return answered !== undefined && answered.session === info?.session ? answered.state : info?.follow;
  }

  get isOn(): boolean {
    return this.state?.isOn ?? false;
  }

  /** The sample has no file, and so no switch. */
  get isOffered(): boolean {
    return this.state !== undefined && this.#session.info?.isSample !== true;
  }

  get isAtNewest(): boolean {
    return this.#session.cursor === this.#session.calls;
  }

  async toggle(): Promise<void> {
    const { id } = this.#session;
    if (id === undefined || !this.isOffered) return;
    const isOn = !this.isOn;
    const state = await this.#host.invoke('session/follow', { session: id, isOn });
    this.#answered = { session: id, state };
    if (isOn && this.#session.calls > 0) this.toNewest();
  }

  /** The numbers of the session, which are asked for anew, say what holds. */
  forgetAnswer(): void {
    this.#answered = undefined;
  }

  /** A session will be opened that has just begun: its calls are new. */
  expect(recording: string): void {
    this.#counted = { recording, calls: 0 };
  }

  toNewest(): void {
    this.#cursor.set(this.#session.calls);
  }

  #keepUp(): void {
    const { recording, calls, isOpen } = this.#session;
    if (!isOpen) return;
    const before = this.#counted;
    this.#counted = { recording, calls };
    if (before?.recording !== recording || calls <= before.calls) return;
    untrack(() => {
      const { cursor } = this.#location.view;
      const wasAtNewest = cursor === before.calls || (cursor === 0 && before.calls === 0);
      if ((this.isOn || this.#isGrowing()) && wasAtNewest) this.#cursor.show(calls);
    });
  }
}
