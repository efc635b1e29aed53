import { expect, test } from 'vitest';
import { imageSource, isDrawable } from './images.ts';

test('a picture is taken out of a part, in the alphabet that addresses use', () => {
  const json = JSON.stringify({ inlineData: { data: 'iV_O-w==', mimeType: 'image/png' } });
  expect(imageSource(json)).toBe('data:image/png;base64,iV/O+w==');
});

test('what browsers may run is not drawn', () => {
  expect(isDrawable('image/png, 312 KB')).toBe(true);
  expect(isDrawable('image/svg+xml, 1 KB')).toBe(false);
  expect(isDrawable('text')).toBe(false);
  const json = JSON.stringify({ inlineData: { data: 'PHN2Zz4=', mimeType: 'image/svg+xml' } });
  expect(imageSource(json)).toBeUndefined();
  expect(imageSource('{"text": "no picture"}')).toBeUndefined();
});
