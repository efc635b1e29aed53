import { CommandFailure, type Failure, type JsonCommand, type Params, type Result } from '@/api/client.ts';
import type { Job, Notification, Settings } from '@/api/gen/api.ts';
import { listenForDrops } from '@/host/drops.ts';
import type { Host, ImportSource } from '@/host/host.ts';
import { answer, callDetail, find, search } from './answers.ts';
import { columnBytes, mapBytes, rowBytes } from './bytes.ts';
import { breakPage, difference, fixList, ladderBytes, why } from './cache.ts';
import { eventDetail, eventPage, stratumOf } from './events.ts';
import { FakeLab } from './lab-jobs.ts';
import { partDetail, partDiff, partText } from './parts.ts';
import { stageJson, stageList, stageParts, stageText } from './stages.ts';
import { FakeExperiments } from './experiments.ts';
import { FakeScripts } from './scripts.ts';
import { stateValues } from './state.ts';
import { FAKE_KINDS } from './flow.ts';
import { notFound } from './failures.ts';
import { FakeStore, headerOf, newJob } from './store.ts';

export interface FakeOptions {
  /** Session to open at the start; the sample when absent. */
  readonly session?: string;
  /** How long every answer takes. */
  readonly delayMs?: number;
  /** Commands that fail, and how. */
  readonly failing?: Readonly<Record<string, Failure>>;
  /** Commands that never answer. */
  readonly stuck?: readonly string[];
  /** Compiles calls in the background instead of having them done. */
  readonly isCompiling?: boolean;
}

type Answers = { readonly [N in JsonCommand]: (params: Params<N>) => Result<N> };

export interface FakeHost extends Host {
  /** What was asked, in order. */
  readonly asked: readonly { readonly name: string; readonly params: unknown }[];
  /** Sends a notification to the window. */
  readonly notify: (notification: Notification) => void;
}

const TICK_MS = 120;

/** A backend in memory with made-up sessions: for tests, and for working on the window without the real one. */
export function fakeHost(options: FakeOptions = {}): FakeHost {
  const store = new FakeStore();
  const experiments = new FakeExperiments((id) => store.session(id));
  const scripts = new FakeScripts();
  const listeners = new Set<(notification: Notification) => void>();
  const asked: { name: string; params: unknown }[] = [];
  const compiled = new Map<string, number>();
  const apps = new Map<string, string>();
  const followed = new Set<string>();
  const jobs = new Map<string, Job>();
  let settings: Settings = store.start(null).settings;

  const notify = (notification: Notification): void => {
    for (const listener of listeners) listener(notification);
  };
  const compiledOf = (id: string): number => compiled.get(id) ?? experiments.session(id).calls.length;
  const header = (id: string): Result<'session/header'> => ({
    ...headerOf(experiments.session(id), compiledOf(id), apps.get(id) ?? null),
    follow: { isOn: followed.has(id), problem: null, impossible: null },
    experiment: experiments.find(id) ?? null,
  });
  const jobList = (): Result<'job/list'> => ({ jobs: [...jobs.values()] });

  const compileInBackground = (id: string): void => {
    const { calls } = experiments.session(id);
    compiled.set(id, Math.min(calls.length, 1));
    const step = (): void => {
      const next = Math.min(calls.length, compiledOf(id) + Math.ceil(calls.length / 80));
      compiled.set(id, next);
      notify({ type: 'analysis', session: id, compiledCalls: next, calls: calls.length });
      if (next < calls.length) setTimeout(step, TICK_MS);
    };
    setTimeout(step, TICK_MS);
  };

  const runImport = (path: string): Result<'session/import'> => {
    const started = newJob(
      `job-${String(jobs.size + 1)}`,
      `Importing ${path.split('/').at(-1) ?? path}`,
      40,
      'MB',
    );
    jobs.set(started.job, started);
    const step = (): void => {
      const job = jobs.get(started.job);
      if (job?.state !== 'running') return;
      const done = Math.min(job.total, job.done + 2);
      const isDone = done === job.total;
      const sessions = isDone ? [store.add(path)] : [];
      const next: Job = {
        ...job,
        done,
        state: isDone ? 'done' : 'running',
        secondsElapsed: job.secondsElapsed + TICK_MS / 1000,
        secondsLeft: done > 4 && !isDone ? ((job.total - done) / 2) * (TICK_MS / 1000) : null,
        outcome: isDone ? `1 session with 180 events read from ${path.split('/').at(-1) ?? path}` : null,
        sessions,
      };
      jobs.set(job.job, next);
      notify({ type: 'job', job: next });
      if (isDone) notify({ type: 'sessions' });
      else setTimeout(step, TICK_MS);
    };
    setTimeout(step, TICK_MS);
    return { job: started.job };
  };

  const lab = new FakeLab(experiments, jobs, notify);

  const answers: Answers = {
    ...lab.answers,
    'app/start': () => ({ ...store.start(options.session ?? null), settings }),
    'app/setSettings': (params) => {
      settings = params.settings;
      return settings;
    },
    'session/list': ({ filter, offset, limit }) => {
      const rows = store.list(filter);
      return { total: rows.length, rows: rows.slice(offset, offset + limit) };
    },
    'session/import': ({ paths }) => runImport(paths[0] ?? ''),
    'session/importUpload': ({ name }) => runImport(name),
    'session/addRequests': () => {
      throw notFound('Nothing was added: this session has no such answers.');
    },
    'session/open': ({ session }) => {
      if (options.isCompiling === true && !compiled.has(session)) compileInBackground(session);
      return header(session);
    },
    'session/header': ({ session }) => header(session),
    'session/setApp': ({ session, path }) => {
      if (path === null) apps.delete(session);
      else apps.set(session, path);
      return header(session);
    },
    'session/follow': ({ session, isOn }) => {
      if (isOn) followed.add(session);
      else followed.delete(session);
      return header(session).follow;
    },
    'session/remove': ({ session }) => {
      const title = store.remove(session);
      notify({ type: 'sessions' });
      return { title };
    },
    'call/get': ({ session, call }) => callDetail(experiments.session(session), call),
    'call/stages': ({ session, call }) => stageList(experiments.session(session), call),
    'call/stageParts': (params) => stageParts(experiments.session(params.session), params),
    'call/text': (params) => stageText(experiments.session(params.session), params),
    'call/json': (params) => stageJson(experiments.session(params.session), params),
    'cache/breaks': (params) =>
      breakPage(experiments.session(params.session), compiledOf(params.session), params),
    'cache/why': (params) => why(experiments.session(params.session), params),
    'cache/difference': (params) => difference(experiments.session(params.session), params),
    'cache/fixes': ({ session }) => fixList(experiments.session(session)),
    'part/get': (params) => partDetail(experiments.session(params.session), params),
    'part/text': (params) => partText(experiments.session(params.session), params),
    'part/diff': (params) => partDiff(experiments.session(params.session), params),
    'event/page': (params) => eventPage(experiments.session(params.session), params),
    'event/get': ({ session, event }) => eventDetail(experiments.session(session), event),
    'event/stratum': (params) => stratumOf(experiments.session(params.session), params),
    'palette/search': (params) => search(experiments.session(params.session), params),
    'palette/ask': (params) => answer(experiments.session(params.session), params),
    'experiment/list': ({ session }) => ({ rows: [...experiments.list(session)] }),
    'experiment/create': ({ session, name }) => experiments.create(session, name),
    'experiment/get': ({ experiment }) => {
      const found = experiments.find(experiment);
      if (found === undefined) throw notFound(`There is no experiment ${experiment}.`);
      return found;
    },
    'experiment/rename': ({ experiment, name }) => experiments.rename(experiment, name),
    'experiment/duplicate': ({ experiment }) => experiments.duplicate(experiment),
    'experiment/remove': ({ experiment }) => ({ title: experiments.remove(experiment) }),
    'experiment/edit': (params) => experiments.edit(params),
    'experiment/undo': ({ experiment }) => experiments.move(experiment, -1),
    'experiment/redo': ({ experiment }) => experiments.move(experiment, 1),
    'experiment/preview': (params) => experiments.preview(params),
    'experiment/compare': (params) => experiments.compare(params),
    'experiment/compareParts': (params) => experiments.compareParts(params),
    'experiment/compareText': (params) => experiments.compareText(params),
    'experiment/export': (params) => experiments.export(params),
    'processor/catalog': () => ({ kinds: [...FAKE_KINDS] }),
    'script/check': (params) => experiments.check(params),
    'call/state': () => stateValues(),
    'script/list': () => scripts.list(),
    'script/get': ({ name }) => scripts.get(name),
    'script/save': (params) => scripts.save(params),
    'script/remove': ({ name }) => scripts.remove(name),
    'findings/list': ({ session }) => experiments.findings(session),
    'findings/apply': ({ session, title, edits }) =>
      experiments.find(session) === undefined
        ? experiments.create(session, title, edits)
        : experiments.edit({ experiment: session, edits }),
    'search/find': (params) =>
      find(
        store.list('').map(({ session }) => store.session(session)),
        params,
      ),
    'place/list': () => ({
      places: [
        {
          tool: 'Claude Code',
          path: '/home/ada/.claude/projects',
          files: 312,
          isCapped: false,
          newestMs: Date.UTC(2026, 0, 5),
        },
      ],
    }),
    'job/list': jobList,
    'job/cancel': ({ job }) => {
      const running = jobs.get(job);
      if (running !== undefined) {
        const next: Job = { ...running, state: 'cancelled', outcome: 'Cancelled. What was read stays.' };
        jobs.set(job, next);
        notify({ type: 'job', job: next });
      }
      return jobList();
    },
    'job/dismiss': ({ job }) => {
      jobs.delete(job);
      return jobList();
    },
  };

  const respond = async <T>(name: string, params: unknown, make: () => T): Promise<T> => {
    asked.push({ name, params });
    if (options.stuck?.includes(name) === true) return new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, options.delayMs ?? 0));
    const failure = options.failing?.[name];
    if (failure !== undefined) throw new CommandFailure(failure);
    return make();
  };

  return {
    asked,
    notify,
    hasPaths: true,
    setZoom: undefined,
    invoke: (name, params) => respond(name, params, () => structuredClone(answers[name](params))),
    invokeBytes: (name, params) =>
      respond(name, params, () => {
        const session = experiments.session(params.session);
        const done = compiledOf(params.session);
        if ('calls' in params) return rowBytes(session, done, params);
        if ('minTokens' in params) return mapBytes(session, done, params);
        return 'maxColumns' in params
          ? columnBytes(session, done, params)
          : ladderBytes(session, done, params);
      }),
    listen: (onNotification) => {
      listeners.add(onNotification);
      return () => void listeners.delete(onNotification);
    },
    pickFiles: () => Promise.resolve([{ type: 'path', path: '/home/ada/logs/support-desk.json' }]),
    pickFolders: () => Promise.resolve([{ type: 'path', path: '/home/ada/logs' }]),
    onDrop: (listener) =>
      listenForDrops(listener, (file): Promise<ImportSource> =>
        Promise.resolve({ type: 'upload', upload: 'upload-1', name: file.name }),
      ),
  };
}

/** Options from the address, for looking at states: `?session=big`, `?slow=2000`, `?stuck=event/page`, `?fail=event/page`. */
export function fakeHostFromAddress(query: URLSearchParams): FakeHost {
  const failing = Object.fromEntries(
    query.getAll('fail').map((name) => [
      name,
      {
        code: 'store',
        message:
          'The database is locked by another program. Nothing is lost. Close the other program, then retry.',
        detail: 'SQLITE_BUSY (5): database is locked',
      } satisfies Failure,
    ]),
  );
  const session = query.has('big') ? 'big' : query.get('session');
  return fakeHost({
    ...(session === null ? {} : { session }),
    delayMs: Number(query.get('slow') ?? 0),
    stuck: query.getAll('stuck'),
    failing,
    isCompiling: query.has('compiling'),
  });
}
