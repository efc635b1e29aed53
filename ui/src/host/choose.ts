import type { Host } from './host.ts';
import { httpHost, takeToken } from './http.ts';
import { inTurn } from './in-turn.ts';

/** Finds out what runs this page. None when it was opened without its program. */
export async function chooseHost(): Promise<Host | undefined> {
  if ('__TAURI_INTERNALS__' in window) return inTurn((await import('./tauri.ts')).tauriHost());
  const token = takeToken(window);
  if (token === undefined) return undefined;
  const host = inTurn(httpHost(token));
  // Replaced by a constant, so troubles are no part of a production build.
  if (!import.meta.env.DEV) return host;
  const { troubledHost, troubleFromAddress } = await import('./troubled.ts');
  return troubledHost(host, troubleFromAddress(new URLSearchParams(location.search)));
}
