import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { formatInteger, formatSigned } from '@/model/format.ts';
import { PROCESSOR_RULES } from '@/model/processor-rules.ts';
import { recorded } from './recorded.ts';
import { inspector, openWindow } from './window.ts';

const C25 = { session: 'invoice-triage', call: 25 };
const AT_CONTENTS = {
  ...C25,
  stage: 8,
  compareWith: 'stageBefore',
  foldUnchanged: true,
  offset: 0,
  limit: 200,
} as const;

const stages = (): HTMLElement => screen.getByRole('region', { name: 'Processors' });
const stage = (name: RegExp): Promise<HTMLElement> => within(stages()).findByRole('option', { name });

describe('the pipeline view', () => {
  test('lists the processors of the call under the cursor', async () => {
    openWindow('#/invoice-triage/pipeline?call=25');
    const { rows, total } = await recorded('call/stages', C25);
    const { note, tokensBefore, tokensAfter } = ensureExists(rows[7], 'the eighth stage');
    const contents = await stage(/^8 contents/);
    expect(note).toBe('50 events → 16 contents');
    expect(contents).toHaveTextContent(`${note} ${formatSigned(tokensAfter - tokensBefore)}`);
    expect(contents).toHaveAttribute('aria-posinset', '8');
    expect(contents).toHaveAttribute('aria-setsize', String(rows.length));
    expect(contents).toHaveAttribute('aria-selected', 'true');
    expect(stages()).toHaveTextContent(`Sent ≈ ${formatInteger(total.tokens)} tokens`);
  });

  test('shows only what changed something', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=25');
    await stage(/contents/);
    const { rows } = await recorded('call/stages', C25);
    const changed = rows.filter(({ isChanged }) => isChanged).length;
    expect(changed).toBeLessThan(rows.length);
    await user.click(screen.getByRole('radio', { name: `Changed ${String(changed)}` }));
    expect(within(stages()).getAllByRole('option')).toHaveLength(changed);
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
    const { headline, rows } = await recorded('call/stageParts', AT_CONTENTS);
    expect(headline).toMatch(/^50 events in/);
    const detail = await screen.findByRole('region', { name: 'Stage' });
    await waitFor(() => expect(detail).toHaveTextContent(headline));
    const hidden = ensureExists(rows[0], 'what a summary hides');
    expect(
      await within(detail).findByRole('option', {
        name: new RegExp(`left out.*34 events E1–E34 ${formatSigned(-hidden.tokensBefore)} hidden`),
      }),
    ).toBeVisible();
    const quoted = ensureExists(
      rows.find(({ path }) => path === '4.1'),
      'a quoted part',
    );
    const sizes = `${formatInteger(quoted.tokensBefore)} → ${formatInteger(quoted.tokensAfter)}`;
    expect(
      within(detail).getByRole('option', {
        name: new RegExp(`rewritten.*4\\.1 model E39 coordinator ${sizes}`),
      }),
    ).toBeVisible();
  });

  test('shows the difference and the source of a part', async () => {
    const { user, view } = openWindow('#/invoice-triage/pipeline?call=25&stage=contents');
    await user.click(await screen.findByRole('option', { name: /4\.1 model/ }));
    const panel = await inspector('Rewritten part contents[4].parts[1]');
    const part = await recorded('part/get', { session: C25.session, address: 'C25/4.1', stage: 8 });
    const [before, after] = [formatInteger(part.storedTokens ?? 0), formatInteger(part.tokens.tokens)];
    expect(panel).toHaveTextContent(`${before} → ${after} tokens`);
    expect(panel).toHaveTextContent(`all ${after}`);
    const diff = screen.getByRole('region', { name: 'Difference' });
    expect(await within(diff).findByText(`E39 in the session, ${before} tokens`)).toBeVisible();
    expect(diff).toHaveTextContent('[coordinator] said:');
    await user.click(within(diff).getByRole('radio', { name: 'Unified' }));
    await waitFor(() => expect(view().diff).toBe('unified'));
  });

  test('compares with the previous call of the same agent, folded', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=26&stage=agent_tools');
    await screen.findByText(/parts added/);
    await user.click(screen.getByRole('radio', { name: 'Previous call' }));
    expect(await screen.findByText('against C25')).toBeVisible();
    const { rows } = await recorded('call/stageParts', {
      ...AT_CONTENTS,
      call: 26,
      stage: 15,
      compareWith: 'previousCall',
    });
    const { count } = ensureExists(rows[0], 'what C25 has, too');
    expect(count).toBeGreaterThan(20);
    const fold = await screen.findByRole('option', { name: new RegExp(`${String(count)} unchanged`) });
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
    const text = await screen.findByRole('textbox', { name: 'Prompt as text' });
    await waitFor(() => expect(text).toHaveTextContent('You analyse production incidents.'));
    expect(document.querySelector('.cm-provenance')).toHaveTextContent('sys.0');
  });

  test('shows the request as JSON', async () => {
    const { user } = openWindow('#/invoice-triage/pipeline?call=25&stage=instructions');
    await user.click(await screen.findByRole('radio', { name: 'JSON' }));
    const json = await screen.findByRole('textbox', { name: 'Request as JSON' });
    const { model } = await recorded('call/get', C25);
    await waitFor(() => expect(json).toHaveTextContent(`"model": "${model}"`));
  });

  test('says under Code what a built-in processor does, by which rules, and where that is specified', async () => {
    openWindow('#/invoice-triage/pipeline?call=25&stage=contents&tab=code');
    const { rows } = await recorded('call/stages', C25);
    expect(Object.keys(PROCESSOR_RULES)).toEqual(rows.map(({ processor }) => processor));
    const about = await screen.findByRole('region', { name: 'What contents does' });
    const { does, rules, source } = ensureExists(PROCESSOR_RULES['contents'], 'the rules of contents');
    for (const text of [does, ...rules, source]) expect(about).toHaveTextContent(text);
    expect(about).toHaveTextContent('50 events → 16 contents');
    expect(within(about).getByRole('button', { name: 'Put a script before contents' })).toBeEnabled();
  });

  test('names warnings of a stage', async () => {
    openWindow('#/invoice-triage/pipeline?call=37');
    const { rows } = await recorded('call/stages', { ...C25, call: 37 });
    const { processor, diagnostics } = ensureExists(
      rows.find((row) => row.diagnostics.length > 0),
      'a stage of C37 with a warning',
    );
    const warning = `Warning: ${ensureExists(diagnostics[0], 'its warning').message}`;
    const row = await stage(new RegExp(processor));
    expect(within(row).getByRole('img', { name: warning })).toBeVisible();
  });

  test('marks what rests on an inferred configuration', async () => {
    openWindow('#/claude-code/pipeline?call=5');
    expect(within(await stage(/tools/)).getByText('inferred')).toBeVisible();
    expect(within(await stage(/messages/)).queryByText('inferred')).toBeNull();
    // The names of google-adk's processors are google-adk's.
    expect(within(stages()).queryByRole('option', { name: /agent_tools|model_call/ })).toBeNull();
  });
});
