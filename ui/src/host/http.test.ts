import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CommandFailure } from '@/api/client.ts';
import { httpHost, takeToken } from './http.ts';

describe('the token', () => {
  const page = (hash: string): { readonly taken: string | undefined; readonly shown: string } => {
    history.replaceState(null, '', `/${hash}`);
    return { taken: takeToken(window), shown: location.hash };
  };

  beforeEach(() => sessionStorage.clear());

  test('is taken out of the address and kept for reloads', () => {
    expect(page('#token=abc')).toEqual({ taken: 'abc', shown: '' });
    expect(page('#/invoice-triage/session')).toEqual({ taken: 'abc', shown: '#/invoice-triage/session' });
  });

  test('leaves the view behind it in the address', () => {
    expect(page('#token=abc&/invoice-triage/session?call=17')).toEqual({
      taken: 'abc',
      shown: '#/invoice-triage/session?call=17',
    });
    expect(page('#token=abc#/s/pipeline').shown).toBe('#/s/pipeline');
  });

  test('is missing when the page was opened without', () => {
    expect(page('#/invoice-triage/session').taken).toBeUndefined();
  });
});

describe('a command over HTTP', () => {
  const answer = vi.fn<(url: string, request: RequestInit) => Response>();

  beforeEach(() => {
    vi.stubGlobal('fetch', (url: URL, request: RequestInit) => Promise.resolve(answer(url.href, request)));
  });
  afterEach(() => vi.unstubAllGlobals());

  const json = (body: unknown, status = 200): Response =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

  async function failure(promise: Promise<unknown>): Promise<CommandFailure> {
    const thrown = await promise.catch((error: unknown) => error);
    if (thrown instanceof CommandFailure) return thrown;
    throw new Error('It did not fail as commands do');
  }

  test('is a request with the token, relative to the page', async () => {
    answer.mockImplementation(() => json({ jobs: [] }));
    expect(await httpHost('abc').invoke('job/list', {})).toEqual({ jobs: [] });
    const [url, request] = answer.mock.calls.at(-1) ?? [];
    expect(url).toBe(`${location.origin}/api/job/list`);
    expect(request).toMatchObject({ method: 'POST', body: '{}', headers: { 'X-Strata-Token': 'abc' } });
  });

  test('may be answered with bytes', async () => {
    answer.mockImplementation(() => new Response(new Uint8Array([1, 2, 3])));
    const params = { session: 's', from: 1, to: 2, maxColumns: 2 };
    expect((await httpHost('abc').invokeBytes('call/columns', params)).byteLength).toBe(3);
  });

  test('fails with the error of the backend', async () => {
    answer.mockImplementation(() =>
      json({ code: 'notFound', message: 'E9 is not there.', detail: null }, 404),
    );
    const failed = await failure(httpHost('abc').invoke('event/get', { session: 's', event: 9 }));
    expect(failed).toMatchObject({ code: 'notFound', message: 'E9 is not there.' });
  });

  test('fails in words when the server does not answer, or not to us', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await failure(httpHost('abc').invoke('job/list', {}))).toMatchObject({ code: 'unreachable' });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 401 })));
    expect((await failure(httpHost('abc').invoke('job/list', {}))).message).toContain('not allowed');
  });
});

test('notifications are read line by line, and the line is picked up again', async () => {
  vi.useFakeTimers();
  const lines = ['{"type":"ses', 'sions"}\n\n{"type":"open","session":"s"}\n'];
  let connections = 0;
  vi.stubGlobal('fetch', () => {
    connections += 1;
    const body = new ReadableStream({
      start: (stream) => {
        for (const line of lines) stream.enqueue(new TextEncoder().encode(line));
        stream.close();
      },
    });
    return Promise.resolve(new Response(body));
  });
  const heard: string[] = [];
  const stop = httpHost('abc').listen((notification) => heard.push(notification.type));
  // The clock goes on with every look.
  await vi.waitFor(() => expect(connections).toBe(2));
  await vi.waitFor(() => expect(heard).toHaveLength(5));
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  expect(heard).toEqual(['sessions', 'open', 'missed', 'sessions', 'open']);
});
