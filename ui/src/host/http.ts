import { CommandFailure, isAppError, type Failure } from '@/api/client.ts';
import type { Notification } from '@/api/gen/api.ts';
import { listenForDrops } from './drops.ts';
import type { Host, ImportSource } from './host.ts';

const TOKEN_KEY = 'strata-token';
const FIRST_RECONNECT_MS = 500;
const LAST_RECONNECT_MS = 10_000;
/** How long a text that is downloaded is kept. */
const DOWNLOAD_MS = 60_000;

/**
 * Takes the token of `strata serve` out of the address (`#token=…`, with the view's own fragment behind it, if any) and
 * keeps it for reloads of this tab.
 */
export function takeToken(page: Pick<Window, 'location' | 'history' | 'sessionStorage'>): string | undefined {
  const match = /^#token=([^/&#]+)[&#]?(.*)$/.exec(page.location.hash);
  const token = match?.[1];
  if (token === undefined) return page.sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  page.sessionStorage.setItem(TOKEN_KEY, token);
  const rest = match?.[2] === '' ? '' : `#${match?.[2] ?? ''}`;
  page.history.replaceState(null, '', `${page.location.pathname}${page.location.search}${rest}`);
  return token;
}

/** A browser talking to `strata serve`. */
export function httpHost(token: string): Host {
  const upload = (file: File): Promise<ImportSource> => uploadFile(token, file);
  return {
    hasPaths: false,
    invoke: async (name, params) => (await post(token, `api/${name}`, JSON.stringify(params))).json(),
    invokeBytes: async (name, params) =>
      (await post(token, `api/${name}`, JSON.stringify(params))).arrayBuffer(),
    listen: (onNotification) => listen(token, onNotification),
    pickFiles: async () => Promise.all((await chooseFiles()).map(upload)),
    pickFolders: undefined,
    saveText: (name, text) =>
      Promise.resolve(download(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))),
    saveImage: (name, image) => Promise.resolve(download(name, image)),
    onDrop: (listener) => listenForDrops(listener, upload),
    setZoom: undefined,
  };
}

function post(token: string, path: string, body: string | File): Promise<Response> {
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
  return send(token, path, { method: 'POST', headers: { 'Content-Type': type }, body });
}

async function send(token: string, path: string, request: RequestInit): Promise<Response> {
  const response = await fetch(new URL(path, document.baseURI), {
    ...request,
    headers: { ...request.headers, 'X-Strata-Token': token },
  }).catch((error: unknown) => {
    throw new CommandFailure(unreachable(String(error)));
  });
  if (!response.ok) throw await toCommandFailure(response);
  return response;
}

async function toCommandFailure(response: Response): Promise<CommandFailure> {
  const text = await response.text();
  if (response.headers.get('content-type')?.includes('json') === true) {
    const body: unknown = JSON.parse(text);
    if (isAppError(body)) return new CommandFailure(body);
  }
  if (response.status === 401 || response.status === 403) {
    return new CommandFailure({
      code: 'unreachable',
      message:
        'This page is not allowed to talk to Strata any more. Open the address that `strata serve` printed.',
      detail: `HTTP ${String(response.status)}`,
    });
  }
  return new CommandFailure(unreachable(`HTTP ${String(response.status)}: ${text.slice(0, 500)}`));
}

function unreachable(detail: string): Failure {
  return {
    code: 'unreachable',
    message: 'No answer from `strata serve`. Nothing is lost. Start it again, then retry.',
    detail,
  };
}

/** Reads notifications, one JSON text a line, and connects again when the stream ends. */
function listen(token: string, onNotification: (notification: Notification) => void): () => void {
  const stop = new AbortController();
  let wait = FIRST_RECONNECT_MS;
  const connect = async (isReconnect: boolean): Promise<void> => {
    const response = await send(token, 'api/notifications', { method: 'GET', signal: stop.signal });
    wait = FIRST_RECONNECT_MS;
    // What was said while the line was down is lost, so the window must look again.
    if (isReconnect) onNotification({ type: 'missed' });
    if (response.body !== null) await readLines(response.body, (line) => onNotification(JSON.parse(line)));
  };
  const run = async (): Promise<void> => {
    for (let isReconnect = false; !stop.signal.aborted; isReconnect = true) {
      // The commands themselves tell the person that the server is gone; here it is enough to try again.
      await connect(isReconnect).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, LAST_RECONNECT_MS);
    }
  };
  void run();
  return () => stop.abort();
}

async function readLines(body: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  }
}

async function uploadFile(token: string, file: File): Promise<ImportSource> {
  const response = await post(token, `upload?name=${encodeURIComponent(file.name)}`, file);
  const answer: { readonly upload: string } = await response.json();
  return { type: 'upload', upload: answer.upload, name: file.name };
}

/** Browsers ask where, or have a folder for it. */
function download(name: string, content: Blob): string {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser takes it up after this turn.
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MS);
  return name;
}

function chooseFiles(): Promise<readonly File[]> {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}
