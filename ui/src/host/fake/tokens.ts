/** Cuts text into pieces that look like tokens: short runs of letters, up to three digits, punctuation, white space. */
const TOKEN = / ?\p{L}{1,8}|\d{1,3}|[^\S\n]+|\n|[^\s\p{L}\d]{1,2}/gu;

/** Ends of the tokens of a text, in UTF-16 units. */
export function tokenEnds(text: string): number[] {
  const ends: number[] = [];
  for (const match of text.matchAll(TOKEN)) ends.push(match.index + match[0].length);
  return ends;
}

/** Exactly `tokens` tokens of an endless text, made line by line. */
export function textOfTokens(tokens: number, line: (index: number) => string): string {
  let text = '';
  let count = 0;
  for (let i = 0; count < tokens; i += 1) {
    const next = line(i);
    text += next;
    count += tokenEnds(next).length;
    // Tokens reach over the ends of lines, so the whole has fewer than its lines together.
    if (count >= tokens) count = tokenEnds(text).length;
  }
  return text.slice(0, tokenEnds(text)[tokens - 1] ?? text.length);
}

/** Numbers that look random and are the same every time. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
}
