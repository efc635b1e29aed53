import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import { getCurrentWebview } from '@tauri-apps/api/webview';
import { CommandFailure, isAppError } from '@/api/client.ts';
import type { Notification } from '@/api/gen/api.ts';
import type { DropListener, Host, ImportSource } from './host.ts';

/** The desktop window: everything goes through the shell's two dispatch commands. */
export function tauriHost(): Host {
  return {
    hasPaths: true,
    invoke: async (name, params) => {
      const answer = await dispatch<string>('dispatch', name, params);
      return JSON.parse(answer);
    },
    invokeBytes: (name, params) => dispatch<ArrayBuffer>('dispatch_bytes', name, params),
    listen: (onNotification) =>
      whenReady(listen<Notification>('notification', (event) => onNotification(event.payload))),
    pickFiles: async () => toSources(await invoke<string[]>('pick_files', { folders: false })),
    pickFolders: async () => toSources(await invoke<string[]>('pick_files', { folders: true })),
    saveText: async (name, text) => (await invoke<string | null>('save_text', { name, text })) ?? undefined,
    saveImage: async (name, image) => {
      const bytes = [...new Uint8Array(await image.arrayBuffer())];
      return (await invoke<string | null>('save_image', { name, bytes })) ?? undefined;
    },
    onDrop: listenForDrops,
    setZoom: (percent) => getCurrentWebview().setZoom(percent / 100),
  };
}

async function dispatch<T>(command: string, name: string, params: unknown): Promise<T> {
  try {
    return await invoke<T>(command, { name, params: JSON.stringify(params) });
  } catch (thrown) {
    throw toCommandFailure(thrown);
  }
}

function toCommandFailure(thrown: unknown): CommandFailure {
  const error: unknown = typeof thrown === 'string' && thrown.startsWith('{') ? JSON.parse(thrown) : thrown;
  if (isAppError(error)) return new CommandFailure(error);
  return new CommandFailure({
    code: 'internal',
    message: 'The window and the program behind it do not understand each other. Restart Strata.',
    detail: String(thrown),
  });
}

function listenForDrops(listener: DropListener): () => void {
  return whenReady(
    getCurrentWebview().onDragDropEvent(({ payload }) => {
      if (payload.type === 'enter') listener.onEnter();
      else if (payload.type === 'leave') listener.onLeave();
      else if (payload.type === 'drop') listener.onDrop(Promise.resolve(toSources(payload.paths)));
    }),
  );
}

function toSources(paths: readonly string[]): readonly ImportSource[] {
  return paths.map((path) => ({ type: 'path', path }));
}

/** Tauri hands out the function that ends a subscription late; callers want it at once. */
function whenReady(subscription: Promise<() => void>): () => void {
  return () => void subscription.then((end) => end());
}
