import { Agent } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAccounts } from '../../api/accounts/open-accounts.ts';
import { addCustomer, type Customer } from '../support/accounts/subject.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { openSampleStore } from '../support/pipeline/sample-store.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { newFolder } from '../support/temporary-folder.ts';

const KILLS = 3;
const WORKERS = 20;
const ANSWERS_BEFORE_KILL = 200;

/** Kills the real server under load; what clients were answered must have been counted when it is back. */
export function describeServeKill(name: string, createDatabase: () => Promise<string>): void {
  describe(`modelstats serve on ${name}, killed with -9 under load`, () => {
    test('has counted every unit whose 200 was received, and serves on after the restart', async () => {
      const database = await createDatabase();
      const customer = await addUnlimited(database);
      const store = await openSampleStore();
      onTestFinished(() => store.dispose());
      const serving = await ServingProcess.start({ store: store.folder, database });
      onTestFinished(() => serving.dispose());
      for (let kill = 0, before = 0; kill < KILLS; kill += 1) {
        const answered = await answeredUntilKilled(serving, customer.key);
        await serving.run();
        const used = await usedBy(serving, customer.key);
        expect(answered).toBeGreaterThanOrEqual(ANSWERS_BEFORE_KILL);
        expect(used - before).toBeGreaterThanOrEqual(answered);
        // Counted but not answered: at most what was under way.
        expect(used - before - answered).toBeLessThanOrEqual(WORKERS);
        before = used;
      }
    }, 120_000);
  });
}

/** The address of a SQLite file that goes away with the test. */
export async function temporarySqlite(): Promise<string> {
  return `sqlite:${await newFolder()}/accounts.db`;
}

export async function addUnlimited(database: string): Promise<Customer> {
  const accounts = await openAccounts(database);
  const customer = await addCustomer(accounts, { plan: 'commercial', contract: { burst_per_minute: 1_000_000 } });
  await accounts.close();
  return customer;
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
      if (answered === ANSWERS_BEFORE_KILL) void serving.end('SIGKILL');
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: WORKERS }, (_, worker) => askUntilItFails(worker)));
  agent.destroy();
  await serving.end('SIGKILL');
  for (const end of ends)
    expect(end.status === 'rejected' && String(end.reason)).toMatch(/ECONNRESET|ECONNREFUSED|socket hang up|EPIPE/);
  return answered;
}
