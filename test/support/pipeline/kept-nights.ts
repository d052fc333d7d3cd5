/**
 * Many tests run a night that another has run before: the same day of the same source on the same store. It gives the same bytes
 * (`test/night/golden.test.ts`), so it is run once in a run of the tests, kept, and copied from then on. Nothing is copied onto a
 * store that a test has touched by itself, nor where a night fetches, is not published, or reads much.
 */
import { existsSync } from 'node:fs';
import {
  constants,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { NightResult } from '../../../pipeline/night/night-result.ts';
import type { Day } from '../../../runtime/day.ts';
import { sha256 } from '../../../storage/hash.ts';

/** Where the nights of this run of the tests are kept, set by `runner/scratch.setup.ts`; without it every store runs its own. */
export const KEPT_NIGHTS = 'KEPT_NIGHTS';

/** Larger days are rare, and would fill the disk. */
const SOURCE_BYTES_MAX = 1 << 20;
const DATED = /^\d{4}-\d{2}-\d{2}$/;

/** A night to run, with all that its outcome depends on but its source. */
export interface NightToKeep {
  readonly source: string;
  readonly day: Day;
  readonly options: object;
}

/** A file's path below the root, and what changes whenever it is written or replaced. */
type Files = ReadonlyMap<string, string>;

/** What is kept of a night beside the files that it wrote. */
interface Kept {
  readonly root: string;
  readonly runs: number;
  readonly removed: readonly string[];
  readonly result: NightResult;
}

/** The nights of one store, whose objects and work folder lie below `root`, and which has had so many `runs`. */
export class KeptNights {
  readonly #root: string;
  readonly #runs: { count: number };
  /** Tells what the store holds: the nights so far; undefined where others than nights had a part in it. */
  #series: string | undefined;
  #files: Files = new Map();

  constructor(root: string, { runs, ...options }: { readonly runs: { count: number } }) {
    this.#root = root;
    this.#runs = runs;
    this.#series = JSON.stringify(options);
  }

  /** Runs a night, or copies what it left when it was run before. */
  async night(night: NightToKeep, run: () => Promise<NightResult>): Promise<NightResult> {
    const place = process.env[KEPT_NIGHTS];
    const before = this.#series;
    this.#series = undefined;
    const source = place === undefined || before === undefined ? undefined : await printOfSource(night);
    if (place === undefined || before === undefined || source === undefined) return run();
    if (!isDeepStrictEqual(await this.#list(), this.#files)) return run();
    const series = sha256(JSON.stringify([before, source, night.day, night.options]));
    const kept = join(place, series.slice(0, 32));
    const result = existsSync(kept) ? await this.#copy(kept) : await this.#keep(kept, run);
    if (result.status === 'published') [this.#series, this.#files] = [series, await this.#list()];
    return result;
  }

  async #keep(kept: string, run: () => Promise<NightResult>): Promise<NightResult> {
    const result = await run();
    if (result.status !== 'published') return result;
    const copy = await mkdtemp(`${kept}.`);
    const files = await this.#list();
    for (const [path, print] of files) {
      if (this.#files.get(path) !== print) await copyInto(join(this.#root, path), join(copy, FILES, path));
    }
    const removed = [...this.#files.keys()].filter((path) => !files.has(path));
    const night: Kept = { root: this.#root, runs: this.#runs.count, removed, result };
    await writeFile(join(copy, 'night.json'), JSON.stringify(night));
    await rename(copy, kept).catch(() => rm(copy, { recursive: true })); // Where another process was quicker.
    return result;
  }

  async #copy(kept: string): Promise<NightResult> {
    const text = await readFile(join(kept, 'night.json'), 'utf8');
    const { root, runs, removed }: Kept = JSON.parse(text);
    this.#runs.count = runs;
    for (const path of removed) await rm(join(this.#root, path));
    for (const path of await filesIn(join(kept, FILES))) {
      await copyInto(path, join(this.#root, relative(join(kept, FILES), path)));
    }
    // From the second night on the work folder has the address of the store that it belongs to.
    const note = join(this.#root, 'work', 'store.json');
    if (existsSync(note)) await writeFile(note, (await readFile(note, 'utf8')).replaceAll(root, this.#root));
    return JSON.parse(text.replaceAll(root, this.#root)).result;
  }

  async #list(): Promise<Files> {
    const folders = ['store', 'work'].map((name) => join(this.#root, name)).filter((folder) => existsSync(folder));
    const paths = (await Promise.all(folders.map(filesIn))).flat();
    const prints = paths.map(async (path): Promise<[string, string]> => {
      const { size, mtimeMs, ino } = await stat(path);
      return [relative(this.#root, path), [size, mtimeMs, ino].join(' ')];
    });
    return new Map(await Promise.all(prints));
  }
}

const FILES = 'files';

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Tells the contents of a source on a day; undefined where they are large, linked, fetched or not there. */
async function printOfSource({ source, day }: NightToKeep): Promise<string | undefined> {
  if (!existsSync(source)) return undefined;
  const top = await readdir(source, { withFileTypes: true });
  const others = top.filter(({ name }) => !DATED.test(name) || name === day).map(({ name }) => join(source, name));
  const prints: string[] = [];
  let bytes = 0;
  for (const path of (await Promise.all(others.map(filesAt))).flat()) {
    const found = await lstat(path);
    bytes += found.size;
    if (!found.isFile() || bytes > SOURCE_BYTES_MAX) return undefined;
    const content = await readFile(path);
    if (path.endsWith('source.json') && content.includes('"fetch"')) return undefined;
    prints.push(`${relative(source, path)} ${sha256(content)}`);
  }
  return prints.join('\n');
}

async function filesAt(path: string): Promise<readonly string[]> {
  return (await lstat(path)).isDirectory() ? filesIn(path) : [path];
}
