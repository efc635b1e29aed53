/** Numbers as the window writes them. Written anew here, so that a slip in the window's own formats shows. */

const thousands = new Intl.NumberFormat('en-US');

/** `11,940`. */
export function whole(value) {
  return thousands.format(value);
}

/** `925k` or `46.4k`: three digits at most. */
export function compact(value) {
  if (value < 1_000) return String(value);
  const [scale, suffix] = value < 999_950 ? [1e3, 'k'] : [1e6, 'M'];
  const scaled = value / scale;
  return `${scaled < 99.95 ? scaled.toFixed(scaled < 9.995 && suffix === 'M' ? 2 : 1) : scaled.toFixed(0)}${suffix}`;
}

export function percent(share) {
  return `${(share * 100).toFixed(1)}%`;
}

/** `+684`, `−46,434`, `0`. */
export function signed(value) {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return `${sign}${whole(Math.abs(value))}`;
}
