/** Whether every word of what is typed occurs in a text, in any order. */
export function matchesWords(typed: string, text: string): boolean {
  const hay = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}
