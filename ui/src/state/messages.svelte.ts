import { toFailure, type Failure } from '@/api/client.ts';

/** What the window says on its own: failures of acts, and moves for people who listen instead of look. */
export class Messages {
  /** A failure that belongs to no panel; stays until it was read. */
  failure: Failure | undefined = $state.raw();
  /** The last thing said to screen readers. */
  announcement = $state('');

  /** The one way to report what was thrown by an act. */
  readonly report = (thrown: unknown): void => {
    this.failure = toFailure(thrown);
  };

  announce(text: string): void {
    this.announcement = text;
  }

  dismiss(): void {
    this.failure = undefined;
  }
}
