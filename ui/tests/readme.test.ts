import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chordLabel } from '@/lib/keyboard.ts';
import { COMMANDS } from '@/state/commands/all.ts';
import type { Command } from '@/state/commands/command.ts';

const FILE = 'README.md';
const BEGIN = '<!-- keys -->';
const END = '<!-- /keys -->';

function section(title: string, commands: readonly Command[]): string {
  const rows = commands
    .filter(({ keys }) => keys.length > 0)
    .map(
      ({ title: act, keys }) =>
        `| ${keys.map((chord) => `\`${chordLabel(chord, false)}\``).join(' ')} | ${act} |`,
    );
  return [`**${title}**`, '', '| Keys | Act |', '|---|---|', ...rows].join('\n');
}

function keyTable(): string {
  return [
    section(
      'Everywhere',
      COMMANDS.filter(({ view }) => view === undefined),
    ),
    section(
      'Session',
      COMMANDS.filter(({ view }) => view === 'session'),
    ),
    section(
      'Pipeline',
      COMMANDS.filter(({ view }) => view === 'pipeline'),
    ),
    section(
      'Cache',
      COMMANDS.filter(({ view }) => view === 'cache'),
    ),
    section(
      'Lab',
      COMMANDS.filter(({ view }) => view === 'lab'),
    ),
    section(
      'Run',
      COMMANDS.filter(({ view }) => view === 'run'),
    ),
    section(
      'Capture',
      COMMANDS.filter(({ view }) => view === 'capture'),
    ),
    section(
      'Settings',
      COMMANDS.filter(({ view }) => view === 'settings'),
    ),
  ].join('\n\n');
}

test('README.md shows the keys of the commands (UPDATE_README=1 writes them)', () => {
  const readme = readFileSync(FILE, 'utf8');
  const [before = '', rest = ''] = readme.split(BEGIN);
  const after = rest.split(END)[1] ?? '';
  const wanted = `${before}${BEGIN}\n\n${keyTable()}\n\n${END}${after}`;
  if (process.env['UPDATE_README'] === '1') writeFileSync(FILE, wanted);
  else expect(readme).toBe(wanted);
});

test('no two commands of a view share a key, and every id is used once', () => {
  expect(new Set(COMMANDS.map(({ id }) => id)).size).toBe(COMMANDS.length);
  for (const view of ['session', 'pipeline', 'cache', 'lab', 'settings'] as const) {
    const keys = COMMANDS.filter((command) => command.view === undefined || command.view === view).flatMap(
      (command) => command.keys,
    );
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  }
});
