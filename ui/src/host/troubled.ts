import { CommandFailure, ERROR_CODES, type Failure, type FailureCode } from '@/api/client.ts';
import type { Host } from './host.ts';

/** What goes wrong between the window and what runs it. */
export interface Trouble {
  /** How much longer every answer takes. */
  readonly delayMs?: number;
  /** Commands that fail, and how. */
  readonly failing?: Readonly<Record<string, Failure>>;
  /** Commands that never answer. */
  readonly stuck?: readonly string[];
  /** Notifications are lost. */
  readonly isDeaf?: boolean;
}

/** A host with troubles, to see what the window makes of them. */
export function troubledHost(host: Host, { delayMs = 0, failing = {}, stuck = [], isDeaf }: Trouble): Host {
  const pass = async <T>(name: string, ask: () => Promise<T>): Promise<T> => {
    if (stuck.includes(name)) return new Promise(() => undefined);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const failure = failing[name];
    if (failure !== undefined) throw new CommandFailure(failure);
    return ask();
  };
  return {
    ...host,
    invoke: (name, params) => pass(name, () => host.invoke(name, params)),
    invokeBytes: (name, params) => pass(name, () => host.invokeBytes(name, params)),
    listen: (onNotification) => (isDeaf === true ? () => undefined : host.listen(onNotification)),
  };
}

const CODES: readonly FailureCode[] = [...ERROR_CODES, 'unreachable'];

/** Troubles from an address: `?slow=2000&stuck=event/page&fail=call/get:provider&deaf`. */
export function troubleFromAddress(query: URLSearchParams): Trouble {
  const failing = query.getAll('fail').map((wish): [string, Failure] => {
    const [name = '', wanted] = wish.split(':');
    const code = CODES.find((known) => known === wanted) ?? 'store';
    const message = `${name} fails, because the address of this page says so. Nothing is lost. Take it out, then retry.`;
    return [name, { code, message, detail: wish }];
  });
  return {
    delayMs: Number(query.get('slow') ?? 0),
    stuck: query.getAll('stuck'),
    failing: Object.fromEntries(failing),
    isDeaf: query.has('deaf'),
  };
}
