/** Two colours as `#rrggbb`, mixed: 0 is the first, 1 the second. */
export function mixHex(first: string, second: string, share: number): string {
  const channel = (color: string, at: number): number =>
    Number.parseInt(color.slice(1 + at * 2, 3 + at * 2), 16);
  const mixed = [0, 1, 2].map((at) =>
    Math.round(channel(first, at) * (1 - share) + channel(second, at) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${mixed.join('')}`;
}
