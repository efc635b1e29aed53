import type { Host } from './host.ts';
import { httpHost, takeToken } from './http.ts';

/** Finds out what runs this page. None when it was opened without its program. */
export async function chooseHost(): Promise<Host | undefined> {
  if ('__TAURI_INTERNALS__' in window) return (await import('./tauri.ts')).tauriHost();
  const token = takeToken(window);
  if (token !== undefined) return httpHost(token);
  // Replaced by constants, so the made-up sessions are not part of a production build.
  if (import.meta.env.DEV || import.meta.env.MODE === 'fake') {
    const { fakeHostFromAddress } = await import('./fake/host.ts');
    return fakeHostFromAddress(new URLSearchParams(location.search));
  }
  return undefined;
}
