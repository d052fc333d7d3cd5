import type { DeliveryState } from '../../../api/webhooks/queue/delivery.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import { withWebhooks } from '../../config/service/configured-webhooks.ts';
import { attemptJson, deliveryJson, deliveryTable, describeAttempt } from './describe-delivery.ts';

export interface ListDeliveriesOptions {
  /** Of an endpoint; of a delivery for {@link showDelivery}. */
  readonly id: string;
  readonly state?: DeliveryState;
  readonly topic?: string;
  readonly before?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export interface ReplayOptions {
  readonly endpoint: string;
  readonly id: string | undefined;
  /** An instant, or milliseconds ago. */
  readonly failedSince?: Date | number;
  readonly json?: boolean;
}

/** `modelstats webhooks deliveries ENDPOINT`: what was sent, newest first. */
export async function listDeliveries(
  context: CommandContext,
  { id: endpointId, state, topic, before, limit, json }: ListDeliveriesOptions,
): Promise<number> {
  const found = await withWebhooks(context, ({ log }) => log.list({ endpointId, state, topic, before, limit }));
  if (json) context.print(JSON.stringify({ deliveries: found.map(deliveryJson) }));
  else context.print(found.length === 0 ? 'no deliveries' : deliveryTable(found));
  return 0;
}

/** `modelstats webhooks deliveries DELIVERY`: one with every attempt and the answers. */
export async function showDelivery(
  context: CommandContext,
  { id, json }: Pick<ListDeliveriesOptions, 'id' | 'json'>,
): Promise<number> {
  const delivery = await withWebhooks(context, ({ log }) => log.get(id));
  const { allAttempts, nextAttemptAt } = delivery;
  if (json) {
    const all = allAttempts.map(attemptJson);
    context.print(JSON.stringify({ ...deliveryJson(delivery), all_attempts: all }));
    return 0;
  }
  context.print(deliveryTable([delivery]));
  for (const attempt of allAttempts) {
    context.print(`${attempt.attempt}. ${timestampFromDate(attempt.startedAt)} ${describeAttempt(attempt)}`);
    if (attempt.answer !== null && attempt.answer !== '') context.print(`   ${JSON.stringify(attempt.answer)}`);
  }
  if (nextAttemptAt !== null) context.print(`next attempt: ${timestampFromDate(nextAttemptAt)}`);
  return 0;
}

/** `modelstats webhooks replay`: queues events again; a dispatcher sends them. */
export async function replay(
  context: CommandContext,
  { endpoint, id, failedSince, json }: ReplayOptions,
): Promise<number> {
  if ((id === undefined) === (failedSince === undefined))
    throw new AppError('usage', 'name one event or delivery, or --failed-since');
  const since = typeof failedSince === 'number' ? new Date(context.clock().getTime() - failedSince) : failedSince;
  const { deliveryIds, hasMore } = await withWebhooks(context, ({ log }) =>
    since === undefined ? log.replay(endpoint, id ?? '') : log.replayFailed(endpoint, since),
  );
  if (json)
    context.print(JSON.stringify({ replayed: deliveryIds.length, delivery_ids: deliveryIds, has_more: hasMore }));
  else {
    const more = hasMore ? '; there are more: run it again for the rest' : '';
    context.print(`${deliveryIds.length} queued${more}; a running dispatcher sends them (modelstats dispatch)`);
  }
  return 0;
}
