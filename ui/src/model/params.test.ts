import { describe, expect, test } from 'vitest';
import type { Param, ProcessorKind } from '@/api/gen/api.ts';
import { draftErrors, draftOf, paramsOf, readParam } from './params.ts';

const rows: Param = {
  name: 'rows',
  input: { kind: 'integer', min: 1, max: 1000 },
  default: 20,
  unit: 'rows',
  doc: 'Rows.',
};
const tools: Param = { name: 'tools', input: { kind: 'words' }, default: [], unit: null, doc: 'Tools.' };
const form: Param = {
  name: 'form',
  input: { kind: 'choice', words: ['auto', 'old'] },
  default: 'auto',
  unit: null,
  doc: 'Form.',
};
const kind: ProcessorKind = {
  name: 'cap',
  title: 'Cap',
  summary: '',
  place: 'model_call',
  params: [rows, tools, form],
};

describe('a form', () => {
  test.each([
    [rows, '1,000', { value: 1000 }],
    [rows, ' 7 ', { value: 7 }],
    [rows, '', { value: 20 }],
    [rows, '0', { error: 'rows is at least 1' }],
    [rows, '1001', { error: 'rows is at most 1,000' }],
    [rows, '2.5', { error: 'rows is a whole number' }],
    [rows, 'many', { error: 'rows is a whole number' }],
    [tools, 'grep,  read_file', { value: ['grep', 'read_file'] }],
    [tools, '', { value: [] }],
    [form, 'new', { error: 'form is one of auto, old' }],
  ])('reads %#', (param, text, expected) => {
    expect(readParam(param, text)).toEqual(expected);
  });

  test('begins with what is set, and stands for what is not the default', () => {
    const draft = draftOf(kind, { tools: ['grep'] });
    expect(draft).toEqual({ rows: '20', tools: 'grep', form: 'auto' });
    expect(paramsOf(kind, draft)).toEqual({ tools: ['grep'] });
    expect(paramsOf(kind, { ...draft, rows: '5' })).toEqual({ rows: 5, tools: ['grep'] });
  });

  test('stands for nothing while a field is wrong', () => {
    const draft = { ...draftOf(kind, {}), rows: 'x' };
    expect(paramsOf(kind, draft)).toBeUndefined();
    expect(draftErrors(kind, draft)).toEqual({ rows: 'rows is a whole number' });
  });
});
