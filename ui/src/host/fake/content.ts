import { randomFrom, textOfTokens } from './tokens.ts';

type Line = (index: number, random: () => number) => string;

const pick = <T>(random: () => number, values: readonly T[]): T | undefined =>
  values[Math.floor(random() * values.length)];
const whole = (random: () => number, below: number): string => String(Math.floor(random() * below));
const two = (value: number): string => String(value).padStart(2, '0');

const LINES: Readonly<Record<string, Line>> = {
  search_logs: (i, random) =>
    `${i === 0 ? '{"rows":[' : ','}{"ts":"2026-11-17T09:${two(14 + Math.floor(i / 40))}:${two((i * 3 + 2) % 60)}Z","svc":"billing","level":"ERROR","msg":"decimal.InvalidOperation in compute_total, invoice=${String(100417 + i * 7)}, trace=${Math.floor(random() * 65536).toString(16)}","host":"bill-${whole(random, 8)}"}`,
  read_file: (i, random) =>
    `${String(180 + i).padStart(4)}: ${pick(random, ['def compute_total(lines, rate):', '    total = Decimal(0)', '    for line in lines:', '        total += Decimal(line.amount) * rate', '    return total.quantize(CENT)', '', '    # rates arrive as JSON floats since v8.15'])}\n`,
  git_diff: (i, random) =>
    i % 9 === 0
      ? `@@ -${String(40 + i)},6 +${String(41 + i)},9 @@ def load_rates(path):\n`
      : `${pick(random, ['+', '-', ' ', ' '])}    ${pick(random, ['rate = json.loads(raw, parse_float=Decimal)', 'rate = json.loads(raw)', 'rates[region] = Decimal(rate)', 'return rates', 'if region not in REGIONS:', '    raise KeyError(region)'])}\n`,
  grep: (i, random) =>
    `src/${pick(random, ['billing', 'refund', 'common'])}/${pick(random, ['invoice', 'rates', 'tax', 'money'])}.py:${String(12 + i * 17)}:    total = Decimal(${pick(random, ['amount', 'float(rate)', 'line.total'])})\n`,
  sql_query: (i, random) =>
    `${i === 0 ? 'id,region,total,new_total\n' : ''}${String(100417 + i * 3)},${pick(random, ['EU', 'US', 'UK', 'JP'])},${whole(random, 900)}.${two(Math.floor(random() * 100))},${whole(random, 900)}.${two(Math.floor(random() * 100))}\n`,
  query_metrics: (i, random) =>
    `${i === 0 ? '{"series":[' : ','}{"host":"bill-${String(i % 8)}","day":"2026-11-${two(14 + (i % 7))}","errors":${whole(random, 400)},"build":"4f2c"}`,
};

const PROSE = [
  'The failure starts where a Decimal is built from a float. ',
  'Rates arrive as JSON floats since v8.15, so rounding differs by region. ',
  'Both call sites share the parser in load_rates(). ',
  'Name the file and the line, and say what you are not sure of. ',
  'Answer briefly. Use a tool before you guess. ',
];

/** Text of a tool result, a file or a message with exactly that many tokens. */
export function contentOf(tool: string, opening: string, tokens: number, seed: number): string {
  const random = randomFrom(seed);
  const line = LINES[tool];
  if (line !== undefined) return textOfTokens(tokens, (i) => line(i, random));
  return textOfTokens(tokens, (i) => (i === 0 ? `${opening} ` : (PROSE[(i + seed) % PROSE.length] ?? '')));
}
