/**
 * Sends deliveries in a process of its own and prints how long that took: `tsx bench/webhooks/sender.ts PLAN_FILE`. Without a
 * database it is a bare loop that signs and posts the same bodies; with one the dispatcher works off what waits there.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { openDatabase } from '../../api/database/open-database.ts';
import { deliveryBody, type SendRequest } from '../../api/webhooks/delivery/attempt-delivery.ts';
import { Dispatcher } from '../../api/webhooks/delivery/dispatcher.ts';
import { DISPATCHER_OPTIONS } from '../../api/webhooks/delivery/dispatcher-options.ts';
import { SecretKeys, signatureHeaders } from '../../api/webhooks/endpoints/signature.ts';
import { DeliveryQueue } from '../../api/webhooks/queue/delivery-queue.ts';
import type { SenderPlan, SenderResult } from './sender-plan.ts';

async function run(plan: SenderPlan): Promise<SenderResult> {
  const agent = new Agent({ connect: { rejectUnauthorized: false }, connections: plan.inFlight, pipelining: 1 });
  const send: SendRequest = async ({ url, method, headers, body }) => {
    const began = performance.now();
    const response = await request(url, { method, headers, body, dispatcher: agent });
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    return { kind: 'response', status: response.statusCode, body: bytes, durationMs: performance.now() - began };
  };
  await sendBare({ ...plan, deliveries: plan.inFlight * 20 }, send); // Connections and code are warm for both.
  const cpu = process.cpuUsage();
  const began = performance.now();
  const { database } = plan;
  const deliveries = database === undefined ? await sendBare(plan, send) : await dispatch({ ...plan, database }, send);
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await agent.destroy();
  return { wallMs, cpuMs: (user + system) / 1000, deliveries };
}

async function sendBare({ url, secret, deliveries, inFlight }: SenderPlan, send: SendRequest): Promise<number> {
  let next = 0;
  let sent = 0;
  const work = async () => {
    while (next < deliveries) {
      const [number, at] = [next++, new Date()];
      const id = `dlv_01JD${String(number).padStart(22, '0')}`;
      const data = JSON.stringify({ model_id: 'acme/one', benchmark_id: 'mmlu', seq: number });
      const body = deliveryBody({ id: id.replace('dlv', 'evt'), topic: 'score.updated', occurredAt: at, data });
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'modelstats-webhooks/bench',
        'x-service-event': 'score.updated',
        'x-service-delivery': id,
        ...signatureHeaders({ deliveryId: id, body, secret, at }),
      };
      const result = await send({ method: 'POST', url, headers, body, timeoutMs: 10_000, responseBytesMax: 1024 });
      if (result.kind === 'response' && result.status === 204) sent += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return sent;
}

async function dispatch(plan: SenderPlan & { readonly database: string }, send: SendRequest): Promise<number> {
  const database = await openDatabase(plan.database);
  let delivered = 0;
  const done = Promise.withResolvers<void>();
  const dispatcher = new Dispatcher(
    {
      name: `dsp_${process.pid}`,
      queue: new DeliveryQueue(database),
      send,
      secrets: new SecretKeys([Buffer.from(plan.secretKey, 'hex')]),
      userAgent: 'modelstats-webhooks/bench',
      clock: () => new Date(),
      sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
      onEvent: (event) => {
        if (event.type !== 'attempted') console.error(event);
        else if (event.outcome === 'delivered') delivered += 1;
        if (delivered === plan.deliveries) done.resolve();
      },
    },
    DISPATCHER_OPTIONS,
  );
  dispatcher.start();
  await done.promise;
  await dispatcher.stop(); // With everything written down.
  await database.close();
  return delivered;
}

const [planFile = ''] = process.argv.slice(2);
// Written by deliveries.ts.
console.log(JSON.stringify(await run(JSON.parse(await readFile(planFile, 'utf8')) as SenderPlan)));
