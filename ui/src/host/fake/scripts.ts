import type { Params } from '@/api/client.ts';
import type { ScriptList, ScriptSource } from '@/api/gen/api.ts';
import { badInput, notFound } from './failures.ts';

const FOLDER = '/home/ada/.local/share/strata/scripts';

/** A folder of scripts in memory. */
export class FakeScripts {
  #sources: ReadonlyMap<string, string> = new Map([
    [
      'Newest results only',
      '// Keeps the newest result of each tool whole.\nexport function process(request) {\n  return request\n}\n',
    ],
  ]);

  list(): ScriptList {
    const scripts = [...this.#sources].map(([name, source]) => ({
      name,
      path: `${FOLDER}/${name}.js`,
      bytes: source.length,
      changedMs: 1_795_208_592_000,
      summary: /^\/\/ (.*)/.exec(source)?.[1] ?? '',
    }));
    return { folder: FOLDER, scripts: scripts.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  get(name: string): ScriptSource {
    const source = this.#sources.get(name);
    if (source === undefined) throw notFound(`There is no script \`${name}\`.`);
    return { name, source };
  }

  save({ name, source, replaces }: Params<'script/save'>): ScriptList {
    if (!replaces && this.#sources.has(name)) throw badInput(`There is a script \`${name}\` already.`);
    this.#sources = new Map([...this.#sources, [name, source]]);
    return this.list();
  }

  remove(name: string): ScriptList {
    this.get(name);
    this.#sources = new Map([...this.#sources].filter(([known]) => known !== name));
    return this.list();
  }
}
