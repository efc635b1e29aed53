import type { CacheRuleInfo } from '@/api/gen/api.ts';
import { formatInteger } from './format.ts';

/** "From 1,024 tokens, in steps of 128, kept for 10 minutes; nothing is promised." */
export function ruleSentence(rule: CacheRuleInfo): string {
  const parts = [
    `From ${formatInteger(rule.minimumTokens)} ${rule.minimumTokens === 1 ? 'token' : 'tokens'}`,
    ...(rule.blockTokens > 1 ? [`in blocks of ${formatInteger(rule.blockTokens)}`] : []),
    rule.lifetimeS === null ? 'no lifetime known' : `kept for ${formatDuration(rule.lifetimeS)}`,
  ];
  return `${parts.join(', ')}${rule.isBestEffort ? '; nothing is promised' : ''}.`;
}

const UNITS = [
  { seconds: 3600, name: 'hour' },
  { seconds: 60, name: 'minute' },
] as const;

/** `5 minutes`, `1 hour`, `90 seconds`. */
export function formatDuration(seconds: number): string {
  const unit = UNITS.find((candidate) => seconds % candidate.seconds === 0) ?? { seconds: 1, name: 'second' };
  const count = seconds / unit.seconds;
  return `${formatInteger(count)} ${unit.name}${count === 1 ? '' : 's'}`;
}
