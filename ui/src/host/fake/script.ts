/** One step of the sample session: what was said or called, with its tokens. */
export type Step =
  | { readonly do: 'user'; readonly text: string; readonly tokens: number }
  | {
      readonly do: 'tool';
      readonly tool: string;
      readonly args: string;
      readonly callTokens: number;
      readonly tokens: number;
      readonly result: string;
      readonly hits?: readonly [before: string, after: string];
    }
  | { readonly do: 'say'; readonly text: string; readonly tokens: number }
  | { readonly do: 'transfer'; readonly to: string }
  | { readonly do: 'compact'; readonly from: number; readonly to: number; readonly tokens: number };

const user = (text: string, tokens: number): Step => ({ do: 'user', text, tokens });
const say = (text: string, tokens: number): Step => ({ do: 'say', text, tokens });
const transfer = (to: string): Step => ({ do: 'transfer', to });
const compact = (from: number, to: number, tokens: number): Step => ({ do: 'compact', from, to, tokens });
const tool = (
  name: string,
  args: string,
  callTokens: number,
  tokens: number,
  result: string,
  hits?: readonly [string, string],
): Step => ({
  do: 'tool',
  tool: name,
  args,
  callTokens,
  tokens,
  result,
  ...(hits === undefined ? {} : { hits }),
});

/** Three agents look for the cause of decimal errors in invoices. */
export const TRIAGE: readonly Step[] = [
  user('Invoices fail with decimal errors since Tuesday. Find out why.', 17),
  tool(
    'search_logs',
    'query="decimal error", service="billing"',
    34,
    2310,
    '41 rows · decimal.InvalidOperation',
  ),
  transfer('log_analyst'),
  tool(
    'search_logs',
    'query="InvalidOperation", level="ERROR", limit=500',
    41,
    11940,
    '500 rows · billing ERROR since 2026-11-17',
  ),
  tool('read_file', 'path="src/billing/invoice.py"', 27, 4180, '412 lines · compute_total()'),
  say('The failure starts at invoice.py:214 where Decimal is built from a float.', 212),
  user('Which hosts are hit most?', 8),
  tool('query_metrics', 'metric="errors_by_host", window="7d"', 36, 1920, 'bill-0 … bill-7 · 7 days'),
  say('bill-2 and bill-5 carry 81% of the errors; both run build 4f2c.', 148),
  user('Check yesterday’s deploy diff.', 9),
  tool('git_diff', 'base="v8.14", head="v8.15"', 29, 6350, '23 files · +418 −176'),
  tool('read_file', 'path="src/billing/rates.py"', 26, 2240, '188 lines · load_rates()'),
  say('v8.15 changed load_rates() to parse JSON floats instead of strings.', 231),
  user('Is the same bug in refunds?', 9),
  tool('grep', 'pattern="Decimal\\\\(", path="src/"', 33, 3120, '94 matches in 31 files'),
  tool('read_file', 'path="src/refund/refund.py"', 26, 3890, '366 lines · prorate()'),
  say('Yes: refund.py:88 and :131 build Decimal from the same floats.', 164),
  user('List the affected invoices.', 7),
  tool(
    'sql_query',
    'sql="SELECT id, total, … FROM invoices WHERE …"',
    118,
    8460,
    '1,204 rows · first 400 shown',
  ),
  say('1,204 invoices, €318,440 in total. 62 are already paid.', 196),
  user('How many hits in total, and in which regions?', 13),
  tool('sql_query', 'sql="SELECT region, count(*) … GROUP BY region"', 64, 420, '4 rows · EU, US, UK, JP', [
    '41',
    '2,318',
  ]),
  say('2,318 hits: EU 1,702, UK 344, US 201, JP 71.', 92),
  compact(1, 6, 684),
  user('Coordinator: plan the fix.', 8),
  transfer('coordinator'),
  say(
    'Plan:\n1) parse rates as strings in load_rates()\n2) quantize totals with money.quantize()\n3) backfill 1,204 invoices, 62 are paid\n',
    284,
  ),
  user('Write the incident report.', 7),
  transfer('report_writer'),
  tool('save_artifact', 'filename="incident-report.md"', 1180, 34, 'incident-report.md v1'),
  say('Report saved as incident-report.md.', 41),
  user('Back to the analyst: verify the fix branch.', 11),
  transfer('log_analyst'),
  tool('git_diff', 'base="v8.15", head="fix/decimal"', 29, 5120, '11 files · +142 −61'),
  tool('read_file', 'path="src/billing/rates.py@fix"', 27, 2310, '192 lines · load_rates()'),
  tool('grep', 'pattern="float\\\\(", path="src/billing"', 33, 1470, '38 matches in 9 files'),
  say('Branch fixes both call sites; one float() remains in tax.py:40.', 178),
  user('Run the backfill query on staging.', 9),
  tool('sql_query', 'sql="SELECT id, old_total, new_total …"', 142, 9730, '1,204 rows · first 450 shown'),
  say('1,198 of 1,204 rows agree to the cent; 6 need manual review.', 166),
  user('Show those six.', 6),
  tool('sql_query', 'sql="… WHERE abs(old_total-new_total) > 0.005"', 96, 1340, '6 rows', ['2,318', '2,324']),
  say('All six are JPY invoices with a zero-decimal currency.', 121),
  user('Is zero-decimal handled anywhere?', 8),
  tool('grep', 'pattern="zero_decimal|currency_exp", path="src/"', 38, 2180, '47 matches in 14 files'),
  tool('read_file', 'path="src/common/money.py"', 26, 3340, '301 lines · quantize()'),
  say('money.quantize() handles it; billing bypasses money.', 133),
  compact(6, 12, 742),
  user('Update the report and close the incident.', 10),
  transfer('report_writer'),
  tool('load_artifacts', 'names=["incident-report.md"]', 31, 1240, 'incident-report.md v1 · temporary'),
  tool('save_artifact', 'filename="incident-report.md"', 1310, 34, 'incident-report.md v2'),
  say('Report v2 saved; incident ready to close.', 52),
  user('Thanks. Remind me next week.', 8),
  transfer('coordinator'),
  tool('load_memory', 'query="follow-up reminders"', 24, 610, '3 memories · follow-up preference'),
  say('Reminder set for 27 November.', 44),
];

interface FakeAgent {
  readonly name: string;
  readonly tools: readonly (readonly [name: string, tokens: number])[];
  readonly instructionTokens: number;
  readonly filledTokens: number;
}

const TRANSFER = ['transfer_to_agent', 212] as const;
const ARTIFACTS = ['load_artifacts', 188] as const;

export const AGENTS: readonly FakeAgent[] = [
  {
    name: 'coordinator',
    tools: [TRANSFER, ['search_logs', 318], ['load_memory', 146], ARTIFACTS],
    instructionTokens: 1240,
    filledTokens: 188,
  },
  {
    name: 'log_analyst',
    tools: [
      TRANSFER,
      ['search_logs', 318],
      ['read_file', 204],
      ['git_diff', 262],
      ['grep', 231],
      ['sql_query', 406],
      ['query_metrics', 297],
      ARTIFACTS,
    ],
    instructionTokens: 1685,
    filledTokens: 236,
  },
  {
    name: 'report_writer',
    tools: [TRANSFER, ['save_artifact', 244], ARTIFACTS],
    instructionTokens: 960,
    filledTokens: 92,
  },
];

export const IDENTITY_TOKENS = 58;
