/**
 * A night that changes many scores, told to three endpoints: one that answers at once, one after 9 seconds, one that fails half the
 * time; the dispatcher is killed ten times meanwhile. By hand: `npx tsx test/webhooks/run-load.ts [SCORES] [sqlite | postgres] [DISPATCHERS]
 * [KILLS] [ENDPOINTS]`, with a PostgreSQL server of its own, and `fast` alone for comparison; one JSON object on stdout. Needs `make build`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_DAY, SECOND_DAY } from '../../bench/night.ts';
import { startTlsReceiver } from '../support/http/tls-receiver.ts';
import { answersFrom, runCli, startCli } from '../support/processes/cli.ts';
import { PostgresServer } from '../support/processes/postgres-server.ts';

const SLOW_MS = 9_000;

const [scoresText = '200000', engine = 'sqlite', dispatchersText = '1', killsText = '10', names = 'fast,slow,flaky'] =
  process.argv.slice(2);
const [dispatchers, kills] = [Number(dispatchersText), Number(killsText)];
const folder = await mkdtemp(join(tmpdir(), 'modelstats-load-'));

/** What one endpoint got. */
class Receiver {
  readonly seqs = new Set<number>();
  readonly inFlight = new Set<string>();
  requests = 0;
  /** Requests for a delivery of which another was being answered. */
  doubled = 0;
  completeAt: number | undefined;
  delayMs = 0;
  failing = 0;
  expected = Number.POSITIVE_INFINITY;

  readonly handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const part of request) text += part;
    const { topic, data } = JSON.parse(text);
    if (topic === 'ping') return void response.writeHead(204).end();
    const delivery = String(request.headers['x-service-delivery']);
    if (this.inFlight.has(delivery)) this.doubled += 1;
    this.inFlight.add(delivery);
    response.on('close', () => this.inFlight.delete(delivery));
    this.requests += 1;
    this.seqs.add(data.seq);
    if (this.seqs.size === this.expected) this.completeAt ??= performance.now();
    if (this.delayMs > 0) await sleep(this.delayMs);
    response.writeHead(Math.random() < this.failing ? 500 : 204).end();
  };
}

const all = { fast: new Receiver(), slow: new Receiver(), flaky: new Receiver() };
all.slow.delayMs = SLOW_MS;
all.flaky.failing = 0.5;
const receivers = Object.fromEntries(Object.entries(all).filter(([name]) => names.split(',').includes(name)));
const servers = await Promise.all(
  Object.values(receivers).map(({ handle }) => startTlsReceiver({ handler: (...call) => void handle(...call) })),
);
const postgres = engine === 'postgres' ? await PostgresServer.start() : undefined;
const ca = join(folder, 'ca.pem');
await writeFile(ca, servers.map((server) => server.ca).join(''));
const env = {
  MODELSTATS_STORE: `file:${join(folder, 'store')}`,
  MODELSTATS_WORK: join(folder, 'work'),
  MODELSTATS_MAIL: join(folder, 'mail'),
  MODELSTATS_DATABASE: (await postgres?.createDatabase()) ?? `sqlite:${join(folder, 'accounts.db')}`,
  MODELSTATS_SECRET_KEYS: Buffer.alloc(32, 7).toString('base64'),
  MODELSTATS_OUTBOUND_ALLOW: '127.0.0.0/8',
  MODELSTATS_POLL_SECONDS: '1',
  MODELSTATS_LOG_LEVEL: 'warn',
  NODE_EXTRA_CA_CERTS: ca,
};

async function run(...words: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli([...words, '--json'], { env });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}${stdout}`);
  return answersFrom(stdout)[0] ?? {};
}

try {
  const tsx = join(import.meta.dirname, '../../node_modules/tsx/dist/cli.mjs');
  const days = join(folder, 'days');
  const generate = join(import.meta.dirname, '../../bench/generate-days.ts');
  spawnSync(process.execPath, [tsx, generate, days, scoresText, '0.55'], { stdio: 'inherit' });
  await run('nightly', '--source', days, '--day', FIRST_DAY);
  const { id: organization } = await run('orgs', 'create', '--name', 'Load', '--plan', 'commercial');
  for (const { url } of servers) {
    const words = ['webhooks', 'add', '--org', String(organization), '--url', url, '--topics', 'score.updated'];
    const { state } = await run(...words);
    if (state !== 'active') throw new Error(`${url} is ${state}`);
  }
  let running = Array.from({ length: dispatchers }, () => startCli(['dispatch'], { env }));
  await sleep(3_000);
  const { events, first_seq: firstSeq } = await run('nightly', '--source', days, '--day', SECOND_DAY);
  const startedAt = performance.now();
  const wanted = countScoreUpserts(firstSeq as number);
  for (const receiver of Object.values(receivers)) receiver.expected = wanted;
  let peakKilobytes = 0;
  const watch = setInterval(() => {
    for (const { child } of running) peakKilobytes = Math.max(peakKilobytes, peakOf(child.pid));
  }, 200);
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(1_000 + Math.random() * 4_000);
    const [victim, ...others] = running;
    victim?.child.kill('SIGKILL');
    await victim?.ended;
    running = [...others, startCli(['dispatch'], { env })];
  }
  while (all.fast.completeAt === undefined) await sleep(100);
  const slowMeanwhile = all.slow.seqs.size;
  all.slow.delayMs = 0; // It had 9 seconds for each so far; all of them would take a day.
  while (Object.values(receivers).some(({ completeAt }) => completeAt === undefined)) await sleep(100);
  clearInterval(watch);
  for (const { child } of running) child.kill('SIGTERM');
  const ends = await Promise.all(running.map(({ ended }) => ended));
  const seconds = (at: number | undefined) => (at === undefined ? null : Math.round((at - startedAt) / 100) / 10);
  console.log(
    JSON.stringify({
      events,
      score_events: wanted,
      kills,
      dispatchers,
      peak_mb: Math.round(peakKilobytes / 1024),
      slow_told_at_9_s_each: slowMeanwhile,
      ends: ends.map(({ code }) => code),
      endpoints: Object.fromEntries(
        Object.entries(receivers).map(([name, { seqs, requests, doubled, completeAt }]) => [
          name,
          { events: seqs.size, requests, doubled, complete_after_s: seconds(completeAt) },
        ]),
      ),
    }),
  );
} finally {
  await Promise.all(servers.map((server) => server.close()));
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Scores come after models in a night's upserts; deletes come first. Counted in the published file by DuckDB's own reader. */
function countScoreUpserts(firstSeq: number): number {
  const script = `import { DuckDBInstance } from '@duckdb/node-api';
    const connection = await (await DuckDBInstance.create()).connect();
    const reader = await connection.runAndReadAll("SELECT count(*)::INTEGER FROM read_parquet('${folder}/store/releases/${SECOND_DAY}*/changes.parquet') WHERE op = 'upsert' AND entity_type = 'score' AND seq >= ${firstSeq}");
    console.log(reader.value(0, 0));`;
  const root = join(import.meta.dirname, '../..');
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  });
  if (!/^\d+\n$/.test(stdout)) throw new Error(stderr);
  return Number(stdout);
}

/** The largest that a process has been, in kilobytes; 0 where nobody tells. */
function peakOf(pid: number | undefined): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // It ended meanwhile.
  }
}
