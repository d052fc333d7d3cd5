import type { ClaimedDelivery, DeliveryReport, SettleBatch, SettleResult } from '../queue/delivery.ts';
import { attemptDelivery, settlementOf } from './attempt-delivery.ts';
import type { DispatcherDeps, DispatcherOptions } from './dispatcher-options.ts';

/** Between two checks of a delivery that another dispatcher attempts. */
const CHECK_MS = 200;

export interface SendOneOptions extends DispatcherOptions {
  /** Abandons the attempt. */
  readonly signal: AbortSignal;
  /** Called with the attempt's effect on the endpoint. */
  readonly onSettled: (result: SettleResult) => void;
}

/** See `Dispatcher.sendNow`. */
export async function sendOne(
  deliveryId: string,
  deps: DispatcherDeps,
  options: SendOneOptions,
): Promise<DeliveryReport | undefined> {
  const { queue, clock } = deps;
  const before = await queue.find(deliveryId);
  if (before?.state !== 'waiting') return before;
  // These predate the registration: they must be gone before a ping activates the endpoint.
  await queue.drop(before.endpoint, clock());
  const now = clock();
  const claimUntil = new Date(now.getTime() + options.claimMs);
  const claimed = await queue.claim(deliveryId, { dispatcher: deps.name, now, claimUntil });
  if (claimed === undefined) return waitForAttempt(before, deps, options);
  await attemptClaimed(claimed, before.endpoint, deps, options);
  return queue.find(deliveryId);
}

async function attemptClaimed(
  delivery: ClaimedDelivery,
  endpoint: DeliveryReport['endpoint'],
  deps: DispatcherDeps,
  { onSettled, signal, timeoutMs }: SendOneOptions,
): Promise<void> {
  const { queue, clock, secrets } = deps;
  const write = (reported: Partial<Pick<SettleBatch, 'settlements' | 'releases'>>) =>
    queue.settle({ dispatcher: deps.name, now: clock(), settlements: [], releases: [], ...reported });
  const release = () => write({ releases: [{ delivery, dueAt: clock() }] });
  try {
    const secret = secrets.open(endpoint.sealedSecret, endpoint.id);
    const attempt = await attemptDelivery(delivery, { url: endpoint.url, secret, signal }, { ...deps, timeoutMs });
    if (signal.aborted) return void (await release());
    const { id: deliveryId, endpointId, kind } = delivery;
    deps.onEvent({ type: 'attempted', deliveryId, endpointId, kind, ...attempt });
    onSettled(await write({ settlements: [settlementOf(delivery, attempt)] }));
  } catch (error) {
    await release();
    throw error;
  }
}

/** Until the other dispatcher's attempt has ended, or should have. */
async function waitForAttempt(
  before: DeliveryReport,
  { queue, sleep }: DispatcherDeps,
  { timeoutMs, signal }: SendOneOptions,
): Promise<DeliveryReport | undefined> {
  for (let waitedMs = 0; ; waitedMs += CHECK_MS) {
    const now = await queue.find(before.id);
    const isOver = now === undefined || now.state !== 'waiting' || now.attempts > before.attempts;
    if (isOver || waitedMs >= timeoutMs * 2) return now;
    await sleep(CHECK_MS, signal);
  }
}
