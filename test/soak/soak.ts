/**
 * Kills nights, a server, a dispatcher and syncs with SIGKILL, all at once on one store and one control database, and compares in the end
 * what was acknowledged with what is counted. By `make soak`, or `npx tsx test/soak/soak.ts` after `make build`; `SOAK_KILLS` (1,000) says how
 * many kills in all, `SOAK_SEED` where they fall. Ends with 0 where every line of the table holds.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccounts } from '../../api/accounts/open-accounts.ts';
import { Database } from '../../storage/duckdb/database.ts';
import { addCustomer } from '../support/accounts/subject.ts';
import { freePort } from '../support/processes/servers.ts';
import { openFileTarget } from '../support/processes/target.ts';
import { createChooser, randomFromSeed } from '../support/random.ts';
import { startTlsReceiver } from '../support/server/tls-receiver.ts';
import { DeliveryLog, openDispatching } from './dispatching.ts';
import { type Check, Kills, type Lane } from './kills.ts';
import { openNights } from './nights.ts';
import { openServing } from './serving.ts';
import { openSyncing } from './syncing.ts';

/** Of a hundred kills; a server takes longest to start. */
const SHARES = { nights: 15, serve: 8, dispatch: 27, sync: 50 } as const;
const PROGRESS_KILLS = 50;
const UNLIMITED = { plan: 'commercial', contract: { burst_per_minute: 1_000_000 } } as const;

const wanted = Number(process.env['SOAK_KILLS'] ?? 1_000);
const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000);
const startedAt = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'modelstats-soak-'));
const lanes: Lane[] = [];
const closing: (() => unknown)[] = [];

function seconds(): string {
  return `${Math.round((performance.now() - startedAt) / 1000)} s`;
}

function killsOf(name: keyof typeof SHARES): Kills {
  return new Kills(name, Math.ceil((wanted * SHARES[name]) / 100), () => {
    const done = lanes.reduce((sum, { kills }) => sum + kills.done, 0);
    if (done % PROGRESS_KILLS > 0) return;
    const each = lanes.map(({ kills }) => `${kills.name} ${kills.done}`).join(', ');
    console.info(`${seconds()}: ${done} kills (${each})`);
  });
}

async function openLanes(): Promise<void> {
  const target = await openFileTarget(join(folder, 'run'));
  const storeFolder = join(folder, 'run', 'store');
  const database = `sqlite:${join(folder, 'accounts.db')}`;
  const tempFolder = join(folder, 'spill');
  const reader = await Database.open(':memory:', { memoryLimit: '256MB', threads: 1, tempFolder });
  closing.push(() => reader.close());
  const accounts = await openAccounts(database);
  const [customer, consumer] = [await addCustomer(accounts, UNLIMITED), await addCustomer(accounts, UNLIMITED)];
  await accounts.close();
  const received = new DeliveryLog(createChooser(seed));
  const receiver = await startTlsReceiver({ handler: (...call) => void received.handle(...call) });
  closing.push(() => receiver.close());
  await writeFile(join(folder, 'ca.pem'), receiver.ca);
  const port = await freePort();
  const env = {
    ...target.env,
    MODELSTATS_DATABASE: database,
    MODELSTATS_MAIL: join(folder, 'mail'),
    MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
    MODELSTATS_POLL_SECONDS: '0.5',
    MODELSTATS_WEBHOOKS_POLL_SECONDS: '0.1',
    MODELSTATS_THREADS: '1',
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  };
  const world = { folder, target, store: target.store, storeFolder, database, reader, customer };
  const killed = (name: keyof typeof SHARES, chooserSeed: number) => ({
    kills: killsOf(name),
    chooser: createChooser(chooserSeed),
  });
  const wantedNights = (wanted * SHARES.nights) / 100;
  lanes.push(await openNights(world, { kills: killsOf('nights'), wanted: wantedNights, random: randomFromSeed(seed) }));
  const serveEnv = { MODELSTATS_PORT: String(port), MODELSTATS_POLL_SECONDS: '0.5', MODELSTATS_LOG_LEVEL: 'warn' };
  const syncEnv = {
    MODELSTATS_API_URL: `http://127.0.0.1:${port}`,
    MODELSTATS_API_KEY: consumer.key,
    MODELSTATS_THREADS: '1',
  };
  lanes.push(
    openServing(world, { env: serveEnv, ...killed('serve', seed + 1) }),
    await openDispatching(world, { env, receiverUrl: receiver.url, received, ...killed('dispatch', seed + 2) }),
    openSyncing(world, { env: syncEnv, ...killed('sync', seed + 3) }),
  );
}

/** Runs all of it; says whether everything that was acknowledged is counted. */
async function soak(): Promise<boolean> {
  console.info(`${wanted} kills, seed ${seed}, in ${folder}`);
  await openLanes();
  await Promise.all(lanes.map((lane) => lane.run()));
  const kills = lanes.reduce((sum, lane) => sum + lane.kills.done, 0);
  console.info(`${seconds()}: ${kills} kills, and all come to their end`);
  const checks: Check[] = [];
  for (const lane of lanes) checks.push(...(await lane.finish()));
  console.table(lanes.map((lane) => ({ killed: lane.kills.name, times: lane.kills.done })));
  console.table(checks);
  const broken = checks.filter(({ holds }) => !holds);
  console.info(`${seconds()}: ${kills} kills, ${broken.length} of ${checks.length} lines do not hold`);
  return kills >= wanted && broken.length === 0;
}

async function cleanUp(): Promise<void> {
  for (const lane of lanes) await lane.close?.();
  for (const close of closing.reverse()) await close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  process.exitCode = (await soak()) ? 0 : 1;
} catch (error) {
  console.error(error);
  console.error(`to see it again: SOAK_SEED=${seed}`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
