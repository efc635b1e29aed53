/** A key with its modifiers, written `Mod+K`, `Shift+R`, `Alt+ArrowLeft`, `?`. `Mod` is Ctrl, or Cmd on macOS. */
export type Chord = string;

const GLYPHS: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
  Plus: '+',
  Minus: '−',
  Space: 'Space',
};

const isMac = typeof navigator !== 'undefined' && /mac/i.test(navigator.platform);

/** How a chord is shown beside a command: `Ctrl K`, `Alt ←`. */
export function chordLabel(chord: Chord, mac: boolean = isMac): string {
  return chord
    .split('+')
    .map((key) => (key === 'Mod' ? (mac ? '⌘' : 'Ctrl') : (GLYPHS[key] ?? key)))
    .join(' ');
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

function keyName(key: string): string {
  if (key === ' ') return 'Space';
  if (key === '+') return 'Plus';
  if (key === '-') return 'Minus';
  return key.length === 1 ? key.toUpperCase() : key;
}

/** Whether a key press is the chord. Shift is part of a symbol such as `?`, but not of a letter or a named key. */
export function matchesChord(chord: Chord, press: KeyPress, mac: boolean = isMac): boolean {
  const keys = chord.split('+');
  const key = keys.at(-1);
  const pressed = keyName(press.key);
  const isSymbol = pressed.length === 1 && !/[A-Z0-9]/.test(pressed);
  const isGrown = pressed === 'Plus' || pressed === 'Minus';
  const mod = mac ? press.metaKey : press.ctrlKey;
  const otherMod = mac ? press.ctrlKey : press.metaKey;
  return (
    key === pressed &&
    keys.includes('Mod') === mod &&
    !otherMod &&
    keys.includes('Alt') === press.altKey &&
    (isSymbol || isGrown || keys.includes('Shift') === press.shiftKey)
  );
}

/** Whether keys typed here write text, so that single letters must not act. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'range'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable === true;
}
