/** Sweeps that are offered; the text of any other can be written. */
export const SWEEP_AXES = ['window', 'threshold', 'steps'] as const;
export type SweepAxes = (typeof SWEEP_AXES)[number];

export const AXES_TITLES: Readonly<Record<SweepAxes, string>> = {
  window: 'Interval × overlap',
  threshold: 'Threshold × keep',
  steps: 'Limit × keep',
};

/** The grid that is swept where none was written, as wide as the session's prompts are large. */
export function usualGrid(axes: SweepAxes, peakTokens: number): string {
  if (axes === 'window') return 'interval=2|3|4|5|6|8|10|12,overlap=0..3';
  const [first, second] = axes === 'threshold' ? ['threshold', 'retention'] : ['limit', 'keep'];
  const shares = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  const sizes = [...new Set(shares.map((share) => rounded(peakTokens * share)))].join('|');
  return `${first}=${sizes},${second}=5|10|20|40`;
}

/** Two digits are enough for a threshold. */
function rounded(tokens: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, tokens))) - 1);
  return Math.max(1, Math.round(tokens / unit) * unit);
}
