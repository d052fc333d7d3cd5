import type { ClaimedDelivery, DeliveryReport, Settlement, Target, Turn, TurnResult } from '../queue/delivery-queue.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DispatcherDeps, DispatcherOptions } from './dispatcher-options.ts';
import { isDeliverable } from './targets.ts';
import { settlementOf } from './timetable.ts';

/** Between two looks at a delivery that somebody else attempts. */
const LOOK_MS = 200;

export interface SendOneOptions extends DispatcherOptions {
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
  /** Told what the attempt made of the endpoint. */
  readonly onTurn: (result: TurnResult) => void;
}

/** Attempts one delivery at once, or waits for what another dispatcher that has it finds. */
export async function sendOne(
  deliveryId: string,
  deps: DispatcherDeps,
  options: SendOneOptions,
): Promise<DeliveryReport | undefined> {
  const { queue, clock } = deps;
  const before = await queue.find(deliveryId);
  if (before?.state !== 'waiting') return before;
  const target = await queue.findTarget(before.endpointId);
  // What is left from before this registration must be gone before a ping can make the endpoint active.
  if (target?.state === 'registered') await queue.drop(target, clock());
  const now = clock();
  const claimUntil = new Date(now.getTime() + options.claimMs);
  const claimed = await queue.claim(deliveryId, { dispatcher: deps.name, now, claimUntil });
  if (claimed === undefined) return waitForAttempt(before, deps, options);
  await attemptClaimed(claimed, deps, options);
  return queue.find(deliveryId);
}

async function attemptClaimed(
  delivery: ClaimedDelivery,
  deps: DispatcherDeps,
  { onTurn, signal, timeoutMs }: SendOneOptions,
): Promise<void> {
  const { queue, clock, secrets } = deps;
  const write = async (told: Partial<Pick<Turn, 'settlements' | 'releases'>>) => {
    const now = clock();
    const nothing = { settlements: [], releases: [], wants: [], endpointIds: [] };
    return queue.turn({ dispatcher: deps.name, now, claimUntil: now, ...nothing, ...told });
  };
  const release = () => write({ releases: [{ delivery, dueAt: clock() }] });
  try {
    const target: Target | undefined = await queue.findTarget(delivery.endpointId);
    if (target === undefined || !isDeliverable(delivery, target)) return void (await release());
    const secret = secrets.open(target.sealedSecret, target.id);
    const attempt = await attemptDelivery(delivery, { url: target.url, secret, signal }, { ...deps, timeoutMs });
    if (signal.aborted) return void (await release());
    const { id: deliveryId, endpointId, kind } = delivery;
    deps.onEvent({ type: 'attempted', deliveryId, endpointId, kind, ...attempt });
    for (let settlements: readonly Settlement[] = [settlementOf(delivery, attempt)]; settlements.length > 0; ) {
      const result = await write({ settlements });
      onTurn(result);
      settlements = result.unsettled;
    }
  } catch (error) {
    await release();
    throw error;
  }
}

/** Looks until the attempt that somebody else makes has ended, or would have to have. */
async function waitForAttempt(
  before: DeliveryReport,
  { queue, sleep }: DispatcherDeps,
  { timeoutMs, signal }: SendOneOptions,
): Promise<DeliveryReport | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const now = await queue.find(before.id);
    const isOver = now === undefined || now.state !== 'waiting' || now.attempts > before.attempts;
    if (isOver || waitedMs >= timeoutMs * 2) return now;
    await sleep(LOOK_MS, signal);
  }
}
