import { hasSelection, hasSession, namesSession, type Command } from './command.ts';

export const placeCommands: readonly Command[] = [
  {
    id: 'view.session',
    title: 'Session',
    keys: ['1'],
    when: namesSession,
    run: (workbench) => workbench.show('session'),
  },
  {
    id: 'view.pipeline',
    title: 'Pipeline',
    keys: ['2'],
    when: namesSession,
    run: (workbench) => workbench.show('pipeline'),
  },
  {
    id: 'view.cache',
    title: 'Cache',
    keys: ['3'],
    when: namesSession,
    run: (workbench) => workbench.show('cache'),
  },
  {
    id: 'view.lab',
    title: 'Lab',
    keys: ['4'],
    when: namesSession,
    run: (workbench) => workbench.show('lab'),
  },
  {
    id: 'view.run',
    title: 'Run',
    keys: ['5'],
    when: namesSession,
    run: (workbench) => workbench.show('run'),
  },
  {
    id: 'view.stores',
    title: 'Stores',
    words: 'state keys variables agents hand-offs transfer',
    keys: ['6'],
    run: (workbench) => workbench.show('stores'),
  },
  {
    id: 'view.learn',
    title: 'Learn',
    words: 'lessons course exercises teach tutorial',
    keys: ['7'],
    run: (workbench) => workbench.show('learn'),
  },
  {
    id: 'selection.open',
    title: 'Open in the best view',
    keys: ['Enter'],
    when: (workbench) => hasSelection(workbench) || workbench.cursor.preview !== undefined,
    run: ({ cursor, navigation }) =>
      cursor.preview === undefined ? navigation.openSelection() : cursor.commit(),
  },
  {
    id: 'selection.inspect',
    title: 'Open in the inspector',
    keys: ['Shift+Enter'],
    when: hasSession,
    run: ({ panels }) => panels.showInspector(true),
  },
  {
    id: 'walk.source',
    title: 'To the source',
    keys: ['P'],
    when: hasSelection,
    run: ({ navigation }) => navigation.walk('source'),
  },
  {
    id: 'walk.use',
    title: 'To the use',
    keys: ['Shift+P'],
    when: hasSelection,
    run: ({ navigation }) => navigation.walk('use'),
  },
];
