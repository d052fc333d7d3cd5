import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeZip } from '../fetch/make-zip.ts';
import type { UpstreamServer } from '../fetch/upstream-server.ts';
import type { Reader } from '../pipeline/temporary-store.ts';
import { type DayFiles, RECIPES_FOLDER, writeRecipeDay } from './recipe-folder.ts';

interface Entry {
  readonly url: string;
  readonly file: string;
  readonly unzip?: string;
}

/** A recipe as it is shipped, but that a server on loopback stands in the place of its upstreams. */
export class ServedRecipe {
  /** What nights are given. */
  readonly folder: string;
  readonly #name: string;
  readonly #server: UpstreamServer;
  readonly #entries: readonly Entry[];

  private constructor(name: string, folder: string, server: UpstreamServer, entries: readonly Entry[]) {
    this.#name = name;
    this.folder = folder;
    this.#server = server;
    this.#entries = entries;
  }

  static async make(name: string, folder: string, server: UpstreamServer): Promise<ServedRecipe> {
    await cp(join(RECIPES_FOLDER, name), folder, { recursive: true });
    const path = join(folder, 'source.json');
    const settings = JSON.parse(await readFile(path, 'utf8')) as { readonly fetch: readonly Entry[] };
    const fetch = settings.fetch.map((entry) => ({ ...entry, url: server.url + pathOf(entry) }));
    await writeFile(path, JSON.stringify({ ...settings, fetch }));
    return new ServedRecipe(name, folder, server, settings.fetch);
  }

  /** Where the server has what becomes a file of the day. */
  pathOf(file: string): string {
    const entry = this.#entries.find((one) => one.file === file);
    if (entry === undefined) throw new Error(`the recipe fetches no ${file}`);
    return pathOf(entry);
  }

  /** From now on the upstreams answer with the files of this day; `work` is a folder for the while. */
  async serve(files: DayFiles, { work, reader }: { readonly work: string; readonly reader: Reader }): Promise<void> {
    await writeRecipeDay(this.#name, work, { files, reader });
    for (const { url, file, unzip } of this.#entries) {
      const content = unzip === undefined ? await readFile(join(work, file)) : await zipOf(join(work, unzip));
      this.#server.serve(pathOf({ url }), content, { encoding: 'gzip' });
    }
    await rm(work, { recursive: true });
  }
}

function pathOf({ url }: Pick<Entry, 'url'>): string {
  const { host, pathname } = new URL(url);
  return `/${host}${pathname}`;
}

async function zipOf(folder: string): Promise<Buffer> {
  const names = await readdir(folder);
  return makeZip(await Promise.all(names.map(async (name) => ({ name, content: await readFile(join(folder, name)) }))));
}
