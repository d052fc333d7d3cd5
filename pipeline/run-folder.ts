import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageFromError } from '../schemas/errors.ts';
import type { ReleaseName } from '../storage/keys.ts';
import { releaseId } from '../storage/keys.ts';

/**
 * A run's own folder, `<work>/runs/<day>.<run>/`: `report.json` and `issues.jsonl` stay, `tmp/` goes when the run ends,
 * or, where the run was killed, when the next one starts.
 */
export interface RunFolder {
  readonly path: string;
  /** What will be uploaded, under release paths. */
  readonly release: string;
  /** Files on the way, and where DuckDB spills. */
  readonly scratch: string;
  removeTemporary(): Promise<void>;
}

/** Runs whose reports are kept. */
const RUNS_KEPT_MAX = 1000;

/** Makes the folder of a run and tidies up after runs that died. Rejects with `store_unavailable` where it can't be written. */
export async function openRunFolder(work: string, name: ReleaseName): Promise<RunFolder> {
  const runs = join(work, 'runs');
  const path = join(runs, releaseId(name));
  const temporary = join(path, 'tmp');
  const [release, scratch] = [join(temporary, 'release'), join(temporary, 'scratch')];
  try {
    await mkdir(runs, { recursive: true });
    await tidy(runs);
    await mkdir(release, { recursive: true });
    await mkdir(scratch);
    await writeFile(join(temporary, 'pid'), String(process.pid));
  } catch (cause) {
    throw new AppError('store_unavailable', `the work folder ${work} can't be used: ${messageFromError(cause)}`, {
      cause,
    });
  }
  return { path, release, scratch, removeTemporary: () => rm(temporary, { recursive: true, force: true }) };
}

async function tidy(runs: string): Promise<void> {
  const names = (await readdir(runs)).sort();
  for (const name of names) {
    const temporary = join(runs, name, 'tmp');
    const pid = await readFile(join(temporary, 'pid'), 'utf8').catch(() => undefined);
    if (pid !== undefined && !isAlive(Number(pid))) await rm(temporary, { recursive: true, force: true });
  }
  for (const name of names.slice(0, -RUNS_KEPT_MAX)) await rm(join(runs, name), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
