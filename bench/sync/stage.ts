import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RELEASES_PREFIX } from '../../storage/keys.ts';
import { type Server, servedDay, startApi } from '../api/servers.ts';
import { type ApiBenchOptions, copyBefore, prepareApi, publishSecondDay, uploadSecondDay } from '../api/stages.ts';
import { type Measured, measureNode } from '../measure.ts';
import { CLI, SECOND_DAY } from '../night.ts';

/** The copies that are measured: what people call them, and how the file or folder ends. */
export const TARGETS: Readonly<Record<string, string>> = { DuckDB: '.duckdb', SQLite: '.sqlite', folder: '' };

/** A served store of one day, to which the second may come: 1 of its scores in `1 / changed` differs. */
export interface SyncStage {
  readonly folder: string;
  readonly server: Server;
  readonly env: Readonly<Record<string, string>>;
  /** Compressed files of the first day's snapshot. */
  readonly snapshot: string;
  /** Publishes the second day, once; resolves when it is served. */
  publishSecond(): Promise<void>;
}

export async function prepareSync(scores: number, options: ApiBenchOptions): Promise<SyncStage> {
  const stage = await prepareApi({ scores, changed: 1 }, options);
  const store = await copyBefore(stage, 'sync-store');
  const [release = ''] = await readdir(join(store, RELEASES_PREFIX));
  const server = await startApi({ store, view: join(stage.folder, 'sync-view'), env: options.env });
  const key = options.headers['Authorization']?.replace('Bearer ', '') ?? '';
  return {
    folder: stage.folder,
    server,
    env: { MODELSTATS_API_URL: server.origin, MODELSTATS_API_KEY: key, ...LIMITS },
    snapshot: join(store, RELEASES_PREFIX, release, 'snapshot'),
    publishSecond: async () => {
      await uploadSecondDay(stage, store);
      await publishSecondDay(store);
      while ((await servedDay(server.origin)) !== SECOND_DAY) await setTimeout(POLL_MS);
    },
  };
}

/** DuckDB's, of every process measured. */
export const LIMITS = { MODELSTATS_MEMORY_LIMIT: '1GB', MODELSTATS_THREADS: '2' };
const POLL_MS = 50;

/** `modelstats sync` as a process of its own; rejects where it did something else than expected. */
export async function runSync(stage: SyncStage, into: string, status: 'imported' | 'followed'): Promise<Measured> {
  const measured = await measureNode([CLI, 'sync', '--into', into, '--json'], stage.env);
  const response = JSON.parse(measured.stdout) as { readonly status: string; readonly warnings: readonly string[] };
  if (response.status !== status || response.warnings.length > 0) throw new Error(`not ${status}: ${measured.stdout}`);
  return measured;
}

/** A copy of a copy, in place of whatever is there. */
export async function replaceCopy(from: string, to: string): Promise<void> {
  await removeCopy(to);
  await cp(from, to, { recursive: true });
}

export async function removeCopy(path: string): Promise<void> {
  for (const ending of ['', '.lock', '.wal', '-wal', '-shm', '.sync']) {
    await rm(`${path}${ending}`, { recursive: true, force: true });
  }
}
