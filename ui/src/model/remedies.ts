import type { Edit, FixRow } from '@/api/gen/api.ts';

/** What to change in the tool that wrote the session, as one writes it there. */
export interface Remedy {
  /** A line to copy: a setting, a command, a sentence for the instructions. */
  readonly text: string;
  /** Where it goes: `~/.codex/config.toml`; empty where Strata applies it itself. */
  readonly place: string;
  /** Where the setting is documented. */
  readonly source: string;
}

/** A tool that writes sessions, as its format is called. */
type Writer = 'claude' | 'codex' | 'gemini' | 'opencode';

const WRITERS: readonly { readonly format: RegExp; readonly writer: Writer; readonly name: string }[] = [
  { format: /^Claude Code/, writer: 'claude', name: 'Claude Code' },
  { format: /^Codex/, writer: 'codex', name: 'Codex' },
  { format: /^Gemini CLI/, writer: 'gemini', name: 'Gemini CLI' },
  { format: /^opencode/i, writer: 'opencode', name: 'opencode' },
];

/** What a fix does, as far as a tool has a setting for it. */
type Aim = 'shorterResults' | 'shorterReads' | 'shorterMcp' | 'fewerTools' | 'shorterHistory' | 'noRepeats';

const CLAUDE_ENV = 'code.claude.com/docs/en/env-vars';
const CLAUDE_MEMORY = 'code.claude.com/docs/en/memory';
const CODEX_CONFIG = 'developers.openai.com/codex/config-reference';
const GEMINI_CONFIG = 'geminicli.com/docs/reference/configuration';
const OPENCODE_CONFIG = 'opencode.ai/docs/config';

/** Every remedy there is, by tool. A number stands where the fix has it, in characters or in tokens. */
const REMEDIES: Readonly<Record<Writer, Partial<Record<Aim, (fix: Fixed) => Remedy>>>> = {
  claude: {
    shorterResults: ({ characters }) => ({
      text: `"env": { "BASH_MAX_OUTPUT_LENGTH": "${String(characters)}" }`,
      place: '~/.claude/settings.json',
      source: CLAUDE_ENV,
    }),
    shorterMcp: ({ tokens }) => ({
      text: `"env": { "MAX_MCP_OUTPUT_TOKENS": "${String(tokens)}" }`,
      place: '~/.claude/settings.json',
      source: CLAUDE_ENV,
    }),
    shorterReads: () => ({
      text: 'Read long files with offset and limit.',
      place: 'CLAUDE.md',
      source: CLAUDE_MEMORY,
    }),
    noRepeats: () => ({
      text: 'Do not read a file again that is in the conversation unchanged.',
      place: 'CLAUDE.md',
      source: CLAUDE_MEMORY,
    }),
    shorterHistory: () => ({
      text: '/compact when a part of the task is done, /clear before another task',
      place: 'in the session',
      source: 'code.claude.com/docs/en/commands',
    }),
    fewerTools: ({ tools }) => ({
      text: `/mcp, and turn off what has ${tools}`,
      place: 'in the session',
      source: 'code.claude.com/docs/en/mcp',
    }),
  },
  codex: {
    shorterResults: ({ tokens }) => ({
      text: `tool_output_token_limit = ${String(tokens)}`,
      place: '~/.codex/config.toml',
      source: CODEX_CONFIG,
    }),
    noRepeats: () => ({
      text: 'Do not read a file again that is in the conversation unchanged.',
      place: 'AGENTS.md',
      source: 'developers.openai.com/codex/guides/agents-md',
    }),
    shorterHistory: () => ({
      text: 'model_auto_compact_token_limit = 100000',
      place: '~/.codex/config.toml',
      source: CODEX_CONFIG,
    }),
    fewerTools: ({ tools }) => ({
      text: `enabled = false    # for the server that has ${tools}`,
      place: '~/.codex/config.toml, [mcp_servers.…]',
      source: CODEX_CONFIG,
    }),
  },
  gemini: {
    shorterResults: ({ characters }) => ({
      text: `"tools": { "truncateToolOutputThreshold": ${String(characters)} }`,
      place: '~/.gemini/settings.json',
      source: GEMINI_CONFIG,
    }),
    noRepeats: () => ({
      text: 'Do not read a file again that is in the conversation unchanged.',
      place: 'GEMINI.md',
      source: GEMINI_CONFIG,
    }),
    shorterHistory: () => ({
      text: '"model": { "compressionThreshold": 0.3 }',
      place: '~/.gemini/settings.json',
      source: GEMINI_CONFIG,
    }),
    fewerTools: ({ names }) => ({
      text: `"tools": { "exclude": [${names.map((name) => `"${name}"`).join(', ')}] }`,
      place: '~/.gemini/settings.json',
      source: GEMINI_CONFIG,
    }),
  },
  opencode: {
    shorterResults: () => ({
      text: '"compaction": { "prune": true }',
      place: 'opencode.json',
      source: OPENCODE_CONFIG,
    }),
    shorterHistory: () => ({
      text: '"compaction": { "auto": true, "prune": true }',
      place: 'opencode.json',
      source: OPENCODE_CONFIG,
    }),
    fewerTools: ({ names }) => ({
      text: `"tools": { ${names.map((name) => `"${name}": false`).join(', ')} }`,
      place: 'opencode.json',
      source: OPENCODE_CONFIG,
    }),
  },
};

/** Characters of a token, where a setting counts in the other of the two. */
const CHARACTERS_A_TOKEN = 4;
/** What results are cut to where the fix names rows and no size. */
const USUAL_CHARACTERS = 12_000;
const MOST_NAMES = 3;

interface Fixed {
  readonly characters: number;
  readonly tokens: number;
  readonly names: readonly string[];
  /** "search_logs and 2 more". */
  readonly tools: string;
}

/** The tool that wrote a session of this format, for headings; none where Strata itself applies what helps. */
export function writerName(format: string): string | undefined {
  return WRITERS.find((known) => known.format.test(format))?.name;
}

/** The remedy for a fix in the terms of the tool that wrote the session; none where the tool has no such setting. */
export function remedyFor(format: string, fix: FixRow): Remedy | undefined {
  const writer = WRITERS.find((known) => known.format.test(format))?.writer;
  const aim = aimOf(fix.edits);
  if (writer === undefined || aim === undefined) return undefined;
  const of = REMEDIES[writer];
  const make = of[aim] ?? (aim === 'shorterMcp' || aim === 'shorterReads' ? of.shorterResults : undefined);
  return make?.(fixed(fix.edits));
}

function aimOf(edits: readonly Edit[]): Aim | undefined {
  const use = inserted(edits)?.use ?? '';
  const tools = toolsOf(edits);
  switch (use) {
    case 'cap_rows':
    case 'summarize_results':
    case 'truncate_middle':
    case 'offload_results':
      if (tools.length > 0 && tools.every((tool) => tool.startsWith('mcp__'))) return 'shorterMcp';
      return tools.length > 0 && tools.every((tool) => /^read/i.test(tool))
        ? 'shorterReads'
        : 'shorterResults';
    case 'drop_tools':
      return 'fewerTools';
    case 'retention':
      return 'shorterHistory';
    case 'deduplicate':
      return 'noRepeats';
    default:
      return edits.some(({ edit }) => edit === 'set_compaction') ? 'shorterHistory' : undefined;
  }
}

interface Inserted {
  readonly use: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function inserted(edits: readonly Edit[]): Inserted | undefined {
  for (const edit of edits)
    if (edit.edit === 'insert_processor') return { use: edit.use, params: { ...edit.params } };
  return undefined;
}

function toolsOf(edits: readonly Edit[]): readonly string[] {
  const tools = inserted(edits)?.params['tools'];
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [];
}

function fixed(edits: readonly Edit[]): Fixed {
  const names = toolsOf(edits);
  const limit = inserted(edits)?.params['max_chars'];
  const characters = typeof limit === 'number' ? limit : USUAL_CHARACTERS;
  const shown = names.slice(0, MOST_NAMES).join(', ');
  const others = names.length - MOST_NAMES;
  return {
    characters,
    tokens: Math.round(characters / CHARACTERS_A_TOKEN),
    names,
    tools: others > 0 ? `${shown} and ${String(others)} more` : shown,
  };
}
