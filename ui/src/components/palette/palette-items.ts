import type { PaletteItem, SearchHit, SnippetPiece } from '@/api/gen/api.ts';
import type { Chord } from '@/lib/keyboard.ts';
import { matchesWords } from '@/lib/match.ts';
import { parseAddress, printAddress, type Address } from '@/model/address.ts';
import { completions } from '@/model/filter.ts';
import { kindColor } from '@/model/kinds.ts';
import { questionsFor, type QuestionText } from '@/model/questions.ts';
import { VIEW_TITLES } from '@/model/view-url.ts';
import { COMMANDS } from '@/state/commands/all.ts';
import { isAvailable, type Command } from '@/state/commands/command.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

/** A row of the palette. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly isCode: boolean;
  readonly color: string | undefined;
  readonly keys: readonly Chord[];
  /** What was found, with what stands around it. */
  readonly snippet?: readonly SnippetPiece[];
  readonly run: () => void;
}

export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const FEW = 3;
const SOME = 6;
const MOST_OF_SESSION = 4;
const MOST_HITS = 12;

/** What the palette offers for what is typed. */
export function paletteGroups(workbench: Workbench): readonly Group[] {
  const { text } = workbench.palette;
  const rest = text.slice(1).trim();
  const groups = text.startsWith('>')
    ? [{ title: 'Commands', entries: commandEntries(workbench, rest) }]
    : text.startsWith('?')
      ? [{ title: 'Questions', entries: questionEntries(workbench, rest) }]
      : text.startsWith(':')
        ? [{ title: 'Filter', entries: filterEntries(workbench, rest) }]
        : text.trim() === ''
          ? startGroups(workbench)
          : searchGroups(workbench, text.trim());
  return groups.filter(({ entries }) => entries.length > 0);
}

function startGroups(workbench: Workbench): readonly Group[] {
  return [
    {
      title: 'Recent places',
      entries: workbench.navigation.recent.map((address) => recentEntry(workbench, address)),
    },
    { title: 'Questions', entries: questionEntries(workbench, '').slice(0, FEW) },
    { title: 'Commands', entries: commandEntries(workbench, '').slice(0, 12) },
  ];
}

function searchGroups(workbench: Workbench, text: string): readonly Group[] {
  const address = parseAddress(text);
  const jump =
    address !== undefined && isInSession(workbench, address) ? [jumpEntry(workbench, address)] : [];
  const jumpTo = jump[0]?.id;
  const places = workbench.palette.places.map((item) => placeEntry(workbench, item));
  return [
    { title: 'Places', entries: jump },
    { title: 'Commands', entries: commandEntries(workbench, text).slice(0, SOME) },
    { title: 'Questions', entries: questionEntries(workbench, text).slice(0, FEW) },
    { title: 'In this session', entries: places.filter(({ id }) => id !== jumpTo) },
    {
      title: 'In all sessions',
      entries: fewOfEach(
        workbench.palette.hits.filter(({ session, address }) => !isAmongPlaces(workbench, session, address)),
      ).map((hit) => hitEntry(workbench, hit)),
    },
  ];
}

/** No session takes the room of all others. */
function fewOfEach(hits: readonly SearchHit[]): readonly SearchHit[] {
  const shown = new Map<string, number>();
  const few = hits.filter(({ session }) => {
    const count = (shown.get(session) ?? 0) + 1;
    shown.set(session, count);
    return count <= MOST_OF_SESSION;
  });
  return few.slice(0, MOST_HITS);
}

/** Events of the open session are found there, too. */
function isAmongPlaces({ palette, session }: Workbench, of: string, address: string | null): boolean {
  return of === session.recording && palette.places.some((place) => place.address === address);
}

function hitEntry(workbench: Workbench, hit: SearchHit): Entry {
  const { session, title, address, author, snippet } = hit;
  const place = [address, author].filter((word) => word !== null).join(' ');
  return {
    ...PLAIN,
    id: `hit ${session} ${address ?? ''}`,
    title,
    detail: place,
    snippet,
    run: () => workbench.openPlace(session, address ?? undefined),
  };
}

function isInSession({ session }: Workbench, address: Address): boolean {
  if (address.type === 'event') return address.event <= (session.info?.events ?? 0);
  return 'call' in address && address.call <= session.calls;
}

const PLAIN = { detail: '', isCode: false, color: undefined, keys: [] } as const;

const TYPE_WORDS: Readonly<Record<Address['type'], string>> = {
  event: 'event',
  call: 'call',
  stage: 'stage',
  part: 'part of a prompt',
  state: 'state key',
  agent: 'agent',
  tool: 'tool',
};

function jumpEntry({ navigation }: Workbench, address: Address): Entry {
  const text = printAddress(address);
  return {
    ...PLAIN,
    id: `place ${text}`,
    title: `Go to ${text}`,
    detail: TYPE_WORDS[address.type],
    run: () => navigation.open(text),
  };
}

function recentEntry({ navigation }: Workbench, address: string): Entry {
  const parsed = parseAddress(address);
  return {
    ...PLAIN,
    id: `recent ${address}`,
    title: address,
    detail: parsed === undefined ? '' : TYPE_WORDS[parsed.type],
    run: () => navigation.open(address),
  };
}

function placeEntry({ navigation }: Workbench, item: PaletteItem): Entry {
  return {
    ...PLAIN,
    id: `place ${item.address}`,
    title: item.title,
    detail: item.detail,
    color: item.kind === null ? undefined : kindColor(item.kind),
    run: () => navigation.open(item.address),
  };
}

function questionEntries(workbench: Workbench, typed: string): readonly Entry[] {
  if (!workbench.session.isOpen) return [];
  return questionsFor(workbench.location.view.view)
    .filter(({ title, words }) => matchesWords(typed, `${title} ${words ?? ''}`))
    .map(({ question, title, view }: QuestionText) => ({
      ...PLAIN,
      id: `question ${question}`,
      title,
      detail: view === workbench.location.view.view ? '' : VIEW_TITLES[view],
      run: () => workbench.ask(question),
    }));
}

function commandEntries(workbench: Workbench, typed: string): readonly Entry[] {
  return COMMANDS.filter(
    (command) =>
      command.id !== 'palette.open' &&
      command.id !== 'escape' &&
      matchesWords(typed, `${command.title} ${command.words ?? ''}`) &&
      isAvailable(command, workbench),
  ).map((command: Command) => ({
    ...PLAIN,
    id: `command ${command.id}`,
    title: command.title,
    keys: command.keys,
    run: () => command.run(workbench),
  }));
}

function filterEntries(workbench: Workbench, typed: string): readonly Entry[] {
  const { location, palette, session } = workbench;
  const apply: Entry = {
    ...PLAIN,
    id: 'filter apply',
    title: typed === '' ? 'Show all events' : `Show events with ${typed}`,
    run: () => location.go({ view: 'session', filter: typed }),
  };
  const agents = session.info?.agents.map(({ name }) => name) ?? [];
  const more = completions(typed, typed.length, { agent: ['user', ...agents] }).map((completion) => ({
    ...PLAIN,
    id: `filter ${completion.text}`,
    title: completion.text,
    detail: completion.note,
    isCode: true,
    run: () => palette.open(`:${typed.replace(/\S*$/, '')}${completion.text}`),
  }));
  return [apply, ...more];
}
