import type { AppError, Commands, ErrorCode } from '@/api/gen/api.ts';

type CommandName = keyof Commands;

/** Commands whose answer is columns of numbers. */
export type BytesCommand = {
  [N in CommandName]: Commands[N]['result'] extends ArrayBuffer ? N : never;
}[CommandName];

export type JsonCommand = Exclude<CommandName, BytesCommand>;

export type Params<N extends CommandName> = Commands[N]['params'];
export type Result<N extends CommandName> = Commands[N]['result'];

/** Why a command gave no answer: the backend said so, or it could not be reached at all. */
export type FailureCode = ErrorCode | 'unreachable';

export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly detail: string | null;
}

/** What a host rejects with. */
export class CommandFailure extends Error implements Failure {
  readonly code: FailureCode;
  readonly detail: string | null;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'CommandFailure';
    this.code = failure.code;
    this.detail = failure.detail;
  }
}

/** Turns whatever was thrown into a failure that can be shown. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof CommandFailure) return thrown;
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return {
    code: 'internal',
    message: 'The window hit a defect of Strata. The session is untouched. Reload the window to go on.',
    detail,
  };
}

/** What a command can be refused with. */
export const ERROR_CODES = [
  'notFound',
  'badInput',
  'unreadable',
  'store',
  'provider',
  'notCompiled',
  'internal',
] satisfies readonly ErrorCode[];

/** Recognises the error shape commands return, whatever carried it. */
export function isAppError(value: unknown): value is AppError {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    ERROR_CODES.some((code) => code === value.code) &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
