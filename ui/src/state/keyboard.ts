import { isTextField, matchesChord } from '@/lib/keyboard.ts';
import { COMMANDS } from './commands/all.ts';
import { isAvailable } from './commands/command.ts';
import type { Workbench } from './workbench.svelte.ts';

/** Runs the command of a key press, if there is one that makes sense now. */
export function handleKey(event: KeyboardEvent, workbench: Workbench): void {
  if (event.defaultPrevented) return;
  const isModal = workbench.palette.isOpen || workbench.panels.isCovered;
  const isTyping = isTextField(event.target);
  const isPressed = event.target instanceof HTMLElement && isPress(event.key, event.target);
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

/** Enter on a focused button or link is a press of it, and so is a space on whatever can be pressed or ticked. */
function isPress(key: string, element: HTMLElement): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  const pressable = 'button, a[href], summary, [role="tab"]';
  return element.closest(key === 'Enter' ? pressable : `${pressable}, input, select`) !== null;
}
