export const CURVES = ['prompt', 'sum'] as const;
/** Tokens of each prompt, or of all prompts so far. */
export type CurveKind = (typeof CURVES)[number];

export type SeriesRole = 'none' | 'recorded' | 'chosen';

/** One line of the chart: a number for each call, C1 first. */
export interface Series {
  readonly role: SeriesRole;
  readonly name: string;
  readonly values: readonly number[];
}

export function asCurve(tokens: readonly number[], kind: CurveKind): readonly number[] {
  if (kind === 'prompt') return tokens;
  let sum = 0;
  return tokens.map((value) => (sum += value));
}

/** A round number at or above the largest value, of which a third is round too. */
export function axisTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(10, most)));
  const steps = [1.2, 1.5, 1.8, 2.4, 3, 4.5, 6, 7.5, 9];
  return unit * (steps.find((step) => step * unit >= most) ?? 12);
}

/** The largest value of each column of pixels, where calls are thinner than one. */
export function bucketMaxima(values: readonly number[], buckets: number): readonly number[] {
  if (values.length <= buckets || buckets <= 0) return values;
  const maxima = new Array<number>(buckets).fill(0);
  values.forEach((value, i) => {
    const bucket = Math.floor((i * buckets) / values.length);
    maxima[bucket] = Math.max(maxima[bucket] ?? 0, value);
  });
  return maxima;
}
