import { screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import type { LessonGrade } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { formatInteger, formatSigned } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { fill, LOCKED, openWindow, type OpenWindow } from './window.ts';

const LESSON = { lesson: 'append-everything', withSolutions: false };

/** Rules that need a real layout are left to the browser. */
const NEED_LAYOUT = ['color-contrast', 'target-size', 'scrollable-region-focusable'];

async function violations(): Promise<readonly string[]> {
  const rules = Object.fromEntries(NEED_LAYOUT.map((rule) => [rule, { enabled: false }]));
  const { violations: found } = await axe.run(document.body, { rules });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

const goals = (): HTMLElement => screen.getByRole('region', { name: 'Goals' });

const card = (title: string): HTMLElement => {
  const heading = within(goals()).getByRole('heading', { name: new RegExp(title) });
  return ensureExists(heading.closest('article'), 'the card of a goal');
};

async function begin(hash = '#/-/learn'): Promise<OpenWindow> {
  const window = openWindow(hash);
  await window.user.click(await screen.findByRole('button', { name: 'Begin' }));
  await within(await screen.findByRole('region', { name: 'Goals' })).findByText(/^Measured in/);
  return window;
}

const graded = ({ host }: OpenWindow): readonly unknown[] =>
  host.asked.filter(({ name }) => name === 'lesson/grade').map(({ params }) => params);

describe('the lessons', () => {
  test('are listed without a session, with what the first one asks for', async () => {
    const { press, view } = openWindow('#/-/home');
    await press('7');
    const list = await screen.findByRole('region', { name: 'Lessons' });
    const { lessons } = await recorded('lesson/list', {});
    for (const { row } of lessons) {
      const line = await within(list).findByRole('button', { name: new RegExp(row.title) });
      expect(line).toHaveTextContent(`${row.level}, ${String(row.minutes)} min`);
    }
    expect(view()).toMatchObject({ view: 'learn', session: undefined });
    const page = await recorded('lesson/get', LESSON);
    await screen.findByRole('heading', { name: page.progress.row.title });
    for (const goal of page.goals) expect(card(goal.text)).toHaveTextContent(goal.wanted);
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(await violations()).toEqual([]);
    await press('j');
    await waitFor(() => expect(view().lesson).toBe(lessons[1]?.row.id));
  });

  test('that cannot be begun say why, and stay', async () => {
    const { user, view } = openWindow('#/-/learn', { failing: { 'lesson/start': LOCKED } });
    await user.click(await screen.findByRole('button', { name: 'Begin' }));
    expect(await screen.findByText(/The database is locked/)).toBeVisible();
    expect(view()).toMatchObject({ view: 'learn', attempt: '' });
  });
});

// What is saved has times in it, which no recording can hold: a journey looks at it.
describe('results', () => {
  test('that cannot be saved say why', async () => {
    const { press } = openWindow('#/-/learn', { failing: { 'lesson/results': LOCKED } });
    await screen.findByRole('button', { name: 'Begin' });
    await press('e');
    expect(await screen.findByText(/The database is locked/)).toBeVisible();
  });
});

describe('a class file', () => {
  test('that another start opened is shown by its lesson', async () => {
    const { host, view } = openWindow('#/-/home');
    await screen.findByRole('main', { name: 'Home' });
    host.notify({ type: 'lesson', lesson: 'tiers' });
    await waitFor(() => expect(view()).toMatchObject({ view: 'learn', lesson: 'tiers', attempt: '' }));
    await screen.findByRole('heading', { name: 'Where a token comes from' });
  });
});

describe('a lesson that was begun', () => {
  test('is an experiment, and says what is measured and what it rests on', async () => {
    const window = await begin();
    const begun = { session: 'x1', attempt: 'x1', lesson: 'append-everything' };
    await waitFor(() => expect(window.view()).toMatchObject(begun));
    const grade: LessonGrade = await window.host.invoke('lesson/grade', {
      lesson: LESSON.lesson,
      experiment: 'x1',
      answers: {},
    });
    expect(graded(window)[0]).toEqual({ lesson: LESSON.lesson, experiment: 'x1', answers: {} });
    for (const { text, measured, isMet, basis } of grade.goals) {
      expect(card(text)).toHaveTextContent(measured);
      expect(within(card(text)).queryByText('met') !== null).toBe(isMet);
      if (basis === 'estimated') expect(card(text)).toHaveTextContent('estimate');
    }
    expect(grade.goals.some(({ basis }) => basis === 'estimated')).toBe(true);
    expect(await violations()).toEqual([]);
  });

  test('takes answers, keeps them, and gives hints one by one', async () => {
    const window = await begin();
    const { goals: rows } = await recorded('lesson/get', LESSON);
    const [peak, weight] = [ensureExists(rows[0], 'a goal'), ensureExists(rows[1], 'another')];
    const field = within(card(peak.text)).getByRole('textbox');
    await fill(window.user, field, 'C3');
    await window.user.click(within(card(peak.text)).getByRole('button', { name: 'Answer' }));
    await waitFor(() => expect(card(peak.text)).toHaveTextContent('answered C3'));
    expect(within(card(peak.text)).getByText('open')).toBeInTheDocument();
    await fill(window.user, field, 'C17');
    await window.user.keyboard('{Enter}');
    await within(card(peak.text)).findByText('met');
    expect(graded(window).at(-1)).toMatchObject({ answers: { peak: 'C17' } });
    field.blur();
    await window.press('h');
    await waitFor(() => expect(card(weight.text)).toHaveTextContent(weight.hints[0] ?? ''));
    expect(card(weight.text)).not.toHaveTextContent(weight.hints[1] ?? '');
    await window.user.click(within(card(weight.text)).getByRole('button', { name: /Next hint/ }));
    await waitFor(() => expect(card(weight.text)).toHaveTextContent(weight.hints[1] ?? ''));
    expect(within(card(weight.text)).queryByRole('button', { name: /hint/i })).toBeNull();
    const hints = window.host.asked.filter(({ name }) => name === 'lesson/hint').map(({ params }) => params);
    expect(hints).toEqual([1, 2].map((taken) => ({ lesson: LESSON.lesson, goal: 'weight', taken })));
    expect(screen.getByRole('button', { name: 'Hand in…' })).toBeVisible();
    const list = screen.getByRole('region', { name: 'Lessons' });
    await waitFor(() => expect(list).toHaveTextContent('2 of 5 goals met'));
  });

  test('is measured anew after an edit in another view, solved, and explained', async () => {
    const window = await begin();
    const { goals: rows } = await recorded('lesson/get', LESSON);
    const smaller = ensureExists(rows[3], 'the goal that an edit meets');
    expect(within(card(smaller.text)).getByText('open')).toBeInTheDocument();
    await window.press('2');
    await screen.findByRole('option', { name: /identity/ });
    const back = await screen.findByRole('button', { name: /^Lesson: 1 of 5 goals met/ });
    await window.press('n');
    await screen.findByRole('combobox', { name: 'Find a processor' });
    await window.user.paste('offload_results');
    const form = await screen.findByRole('form');
    await window.user.click(await within(form).findByRole('button', { name: /Put in/ }));
    await waitFor(() => expect(back).toHaveTextContent('2 of 5 goals met'));
    await window.user.click(back);
    await within(card(smaller.text)).findByText('met');
    for (const [at, answer] of ['C17', 'E7', '14'].entries()) {
      const { text } = ensureExists(rows[at], 'a question');
      await fill(window.user, within(card(text)).getByRole('textbox'), answer);
      await window.user.keyboard('{Enter}');
      await within(card(text)).findByText('met');
    }
    expect(await screen.findByRole('heading', { name: 'Explanation' })).toBeVisible();
    expect(within(goals()).getByText(/^All goals are met/)).toBeVisible();
    const list = screen.getByRole('region', { name: 'Lessons' });
    await waitFor(() => expect(list).toHaveTextContent('1 of 11 solved'));
    await window.user.click(screen.getByRole('button', { name: /Show a solution/ }));
    const solutions = await screen.findByRole('region', { name: 'Solutions' });
    const told = await recorded('lesson/get', { ...LESSON, withSolutions: true });
    for (const { title } of told.solutions) await within(solutions).findByRole('heading', { name: title });
    const heading = within(solutions).getByRole('heading', { name: 'Your edits' });
    const own = ensureExists(heading.parentElement, 'the own edits');
    expect(own).toHaveTextContent(/insert_processor.*offload_results/);
    // What the session comes to, beside what it comes to with the author's edits.
    const { recorded: before, solutions: ways } = told;
    const [way] = ways;
    const { bill } = ensureExists(way, 'a solution').numbers;
    const author = within(solutions).getByLabelText(`What the session comes to: ${way?.title ?? ''}`);
    expect(author).toHaveTextContent(formatInteger(bill.promptTokens));
    expect(author).toHaveTextContent(formatSigned(bill.promptTokens - (before?.bill.promptTokens ?? 0)));
    expect(within(solutions).getByLabelText('What the session comes to: Your edits')).toHaveTextContent(
      'Breaks',
    );
    expect(await violations()).toEqual([]);
  });

  test('goes on where it was left', async () => {
    const window = await begin();
    const list = screen.getByRole('region', { name: 'Lessons' });
    await window.user.click(within(list).getByRole('button', { name: /Where a token comes from/ }));
    await screen.findByRole('button', { name: 'Begin' });
    await waitFor(() => expect(window.view()).toMatchObject({ lesson: 'tiers', attempt: '' }));
    await window.user.click(within(list).getByRole('button', { name: /Why appending everything fails/ }));
    await within(await screen.findByRole('region', { name: 'Goals' })).findByText(/^Measured in/);
    await waitFor(() => expect(window.view()).toMatchObject({ session: 'x1', attempt: 'x1' }));
  });
});
