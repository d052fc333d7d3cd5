import type { LoggedDelivery } from '../../../api/webhooks/delivery-log.ts';
import { type Attempt, DELIVERY_STATES } from '../../../api/webhooks/queue/delivery.ts';
import { PING, TOPICS } from '../../../api/webhooks/topics/topics.ts';
import { timestampFromDate } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import {
  type AddCommand,
  argument,
  type CommandContext,
  choiceOf,
  defineCommand,
  fieldJson,
  option,
  optionalArgument,
  optionOr,
} from '../../cli/command.ts';
import { instantValue, numberValue, textValue, wordValue } from '../../cli/option-values.ts';
import type { OperatedWebhooks } from '../../config/configured-webhooks.ts';

const ALL_TOPICS = [...TOPICS, PING];

const deliveries = defineCommand({
  name: 'deliveries',
  description: 'List what was sent to an endpoint in the last 30 days, newest first; or show one delivery',
  arguments: { id: argument('id of an endpoint, whe_…, or of a delivery, dlv_…') },
  options: {
    state: choiceOf(DELIVERY_STATES, option('<state>', 'only those in this state', wordValue(DELIVERY_STATES))),
    topic: choiceOf(ALL_TOPICS, option('<topic>', 'only those of this topic', wordValue(ALL_TOPICS))),
    before: option('<delivery>', 'those older than this one', textValue),
    limit: optionOr(20, '<n>', 'so many at most', numberValue(1, 1_000)),
  },
  examples: ['modelstats webhooks deliveries whe_01ARZ3NDEKTSV4RRFFQ69G5FAV --state failed'],
  async run(context, { id, json: _, ...wanted }) {
    if (id.startsWith('dlv_')) return showDelivery(context, id);
    const found = await withWebhooks(context, ({ log }) => log.list({ endpointId: id, ...wanted }));
    const describe = () => (found.length === 0 ? 'no deliveries' : deliveryTable(context, found));
    context.answer({ deliveries: found.map(deliveryJson) }, describe);
    return 0;
  },
});

/** One delivery with every attempt and the answers. */
async function showDelivery(context: CommandContext, id: string): Promise<number> {
  const delivery = await withWebhooks(context, ({ log }) => log.get(id));
  const { allAttempts, nextAttemptAt } = delivery;
  const linesOf = (attempt: Attempt) => [
    `${attempt.attempt}. ${timestampFromDate(attempt.startedAt)} ${describeAttempt(context, attempt)}`,
    ...(attempt.answer === null || attempt.answer === '' ? [] : [`   ${JSON.stringify(attempt.answer)}`]),
  ];
  context.answer({ ...deliveryJson(delivery), all_attempts: allAttempts.map(attemptJson) }, () =>
    [
      deliveryTable(context, [delivery]),
      ...allAttempts.flatMap(linesOf),
      ...(nextAttemptAt === null ? [] : [`next attempt: ${timestampFromDate(nextAttemptAt)}`]),
    ].join('\n'),
  );
  return 0;
}

const replay = defineCommand({
  name: 'replay',
  description: 'Send events again to an active endpoint: one, or all that failed since then',
  arguments: {
    endpoint: argument('id of the endpoint, whe_…'),
    id: optionalArgument('id of the event, evt_…, or of a delivery of it, dlv_…'),
  },
  options: {
    failedSince: option('<when>', 'an instant, the start of a day, or so long ago: 24h, 7d', instantValue),
  },
  examples: [
    'modelstats webhooks replay ENDPOINT evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'modelstats webhooks replay ENDPOINT --failed-since 24h',
  ],
  async run(context, { endpoint, id, failedSince }) {
    if ((id === undefined) === (failedSince === undefined))
      throw new AppError('usage', 'name one event or delivery, or --failed-since');
    const since = typeof failedSince === 'number' ? new Date(context.clock().getTime() - failedSince) : failedSince;
    const { deliveryIds, hasMore } = await withWebhooks(context, ({ log }) =>
      since === undefined ? log.replay(endpoint, id ?? '') : log.replayFailed(endpoint, since),
    );
    const more = hasMore ? '; there are more: run it again for the rest' : '';
    context.answer(
      { replayed: deliveryIds.length, delivery_ids: deliveryIds, has_more: hasMore },
      `${deliveryIds.length} queued${more}; a running dispatcher sends them (modelstats dispatch)`,
    );
    return 0;
  },
});

/** The commands about what was sent to endpoints. */
export const DELIVERY_COMMANDS: readonly AddCommand[] = [deliveries, replay];

/** Runs an operator's work on webhooks, whose libraries are loaded for it. */
export async function withWebhooks<T>(
  context: CommandContext,
  work: (webhooks: OperatedWebhooks) => Promise<T>,
): Promise<T> {
  const configured = await import('../../config/configured-webhooks.ts');
  return configured.withWebhooks(context, work);
}

/** An attempt in a few words. */
export function describeAttempt({ paint }: CommandContext, attempt: Attempt | undefined | null): string {
  if (attempt === undefined || attempt === null) return 'not attempted yet';
  const { outcome, status, message, durationMs } = attempt;
  if (outcome === 'delivered') return paint.green(`answered ${status} in ${Math.round(durationMs)} ms`);
  return paint.red(`failed: ${message ?? (status === null ? outcome : `${outcome} ${status}`)}`);
}

/** The last attempt of a delivery in a few words, or why there was none. */
function describeLast(context: CommandContext, { state, lastAttempt }: LoggedDelivery): string {
  const wasDropped = lastAttempt === null && state === 'dropped';
  return wasDropped ? 'not sent: the endpoint was not active' : describeAttempt(context, lastAttempt);
}

/** An attempt as the command line answers it; null for none. */
export function attemptJson(attempt: Attempt | undefined | null): Record<string, unknown> | null {
  const fields = ['attempt', 'startedAt', 'durationMs', 'outcome', 'status', 'message', 'answer'] as const;
  return attempt === undefined || attempt === null ? null : fieldJson(attempt, fields);
}

/** A delivery as the command line answers it. */
function deliveryJson(delivery: LoggedDelivery): Record<string, unknown> {
  return {
    ...fieldJson(delivery, ['id', 'eventId', 'endpointId', 'topic', 'kind', 'state', 'seq']),
    ...fieldJson(delivery, ['createdAt', 'finishedAt', 'nextAttemptAt', 'attempts']),
    last_attempt: attemptJson(delivery.lastAttempt),
  };
}

/** A line per delivery. */
export function deliveryTable(context: CommandContext, found: readonly LoggedDelivery[]): string {
  const rows = found.map((delivery) => {
    const { id, topic, kind, state, attempts, createdAt } = delivery;
    return [id, topic, kind, state, attempts, createdAt, describeLast(context, delivery)];
  });
  return context.tableText(['id', 'topic', 'kind', 'state', 'attempts', 'created', 'last attempt'], rows);
}
