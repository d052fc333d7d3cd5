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
 * `<work>/runs/<day>.<run>/`: `report.json` and `issues.jsonl` stay; `tmp/` and `owner`, a link to `pid@host`, are
 * removed when the run ends or, after a kill, when the next one starts.
 */
export interface RunFolder {
  readonly path: string;
  /** Files to upload, under release paths. */
  readonly release: string;
  /** For temporary files and DuckDB's spilling. */
  readonly scratch: string;
  removeTemporary(): Promise<void>;
}

/** Rejects with `store_unavailable` where it can't be written. */
export async function openRunFolder(work: string, name: ReleaseName): Promise<RunFolder> {
  const path = join(work, 'runs', releaseId(name));
  const [release, scratch] = [join(path, 'tmp', 'release'), join(path, 'tmp', 'scratch')];
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    // First, and atomic: whatever a killed run leaves has an owner.
    await symlink(`${process.pid}@${hostname()}`, join(path, 'owner'));
    await mkdir(release, { recursive: true });
    await mkdir(scratch);
  } catch (cause) {
    throw unusable(work, await findReason(work, cause));
  }
  return { path, release, scratch, removeTemporary: () => removeTemporary(path) };
}

/** Errors of a failing disk, from Node or passed on by DuckDB. */
const DISK_FAULT =
  /ENOSPC|EDQUOT|EROFS|EFBIG|EACCES|EPERM|EIO|ENOTDIR|EEXIST|No space left|quota exceeded|Read-only file system|File too large/;

/** Disk errors become `store_unavailable`; AppErrors of source and store stay. */
export function workErrorFrom(error: unknown, work: string): unknown {
  return error instanceof AppError || !DISK_FAULT.test(messageFromError(error)) ? error : unusable(work, error);
}

function unusable(work: string, cause: unknown): AppError {
  return new AppError('store_unavailable', `the work folder ${work} can't be used: ${messageFromError(cause)}`, {
    cause,
  });
}

/** On a read-only disk, creating several folders fails with ENOENT; the nearest existing one gives the real reason. */
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
const RUNS_MAX = 1000;
/** After this, a run of another machine or container counts as dead. */
const FOREIGN_RUN_MS_MAX = 24 * 60 * 60 * 1000;

/** Removes the remains of dead runs; failures are left to the next run. */
export async function tidyRuns(work: string, now: Date): Promise<void> {
  const runs = join(work, 'runs');
  const names = (await readdir(runs).catch(() => [])).sort();
  for (const name of names) {
    if (await isDead(join(runs, name), now)) await removeTemporary(join(runs, name)).catch(() => undefined);
  }
  for (const name of names.slice(0, -RUNS_MAX)) {
    await rm(join(runs, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True where the owner no longer runs. */
async function isDead(path: string, now: Date): Promise<boolean> {
  const link = join(path, 'owner');
  const [owner, stats] = await Promise.all([readlink(link), lstat(link)]).catch(() => []);
  if (owner === undefined || stats === undefined) return false;
  const [pid, host] = [Number.parseInt(owner, 10), owner.slice(owner.indexOf('@') + 1)];
  if (host !== hostname()) return now.getTime() - stats.mtimeMs > FOREIGN_RUN_MS_MAX;
  return !isAnotherProcess(pid);
}

/** False for this process, which has no run yet; in containers, process numbers may be equal. */
export function isAnotherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeFromError(error) === 'EPERM';
  }
}

/** `<work>/store.json`: the series that a work folder belongs to. */
const NoteSchema = z.object({ identity: z.string(), url: z.string() });

/** A store about to be changed. */
export interface WorkStore {
  readonly store: Pick<ObjectStore, 'url'>;
  readonly catalog: Catalog | undefined;
}

/**
 * Records which series a work folder belongs to. Rejects with `configuration` for another one (decision 0043): the
 * store's address is wrong, or its disk not mounted, and the series would continue elsewhere or begin anew. A new
 * folder accepts any store.
 */
export async function claimWorkFolder(work: string, { store, catalog }: WorkStore): Promise<void> {
  const path = join(work, 'store.json');
  const identity = identityFromCatalog(catalog);
  const noted = await readNote(path);
  if (noted !== undefined && noted.identity !== identity) {
    const found = identity === undefined ? `${store.url} is empty` : `${store.url} is another store`;
    const remedy = 'check MODELSTATS_STORE; if it is right, set another work folder (MODELSTATS_WORK)';
    throw new AppError(
      'configuration',
      `${work} is the work folder of the store ${noted.url}, but ${found}; ${remedy} or remove ${path}`,
    );
  }
  if (noted !== undefined || identity === undefined) return;
  try {
    await mkdir(work, { recursive: true, mode: 0o700 });
    // Not atomic: a temporary file might stay after a kill, while an incomplete note is written again.
    await writeFile(path, `${JSON.stringify({ identity, url: store.url })}\n`);
  } catch {
    // A precaution only: a read-only work folder stops the run itself, with the reason.
  }
}

async function readNote(path: string): Promise<z.infer<typeof NoteSchema> | undefined> {
  try {
    return NoteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
