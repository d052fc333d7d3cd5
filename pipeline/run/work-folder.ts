import {
  access,
  constants,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AppError, codeFromError, messageFromError } from '../../runtime/errors.ts';
import { type Catalog, identityFromCatalog } from '../../schemas/catalog.ts';
import { type ReleaseName, releaseId } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

/**
 * A run's own folder, `<work>/runs/<day>.<run>/`: `report.json` and `issues.jsonl` stay; `tmp/` and `owner`, a link
 * that names the run's process as `pid@host`, go when the run ends or, where the run was killed, when the next one starts.
 */
export interface RunFolder {
  readonly path: string;
  /** What will be uploaded, under release paths. */
  readonly release: string;
  /** Files on the way, and where DuckDB spills. */
  readonly scratch: string;
  removeTemporary(): Promise<void>;
}

/** Makes the folder of a run. Rejects with `store_unavailable` where it can't be written. */
export async function openRunFolder(work: string, name: ReleaseName): Promise<RunFolder> {
  const path = join(work, 'runs', releaseId(name));
  const [release, scratch] = [join(path, 'tmp', 'release'), join(path, 'tmp', 'scratch')];
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // Made before anything else, and in one step, as a link is: whenever this run is killed, what it leaves has an owner.
    await symlink(`${process.pid}@${hostname()}`, join(path, 'owner'));
    await mkdir(release, { recursive: true });
    await mkdir(scratch);
  } catch (cause) {
    throw unusable(work, await findReason(work, cause));
  }
  return { path, release, scratch, removeTemporary: () => removeTemporary(path) };
}

/** What the system says where a disk doesn't do its work, whether to us or to DuckDB, which passes its words on. */
const DISK_FAULT =
  /ENOSPC|EDQUOT|EROFS|EFBIG|EACCES|EPERM|EIO|ENOTDIR|EEXIST|No space left|quota exceeded|Read-only file system|File too large/;

/**
 * The `store_unavailable` for whatever went wrong in the work folder; other errors come back as they are. Errors of the
 * source and of the store have said so before, as AppErrors.
 */
export function workErrorFrom(error: unknown, work: string): unknown {
  return error instanceof AppError || !DISK_FAULT.test(messageFromError(error)) ? error : unusable(work, error);
}

function unusable(work: string, cause: unknown): AppError {
  return new AppError('store_unavailable', `the work folder ${work} can't be used: ${messageFromError(cause)}`, {
    cause,
  });
}

/** Making several folders on a read-only disk fails with ENOENT; the nearest folder that exists tells the real reason. */
async function findReason(work: string, error: unknown): Promise<unknown> {
  if (!messageFromError(error).startsWith('ENOENT')) return error;
  let folder = work;
  while (folder !== dirname(folder) && !(await stat(folder).catch(() => undefined))) folder = dirname(folder);
  return access(folder, constants.W_OK).then(
    () => error,
    (refusal: unknown) => refusal,
  );
}

async function removeTemporary(path: string): Promise<void> {
  await rm(join(path, 'tmp'), { recursive: true, force: true });
  await rm(join(path, 'owner'), { force: true });
}

/** Runs whose reports are kept. */
const RUNS_KEPT_MAX = 1000;
/** A run of another machine, or of another container with this work folder, counts as dead after this time. */
const FOREIGN_RUN_MS_MAX = 24 * 60 * 60 * 1000;

/** Removes what runs that died left in the work folder. What can't be removed today is left to the next run. */
export async function tidyRuns(work: string, now: Date): Promise<void> {
  const runs = join(work, 'runs');
  const names = (await readdir(runs).catch(() => [])).sort();
  for (const name of names) {
    if (await isDead(join(runs, name), now)) await removeTemporary(join(runs, name)).catch(() => undefined);
  }
  for (const name of names.slice(0, -RUNS_KEPT_MAX)) {
    await rm(join(runs, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True where a run folder has an owner that is no more. */
async function isDead(path: string, now: Date): Promise<boolean> {
  const link = join(path, 'owner');
  const [owner, stats] = await Promise.all([readlink(link), lstat(link)]).catch(() => []);
  if (owner === undefined || stats === undefined) return false;
  const [pid, host] = [Number.parseInt(owner, 10), owner.slice(owner.indexOf('@') + 1)];
  if (host !== hostname()) return now.getTime() - stats.mtimeMs > FOREIGN_RUN_MS_MAX;
  return !isAnotherProcess(pid);
}

/** False for this process, too: it has not begun a run, and in a container every process has the same number. */
export function isAnotherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeFromError(error) === 'EPERM';
  }
}

/** `<work>/store.json`: which record a work folder is used for. */
const NoteSchema = z.object({ identity: z.string(), url: z.string() });

/** The store that is about to be changed, as it was found. */
export interface WorkStore {
  readonly store: Pick<ObjectStore, 'url'>;
  readonly catalog: Catalog | undefined;
}

/**
 * Notes in a work folder which record it is used for, and rejects with `configuration` where it is used for another one (decision
 * 0043): the address of the store is wrong then, or its disk is not mounted, and the series would go on in the wrong place or
 * begin anew. Commands that change a store call it before they do. A folder without a note, as on a fresh machine, takes any
 * store.
 */
export async function claimWorkFolder(work: string, { store, catalog }: WorkStore): Promise<void> {
  const path = join(work, 'store.json');
  const identity = identityFromCatalog(catalog);
  const noted = await readNote(path);
  if (noted !== undefined && noted.identity !== identity) {
    const found = identity === undefined ? `${store.url} is empty` : `${store.url} is another one`;
    const remedy = 'is MODELSTATS_STORE right? If so, give it a work folder of its own (MODELSTATS_WORK)';
    throw new AppError(
      'configuration',
      `${work} has been used for the store ${noted.url}, and ${found}; ${remedy} or remove ${path}`,
    );
  }
  if (noted !== undefined || identity === undefined) return;
  try {
    await mkdir(work, { recursive: true, mode: 0o700 });
    // Not by way of a temporary file, which a kill could leave: half a note counts as none, and the next command writes it anew.
    await writeFile(path, `${JSON.stringify({ identity, url: store.url })}\n`);
  } catch {
    // The note is a precaution; a work folder that can't be written to stops the run itself, which says why.
  }
}

/** Undefined where there is none that can be read. */
async function readNote(path: string): Promise<z.infer<typeof NoteSchema> | undefined> {
  try {
    return NoteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
