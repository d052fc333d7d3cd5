import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DISPATCHER_OPTIONS } from '../../api/webhooks/delivery/dispatcher-options.ts';
import { PostgresServer } from '../../test/support/processes/postgres-server.ts';
import { findProgram } from '../../test/support/processes/server-process.ts';
import { SECRET, WebhookDatabase } from '../../test/support/webhooks/webhook-database.ts';
import { measureScript, scriptArgs, startNode } from '../measure.ts';
import { median, type ResultTable } from '../results.ts';
import type { SenderPlan, SenderResult } from './sender-plan.ts';

export interface DeliveriesBenchOptions {
  readonly folder: string;
  /** Rounds behind each figure, a bare one and one of each database. */
  readonly repeats: number;
  /** Of one round. */
  readonly deliveries: number;
  readonly progress: (text: string) => void;
}

/** So many endpoints keep as many requests under way as the bare loop does. */
const ENDPOINTS = 4;
/** The key that seals secrets in test/support/webhooks. */
const SECRET_KEY = '07'.repeat(32);

/** Webhook deliveries a second, durable, against a bare undici loop that posts the same. */
export async function measureDeliveries(options: DeliveriesBenchOptions): Promise<ResultTable> {
  const receiver = await startReceiver(options.folder);
  const postgres = findProgram('postgres') === undefined ? undefined : await PostgresServer.start();
  try {
    const databases: Record<string, (round: number) => Promise<string>> = {
      SQLite: async (round) => `sqlite:${join(options.folder, `deliveries-${round}.db`)}`,
    };
    if (postgres !== undefined) databases['PostgreSQL'] = () => postgres.createDatabase();
    const rows = await measureRounds(receiver.url, databases, options);
    return {
      title: 'Webhook deliveries, durable, against a bare loop of the same signed POST',
      columns: [
        'database',
        'bare deliveries/s',
        'deliveries/s',
        'ratio',
        'each pair',
        'bare processor µs',
        'processor µs',
      ],
      rows,
      note:
        `Goal: at least 50 %. ${options.deliveries} deliveries for ${ENDPOINTS} endpoints of one receiver process over TLS; ${inFlight()} requests ` +
        'at once. Both sign every request; the dispatcher also claims deliveries and records attempts until all is on disk. ' +
        `Medians of ${options.repeats} pairs. Processor time of the sender per delivery, without PostgreSQL.`,
    };
  } finally {
    await receiver.stop();
    await postgres?.stop();
  }
}

function inFlight(): number {
  return ENDPOINTS * DISPATCHER_OPTIONS.perEndpointMax;
}

async function measureRounds(
  url: string,
  databases: Readonly<Record<string, (round: number) => Promise<string>>>,
  options: DeliveriesBenchOptions,
): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  const plan = { url, secret: SECRET, secretKey: SECRET_KEY, deliveries: options.deliveries, inFlight: inFlight() };
  for (const [name, another] of Object.entries(databases)) {
    const pairs: { readonly bare: SenderResult; readonly durable: SenderResult }[] = [];
    for (let round = 0; round < options.repeats; round += 1) {
      const database = await another(round);
      await queueDeliveries(database, url, options.deliveries);
      const bare = await runSender(plan, options.folder);
      const durable = await runSender({ ...plan, database }, options.folder);
      if (durable.deliveries !== options.deliveries) throw new Error(`${durable.deliveries} were delivered`);
      pairs.push({ bare, durable });
      options.progress(`${name}: ${perSecond(bare)} bare, ${perSecond(durable)} durable`);
    }
    const ratios = pairs.map(({ bare, durable }) => bare.wallMs / durable.wallMs);
    rows.push([
      name,
      perSecond(...pairs.map(({ bare }) => bare)),
      perSecond(...pairs.map(({ durable }) => durable)),
      median(ratios).toFixed(2),
      ratios.map((ratio) => ratio.toFixed(2)).join(' '),
      microseconds(pairs.map(({ bare }) => bare)),
      microseconds(pairs.map(({ durable }) => durable)),
    ]);
  }
  return rows;
}

function perSecond(...results: readonly SenderResult[]): string {
  return median(results.map(({ deliveries, wallMs }) => (deliveries / wallMs) * 1000)).toFixed(0);
}

function microseconds(results: readonly SenderResult[]): string {
  return median(results.map(({ deliveries, cpuMs }) => (cpuMs / deliveries) * 1000)).toFixed(0);
}

async function queueDeliveries(database: string, url: string, count: number): Promise<void> {
  const world = await WebhookDatabase.open(database);
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
    const id = await world.addEndpoint({ url: `${url}/${endpoint}` });
    await world.addDeliveries(id, count / ENDPOINTS);
  }
  await world.close();
}

async function runSender(plan: SenderPlan, folder: string): Promise<SenderResult> {
  const file = join(folder, 'sender.json');
  await writeFile(file, JSON.stringify(plan));
  const { stdout } = await measureScript('bench/webhooks/sender.ts', [file], {});
  return JSON.parse(stdout) as SenderResult; // Printed by sender.ts.
}

async function startReceiver(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-days', '2', '-nodes'];
  const files = ['-keyout', key, '-out', certificate];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...subject, ...files];
  execFileSync('openssl', words, { stdio: 'ignore' });
  const { child, stdout } = startNode(scriptArgs('bench/webhooks/receiver.ts', [key, certificate]), {}, 2);
  const [line] = await once(createInterface({ input: stdout }), 'line');
  const { url } = JSON.parse(String(line)) as { readonly url: string }; // Printed by receiver.ts.
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
