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

export interface TestDispatcher {
  readonly dispatcher: Dispatcher;
  readonly events: DispatcherEvent[];
  /** Resolves once that many attempts have ended. */
  attempted(count: number): Promise<void>;
}

/** A dispatcher as the service makes it; what it is given beside replaces the usual. */
export function makeDispatcher(
  world: Pick<WebhookDatabase, 'database'>,
  send: SendRequest,
  {
    deps = {},
    options = {},
  }: { readonly deps?: Partial<DispatcherDeps>; readonly options?: Partial<DispatcherOptions> } = {},
): TestDispatcher {
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
  const count = () => events.filter(({ type }) => type === 'attempted').length;
  return {
    dispatcher,
    events,
    attempted: (wanted) =>
      new Promise((resolve) => {
        told = () => {
          if (count() >= wanted) resolve();
        };
        told();
      }),
  };
}
