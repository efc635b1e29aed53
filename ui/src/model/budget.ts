/** An amount as a person writes it: `2.50`, `$2`, `500k`, `1.5M`; null for none, undefined for what is no amount. */
export function budgetAmount(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(',', '');
  if (plain === '') return null;
  const match = /^\$?(\d+(?:\.\d+)?)([kKmM]?)$/.exec(plain);
  if (match === null) return undefined;
  const [, digits = '', unit = ''] = match;
  const factor = { k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1;
  return Number(digits) * factor;
}
