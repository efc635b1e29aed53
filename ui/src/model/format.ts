const integer = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `11,940`: for tables and the inspector. */
export function formatInteger(value: number): string {
  // Zero has no sign, whatever it was computed from.
  return integer.format(value === 0 ? 0 : value).replace('-', '−');
}

/** `+684`, `−46,434`, `0`. */
export function formatSigned(value: number): string {
  return value > 0 ? `+${formatInteger(value)}` : formatInteger(value);
}

const UNITS = [
  { from: 999_500_000, scale: 1e9, suffix: 'B' },
  { from: 999_500, scale: 1e6, suffix: 'M' },
  { from: 1_000, scale: 1e3, suffix: 'k' },
] as const;

/** `46.4k`, `167k`, `1.85M`: for marks, three digits at most. */
export function formatCompact(value: number): string {
  const unit = UNITS.find((candidate) => value >= candidate.from);
  if (unit === undefined) return integer.format(value);
  const scaled = value / unit.scale;
  if (scaled >= 99.95) return `${scaled.toFixed(0)}${unit.suffix}`;
  return `${scaled.toFixed(unit.suffix === 'k' || scaled >= 9.995 ? 1 : 2)}${unit.suffix}`;
}

/** `10k`, `0`, `2.5k`: labels of an axis. */
export function formatAxis(value: number): string {
  const unit = UNITS.find((candidate) => value >= candidate.scale);
  if (unit === undefined) return integer.format(value);
  return `${String(Number((value / unit.scale).toFixed(2)))}${unit.suffix}`;
}

/** `77.6%` of a share between 0 and 1; `<0.1%` for what is there but little, `>99.9%` where little is missing. */
export function formatPercent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  if (share > 0 && share < 0.0005) return '<0.1%';
  if (share < 1 && share >= 0.9995) return '>99.9%';
  return `${(share * 100).toFixed(1)}%`;
}

/** `65`, `790`, `10,000`: what is reckoned, and known to two digits at most. */
export function formatRough(value: number): string {
  if (value < 100) return formatInteger(value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return formatInteger(Math.round(value / step) * step);
}

/** `$0.64`, `$0.076`, `under $0.001`. */
export function formatUsd(value: number): string {
  if (value === 0) return '$0.00';
  if (value < 0.001) return 'under $0.001';
  return `$${value < 0.1 ? value.toFixed(3) : value.toFixed(2).replace(/\B(?=(\d{3})+(?!\d))/g, ',')}`;
}

const rate = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** `5.00`, `0.075`: dollars per million tokens. */
export function formatRate(value: number): string {
  return rate.format(value);
}

const BYTES = [
  { from: 999_500_000, scale: 1e9, unit: 'GB' },
  { from: 999_500, scale: 1e6, unit: 'MB' },
  { from: 1_000, scale: 1e3, unit: 'kB' },
] as const;

/** `940 bytes`, `24.8 MB`, `1.56 GB`. */
export function formatBytes(bytes: number): string {
  const size = BYTES.find(({ from }) => bytes >= from);
  if (size === undefined) return formatCounted(bytes, 'byte');
  const scaled = bytes / size.scale;
  return `${scaled.toFixed(scaled >= 99.95 ? 0 : scaled >= 9.995 || size.unit === 'kB' ? 1 : 2)} ${size.unit}`;
}

/** `0:06`, `1:02:30`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0
    ? `${String(hours)}:${pad(minutes)}:${pad(whole % 60)}`
    : `${String(minutes)}:${pad(whole % 60)}`;
}

/** `14:03:06` in the person's time zone. */
export function formatClock(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString('en-GB');
}

/** `log_analyst · call C3 · 14:03:06 · tool result`: the time goes before the last thing that is said. */
export function withClock(subtitle: string, timeMs: number | null): string {
  if (timeMs === null) return subtitle;
  const before = subtitle.lastIndexOf(' · ');
  const clock = ` · ${formatClock(timeMs)}`;
  return before < 0 ? `${subtitle}${clock}` : `${subtitle.slice(0, before)}${clock}${subtitle.slice(before)}`;
}

/** `20 Nov 2026`. */
export function formatDay(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

/** `1 event`, `84 events`. */
export function formatCounted(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

/** `C4–C17`, or `C4` when both ends are the same. */
export function formatCalls(from: number, to: number): string {
  return from === to ? `C${String(from)}` : `C${String(from)}–C${String(to)}`;
}
