// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';
import { chordLabel, isTextField, matchesChord } from './keyboard.ts';

const press = (
  key: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
): Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
});

describe('a chord', () => {
  test.each([
    ['J', press('j'), true],
    ['J', press('J', { shiftKey: true }), false],
    ['Shift+P', press('P', { shiftKey: true }), true],
    ['?', press('?', { shiftKey: true }), true],
    ['[', press('['), true],
    ['Mod+K', press('k', { ctrlKey: true }), true],
    ['K', press('k', { ctrlKey: true }), false],
    ['Mod+Plus', press('+', { ctrlKey: true, shiftKey: true }), true],
    ['Alt+ArrowLeft', press('ArrowLeft', { altKey: true }), true],
    ['ArrowLeft', press('ArrowLeft', { altKey: true }), false],
    ['Shift+ArrowLeft', press('ArrowLeft', { shiftKey: true }), true],
    ['1', press('1'), true],
  ])('%s against %j is %s', (chord, event, isMatch) => {
    expect(matchesChord(chord, event, false)).toBe(isMatch);
  });

  test('takes Cmd for Ctrl on macOS', () => {
    expect(matchesChord('Mod+K', press('k', { metaKey: true }), true)).toBe(true);
    expect(matchesChord('Mod+K', press('k', { ctrlKey: true }), true)).toBe(false);
  });

  test('is shown with the signs of the keys', () => {
    expect(chordLabel('Mod+Shift+L', false)).toBe('Ctrl Shift L');
    expect(chordLabel('Mod+K', true)).toBe('⌘ K');
    expect(chordLabel('Alt+ArrowLeft', false)).toBe('Alt ←');
  });
});

test('single letters write text in fields only', () => {
  const field = document.createElement('input');
  const check = document.createElement('input');
  check.type = 'checkbox';
  expect(isTextField(field)).toBe(true);
  expect(isTextField(check)).toBe(false);
  expect(isTextField(document.body)).toBe(false);
});
