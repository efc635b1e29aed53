import type { Chord } from '@/lib/keyboard.ts';
import type { ViewName } from '@/model/view-url.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

/** Something the window can do. Keyboard, palette, help and the table in README.md are made from this one list. */
export interface Command {
  readonly id: string;
  readonly title: string;
  /** Other words people look for it by. */
  readonly words?: string;
  readonly keys: readonly Chord[];
  /** The view it belongs to; all of them when absent. */
  readonly view?: ViewName;
  /** Whether it makes sense now; always when absent. */
  readonly when?: (workbench: Workbench) => boolean;
  /** Whether this window can do it at all; when not, help does not mention it. */
  readonly isOffered?: (workbench: Workbench) => boolean;
  readonly run: (workbench: Workbench) => void;
  /** Acts while text is typed and while a dialog is open, too. */
  readonly isGlobal?: true;
}

/** Whether a command makes sense in the present view and state. */
export function isAvailable(command: Command, workbench: Workbench): boolean {
  const isInView = command.view === undefined || command.view === workbench.location.view.view;
  return isInView && command.isOffered?.(workbench) !== false && command.when?.(workbench) !== false;
}

/** Also while it is not open yet. */
export const namesSession = ({ location }: Workbench): boolean => location.view.session !== undefined;
export const hasSession = ({ session }: Workbench): boolean => session.isOpen;
export const hasCalls = ({ session }: Workbench): boolean => session.calls > 0;
/** Whether one of the calls is under the cursor. A step from none, before their numbers are there, would lead to the first. */
export const isOnCall = ({ session }: Workbench): boolean => session.cursor > 0;
export const hasSelection = ({ location }: Workbench): boolean => location.view.selection !== undefined;
export const canZoom = ({ appearance }: Workbench): boolean => appearance.canZoom;
