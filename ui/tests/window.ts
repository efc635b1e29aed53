import { render, screen, type RenderResult } from '@testing-library/svelte';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { Failure } from '@/api/client.ts';
import { troubledHost, type Trouble } from '@/host/troubled.ts';
import { parseView, type ViewState } from '@/model/view-url.ts';
import type { PageHistory } from '@/state/location.svelte.ts';
import App from '@/views/App.svelte';
import { recordedHost, type Changes, type RecordedHost } from './recorded.ts';
import { isRecording } from './recorder.ts';

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
  readonly host: RecordedHost;
  readonly page: MemoryHistory;
  readonly user: UserEvent;
  readonly rendered: RenderResult<typeof App>;
  /** Presses keys where no field has the focus. */
  readonly press: (keys: string) => Promise<void>;
  /** The state that a link to the view has by now. */
  readonly view: () => ViewState;
}

/** What commands fail with where another program has the database. */
export const LOCKED: Failure = {
  code: 'store',
  message: 'The database is locked. Nothing is lost. Close the other program, then retry.',
  detail: 'SQLITE_BUSY',
};

/** Between two keys everything is asked that a slow hand would see, so that it is recorded. */
const SLOW_HAND_MS = 400;

/** A whole window on recorded answers. */
export function openWindow(hash = '#/invoice-triage/session', options: Changes & Trouble = {}): OpenWindow {
  const host = recordedHost(options);
  const page = memoryHistory(hash);
  const user = userEvent.setup(isRecording ? { delay: SLOW_HAND_MS } : {});
  const rendered = render(App, { props: { host: troubledHost(host, options), page } });
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

/** Puts a text into a field as a whole, so that nothing is asked about its beginnings. */
export async function fill(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.clear(field);
  await user.click(field);
  await user.paste(text);
}

/** A text as a pattern that means itself. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
