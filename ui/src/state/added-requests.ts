import type { Host } from '@/host/host.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Lets a person choose files, and gives the open session what they recorded of its calls. */
export async function addRequests(host: Host, session: OpenSession, messages: Messages): Promise<void> {
  const { id } = session;
  const sources = await host.pickFiles();
  if (id === undefined) return;
  for (const source of sources) {
    const file =
      source.type === 'path'
        ? { path: source.path, upload: null, name: null }
        : { path: null, upload: source.upload, name: source.name };
    const added = await host.invoke('session/addRequests', { session: id, ...file });
    messages.announce(added.message);
  }
  if (sources.length > 0) session.edited();
}
