import { KINDS } from '@/api/gen/api.ts';
import type { DrawTheme } from './theme.ts';

/** A theme whose colours are their names, so that a recording says what was meant. */
export const NAMED_THEME: DrawTheme = {
  app: 'app',
  panel: 'panel',
  hover: 'hover',
  line: 'line',
  lineStrong: 'lineStrong',
  textHi: 'textHi',
  textMid: 'textMid',
  textLow: 'textLow',
  paid: 'paid',
  cached: 'cached',
  break: 'break',
  summary: 'summary',
  hidden: 'hidden',
  focus: 'focus',
  kinds: KINDS,
  dim: 0.3,
  dimSelected: 0.62,
  font: 'font',
};
