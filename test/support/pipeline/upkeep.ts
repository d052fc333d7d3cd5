import { ulid } from 'ulid';
import type { UpkeepDeps, UpkeepEnd } from '../../../pipeline/run/run.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';

/** What commands that look after a store need, for runs in a work folder. */
export function upkeepDeps(workFolder: string): UpkeepDeps & { readonly duckdb: DuckDBLimits } {
  return { workFolder, clock: () => new Date(), newRunId: () => ulid(), duckdb: { memoryLimit: '300MB', threads: 1 } };
}

/** What `verify` needs beside its store. */
export function verifyDeps(workFolder: string) {
  return { ...upkeepDeps(workFolder), onPlan: () => {}, onSnapshot: () => {} };
}

/** What `prune` needs beside its store and the retention. */
export function pruneDeps(workFolder: string) {
  return { ...upkeepDeps(workFolder), onPlan: () => {}, onRemoval: () => {} };
}

/** An answer without what tells its run from another one. */
export async function withoutRun<T extends UpkeepEnd>(response: Promise<T>): Promise<Omit<T, keyof UpkeepEnd>> {
  const { warnings: _, report: __, ...result } = await response;
  return result;
}
