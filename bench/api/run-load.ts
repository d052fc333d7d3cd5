import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { scriptArgs, startNode } from '../measure.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';

export interface RunningLoad {
  /** Rejects where an answer was not a 200. */
  readonly result: Promise<LoadResult>;
  /** Makes it begin no more requests. */
  stop(): void;
}

/** Starts the load generator. */
export async function startLoad(plan: LoadPlan): Promise<RunningLoad> {
  const folder = await mkdtemp(join(tmpdir(), 'modelstats-load-'));
  const file = join(folder, 'plan.json');
  await writeFile(file, JSON.stringify(plan));
  const { child, stdout } = startNode(scriptArgs('bench/api/load.ts', [file]), {}, 2);
  const finish = async () => {
    const [printed] = await Promise.all([text(stdout), once(child, 'exit')]);
    await rm(folder, { recursive: true, force: true });
    if (child.exitCode !== 0) throw new Error('the load generator failed, see above');
    return JSON.parse(printed) as LoadResult; // Printed by load.ts.
  };
  return { result: finish(), stop: () => void child.kill('SIGTERM') };
}

/** Runs the load generator to its end. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return (await startLoad(plan)).result;
}
