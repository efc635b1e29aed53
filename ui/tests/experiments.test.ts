import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { type Params } from '@/api/client.ts';
import { ensureExists } from '@/lib/assert.ts';
import { formatSigned } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { fill, LOCKED, openWindow, type OpenWindow } from './window.ts';

const PIPELINE = '#/invoice-triage/pipeline?call=25&stage=identity';

const stages = (): HTMLElement => screen.getByRole('region', { name: 'Processors' });
const stage = (name: RegExp): Promise<HTMLElement> => within(stages()).findByRole('option', { name });
const edits = (): Promise<HTMLElement> => screen.findByRole('region', { name: 'Edits' });
const asked = ({ host }: OpenWindow, name: string): readonly unknown[] =>
  host.asked.filter((request) => request.name === name).map(({ params }) => params);

describe('an edit', () => {
  test('of the recording makes an experiment and leaves the recording alone', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press(' ');
    await waitFor(() => expect(window.view().session).toBe('x1'));
    expect(await stage(/off, identity.*switched off/)).toBeVisible();
    expect(await edits()).toHaveTextContent('1 Switch identity off');
    await window.press('o');
    await waitFor(() => expect(window.view().session).toBe('invoice-triage'));
    await waitFor(async () => expect(await stage(/identity/)).not.toHaveTextContent('off,'));
    await window.press('o');
    await waitFor(() => expect(window.view().session).toBe('x1'));
  });

  test('keeps the call under the cursor, though another becomes the largest', async () => {
    const window = openWindow('#/invoice-triage/pipeline?stage=contents');
    await stage(/contents/);
    await waitFor(() => expect(stages()).toHaveTextContent('C17, log_analyst'));
    await window.press(' ');
    await waitFor(() => expect(window.view()).toMatchObject({ session: 'x1', cursor: 17 }));
  });

  test('keeps the processor that is looked at, though another changes more then', async () => {
    const window = openWindow('#/invoice-triage/pipeline');
    await stage(/contents/);
    await waitFor(() => expect(stages()).toHaveTextContent('C17, log_analyst'));
    await window.press(' ');
    await waitFor(() => expect(window.view()).toMatchObject({ session: 'x1', stage: 'contents' }));
    expect(await stage(/off, contents/)).toHaveAttribute('aria-selected', 'true');
  });

  test('leaves the list where it was scrolled to', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    const list = within(stages()).getByRole('listbox');
    list.scrollTop = 100;
    await fireEvent.scroll(list);
    await window.press(' ');
    await stage(/off, identity/);
    await waitFor(() => expect(window.view().session).toBe('x1'));
    expect(list.scrollTop).toBe(100);
  });

  test('asks once for the stages that the list and the inspector show', async () => {
    const window = openWindow(`${PIPELINE}&at=C25/identity`);
    await stage(/identity/);
    await window.press(' ');
    await stage(/off, identity/);
    const ofExperiment = asked(window, 'call/stages').filter((params) =>
      JSON.stringify(params).includes('"x1"'),
    );
    expect(ofExperiment).toHaveLength(1);
  });

  test('is taken back and made again', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press(' ');
    await stage(/off, identity/);
    await window.press('{Control>}z{/Control}');
    await waitFor(async () => expect(await edits()).toHaveTextContent('taken back'));
    await waitFor(async () => expect(await stage(/identity/)).not.toHaveTextContent('off,'));
    await window.press('{Control>}{Shift>}z{/Shift}{/Control}');
    expect(await stage(/off, identity/)).toBeVisible();
  });

  test('made with quick keys comes out in its order', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('   ');
    await waitFor(async () =>
      expect(await edits()).toHaveTextContent(
        /1 Switch identity off.*2 Switch identity on.*3 Switch identity off/,
      ),
    );
    expect(asked(window, 'experiment/create')).toHaveLength(1);
  });

  test('that fails is reported, and the view stays', async () => {
    const window = openWindow(PIPELINE, {
      failing: { 'experiment/edit': LOCKED },
    });
    await stage(/identity/);
    await window.press(' ');
    expect(await screen.findByText(/The database is locked/)).toBeVisible();
    expect(window.view().session).toBe('invoice-triage');
  });
});

describe('processors', () => {
  test('are moved by keys, and a violated order says why', async () => {
    const window = openWindow('#/invoice-triage/pipeline?call=25&stage=contents');
    await stage(/^8 contents/);
    await window.press('{Alt>}{ArrowUp}{/Alt}');
    await stage(/^7 contents/);
    await window.press('{Alt>}{ArrowUp}{/Alt}');
    expect(await stage(/^6 contents.*runs before compaction, whose result it expects/)).toBeVisible();
    expect(asked(window, 'experiment/edit')).toMatchObject([
      { edits: [{ edit: 'move_processor', processor: 'contents', before: 'interactions' }] },
      { edits: [{ edit: 'move_processor', processor: 'contents', before: 'compaction' }] },
    ]);
  });

  test('are put in from a list that is searched, with what they would do', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('n');
    await screen.findByRole('combobox', { name: 'Find a processor' });
    await window.user.paste('truncate');
    const form = await screen.findByRole('form', { name: 'Truncate the middle of long texts' });
    const limit = within(form).getByRole('textbox', { name: 'max_chars' });
    await fill(window.user, limit, '10');
    expect(await within(form).findByText('max_chars is at least 40')).toBeVisible();
    expect(within(form).getByRole('button', { name: /Put in/ })).toBeDisabled();
    await fill(window.user, limit, '1000');
    const insert = { edit: 'insert_processor', use: 'truncate_middle', params: { max_chars: 1000 } };
    const previewed = (): unknown => asked(window, 'experiment/preview').at(-1);
    await waitFor(() => expect(previewed()).toMatchObject({ call: 25, edits: [insert] }));
    await waitFor(() => expect(form).toHaveTextContent(/C25\s*−\d/));
    const { thisCall, allCalls } = await window.host.invoke(
      'experiment/preview',
      previewed() as Params<'experiment/preview'>,
    );
    const saved = (before: number, after: number): string => formatSigned(after - before);
    await waitFor(() => expect(form).toHaveTextContent(saved(thisCall.tokensBefore, thisCall.tokensAfter)));
    await window.user.click(within(form).getByRole('button', { name: /Put in/ }));
    await waitFor(() => expect(window.view()).toMatchObject({ session: 'x1', stage: 'truncate_middle' }));
    expect(await stage(/truncate_middle.*new/)).toBeVisible();
    expect(asked(window, 'experiment/edit')).toMatchObject([{ edits: [insert] }]);
    // Made, it does what the preview said.
    const { total } = await window.host.invoke('call/stages', { session: 'x1', call: 25 });
    expect(total.tokens).toBe(thisCall.tokensAfter);
    await waitFor(async () =>
      expect(await edits()).toHaveTextContent(saved(allCalls.tokensBefore, allCalls.tokensAfter)),
    );
  });

  test('show what is typed into their form before it is an edit, and one undo takes all of it back', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('n');
    await window.user.paste('truncate');
    await window.press('{Enter}');
    const form = await screen.findByRole('form', { name: 'Parameters of truncate_middle' });
    const limit = within(form).getByRole('textbox', { name: 'max_chars' });
    await fill(window.user, limit, '900');
    expect(await within(form).findByText('As typed, not yet an edit')).toBeVisible();
    await window.press('{Enter}');
    await waitFor(async () => expect(await edits()).toHaveTextContent(/2 .*truncate_middle.*900/));
    await fill(window.user, limit, '800');
    await window.press('{Enter}');
    await waitFor(() => expect(asked(window, 'experiment/edit')).toHaveLength(3));
    expect(asked(window, 'experiment/edit')[2]).toMatchObject({ replacesLast: true });
    await waitFor(async () => expect(await edits()).toHaveTextContent(/2 .*truncate_middle.*800/));
    expect(await edits()).not.toHaveTextContent(/3 .*truncate_middle/);
  });

  test('reach one agent only when that is asked for', async () => {
    const window = openWindow('#/invoice-triage/pipeline?call=25&stage=identity&at=C25/identity');
    await stage(/identity/);
    await window.user.click(await screen.findByRole('radio', { name: 'log_analyst' }));
    await window.user.click(screen.getByRole('radio', { name: 'Off' }));
    await waitFor(() => expect(asked(window, 'experiment/edit')).toHaveLength(1));
    expect(asked(window, 'experiment/edit')).toMatchObject([
      { edits: [{ edit: 'disable_processor', processor: 'identity', agent: 'log_analyst' }] },
    ]);
  });
});

describe('findings', () => {
  test('are ranked, and one key applies the best fix', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('l');
    const panel = await screen.findByRole('region', { name: 'Findings' });
    const { bloat } = await recorded('findings/list', { session: 'invoice-triage' });
    const { name, fixes } = ensureExists(bloat[0], 'the dearest source of tokens');
    const fix = ensureExists(fixes[0], 'a fix');
    expect(await within(panel).findByRole('option', { name: new RegExp(`^1 ${name}`) })).toBeVisible();
    expect(panel).toHaveTextContent(fix.title);
    for (const warning of fix.warnings) expect(panel).toHaveTextContent(warning);
    await window.press('jk');
    await waitFor(() => expect(window.view().finding).toMatch(/^E\d+$/));
    await window.press('a');
    await waitFor(() => expect(window.view().session).toBe('x1'));
    const promised = { of: 'prompt', tokens: fix.savesTokens, costUsd: fix.savesUsd };
    expect(asked(window, 'findings/apply')).toMatchObject([{ edits: fix.edits, promised }]);
    // It comes to what was said it would.
    const { bill } = await window.host.invoke('session/header', { session: 'x1' });
    expect(bill.promptTokens).toBe(fix.effect.tokensAfter);
    await window.press('{Escape}');
    await waitFor(() => expect(window.view().panel).toBe('stage'));
    await waitFor(async () => expect(await edits()).toHaveTextContent(/less, as promised\./));
  });
});

describe('a comparison', () => {
  test('says call by call what an experiment changed', async () => {
    const window = openWindow('#/invoice-triage/pipeline?call=25&stage=identity');
    await stage(/identity/);
    await window.press(' ');
    await stage(/off, identity/);
    await window.press('x');
    const panel = await screen.findByRole('region', { name: 'Comparison' });
    const rows = { offset: 0, limit: 200 };
    const pair = { a: 'invoice-triage', b: 'x1', onlyChanged: true };
    const compared = await window.host.invoke('experiment/compare', { ...pair, ...rows });
    const { tokensA, tokensB } = ensureExists(
      compared.rows.find((row) => row.call === 25),
      'C25 compared',
    );
    expect(tokensB).toBeLessThan(tokensA);
    const call = await within(panel).findByRole('option', {
      name: new RegExp(`^C25 log_analyst .*${formatSigned(tokensB - tokensA)}`),
    });
    await window.user.click(call);
    const request = await screen.findByRole('region', { name: 'Request of C25 compared' });
    expect(await within(request).findByRole('option', { name: /left out/ })).toBeVisible();
    expect(await screen.findByRole('region', { name: 'Difference' })).toBeVisible();
    await window.press('j');
    await waitFor(() => expect(window.view().cursor).toBe(26));
    // Behind the last difference of a call comes the first of the next.
    await window.press(']');
    await waitFor(() => expect(window.view().cursor).toBe(27));
    await window.press('[[');
    await waitFor(() => expect(window.view().cursor).toBe(26));
  });

  test('of two that are the same says what to do', async () => {
    openWindow('#/invoice-triage/pipeline?panel=compare');
    expect(await screen.findByText(/There is no experiment over this session yet/)).toBeVisible();
  });
});

describe('a script', () => {
  test('is put in, begins with a template, and becomes an edit once it runs', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('n');
    await window.press('script{Enter}');
    await waitFor(() => expect(window.view()).toMatchObject({ stage: 'script', tab: 'code' }));
    await window.user.click(await screen.findByRole('button', { name: 'Start from' }));
    await window.user.click(await screen.findByRole('button', { name: 'Cut long tool results' }));
    await waitFor(async () => expect(await edits()).toHaveTextContent(/2 .*script/));
    expect(asked(window, 'script/check').length).toBeGreaterThan(1);
  });

  test('is saved under a name, and replaces another only when that is said', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press('n');
    await window.press('script{Enter}');
    await waitFor(() => expect(window.view()).toMatchObject({ stage: 'script', tab: 'code' }));
    const saveAs = async (name: string): Promise<void> => {
      await window.user.click(await screen.findByRole('button', { name: 'Save as…' }));
      await fill(window.user, await screen.findByRole('textbox', { name: 'Name' }), name);
    };
    await saveAs('Mine');
    await window.user.click(await screen.findByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(asked(window, 'script/save').at(-1)).toMatchObject({ name: 'Mine', replaces: false }),
    );
    await saveAs('MINE');
    expect(await screen.findByRole('button', { name: 'Replace Mine' })).toBeVisible();
    await window.press('{Escape}');
    await window.user.click(screen.getByRole('button', { name: 'Start from' }));
    expect(await screen.findByRole('button', { name: /^Mine/ })).toBeVisible();
    await window.user.click(screen.getByRole('button', { name: 'Remove Mine' }));
    await window.user.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }),
    );
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Mine/ })).toBeNull());
  });
});

describe('state that instructions are shown', () => {
  test('is shortened to the ticked fields', async () => {
    const at = '#/orders/pipeline?call=2&stage=instructions&at=C2/instructions';
    const window = openWindow(at, { picked: 'orders.app.json' });
    await window.user.click(await screen.findByRole('button', { name: 'App: inferred' }));
    await window.user.click(await screen.findByRole('button', { name: /^Choose/ }));
    await screen.findByRole('button', { name: /^App: orders/ });
    await window.user.click(await screen.findByRole('button', { name: 'Show only some fields…' }));
    expect(await screen.findByText(/instructions are shown the ticked fields/)).toBeVisible();
    await window.user.click(await screen.findByRole('checkbox', { name: /^note/ }));
    const dialog = screen.getByRole('dialog', { name: 'State that instructions are shown' });
    const effect = await within(dialog).findByRole('group', { name: 'Effect' });
    await waitFor(() => expect(effect).toHaveTextContent(/C2\s*−\d/));
    await window.user.click(screen.getByRole('button', { name: /^Use it/ }));
    await waitFor(() =>
      expect(asked(window, 'experiment/edit').at(-1)).toMatchObject({
        edits: [{ edit: 'set_state_map', key: 'orders', fields: ['id', 'customer'] }],
      }),
    );
  });
});

describe('experiments', () => {
  test('are renamed, duplicated and removed', async () => {
    const window = openWindow(PIPELINE);
    await stage(/identity/);
    await window.press(' ');
    await stage(/off, identity/);
    await window.user.click(screen.getByRole('button', { name: /^Experiment Experiment 1,/ }));
    await window.user.click(await screen.findByRole('button', { name: 'Rename Experiment 1' }));
    const name = await screen.findByRole('textbox', { name: 'Name of the experiment' });
    await window.user.clear(name);
    await window.user.type(name, 'Without identity{Enter}');
    await window.user.click(await screen.findByRole('button', { name: 'Duplicate Without identity' }));
    await waitFor(() => expect(window.view().session).toBe('x2'));
    expect(await screen.findByRole('button', { name: /^Experiment Without identity copy,/ })).toBeVisible();
    await window.user.click(await screen.findByRole('button', { name: 'Remove Without identity copy' }));
    await window.user.click(screen.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(window.view().session).toBe('invoice-triage'));
  });
});
