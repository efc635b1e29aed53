import { render, screen, type RenderResult } from '@testing-library/svelte';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { fakeHost, type FakeHost, type FakeOptions } from '@/host/fake/host.ts';
import { parseView, type ViewState } from '@/model/view-url.ts';
import type { PageHistory } from '@/state/location.svelte.ts';
import App from '@/views/App.svelte';

export interface MemoryHistory extends PageHistory {
  /** The addresses that Back leads through, and the present one. */
  readonly entries: readonly string[];
}

/** A history without a page. */
export function memoryHistory(hash: string): MemoryHistory {
  const entries = [hash];
  let at = 0;
  let changed = (): void => undefined;
  const move = (to: number): void => {
    if (entries[to] === undefined) return;
    at = to;
    changed();
  };
  return {
    entries,
    hash: () => entries[at] ?? '',
    push: (next) => {
      entries.splice(at + 1, entries.length, next);
      at += 1;
    },
    replace: (next) => {
      entries[at] = next;
    },
    onChange: (listener) => {
      changed = listener;
      return () => undefined;
    },
    back: () => move(at - 1),
    forward: () => move(at + 1),
  };
}

export interface OpenWindow {
  readonly host: FakeHost;
  readonly page: MemoryHistory;
  readonly user: UserEvent;
  readonly rendered: RenderResult<typeof App>;
  /** Presses keys where no field has the focus. */
  readonly press: (keys: string) => Promise<void>;
  /** The state that a link to the view has by now. */
  readonly view: () => ViewState;
}

/** A whole window on made-up sessions. */
export function openWindow(hash = '#/invoice-triage/session', options: FakeOptions = {}): OpenWindow {
  const host = fakeHost(options);
  const page = memoryHistory(hash);
  const user = userEvent.setup();
  const rendered = render(App, { props: { host, page } });
  return {
    host,
    page,
    user,
    rendered,
    press: (keys) => user.keyboard(keys),
    view: () => parseView(page.hash()),
  };
}

/** The inspector, once it shows something with this title. */
export async function inspector(title: RegExp | string): Promise<HTMLElement> {
  await screen.findByRole('heading', { level: 2, name: title });
  return screen.getByRole('complementary', { name: 'Inspector' });
}
