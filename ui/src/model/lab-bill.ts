import type { LabBill, LabRow } from '@/api/gen/api.ts';
import { formatCompact, formatInteger, formatUsd } from './format.ts';

/** What configurations are compared by; less is better. */
export const METRICS = ['cost', 'billed', 'peak', 'regret', 'breaks', 'latency'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_TITLES: Readonly<Record<Metric, string>> = {
  cost: 'Cost',
  billed: 'Billed',
  peak: 'Peak',
  regret: 'Regret',
  breaks: 'Breaks',
  latency: 'Wait',
};

export const METRIC_TIPS: Readonly<Record<Metric, string>> = {
  cost: 'cost of all prompts and summaries against the recording',
  billed: 'tokens billed in full against the recording',
  peak: 'largest prompt against the recording',
  regret: 'values that later answers used, and only a summary could tell them',
  breaks: 'prompts that did not continue the one before',
  latency: 'time to the first token over all calls against the recording, an estimate',
};

/** The number of a bill; nothing where no price is known, and for what is no part of it. */
function metricOf(bill: LabBill, metric: Metric): number | undefined {
  switch (metric) {
    case 'cost':
      return bill.costUsd ?? undefined;
    case 'billed':
      return bill.billedTokens;
    case 'peak':
      return bill.peakTokens;
    case 'regret':
      return undefined;
    case 'breaks':
      return bill.breaks;
    case 'latency':
      return bill.latencyS;
  }
}

export function formatMetric(bill: LabBill, metric: Metric): string {
  const value = metricOf(bill, metric);
  if (value === undefined) return 'no price';
  if (metric === 'cost') return formatUsd(value);
  if (metric === 'latency') return `${value.toFixed(value < 10 ? 1 : 0)} s`;
  return metric === 'breaks' ? formatInteger(value) : formatCompact(value);
}

/** Change against another bill: -0.21 is a fifth less. */
export function changeOf(bill: LabBill, against: LabBill, metric: Metric): number | undefined {
  const now = metricOf(bill, metric);
  const before = metricOf(against, metric);
  return now === undefined || before === undefined || before === 0 ? undefined : now / before - 1;
}

/** `−21%`, `+4%`, `0%`. */
export function formatChange(change: number): string {
  const percent = Math.round(change * 100);
  return percent === 0 ? '0%' : `${percent > 0 ? '+' : '−'}${String(Math.abs(percent))}%`;
}

/** The metric that can be shown: without prices, tokens stand for money. */
export function shownMetric(wanted: Metric, recorded: LabBill | undefined): Metric {
  return wanted === 'cost' && recorded?.costUsd === null ? 'billed' : wanted;
}

/** What a change is told of in a table that counts regret and breaks in columns of their own. */
export function shownChange(metric: Metric): Metric {
  return metric === 'regret' || metric === 'breaks' ? 'billed' : metric;
}

/** What a row of a sweep says by a metric, against the recording: a change, or a count. */
export function rowTitle(row: LabRow, recorded: LabBill, metric: Metric): string {
  if (metric === 'regret') return formatInteger(row.regret);
  if (metric === 'breaks') return formatInteger(row.bill.breaks);
  const change = changeOf(row.bill, recorded, metric);
  return change === undefined ? '–' : formatChange(change);
}
