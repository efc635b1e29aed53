import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { JobList } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { formatCompact, formatInteger, formatPercent } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { fill, inspector, LOCKED, openWindow, type OpenWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
const PLAN = { ...SAMPLE, config: 'interval=5,overlap=0', prompt: null, summaries: 'sized' } as const;

/** The Lab with a run of extracts, once it is done. */
async function openRun(): Promise<OpenWindow> {
  const window = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
  await within(summaries()).findByText(/rests on the size/);
  await window.press('s');
  await screen.findByRole('button', { name: /^Apply as experiment/ });
  return window;
}

const sweep = (): HTMLElement => screen.getByRole('region', { name: 'Sweep' });
const summaries = (): HTMLElement => screen.getByRole('region', { name: 'Before and after' });
const map = (): Promise<HTMLElement> =>
  within(sweep()).findByRole('listbox', { name: /^Configurations as a map/ });

describe('the lab', () => {
  test('sweeps, and looks at what it recommends', async () => {
    openWindow('#/invoice-triage/lab');
    expect(within(await map()).getByRole('option')).toHaveTextContent(/^Interval 5, overlap 0/);
    const panel = await inspector(/Interval 5, overlap 0/);
    expect(panel).toHaveTextContent('What the sweep says');
    const plan = await recorded('lab/plan', PLAN);
    const { bill, unchanged, recorded: before } = plan;
    const peaks = [unchanged, before, bill].map(({ peakTokens }) => formatCompact(peakTokens));
    await waitFor(() => expect(panel).toHaveTextContent(`Peak prompt${peaks.join('')}`));
    expect(panel).toHaveTextContent(`regret ≤ ${formatInteger(plan.nRegret)}`);
    expect(panel).toHaveTextContent(plan.regretSaid);
    const { value, event, call } = ensureExists(plan.regret[0], 'a value that is used later');
    expect(within(panel).getByRole('button', { name: `Show ${event}, where ${value} stood` })).toBeEnabled();
    const use = new RegExp(`^Go to C${String(call)}, .* used ${value}`);
    expect(within(panel).getByRole('button', { name: use })).toBeEnabled();
    expect(within(panel).getByRole('button', { name: /^Copy for google-adk/ })).toBeEnabled();
  });

  test('stops a sweep, which then waits to be asked for', async () => {
    const running = ({ jobs }: JobList): JobList => ({
      jobs: jobs.map((job) => ({ ...job, state: 'running' })),
    });
    const { user } = openWindow('#/invoice-triage/lab', {
      isHeld: true,
      stuck: ['job/cancel'],
      changed: { 'job/list': running },
    });
    await user.click(await within(sweep()).findByRole('button', { name: 'Stop the sweep' }));
    expect(await within(sweep()).findByRole('button', { name: 'Start the sweep' })).toBeEnabled();
  });

  test('is walked with the arrows, and the address says where', async () => {
    const { user, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    const list = await map();
    list.focus();
    await user.keyboard('{ArrowRight}{ArrowDown}');
    await waitFor(() => expect(view().config).toBe('interval=6,overlap=1'));
    expect(within(list).getByRole('option')).toHaveTextContent(/^Interval 6, overlap 1/);
    // Elsewhere the arrows are those of the calls.
    expect(view().cursor).toBe(0);
  });

  test('says why half a configuration cannot be replayed', async () => {
    const { user, host } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await map();
    const overlap = screen.getByRole('textbox', { name: 'Overlap' });
    await user.clear(overlap);
    await user.tab();
    expect(await screen.findByText(/Interval is set and overlap is not/)).toBeVisible();
    expect(screen.getByRole('button', { name: /^Run/ })).toBeDisabled();
    expect(
      host.asked.some(
        ({ name, params }) => name === 'lab/plan' && JSON.stringify(params).includes('"interval=5"'),
      ),
    ).toBe(false);
  });

  test('sweeps other numbers, and says what is no grid', async () => {
    const { user, press, view } = openWindow('#/invoice-triage/lab');
    await map();
    await press('a');
    await waitFor(() => expect(view().axes).toBe('threshold'));
    await inspector(/Threshold/);
    await fill(user, screen.getByRole('textbox', { name: 'Grid' }), 'faster');
    await user.tab();
    expect(await within(sweep()).findByText(/`faster` is no key=value pair/)).toBeVisible();
    await user.click(within(sweep()).getByRole('button', { name: 'The usual grid' }));
    await map();
  });

  test('runs a configuration, and shows what its summaries keep', async () => {
    const { user, view, host } = await openRun();
    const { rows } = await host.invoke('lab/runs', SAMPLE);
    const { run } = ensureExists(rows[0], 'a stored run');
    const loss = await host.invoke('lab/loss', { run, window: 0, offset: 0, limit: 1000 });
    const [line] = loss.summary.split('\n').slice(-2);
    expect(
      await within(summaries()).findByText(ensureExists(line, 'its last line'), { exact: false }),
    ).toBeVisible();
    const facts = await within(summaries()).findByRole('listbox', {
      name: `${formatInteger(loss.total)} facts`,
    });
    const dearest = ensureExists(loss.items[0], 'a fact');
    expect(within(facts).getAllByRole('option')[0]).toHaveTextContent(dearest.text);
    expect(summaries()).toHaveTextContent(`✗ ${formatInteger(loss.dropped)} dropped`);
    const { replay } = await host.invoke('lab/runResult', { run });
    const end = ensureExists(replay?.survival.at(-1), 'what the last summary tells');
    const told = `${formatInteger(end.alive)} of ${formatInteger(end.facts)}, ${formatPercent(end.alive / end.facts)}`;
    const panel = await inspector(/Interval 5, overlap 0/);
    await waitFor(() => expect(panel).toHaveTextContent(`Facts still told at the end ${told}`));
    await user.click(
      within(summaries()).getByRole('button', { name: new RegExp(`^Pin ${dearest.event}\\b`) }),
    );
    await waitFor(() => expect(view().config).toBe(`interval=5,overlap=0,pin=${dearest.event}`));
    expect(screen.getByRole('button', { name: `Unpin ${dearest.event}` })).toBeVisible();
  });

  test('sends a call again, and sets the answers side by side', async () => {
    const { press, user, host } = openWindow('#/invoice-triage/lab?call=1');
    await map();
    await press('n');
    const dialog = await screen.findByRole('dialog', { name: 'Send C1 again' });
    expect(await within(dialog).findByText(/POST http/)).toBeVisible();
    const asked = { ...SAMPLE, call: 1, endpoint: 'terse', model: null, run: null };
    const { predicted } = await recorded('call/replayPreview', asked);
    const prompt = `≈ ${formatInteger(predicted.tokens)} tokens`;
    expect(dialog).toHaveTextContent(prompt);
    await user.click(within(dialog).getByRole('button', { name: 'Send' }));
    await within(dialog).findByText(`Prompt: predicted ${prompt}`, { exact: false });
    const { job } = ensureExists((await host.invoke('job/list', {})).jobs.at(-1), 'a job');
    const answer = await host.invoke('call/replayResult', { job });
    expect(dialog).toHaveTextContent(`reported ${formatInteger(answer.reportedTokens ?? 0)} tokens`);
    const lines = within(dialog).getByRole('group', { name: 'Recorded answer beside the new one' });
    for (const { sign, runs } of answer.difference) {
      if (sign !== 'same') expect(lines).toHaveTextContent(runs.map(({ text }) => text).join(''));
    }
    expect(answer.difference.map(({ sign }) => sign)).toContain('added');
  });

  test('lists runs, and lays one over the session as an experiment', async () => {
    const { press, user, host, view } = await openRun();
    const { replay } = await host.invoke('lab/runResult', { run: 'r1' });
    const { windows, promptTokens } = ensureExists(replay, 'what the run comes to');
    const dropped = windows.reduce((sum, window) => sum + window.dropped, 0);
    const panel = await inspector(/Interval 5, overlap 0/);
    const about = `2 summaries · extractive · ${formatInteger(dropped)} facts dropped`;
    await waitFor(() => expect(panel).toHaveTextContent(about));
    await press('{Shift>}S{/Shift}');
    await waitFor(() => expect(view().session).toBe('x1'));
    // The experiment's prompts are those of the run.
    const { bill, compactions } = await host.invoke('session/header', { session: 'x1' });
    expect(bill.promptTokens).toBe(promptTokens.reduce((sum, tokens) => sum + tokens, 0));
    expect(compactions).toBe(windows.length);
    await waitFor(() => expect(panel).toHaveTextContent(/over Recorded/));
    await user.click(within(panel).getByRole('button', { name: /^Remove the run/ }));
    await waitFor(() => expect(panel).not.toHaveTextContent(/over Recorded/));
  });

  test('asks once before a model is asked, and says what it would cost', async () => {
    const { press, user, host } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await within(summaries()).findByText(/rests on the size/);
    await user.selectOptions(await screen.findByLabelText('Written by'), 'terse');
    (document.activeElement as HTMLElement | null)?.blur();
    await press('s');
    const dialog = await screen.findByRole('dialog', { name: /with a model$/ });
    const { session, config, prompt } = PLAN;
    const asked = { session, config, prompt, writer: 'terse', model: null };
    const { inputTokens, summaries: count } = await recorded('lab/estimate', asked);
    expect(await within(dialog).findByText(/scripted-1 at http/)).toBeVisible();
    expect(dialog).toHaveTextContent(`Tokens in ≈ ${formatInteger(inputTokens)}`);
    const isAsked = (): boolean => host.asked.some(({ name }) => name === 'lab/run');
    expect(isAsked()).toBe(false);
    await user.click(within(dialog).getByRole('button', { name: `Send ${String(count)} prompts` }));
    await waitFor(() => expect(isAsked()).toBe(true));
    await waitFor(() => expect(screen.getByRole('button', { name: /^Apply as experiment/ })).toBeEnabled());
    expect(await within(summaries()).findByText(/Two rounding rules differ/)).toBeVisible();
  });

  test('asks about a summary, and counts what it can answer', async () => {
    const { press, user, host } = await openRun();
    await press('{Shift>}N{/Shift}');
    const dialog = await screen.findByRole('dialog', { name: 'Ask about summary 1' });
    const choice = { run: 'r1', window: 0, facts: 6, questions: [], writer: 'terse', model: null };
    const plan = await host.invoke('lab/probePlan', { choice });
    const cost = `${String(plan.prompts)} prompts · ≈ ${formatInteger(plan.inputTokens)} tokens in`;
    await waitFor(() => expect(dialog).toHaveTextContent(cost));
    await user.click(within(dialog).getByRole('button', { name: 'Ask' }));
    const answers = await within(dialog).findByRole('region', { name: 'Answers' });
    const { job } = ensureExists((await host.invoke('job/list', {})).jobs.at(-1), 'a job');
    const { rows, kept, lost } = await host.invoke('lab/probeResult', { job });
    await waitFor(() => expect(dialog).toHaveTextContent(`✓ ${String(kept)} kept, ✗ ${String(lost)} lost`));
    for (const { question } of rows) expect(answers).toHaveTextContent(question);
    // A model that always says the same knows nothing.
    expect(answers).toHaveTextContent('Two rounding rules differ in invoice.py:214.');
  });

  test('is a table, too', async () => {
    const { press, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await map();
    await press('t');
    const table = await within(sweep()).findByRole('listbox', { name: '32 configurations' });
    await waitFor(() =>
      expect(within(table).getByRole('option', { selected: true })).toHaveTextContent(
        'Interval 5, overlap 0',
      ),
    );
    await press('j');
    await waitFor(() => expect(view().config).toBe('interval=5,overlap=1'));
  });

  test('offers to try again what failed', async () => {
    openWindow('#/invoice-triage/lab', {
      failing: { 'lab/sweep': LOCKED },
    });
    expect(await within(sweep()).findByRole('button', { name: 'Retry' })).toBeVisible();
  });

  test('has nothing to replay in a session without calls', async () => {
    openWindow('#/empty/lab');
    expect(await screen.findByText(/nothing that a summary could make shorter/)).toBeVisible();
  });
});
