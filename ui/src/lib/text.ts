/** "C17, 50,631 tokens, 7.3% cached" as a title and what is said about it. */
export function splitTitle(text: string): readonly string[] {
  const at = text.indexOf(', ');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}

/** Lines of a long text that are shown, and characters of each. */
const SHOWN_LINES = 1_000;
const SHOWN_CHARACTERS = 2_000;

/** The first lines of a text, each cut where it is very long, and how many lines there are in all. */
export function beginning(text: string): {
  readonly text: string;
  readonly lines: number;
  readonly isWhole: boolean;
} {
  const shown: string[] = [];
  let lines = 0;
  let isCut = false;
  for (let from = 0; from <= text.length; lines += 1) {
    const found = text.indexOf('\n', from);
    const end = found < 0 ? text.length : found;
    if (lines < SHOWN_LINES) {
      isCut ||= end - from > SHOWN_CHARACTERS;
      shown.push(text.slice(from, Math.min(end, from + SHOWN_CHARACTERS)));
    }
    from = end + 1;
  }
  // A text that ends its last line has no line behind it.
  if (text.endsWith('\n')) lines -= 1;
  return { text: shown.join('\n'), lines, isWhole: !isCut && lines <= SHOWN_LINES };
}
