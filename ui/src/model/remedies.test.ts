import { expect, test } from 'vitest';
import type { Edit, FixRow } from '@/api/gen/api.ts';
import { remedyFor, writerName } from './remedies.ts';

const EFFECT = {
  callsCompared: 1,
  calls: 1,
  callsChanged: 1,
  tokensBefore: 2,
  tokensAfter: 1,
  cachedBefore: 0,
  cachedAfter: 0,
  costBeforeUsd: null,
  costAfterUsd: null,
  breaksBefore: 0,
  breaksAfter: 0,
};

function fix(...edits: readonly Edit[]): FixRow {
  return {
    title: 'a fix',
    edits: [...edits],
    savesTokens: 1,
    savesUsd: null,
    basis: 'estimated',
    effect: EFFECT,
    warnings: [],
  };
}

const cut = (tools: string[]): FixRow =>
  fix({ edit: 'insert_processor', use: 'truncate_middle', params: { max_chars: 8000, tools } });

test('a remedy is what one writes in the tool that wrote the session', () => {
  expect(remedyFor('Claude Code transcript', cut(['Bash']))?.text).toBe(
    '"env": { "BASH_MAX_OUTPUT_LENGTH": "8000" }',
  );
  expect(remedyFor('Claude Code transcript', cut(['mcp__figma__get']))?.text).toContain(
    '"MAX_MCP_OUTPUT_TOKENS": "2000"',
  );
  expect(remedyFor('Claude Code transcript', cut(['Read']))).toMatchObject({ place: 'CLAUDE.md' });
  expect(remedyFor('Codex rollout', cut(['exec_command']))).toMatchObject({
    text: 'tool_output_token_limit = 2000',
    place: '~/.codex/config.toml',
  });
  expect(remedyFor('Gemini CLI chat', cut(['run_shell_command']))?.text).toContain(
    '"truncateToolOutputThreshold": 8000',
  );
});

test('what Strata applies itself, and what a tool has no setting for, has none', () => {
  expect(remedyFor('ADK session', cut(['sql_query']))).toBeUndefined();
  const moved = fix({ edit: 'insert_processor', use: 'move_volatile', params: {} });
  expect(remedyFor('Claude Code transcript', moved)).toBeUndefined();
  expect(writerName('ADK session')).toBeUndefined();
  expect(writerName('Codex rollout')).toBe('Codex');
});

test('tools that are never called are named, a few of them', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const dropped = fix({ edit: 'insert_processor', use: 'drop_tools', params: { tools: names } });
  expect(remedyFor('Claude Code transcript', dropped)?.text).toBe(
    '/mcp, and turn off what has a, b, c and 2 more',
  );
});
