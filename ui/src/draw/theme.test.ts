import { expect, test } from 'vitest';
import { readTheme } from './theme.ts';

test('colours that a build shortened have all their digits again', () => {
  const theme = readTheme({ getPropertyValue: (name) => (name === '--panel' ? ' #fff' : '#0d1014') });
  expect(theme.panel).toBe('#ffffff');
  expect(theme.app).toBe('#0d1014');
});
