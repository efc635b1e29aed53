import type { SavedScript, ScriptList } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';

/** The scripts in their folder: plain files, to be used again and passed on. */
export class SavedScripts {
  readonly #host: Host;
  readonly #messages: Messages;
  readonly list: Loaded<ScriptList>;
  /** The newest answer to an act; newer than what was fetched. */
  #acted: ScriptList | undefined = $state.raw();

  /** They are fetched when `isWanted`: the folder may have changed by then. */
  constructor({ host, messages }: { host: Host; messages: Messages }, isWanted: () => boolean) {
    this.#host = host;
    this.#messages = messages;
    this.list = new Loaded(
      () => (isWanted() ? 'scripts' : undefined),
      async () => {
        const list = await host.invoke('script/list', {});
        this.#acted = list;
        return list;
      },
    );
  }

  get scripts(): readonly SavedScript[] {
    return this.#acted?.scripts ?? [];
  }

  get folder(): string {
    return this.#acted?.folder ?? '';
  }

  /** The script a typed name would overwrite. Case counts nowhere: it does not on every disk. */
  find(name: string): SavedScript | undefined {
    const wanted = name.trim().replace(/\.js$/, '').trim().toLowerCase();
    return this.scripts.find((script) => script.name.toLowerCase() === wanted);
  }

  /** Undefined when it cannot be read, which is reported. */
  read(name: string): Promise<string | undefined> {
    return this.#act(async () => (await this.#host.invoke('script/get', { name })).source);
  }

  /** Saves a script; over one of that name only when `replaces` says so. False when it failed, which is reported. */
  async save(name: string, source: string, replaces: boolean): Promise<boolean> {
    const list = await this.#act(() => this.#host.invoke('script/save', { name, source, replaces }));
    if (list === undefined) return false;
    this.#acted = list;
    this.#messages.announce(`Saved in ${this.find(name)?.path ?? list.folder}`);
    return true;
  }

  async remove(name: string): Promise<void> {
    const list = await this.#act(() => this.#host.invoke('script/remove', { name }));
    if (list === undefined) return;
    this.#acted = list;
    this.#messages.announce(`Removed ${name}`);
  }

  async copyPath({ path }: SavedScript): Promise<void> {
    await this.#act(() => navigator.clipboard.writeText(path));
    this.#messages.announce(`Copied ${path}`);
  }

  async #act<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (thrown) {
      this.#messages.report(thrown);
      return undefined;
    }
  }
}
