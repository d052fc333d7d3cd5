import { setTimeout } from 'node:timers/promises';
import type { SendRequest } from '../../../api/webhooks/delivery/attempt-delivery.ts';
import { Dispatcher } from '../../../api/webhooks/delivery/dispatcher.ts';
import {
  DISPATCHER_OPTIONS,
  type DispatcherDeps,
  type DispatcherEvent,
  type DispatcherOptions,
} from '../../../api/webhooks/delivery/dispatcher-options.ts';
import { DeliveryQueue } from '../../../api/webhooks/queue/delivery-queue.ts';
import { newId } from '../../../runtime/ulid.ts';
import { SECRET_KEYS, type WebhookDatabase } from './webhook-database.ts';

/** Real time, as the command line passes it. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {}); // Ended early.
}

export type TestDispatcher = ReturnType<typeof makeDispatcher>;

/** Resolves once it is so, asked every few milliseconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5, new AbortController().signal);
}

/** A dispatcher as the service makes it; what it is given beside replaces the usual. */
export function makeDispatcher(
  world: Pick<WebhookDatabase, 'database'>,
  send: SendRequest,
  {
    deps = {},
    options = {},
  }: { readonly deps?: Partial<DispatcherDeps>; readonly options?: Partial<DispatcherOptions> } = {},
) {
  const events: DispatcherEvent[] = [];
  let told = () => {};
  const dispatcher = new Dispatcher(
    {
      name: newId('dsp'),
      queue: new DeliveryQueue(world.database),
      send,
      secrets: SECRET_KEYS,
      userAgent: 'modelstats-webhooks/test',
      clock: () => new Date(),
      sleep,
      ...deps,
      onEvent: (event) => {
        events.push(event);
        told();
      },
    },
    { ...DISPATCHER_OPTIONS, ...options },
  );
  const attempted = (count: number) =>
    new Promise<void>((resolve) => {
      told = () => {
        if (events.filter(({ type }) => type === 'attempted').length >= count) resolve();
      };
      told();
    });
  const run = async (count: number) => {
    dispatcher.start();
    await attempted(count);
    await dispatcher.stop();
  };
  return { dispatcher, events, attempted, run };
}
