import { expect, test } from 'vitest';
import { parseLine, parseMarkdown } from './markdown.ts';

const words = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

test('paragraphs, lists and tables keep what is marked in them', () => {
  const text =
    'A *stable* prefix.\n\n2. **Cost.** `a<b>`\n3. Time\n\n| way | cost |\n|---|---|\n| one | `$1` |';
  expect(parseMarkdown(text)).toEqual([
    {
      type: 'paragraph',
      line: [words('A '), { type: 'emphasis', inside: [words('stable')] }, words(' prefix.')],
    },
    {
      type: 'list',
      isOrdered: true,
      start: 2,
      items: [
        [
          {
            type: 'paragraph',
            line: [{ type: 'strong', inside: [words('Cost.')] }, words(' '), { type: 'code', text: 'a<b>' }],
          },
        ],
        [{ type: 'paragraph', line: [words('Time')] }],
      ],
    },
    {
      type: 'table',
      header: [[words('way')], [words('cost')]],
      rows: [[[words('one')], [{ type: 'code', text: '$1' }]]],
    },
  ]);
});

test('HTML and links are text', () => {
  expect(parseLine('x <img src=y> "z" & [w](https://example.org/)')).toEqual([
    words('x '),
    words('<img src=y>'),
    words(' "z" & '),
    words('w'),
    words(' (https://example.org/)'),
  ]);
});

test('a line that is no paragraph stands as it was written', () => {
  expect(parseLine('# 3')).toEqual([words('# 3')]);
});
