import { afterAll, afterEach, expect } from 'vitest';
import { takeUnrecorded } from './recorded.ts';
import { endRecorder, isRecording } from './recorder.ts';

/** What the last act of a test leads to is asked within this. */
const LAST_LOOK_MS = 600;

afterEach(async () => {
  if (isRecording) await new Promise((resolve) => setTimeout(resolve, LAST_LOOK_MS));
  expect(takeUnrecorded()).toEqual([]);
});

afterAll(endRecorder);
