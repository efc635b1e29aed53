import { afterAll, afterEach, expect } from 'vitest';
import { takeUnrecorded } from './recorded.ts';
import { endRecorder } from './recorder.ts';

afterEach(() => {
  expect(takeUnrecorded()).toEqual([]);
});

afterAll(endRecorder);
