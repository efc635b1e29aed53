/** "C17, 50,631 tokens, 7.3% cached" as a title and what is said about it. */
export function splitTitle(text: string): readonly string[] {
  const at = text.indexOf(', ');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}
