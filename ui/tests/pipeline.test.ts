import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

const stages = (): HTMLElement => screen.getByRole('region', { name: 'Processors' });
const stage = (name: RegExp): Promise<HTMLElement> => within(stages()).findByRole('option', { name });

describe('the pipeline view', () => {
  test('lists the processors of the call under the cursor', async () => {
    openWindow('#/invoice-triage/pipeline?call=25');
    const contents = await stage(/contents 50 events → 16 parts \+7,770/);
    expect(contents).toHaveAttribute('aria-posinset', '8');
    expect(contents).toHaveAttribute('aria-selected', 'true');
    expect(stages()).toHaveTextContent('Sent 11,867 tokens');
  });

  test('shows only what changed something', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=25');
    await stage(/contents/);
    await user.click(screen.getByRole('radio', { name: 'Changed 5' }));
    expect(within(stages()).getAllByRole('option')).toHaveLength(5);
  });

  test('walks the stages, and from change to change', async () => {
    const { press, view } = openWindow('#/invoice-triage/pipeline?call=25&stage=contents');
    await stage(/contents/);
    await press('j');
    await waitFor(() => expect(view().stage).toBe('context_cache'));
    await press(']');
    await waitFor(() => expect(view().stage).toBe('agent_transfer'));
    await press('[[');
    await press('[[');
    await waitFor(() => expect(view().stage).toBe('identity'));
    expect(view().selection).toBe('C25/identity');
  });

  test('keeps the stage when the cursor moves to another call', async () => {
    const { press, view } = openWindow('#/invoice-triage/pipeline?call=25&stage=identity&at=C25/identity');
    await stage(/identity/);
    await press('{ArrowRight}');
    await waitFor(() =>
      expect(view()).toMatchObject({ cursor: 26, stage: 'identity', selection: 'C26/identity' }),
    );
  });

  test('says part by part what a stage did', async () => {
    openWindow('#/invoice-triage/pipeline?call=25&stage=contents');
    expect(await screen.findByText('50 events in, 16 parts out.')).toBeVisible();
    const detail = screen.getByRole('region', { name: 'Stage' });
    expect(
      await within(detail).findByRole('option', { name: /left out.*34 events E1–E34 −46,434 hidden/ }),
    ).toBeVisible();
    expect(
      within(detail).getByRole('option', { name: /rewritten.*4\.0 model E39 coordinator 284 → 303/ }),
    ).toBeVisible();
  });

  test('shows the difference and the source of a part', async () => {
    const { user, view } = openWindow('#/invoice-triage/pipeline?call=25&stage=contents');
    await user.click(await screen.findByRole('option', { name: /4\.0 model/ }));
    const panel = await inspector('Rewritten part contents[4]');
    expect(panel).toHaveTextContent('284 → 303 tokens');
    expect(panel).toHaveTextContent('all 303');
    const diff = screen.getByRole('region', { name: 'Difference' });
    expect(await within(diff).findByText('E39 in the session, 284 tokens')).toBeVisible();
    expect(diff).toHaveTextContent('<<<BEGIN_QUOTED_AGENT_CONTENT>>>');
    await user.click(within(diff).getByRole('radio', { name: 'Unified' }));
    await waitFor(() => expect(view().diff).toBe('unified'));
  });

  test('compares with the previous call of the same agent, folded', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=26&stage=agent_tools');
    await screen.findByText(/parts added/);
    await user.click(screen.getByRole('radio', { name: 'Previous call' }));
    expect(await screen.findByText('against C25')).toBeVisible();
    const fold = await screen.findByRole('option', { name: /27 parts .* 27 unchanged/ });
    await user.click(fold);
    expect(await screen.findByRole('button', { name: 'Fold unchanged parts' })).toBeVisible();
  });

  test('says why there is nothing to compare with, and what to do', async () => {
    const { user, view } = openWindow('#/invoice-triage/pipeline?call=3&stage=contents&compare=previousCall');
    expect(await screen.findByText(/C3 is the first call of log_analyst/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Compare with the stage before' }));
    await waitFor(() => expect(view().compare).toBe('stageBefore'));
    expect(await screen.findByText(/5 events in/)).toBeVisible();
  });

  test('shows the prompt as text, with the source of its lines', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=25&stage=instructions');
    await user.click(await screen.findByRole('radio', { name: 'Text' }));
    const text = await screen.findByRole('textbox', { name: 'Prompt as text' }, { timeout: 5000 });
    await waitFor(() => expect(text).toHaveTextContent('You are log_analyst'));
    expect(document.querySelector('.cm-provenance')).toHaveTextContent('sys.0');
  });

  test('shows the request as JSON', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=25&stage=instructions');
    await user.click(await screen.findByRole('radio', { name: 'JSON' }));
    const json = await screen.findByRole('textbox', { name: 'Request as JSON' }, { timeout: 5000 });
    await waitFor(() => expect(json).toHaveTextContent('"model": "gemini-3-pro"'));
  });

  test('names warnings of a stage', async () => {
    openWindow('#/support-desk/pipeline?call=5');
    const instructions = await stage(/^4 instructions/);
    expect(within(instructions).getByRole('img', { name: /^Warning: The template/ })).toBeVisible();
    expect(within(instructions).getByText('inferred')).toBeVisible();
  });
});
