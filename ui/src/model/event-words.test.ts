import { expect, test } from 'vitest';
import { callWords, resultWords, splitForRoom } from './event-words.ts';

test.each([
  ['(command: "cd /testbed && git diff -- a.py")', 'git diff -- a.py'],
  ['(command: "echo \\"x\\"")', 'echo "x"'],
  ['(command: "cat > a.py << EOF\\nimport os…', 'cat > a.py << EOF\\nimport os…'],
  ['(city: "Zürich", days: 3)', '(city: "Zürich", days: 3)'],
  ['(rows: 12000)', '(rows: 12000)'],
  ['cd /testbed', 'cd /testbed'],
])('the call %s asks %s', (what, asked) => {
  expect(callWords(what)).toEqual({ asked, said: '' });
});

test.each([
  ['cd /testbed && ls -la · total 240', 'ls -la', 'total 240'],
  ['cd /w; npm test · exit 1 · no tests', 'npm test', 'exit 1 · no tests'],
  ['package strategy', 'package strategy', ''],
  ['cd /testbed && ', 'cd /testbed && ', ''],
])('the result %s', (what, asked, said) => {
  expect(resultWords(what)).toEqual({ asked, said });
});

test('short texts are not split, and nothing is lost of long ones', () => {
  expect(splitForRoom('git status')).toEqual(['git status', '']);
  const long = 'gh api repos/o/r/pulls/112/comments/2734651353/replies -f body="Fixed"';
  expect(splitForRoom(long).join('')).toBe(long);
  expect(splitForRoom(long)[1]).toHaveLength(16);
});
