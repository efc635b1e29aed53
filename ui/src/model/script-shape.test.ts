import { describe, expect, test } from 'vitest';
import { membersOf } from './script-shape.ts';

const names = (path: string, code = ''): readonly string[] => membersOf(path, code).map(({ name }) => name);

describe('completion of a script', () => {
  test('knows the request and the context', () => {
    expect(names('request')).toEqual(['contents', 'config', 'model']);
    expect(names('request.config')).toContain('systemInstruction');
    expect(names('context.agent')).toEqual(['name', 'description', 'model']);
    expect(names('request.contents')).toContain('filter');
  });

  test('follows loops and callbacks', () => {
    const code = 'for (const c of request.contents) for (const p of c.parts) p.functionResponse';
    expect(names('c', code)).toEqual(['role', 'parts']);
    expect(names('p', code)).toContain('functionCall');
    expect(names('p.functionResponse', code)).toEqual(['name', 'response', 'id']);
    expect(names('it', 'request.contents.filter((it) => it.role)')).toEqual(['role', 'parts']);
  });

  test('says nothing of what it does not know', () => {
    expect(names('whatever')).toEqual([]);
    expect(names('request.nothing')).toEqual([]);
  });
});
