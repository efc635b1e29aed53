import { CommandFailure } from '@/api/client.ts';

export function notFound(message: string): CommandFailure {
  return new CommandFailure({ code: 'notFound', message, detail: null });
}

export function badInput(message: string): CommandFailure {
  return new CommandFailure({ code: 'badInput', message, detail: null });
}
