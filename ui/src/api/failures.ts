import type { Failure, FailureCode } from './client.ts';

export interface FailurePresentation {
  /** What failed, as a title. The failure's own message says what was kept and what to do. */
  readonly title: string;
  /** Asking again can help. */
  readonly canRetry: boolean;
}

const PRESENTATIONS: Readonly<Record<FailureCode, FailurePresentation>> = {
  notFound: { title: 'Not in this session', canRetry: false },
  badInput: { title: 'This cannot be asked', canRetry: false },
  unreadable: { title: 'The file could not be read', canRetry: true },
  store: { title: 'The database cannot be used', canRetry: true },
  provider: { title: 'The model server cannot be asked', canRetry: true },
  notCompiled: { title: 'This call could not be compiled', canRetry: true },
  internal: { title: 'A defect of Strata', canRetry: true },
  unreachable: { title: 'Strata does not answer', canRetry: true },
};

/** What failed, and what the failure says of it, in one line. */
export function failureText({ code, message }: Failure): string {
  return `${PRESENTATIONS[code].title}. ${message}`;
}

export function presentFailure(code: FailureCode): FailurePresentation {
  return PRESENTATIONS[code];
}
