import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Day } from '../../../runtime/day.ts';
import { type Catalog, type CatalogEntry, RELEASE_PARTS } from '../../../schemas/catalog.ts';
import { FileStore } from '../../../storage/file/file-store.ts';
import { CATALOG_KEY, partOfPath, RELEASE_PATHS, type ReleaseName, releaseKey } from '../../../storage/keys.ts';

/** Something of everything that a published release holds, relative to its prefix. */
export const RELEASE_FILES: readonly string[] = [
  RELEASE_PATHS.release,
  RELEASE_PATHS.published,
  RELEASE_PATHS.manifest,
  RELEASE_PATHS.changes,
  RELEASE_PATHS.snapshot('scores'),
  RELEASE_PATHS.state('scores'),
  RELEASE_PATHS.suspects,
  RELEASE_PATHS.history('scores'),
];

/** A store whose releases are names and sizes only: objects of a few bytes, put there without a night. */
export type SmallStore = Awaited<ReturnType<typeof openSmallStore>>;

export async function openSmallStore() {
  const root = await mkdtemp(join(tmpdir(), 'modelstats-small-'));
  const folder = join(root, 'store');
  await mkdir(folder);
  const write = async (key: string, text: string) => {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), text);
  };
  return {
    store: new FileStore(folder),
    folder,
    workFolder: join(root, 'work'),
    /** Writes a release's objects, last written at `at`. */
    put: async (name: ReleaseName, { at, paths = RELEASE_FILES }: { at: Date; paths?: readonly string[] }) => {
      for (const path of paths) {
        await write(releaseKey(name, path), path);
        await utimes(join(folder, releaseKey(name, path)), at, at);
      }
    },
    writeCatalog: async (releases: readonly CatalogEntry[]) => {
      const catalog: Catalog = { format: 1, generation: 1, releases: [...releases] };
      await write(CATALOG_KEY, JSON.stringify(catalog));
      return catalog;
    },
    keys: async () => {
      const entries = await readdir(join(folder, 'releases'), { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile());
      return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1)).sort();
    },
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

/** A live release of a day, with all its parts. */
export function smallEntry(day: Day, run = 'RUN'): CatalogEntry {
  return {
    day,
    run,
    release_sha256: '0'.repeat(64),
    data_as_of: `${day}T23:59:59Z`,
    published_at: `${day}T23:59:59Z`,
    schema_version: '1.0',
    captured: [],
    first_seq: null,
    last_seq: 0,
    parts: [...RELEASE_PARTS],
  };
}

/** The keys that a release has when exactly its listed parts are there. */
export function keysOf(entry: CatalogEntry): readonly string[] {
  const isListed = (path: string) => {
    const part = partOfPath(path);
    return part === undefined || entry.parts.includes(part);
  };
  return RELEASE_FILES.filter(isListed).map((path) => releaseKey(entry, path));
}
