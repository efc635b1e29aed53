/** Whether a pixel of a pattern is covered, by kind in the order of `KINDS`; the first kind stays plain. */
export const KIND_PATTERNS: readonly ((x: number, y: number) => boolean)[] = [
  () => false,
  (_, y) => y % 4 === 0,
  (x) => x % 4 === 0,
  (x, y) => x % 4 === 0 && y % 4 === 0,
  (x, y) => x % 5 === 0 || y % 5 === 0,
  (x, y) => (x - y + 4096) % 5 === 0,
  (x, y) => (x + 2 * (y % 4)) % 8 === 0 && y % 2 === 0,
];
