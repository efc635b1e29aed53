import { isTextField, matchesChord } from '@/lib/keyboard.ts';
import { COMMANDS } from './commands/all.ts';
import { isAvailable } from './commands/command.ts';
import type { Workbench } from './workbench.svelte.ts';

/** Runs the command of a key press, if there is one that makes sense now. */
export function handleKey(event: KeyboardEvent, workbench: Workbench): void {
  if (event.defaultPrevented) return;
  const isModal = workbench.palette.isOpen || workbench.panels.dialog !== undefined;
  const isTyping = isTextField(event.target);
  const isPressed = event.target instanceof HTMLElement && event.key === 'Enter' && isPressable(event.target);
  const command = COMMANDS.find(
    (candidate) =>
      candidate.keys.some((chord) => matchesChord(chord, event)) &&
      (candidate.isGlobal === true || (!isModal && !isTyping && !isPressed)) &&
      isAvailable(candidate, workbench),
  );
  if (command === undefined) return;
  event.preventDefault();
  command.run(workbench);
}

/** Enter on a focused button or link is a press of it. */
function isPressable(element: HTMLElement): boolean {
  return element.closest('button, a[href], summary, [role="tab"]') !== null;
}
