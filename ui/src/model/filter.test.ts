import { describe, expect, test } from 'vitest';
import { complete, completions, splitFilter, withoutTerm } from './filter.ts';

const names = { tool: ['search_logs', 'sql_query'], agent: ['log_analyst'], state: ['last query'] };

describe('a filter', () => {
  test('is split at spaces outside quotes', () => {
    expect(splitFilter('kind:result  text:"two words" plain').map(({ text }) => text)).toEqual([
      'kind:result',
      'text:"two words"',
      'plain',
    ]);
  });

  test('keeps a quote that is still open', () => {
    expect(splitFilter('text:"two wo').map(({ text }) => text)).toEqual(['text:"two wo']);
  });

  test('loses one word and no more', () => {
    const text = 'kind:result tool:grep size:>200';
    const [, tool] = splitFilter(text);
    expect(tool === undefined ? '' : withoutTerm(text, tool)).toBe('kind:result size:>200');
  });
});

describe('completion', () => {
  const offered = (text: string, caret = text.length): readonly string[] =>
    completions(text, caret, names).map((completion) => completion.text);

  test('offers the keys at a new word', () => {
    expect(offered('kind:result ')).toEqual([
      'kind:',
      'tool:',
      'agent:',
      'size:',
      'call:',
      'state:',
      'error:',
      'text:',
    ]);
    expect(offered('to')).toEqual(['tool:']);
  });

  test('offers the values of a key', () => {
    expect(offered('kind:s')).toEqual([
      'kind:tools',
      'kind:system',
      'kind:summary',
      'kind:user',
      'kind:result',
    ]);
    expect(offered('tool:lo')).toEqual(['tool:search_logs']);
    expect(offered('state:')).toEqual(['state:"last query"']);
    expect(offered('kind:result')).toEqual([]);
  });

  test('works on the word at the caret', () => {
    expect(offered('tool:sq kind:result', 7)).toEqual(['tool:sql_query']);
  });

  test('is put in place of the word', () => {
    expect(complete('tool:sq kind:result', 7, { text: 'tool:sql_query', note: '' })).toEqual({
      text: 'tool:sql_query kind:result',
      caret: 15,
    });
    expect(complete('to', 2, { text: 'tool:', note: '' })).toEqual({ text: 'tool:', caret: 5 });
  });
});
