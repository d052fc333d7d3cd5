import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { fetchOnce } from '../support/api/listen.ts';
import { serveSample } from '../support/processes/serve-sample.ts';
import type { ServingProcess } from '../support/processes/serving-process.ts';

const KILLS = 3;
const WORKERS = 20;
const RESPONSES_BEFORE_KILL = 200;

/** Kills the real server under load; what clients were answered must have been counted when it is back. */
export function describeServeKill(name: string, createDatabase: () => Promise<string>): void {
  describe(`modelstats serve on ${name}, killed with -9 under load`, () => {
    test('has counted every unit whose 200 was received, and serves on after the restart', async () => {
      const { serving, key } = await serveSample({ database: await createDatabase() });
      for (let kill = 0, before = 0; kill < KILLS; kill += 1) {
        const answered = await answeredUntilKilled(serving, key);
        await serving.run();
        const used = await usedBy(serving, key);
        expect(answered).toBeGreaterThanOrEqual(RESPONSES_BEFORE_KILL);
        expect(used - before).toBeGreaterThanOrEqual(answered);
        // Counted but not answered: at most what was under way.
        expect(used - before - answered).toBeLessThanOrEqual(WORKERS);
        before = used;
      }
    }, 120_000);
  });
}

async function usedBy({ url }: ServingProcess, key: string): Promise<number> {
  return JSON.parse((await fetchOnce(`${url}/v1/account`, key)).body).usage.used;
}

/** How often a 200 came before the server was killed in the middle of the load. */
async function answeredUntilKilled(serving: ServingProcess, key: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const paths = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/updates'];
  let answered = 0;
  const askUntilItFails = async (worker: number): Promise<void> => {
    for (let round = 0; ; round += 1) {
      const { status } = await fetchOnce(`${serving.url}${paths[(worker + round) % paths.length]}`, key, { agent });
      if (status !== 200) throw new Error(`answered with ${status}`);
      answered += 1;
      if (answered === RESPONSES_BEFORE_KILL) void serving.end('SIGKILL');
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: WORKERS }, (_, worker) => askUntilItFails(worker)));
  agent.destroy();
  await serving.end('SIGKILL');
  for (const end of ends)
    expect(end.status === 'rejected' && String(end.reason)).toMatch(/ECONNRESET|ECONNREFUSED|socket hang up|EPIPE/);
  return answered;
}
