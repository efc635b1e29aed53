import { describe, expect, test, vi } from 'vitest';
import { memoryHistory, type MemoryHistory } from '../../tests/window.ts';
import { Location } from './location.svelte.ts';

function window(hash: string): {
  readonly page: MemoryHistory;
  readonly location: Location;
  readonly end: () => void;
} {
  const page = memoryHistory(hash);
  let location: Location | undefined;
  const end = $effect.root(() => {
    location = new Location(page);
  });
  if (location === undefined) throw new Error('no location');
  return { page, location, end };
}

describe('the location', () => {
  test('writes jumps at once and walks as one entry', () => {
    vi.useFakeTimers();
    const { page, location, end } = window('#/s/session');
    location.go({ selection: 'E1' }, 'walk');
    location.go({ selection: 'E2' }, 'walk');
    location.go({ selection: 'E3' }, 'walk');
    expect(page.entries).toEqual(['#/s/session', '#/s/session?at=E1']);
    vi.advanceTimersByTime(300);
    expect(page.entries).toEqual(['#/s/session', '#/s/session?at=E3']);
    location.go({ cursor: 17 });
    expect(page.entries).toHaveLength(3);
    end();
    vi.useRealTimers();
  });

  test('writes what is waiting before it jumps', () => {
    vi.useFakeTimers();
    const { page, location, end } = window('#/s/session');
    location.go({ filter: 'k' }, 'replace');
    location.go({ filter: 'kind:user' }, 'replace');
    expect(page.entries).toEqual(['#/s/session']);
    location.go({ view: 'pipeline' });
    expect(page.entries).toEqual(['#/s/session?filter=kind:user', '#/s/pipeline?filter=kind:user']);
    end();
    vi.useRealTimers();
  });

  test('writes seldom enough for every engine', () => {
    vi.useFakeTimers();
    const { page, location, end } = window('#/s/session');
    const replace = vi.spyOn(page, 'replace');
    for (let step = 1; step <= 300; step += 1) {
      location.go({ selection: `E${String(step)}` }, 'walk');
      vi.advanceTimersByTime(33);
    }
    expect(replace.mock.calls.length).toBeLessThan(50);
    end();
    vi.useRealTimers();
  });

  test('links to views without going there', () => {
    const { location, end } = window('#/s/session?call=17');
    expect(location.href({ view: 'pipeline' })).toBe('#/s/pipeline?call=17');
    expect(location.view.view).toBe('session');
    end();
  });
});
