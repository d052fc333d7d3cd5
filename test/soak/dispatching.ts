import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadCatalog } from '../../storage/catalog.ts';
import type { TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { type RunningCli, responsesFrom, runCli, startCli } from '../support/processes/cli.ts';
import type { Chooser } from '../support/random.ts';
import { readTold } from '../support/webhooks/subscribers.ts';
import { expectedOf } from '../webhook-events/oracle.ts';
import {
  type Check,
  compareCounts,
  killWithin,
  type Lane,
  type PartOptions,
  type World,
  withControl,
} from './kills.ts';

/** One of so many kills falls before it dispatches. */
const EARLY_KILLS = 5;
/** From when it dispatches, or is started, to the kill. */
const LIFE_MS_MAX = 2_000;
/** So long that a night is sent over the lives of several processes, and most kills cut deliveries off. */
const RESPONSE_MS_MAX = 500;
/** For the last process, after claims of killed ones have ended. */
const FINISH_MS_MAX = 300_000;

export class DeliveryLog {
  readonly #received = new Map<string, number>();
  readonly #chooser: Chooser;

  constructor(chooser: Chooser) {
    this.#chooser = chooser;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#received.keys());
  }

  get again(): number {
    return [...this.#received.values()].reduce((sum, times) => sum + times - 1, 0);
  }

  readonly handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = String(request.headers['x-service-delivery']);
    for await (const _ of request); // Read to its end.
    await sleep(this.#chooser.integer(0, RESPONSE_MS_MAX));
    this.#received.set(id, (this.#received.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  };
}

interface DispatchingOptions extends PartOptions {
  readonly receiverUrl: string;
  readonly received: DeliveryLog;
}

/** A dispatcher that sends what each night changed to one endpoint. */
export async function openDispatching(world: World, options: DispatchingOptions): Promise<Lane> {
  const { env, received, kills, chooser, receiverUrl } = options;
  const { organizationId } = world.customer;
  const words = ['webhooks', 'add', '--org', organizationId, '--url', receiverUrl, '--topics', 'all', '--json'];
  const added = await runCli(words, { env });
  if (added.code !== 0) throw new Error(`the endpoint was not added: ${added.stderr}${added.stdout}`);
  const endpoint = String(responsesFrom(added.stdout)[0]?.['id']);
  let running: RunningCli | undefined;
  return {
    kills,
    async run() {
      while (kills.areLeft) {
        running = startCli(['dispatch', '--json'], { env });
        if (chooser.integer(1, EARLY_KILLS) > 1)
          await Promise.race([once(running.child.stdout ?? running.child, 'data'), running.ended]);
        if (!(await killWithin(running, LIFE_MS_MAX, chooser))) throw new Error((await running.ended).stderr);
        kills.count();
      }
    },
    async finish() {
      const early = received.ids.size;
      running = startCli(['dispatch', '--json'], { env });
      const expected = await expectedEvents(world);
      await settle(world, expected.length);
      running.child.kill('SIGTERM');
      await running.ended;
      return compare(world, { received, endpoint, expected, early });
    },
    async close() {
      running?.child.kill('SIGKILL');
      await running?.ended;
    },
  };
}

/** Waits until every event is queued and no delivery waits. */
async function settle({ database }: World, events: number): Promise<void> {
  await withControl(database, async ({ kysely }) => {
    for (let waitedMs = 0; waitedMs < FINISH_MS_MAX; waitedMs += 500) {
      const rows = await kysely.selectFrom('webhook_deliveries').select('state').where('kind', '=', 'event').execute();
      if (rows.length >= events && rows.every(({ state }) => state !== 'waiting')) return;
      await sleep(500);
    }
  });
}

interface Outcome {
  readonly received: DeliveryLog;
  readonly endpoint: string;
  readonly expected: readonly string[];
  /** Deliveries that came while dispatchers were killed. */
  readonly early: number;
}

function compare(
  { database }: World,
  { received: { ids, again }, endpoint, expected, early }: Outcome,
): Promise<readonly Check[]> {
  return withControl(database, async (control) => {
    const told = (await readTold(control)).filter((event) => event.endpoint === endpoint && event.topic !== 'ping');
    const events = told.map(({ topic, data }) => sortedText({ topic, data })).sort();
    const deliveries = await control.kysely.selectFrom('webhook_deliveries').select(['id', 'state']).execute();
    const delivered = deliveries.filter(({ state }) => state === 'delivered').map(({ id }) => id);
    const attempts = await control.kysely.selectFrom('webhook_attempts').select('attempt').execute();
    const remark = `${early} came between kills, ${again} came again`;
    const areAll = delivered.length === deliveries.length && delivered.every((id) => ids.has(id));
    const received = compareCounts('deliveries received and recorded as delivered', ids.size, delivered.length, remark);
    return [
      {
        ...compareCounts('events of all nights, by the published files', expected.length, events.length),
        holds: events.join('\n') === [...expected].sort().join('\n'),
      },
      { ...received, holds: received.holds && areAll },
      compareCounts('attempts recorded, one a delivery', deliveries.length, attempts.length),
    ];
  });
}

/** What the nights behind the first have to tell, as texts. */
async function expectedEvents({ store, storeFolder, reader }: World): Promise<readonly string[]> {
  const releases = (await loadCatalog(store)).catalog?.releases ?? [];
  const read = { folder: storeFolder, deps: { store }, reader } as unknown as TemporaryStore; // All that the oracle looks at.
  const texts: string[] = [];
  for (const [index, entry] of releases.entries()) {
    const before = releases[index - 1];
    if (before === undefined) continue;
    for (const { topic, data } of await expectedOf(read, entry, before)) texts.push(sortedText({ topic, data }));
  }
  return texts;
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
