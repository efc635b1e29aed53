import type { PriceRates, PriceRow } from '@/api/gen/api.ts';

/** What is typed for a price, in US dollars per million tokens. */
export interface TypedPrice {
  readonly model: string;
  readonly input: string;
  /** Empty: as `input`. */
  readonly cachedRead: string;
  /** Empty: putting tokens into a cache costs no more than `input`. */
  readonly cacheWrite: string;
  /** The same for the longer of two lifetimes. Empty: as `cacheWrite`. */
  readonly cacheWriteLong: string;
  readonly output: string;
}

export const NO_PRICE: TypedPrice = {
  model: '',
  input: '',
  cachedRead: '',
  cacheWrite: '',
  cacheWriteLong: '',
  output: '',
};

/** A price of the list, to be changed. */
export function typedPrice({ model, rates }: PriceRow): TypedPrice {
  const text = (rate: number | null): string => (rate === null ? '' : String(rate));
  return {
    model,
    input: text(rates.input),
    cachedRead: text(rates.cachedRead),
    cacheWrite: text(rates.cacheWrite),
    cacheWriteLong: text(rates.cacheWriteLong),
    output: text(rates.output),
  };
}

/** The rates that are typed; nothing while they are none. */
export function ratesOf(typed: TypedPrice): PriceRates | undefined {
  const [input, output] = [rateOf(typed.input), rateOf(typed.output)];
  const cachedRead = typed.cachedRead.trim() === '' ? input : rateOf(typed.cachedRead);
  const optional = (text: string): number | null | undefined => (text.trim() === '' ? null : rateOf(text));
  const [cacheWrite, cacheWriteLong] = [optional(typed.cacheWrite), optional(typed.cacheWriteLong)];
  const isWhole = input !== undefined && output !== undefined && cachedRead !== undefined;
  if (typed.model.trim() === '' || !isWhole || cacheWrite === undefined || cacheWriteLong === undefined)
    return undefined;
  return { input, cachedRead, cacheWrite, cacheWriteLong, output };
}

function rateOf(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
