import type { Job, LessonGrade, LessonList, LessonPage, LessonProgress, ResultsForm } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { parseAttempts, type Attempt, type Attempts } from '@/model/lessons.ts';
import type { Experiments } from './experiments.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Where attempts are kept between two starts. */
const KEPT = 'strata lessons';

interface Places {
  readonly location: Location;
  readonly session: OpenSession;
  readonly messages: Messages;
  readonly experiments: Experiments;
  readonly openSession: (session: string) => void;
}

/**
 * Lessons. One goes on in the session that is shown, whichever view shows it: it is graded anew when the edits or the
 * answers have changed.
 */
export class Learn {
  readonly #host: Host;
  readonly #in: Places;
  readonly list: Loaded<LessonList>;
  readonly page: Loaded<LessonPage>;
  readonly grade: Loaded<LessonGrade>;
  readonly solved: Loaded<LessonPage>;
  #attempts: Attempts = $state.raw(parseAttempts(localStorage.getItem(KEPT)));
  /** The lesson whose solutions are shown. */
  #opened: string | undefined = $state();
  /** Counts what changes how far the lessons are. */
  #revision = $state(0);
  #isStarting = $state(false);
  /** Goals that were met when the lesson was graded last. */
  #met: { readonly lesson: string; readonly goals: readonly string[] } | undefined;

  constructor(host: Host, places: Places) {
    this.#host = host;
    this.#in = places;
    this.list = new Loaded(
      () => (this.#isShown ? `lessons ${String(this.#revision)}` : undefined),
      () => host.invoke('lesson/list', {}),
    );
    this.page = new Loaded(
      () => (this.#isShown && this.lesson !== '' ? `${this.lesson} ${String(this.#revision)}` : undefined),
      () => host.invoke('lesson/get', { lesson: this.lesson, withSolutions: false }),
    );
    this.grade = new Loaded(
      () => this.#keyOfGrade(),
      () => this.#ask(),
    );
    this.solved = new Loaded(
      () => (this.#isShown && this.showsSolutions ? `${this.lesson} solutions` : undefined),
      () => host.invoke('lesson/get', { lesson: this.lesson, withSolutions: true }),
    );
  }

  get #isShown(): boolean {
    return this.#in.location.view.view === 'learn';
  }

  /** The lesson that is looked at: the first that is not solved, until one was chosen. */
  get lesson(): string {
    const { lesson } = this.#in.location.view;
    if (lesson !== '') return lesson;
    const first = this.lessons.find(({ isSolved }) => !isSolved) ?? this.lessons[0];
    return first?.row.id ?? '';
  }

  get lessons(): readonly LessonProgress[] {
    return this.list.latest?.lessons ?? [];
  }

  get progress(): LessonProgress | undefined {
    return this.lessons.find(({ row }) => row.id === this.lesson);
  }

  /** Whether the lesson goes on in the session that is shown. */
  get isOn(): boolean {
    const { attempt, session, lesson } = this.#in.location.view;
    return attempt !== '' && lesson !== '' && session !== undefined;
  }

  /** What was done in the lesson that is looked at. */
  get attempt(): Attempt | undefined {
    const { attempt } = this.#in.location.view;
    const linked = this.isOn ? { experiment: attempt, answers: {}, hints: {} } : undefined;
    return this.#attempts[this.lesson] ?? linked;
  }

  get isStarting(): boolean {
    return this.#isStarting;
  }

  get answers(): Readonly<Record<string, string>> {
    return this.attempt?.answers ?? {};
  }

  hintsTaken(goal: string): number {
    return this.attempt?.hints[goal] ?? 0;
  }

  get showsSolutions(): boolean {
    return this.#opened === this.lesson && this.lesson !== '';
  }

  toggleSolutions(): void {
    this.#opened = this.showsSolutions ? undefined : this.lesson;
  }

  /** Looks at a lesson, in its experiment if that is shown already. */
  choose(lesson: string): void {
    const { session } = this.#in.location.view;
    const attempt = this.#attempts[lesson]?.experiment;
    const isThere = attempt !== undefined && attempt === session;
    this.#in.location.go({ lesson, attempt: isThere ? attempt : '' }, 'walk');
  }

  /** Shows the lesson of a class file that was opened: it is on the list by now. */
  show(lesson: string): void {
    this.#revision += 1;
    this.#in.location.go({ view: 'learn', lesson, attempt: '' });
  }

  /** Shows the first lesson that an import brought, if there was one and nothing else to show. */
  takeImported({ lessons, sessions, outcome }: Job): boolean {
    const [lesson] = lessons;
    if (lesson === undefined || sessions.length > 0) return false;
    this.show(lesson);
    this.#in.messages.announce(outcome ?? '');
    return true;
  }

  /** Takes the lesson that is looked at out of the list, where a class file brought it. */
  async remove(): Promise<void> {
    const { lesson } = this;
    await this.#host.invoke('lesson/remove', { lesson });
    this.#revision += 1;
    this.#in.location.go({ lesson: '', attempt: '' }, 'replace');
  }

  /** Saves what was done in lessons as a file. */
  async saveResults(form: ResultsForm): Promise<void> {
    const { file, text } = await this.#host.invoke('lesson/results', { as: form });
    const path = await this.#host.saveText(file, text);
    if (path !== undefined) this.#in.messages.announce(`Saved ${path}`);
  }

  move(by: 1 | -1): void {
    const at = this.lessons.findIndex(({ row }) => row.id === this.lesson);
    const next = this.lessons[at + by];
    if (next !== undefined) this.choose(next.row.id);
  }

  /** Goes on with the lesson that is looked at, or begins it. */
  async begin(): Promise<void> {
    if (this.attempt !== undefined) return this.#show(this.lesson, this.attempt.experiment);
    await this.beginAnew();
  }

  /** Begins the lesson in a new experiment. The one before stays as it is. */
  async beginAnew(): Promise<void> {
    const { lesson } = this;
    if (lesson === '' || this.#isStarting) return;
    this.#isStarting = true;
    try {
      const made = await this.#host.invoke('lesson/start', { lesson });
      this.#keep(lesson, { experiment: made.experiment, answers: {}, hints: {} });
      this.#in.experiments.adopt(made);
      this.#show(lesson, made.experiment);
      this.#in.messages.announce(`The lesson goes on in ${made.name}`);
    } finally {
      this.#isStarting = false;
    }
  }

  #show(lesson: string, experiment: string): void {
    this.#in.openSession(experiment);
    this.#in.location.go({ view: 'learn', lesson, attempt: experiment }, 'replace');
  }

  answer(goal: string, text: string): void {
    const { attempt } = this;
    if (attempt === undefined) return;
    const others = Object.entries(attempt.answers).filter(([other]) => other !== goal);
    const given = text.trim() === '' ? others : [...others, [goal, text.trim()] as const];
    const answers = Object.fromEntries(given);
    this.#keep(this.lesson, { ...attempt, answers });
  }

  /** Takes the next hint to a goal. */
  hint(goal: string): void {
    const { attempt } = this;
    const hints = this.page.latest?.goals.find(({ id }) => id === goal)?.hints ?? [];
    const taken = this.hintsTaken(goal);
    if (attempt === undefined || taken >= hints.length) return;
    this.#keep(this.lesson, { ...attempt, hints: { ...attempt.hints, [goal]: taken + 1 } });
    this.#in.messages.announce(hints[taken] ?? '');
    this.#host
      .invoke('lesson/hint', { lesson: this.lesson, goal, taken: taken + 1 })
      .catch(this.#in.messages.report);
  }

  /** The first goal that is open and has a hint left. */
  get nextHint(): string | undefined {
    if (!this.isOn) return undefined;
    const met = this.grade.latest?.goals.filter(({ isMet }) => isMet).map(({ goal }) => goal) ?? [];
    return this.page.latest?.goals.find(
      ({ id, hints }) => !met.includes(id) && hints.length > this.hintsTaken(id),
    )?.id;
  }

  #keep(lesson: string, attempt: Attempt): void {
    this.#attempts = { ...this.#attempts, [lesson]: attempt };
    localStorage.setItem(KEPT, JSON.stringify(this.#attempts));
  }

  #keyOfGrade(): string | undefined {
    const { session } = this.#in;
    if (!this.isOn || !session.isOpen) return undefined;
    return `${this.lesson} ${session.keyOfEdits} ${JSON.stringify(this.answers)}`;
  }

  async #ask(): Promise<LessonGrade> {
    const { lesson, answers } = this;
    const { id, recording } = this.#in.session;
    // The recording is what it is without edits.
    const experiment = id === undefined || id === recording ? null : id;
    const grade = await this.#host.invoke('lesson/grade', { lesson, experiment, answers });
    this.#revision += 1;
    this.#tell(lesson, grade);
    return grade;
  }

  /** Goals that are met now and were not before. */
  #tell(lesson: string, grade: LessonGrade): void {
    const before = this.#met?.lesson === lesson ? this.#met.goals : undefined;
    const met = grade.goals.filter(({ isMet }) => isMet);
    this.#met = { lesson, goals: met.map(({ goal }) => goal) };
    const [fresh] = met.filter(({ goal }) => before?.includes(goal) === false);
    if (fresh !== undefined) {
      this.#in.messages.announce(grade.isSolved ? 'All goals are met' : `Met: ${fresh.text}`);
    }
  }
}
