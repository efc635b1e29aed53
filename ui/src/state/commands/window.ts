import type { Workbench } from '@/state/workbench.svelte.ts';
import { canZoom, hasCalls, hasSession, namesSession, type Command } from './command.ts';

export const windowCommands: readonly Command[] = [
  {
    id: 'palette.open',
    title: 'Find, ask or run a command',
    keys: ['Mod+K', 'Mod+P'],
    isGlobal: true,
    run: ({ palette }) => (palette.isOpen ? palette.close() : palette.open()),
  },
  {
    id: 'questions.open',
    title: 'Ask a question',
    keys: ['Q'],
    when: hasSession,
    run: ({ palette }) => palette.open('?'),
  },
  {
    id: 'keys.show',
    title: 'Show the keys',
    words: 'help shortcuts',
    keys: ['?'],
    run: ({ panels }) => panels.toggle('keys'),
  },
  {
    id: 'signs.show',
    title: 'What the signs mean',
    words: 'help legend colours marks symbols key',
    keys: [],
    run: ({ panels }) => panels.toggle('signs'),
  },
  {
    id: 'words.show',
    title: 'What the words mean: the glossary',
    words: 'help definition explain terms dictionary',
    keys: [],
    run: ({ panels }) => panels.showWord(undefined),
  },
  {
    id: 'tour.start',
    title: 'Take the tour',
    words: 'help introduction onboarding guide first steps learn',
    keys: [],
    when: ({ start }) => start.latest !== undefined,
    run: ({ tour }) => tour.start(),
  },
  {
    id: 'settings.show',
    title: 'Settings: model servers, keys, look',
    words: 'preferences options configuration endpoint api theme size',
    keys: ['Mod+,'],
    isGlobal: true,
    run: (workbench) => workbench.toggleSettings(),
  },
  {
    id: 'sessions.show',
    title: 'Choose a session',
    keys: ['Mod+Shift+O'],
    run: ({ panels }) => panels.toggle('sessions'),
  },
  {
    id: 'home.show',
    title: 'Home: what agents did on this computer',
    words: 'start places usage projects tools money tokens history waste patterns',
    keys: ['Alt+Home'],
    isGlobal: true,
    run: (workbench) => workbench.toggleHome(),
  },
  {
    id: 'sessions.all',
    title: 'All stored sessions, with what they cost',
    words: 'list compare projects tools money tokens history imported',
    keys: ['Alt+Shift+Home'],
    isGlobal: true,
    when: namesSession,
    run: (workbench) => workbench.toggleSessions(),
  },
  {
    id: 'file.open',
    title: 'Open files…',
    keys: ['Mod+O'],
    isGlobal: true,
    run: (workbench) => workbench.pickFiles(),
  },
  {
    id: 'folder.open',
    title: 'Import a folder…',
    keys: [],
    isOffered: ({ host }) => host.pickFolders !== undefined,
    run: (workbench) => workbench.pickFolders(),
  },
  {
    id: 'database.open',
    title: 'Import a database on a server…',
    words: 'postgresql mysql mariadb url address google-adk team sessions',
    keys: [],
    run: ({ panels }) => {
      panels.dialog = 'database';
    },
  },
  {
    id: 'places.show',
    title: 'Import sessions found on this computer',
    keys: [],
    when: ({ places }) => (places.latest?.places.length ?? 0) > 0,
    run: ({ panels }) => {
      panels.dialog = 'sessions';
    },
  },
  {
    id: 'sample.open',
    title: 'Open the sample session',
    keys: [],
    when: ({ start }) => start.latest !== undefined,
    run: (workbench) => workbench.openSession(workbench.start.latest?.sampleSession ?? ''),
  },
  {
    id: 'follow.toggle',
    title: 'Follow the file of this session, or stop',
    keys: [],
    when: ({ following }) => following.isOffered && following.state?.impossible === null,
    run: ({ following, messages }) => void following.toggle().catch(messages.report),
  },
  {
    id: 'follow.newest',
    title: 'Go to the newest call',
    keys: [],
    when: hasCalls,
    run: ({ following }) => following.toNewest(),
  },
  {
    id: 'app.choose',
    title: 'Choose the app configuration…',
    words: 'files artifacts memory services',
    keys: [],
    when: hasSession,
    run: ({ panels }) => {
      panels.dialog = 'appPath';
    },
  },
  {
    id: 'model.choose',
    title: 'Count as if sent to a model…',
    words: 'unknown model as-if price tokenizer',
    keys: [],
    when: ({ session }) => session.info?.app.namesNoModel === true,
    run: ({ panels }) => {
      panels.dialog = 'model';
    },
  },
  {
    id: 'diagnostics.show',
    title: 'Show what was found while reading the file',
    keys: [],
    when: ({ session }) => (session.info?.diagnostics.length ?? 0) > 0,
    run: ({ panels }) => panels.toggle('diagnostics'),
  },
  {
    id: 'address.copy',
    title: 'Copy the address of the selection',
    keys: ['Mod+Shift+C'],
    isGlobal: true,
    when: hasSession,
    run: (workbench) => void workbench.copyAddress().catch(workbench.messages.report),
  },
  {
    id: 'inspector.toggle',
    title: 'Inspector on or off',
    words: 'details panel sidebar',
    keys: ['I'],
    run: ({ panels }) => panels.showInspector(!panels.isInspectorOpen),
  },
  {
    id: 'find',
    title: 'Find in this panel',
    keys: ['/', 'Mod+F'],
    when: (workbench) => hasSession(workbench) || workbench.location.view.view === 'home',
    run: ({ panels }) => panels.find(),
  },
  {
    id: 'back',
    title: 'Back',
    keys: ['Alt+ArrowLeft'],
    isGlobal: true,
    run: ({ location }) => location.back(),
  },
  {
    id: 'forward',
    title: 'Forward',
    keys: ['Alt+ArrowRight'],
    isGlobal: true,
    run: ({ location }) => location.forward(),
  },
  {
    id: 'escape',
    title: 'Cancel the job, close, clear the selection, leave the range',
    keys: ['Escape'],
    run: escape,
  },
];

export const lookCommands: readonly Command[] = [
  {
    id: 'theme.next',
    title: 'Theme: dark, light, system',
    words: 'appearance colours',
    keys: ['Mod+Shift+L'],
    isGlobal: true,
    run: ({ appearance }) => appearance.nextTheme(),
  },
  {
    id: 'secrets.mask',
    title: 'Mask secrets in what is shown, or show them',
    keys: [],
    run: ({ appearance }) => appearance.toggleSecrets(),
  },
  {
    id: 'requests.add',
    title: 'Add recorded requests from a file…',
    keys: [],
    when: ({ session }) => session.isOpen && session.info?.isSample !== true,
    run: (workbench) => workbench.addRequests(),
  },
  {
    id: 'rows.density',
    title: 'Rows: compact or comfortable',
    keys: [],
    run: ({ appearance }) => appearance.change({ isComfortable: !appearance.settings.isComfortable }),
  },
  {
    id: 'zoom.in',
    title: 'Larger interface',
    keys: ['Mod+Plus'],
    isGlobal: true,
    isOffered: canZoom,
    run: ({ appearance }) => appearance.zoom(1),
  },
  {
    id: 'zoom.out',
    title: 'Smaller interface',
    keys: ['Mod+Minus'],
    isGlobal: true,
    isOffered: canZoom,
    run: ({ appearance }) => appearance.zoom(-1),
  },
];

/** In this order: end the tour, cancel the job, close, clear the selection, leave the range. */
function escape(workbench: Workbench): void {
  const { jobs, cursor, panels, location, answers, tour, table, home } = workbench;
  const job = jobs.running.at(-1);
  if (tour.step !== undefined) tour.end();
  else if (job !== undefined) void jobs.cancel(job.job).catch(workbench.messages.report);
  else if (cursor.preview !== undefined) cursor.preview = undefined;
  else if (answers.shown !== undefined) answers.dismiss();
  else if (location.view.view === 'settings') workbench.toggleSettings();
  else if (location.view.view === 'capture') workbench.toggleCapture();
  else if (location.view.view === 'home' && home.marked.length > 0) home.clearMarks();
  else if (location.view.view === 'home' && location.view.homeFilter !== '') home.filter('');
  else if (location.view.view === 'home') {
    if (namesSession(workbench)) workbench.toggleHome();
  } else if (location.view.view === 'sessions' && location.view.marked.length > 0) table.clearMarks();
  else if (location.view.view === 'sessions') workbench.toggleSessions();
  else if (panels.isInspectorOverlay && panels.isInspectorOpen) panels.showInspector(false);
  else if (location.view.view === 'pipeline' && location.view.panel !== 'stage')
    location.go({ panel: 'stage' });
  else if (location.view.selection !== undefined) location.go({ selection: undefined });
  else if (location.view.ranges.length > 0) cursor.leaveRange(location.view.ranges.length - 1);
}
