import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { dayFromDate } from '../../runtime/day.ts';
import { fetchOnce } from '../support/api/listen.ts';
import { ServingProcess } from '../support/processes/serving-process.ts';
import { compareCounts, type Lane, type PartOptions, type World, withControl } from './kills.ts';

const WORKERS = 8;
const PATHS = ['/v1/models', '/v1/scores', '/v1/changes', '/v1/updates'] as const;
/** Answers until a kill, at most. */
const RESPONSES_MAX = 60;
/** One of so many kills falls before the server answers. */
const EARLY_KILLS = 3;
const EARLY_MS_MAX = 700;

interface Request {
  readonly path: string;
  /** Of its own, so that sending it again takes no second unit. */
  readonly idempotencyKey: string;
  readonly day: string;
}

/**
 * A server under load. A request whose answer a kill cut off is sent again with its Idempotency-Key, so that in the end as many units
 * are counted as requests were answered.
 */
export function openServing({ storeFolder, database, customer }: World, { env, kills, chooser }: PartOptions): Lane {
  let serving: ServingProcess | undefined;
  let acknowledged = 0;
  const cutOff: Request[] = [];
  const refused: number[] = [];

  const start = async () => {
    if (serving === undefined) serving = await ServingProcess.start({ store: storeFolder, database, env });
    else await serving.run();
    return serving;
  };

  const next = (): Request =>
    cutOff.pop() ?? { path: chooser.pick(PATHS), idempotencyKey: ulid(), day: dayFromDate(new Date()) };

  /** Sends one request; false where no answer came. */
  async function ask(url: string, request: Request, agent: Agent): Promise<boolean> {
    const headers = { 'idempotency-key': request.idempotencyKey };
    try {
      const { status } = await fetchOnce(`${url}${request.path}`, customer.key, { agent, headers });
      if (status === 200) acknowledged += 1;
      else refused.push(status);
      return true;
    } catch {
      cutOff.push(request);
      return false;
    }
  }

  /** Puts load on the server until it is gone; kills it after so many answers. */
  async function askUntilKilled(server: ServingProcess, responsesMax: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
    let answers = 0;
    const work = async () => {
      while (await ask(server.url, next(), agent)) {
        answers += 1;
        if (answers === responsesMax) void server.end('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    agent.destroy();
  }

  async function killEarly(server: ServingProcess): Promise<void> {
    const started = server.run().catch(() => undefined);
    await sleep(chooser.integer(0, EARLY_MS_MAX));
    await server.end('SIGKILL');
    await started;
  }

  return {
    kills,
    async run() {
      while (kills.areLeft) {
        if (serving !== undefined && chooser.integer(1, EARLY_KILLS) === 1) await killEarly(serving);
        else await askUntilKilled(await start(), chooser.integer(1, RESPONSES_MAX));
        kills.count();
      }
      await start(); // For the copies, which are synced from it.
    },
    async finish() {
      const server = serving ?? (await start());
      const today = dayFromDate(new Date());
      // On another day it would be another unit.
      const late = cutOff.filter(({ day }) => day !== today).length;
      const agent = new Agent({ keepAlive: true });
      for (const request of cutOff.splice(0)) if (request.day === today) await ask(server.url, request, agent);
      agent.destroy();
      const counted = await unitsOf(database, customer.organizationId);
      const lost = refused.length + cutOff.length;
      const holds = counted >= acknowledged && counted <= acknowledged + late;
      const remark = late > 0 ? `${late} were cut off at midnight` : '';
      return [
        compareCounts('requests refused, or without an answer in the end', 0, lost, [...new Set(refused)].join(' ')),
        { ...compareCounts('units of requests that were answered', acknowledged, counted, remark), holds },
      ];
    },
    async close() {
      await serving?.dispose();
    },
  };
}

async function unitsOf(address: string, organizationId: string): Promise<number> {
  const rows = await withControl(address, ({ kysely }) =>
    kysely.selectFrom('daily_usage').select('used').where('organization_id', '=', organizationId).execute(),
  );
  return rows.reduce((sum, { used }) => sum + used, 0);
}
