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
import { choiceValue, instantValue, numberValue, textValue } from '../../cli/option-values.ts';
import type { OperatedWebhooks } from '../../config/configured-webhooks.ts';

const ALL_TOPICS = [...TOPICS, PING];

const deliveries = defineCommand({
  name: 'deliveries',
  description: "List an endpoint's deliveries of the last 30 days, newest first; or show one delivery",
  arguments: { id: argument('id of an endpoint, whe_…, or of a delivery, dlv_…') },
  options: {
    state: choiceOf(DELIVERY_STATES, option('<state>', 'only this state', choiceValue(DELIVERY_STATES))),
    topic: choiceOf(ALL_TOPICS, option('<topic>', 'only this topic', choiceValue(ALL_TOPICS))),
    before: option('<delivery>', 'only deliveries older than this one', textValue),
    limit: optionOr(20, '<n>', 'the most deliveries to show', numberValue(1, 1_000)),
  },
  examples: ['modelstats webhooks deliveries whe_01ARZ3NDEKTSV4RRFFQ69G5FAV --state failed'],
  async run(context, { id, json: _, ...filters }) {
    if (id.startsWith('dlv_')) return showDelivery(context, id);
    const found = await withWebhooks(context, ({ log }) => log.list({ endpointId: id, ...filters }));
    const describe = () => (found.length === 0 ? 'no deliveries' : deliveryTable(context, found));
    context.printResult({ deliveries: found.map(deliveryJson) }, describe);
    return 0;
  },
});

async function showDelivery(context: CommandContext, id: string): Promise<number> {
  const delivery = await withWebhooks(context, ({ log }) => log.get(id));
  const { allAttempts, nextAttemptAt } = delivery;
  const linesOf = (attempt: Attempt) => [
    `${attempt.attempt}. ${timestampFromDate(attempt.startedAt)} ${describeAttempt(context, attempt)}`,
    ...(attempt.answer === null || attempt.answer === '' ? [] : [`   ${JSON.stringify(attempt.answer)}`]),
  ];
  context.printResult({ ...deliveryJson(delivery), all_attempts: allAttempts.map(attemptJson) }, () =>
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
  description: 'Send events to an active endpoint again: one, or all that failed since a time',
  arguments: {
    endpoint: argument('id of the endpoint, whe_…'),
    id: optionalArgument('id of the event, evt_…, or of a delivery of it, dlv_…'),
  },
  options: {
    failedSince: option('<when>', 'an instant, the start of a day, or a duration ago: 24h, 7d', instantValue),
  },
  examples: [
    'modelstats webhooks replay ENDPOINT evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'modelstats webhooks replay ENDPOINT --failed-since 24h',
  ],
  async run(context, { endpoint, id, failedSince }) {
    if ((id === undefined) === (failedSince === undefined))
      throw new AppError('usage', 'give one event or delivery, or --failed-since');
    const since = typeof failedSince === 'number' ? new Date(context.clock().getTime() - failedSince) : failedSince;
    const { deliveryIds, hasMore } = await withWebhooks(context, ({ log }) =>
      since === undefined ? log.replay(endpoint, id ?? '') : log.replayFailed(endpoint, since),
    );
    const more = hasMore ? '; there are more: run it again for the rest' : '';
    context.printResult(
      { replayed: deliveryIds.length, delivery_ids: deliveryIds, has_more: hasMore },
      `${deliveryIds.length} queued${more}; a running dispatcher sends them (modelstats dispatch)`,
    );
    return 0;
  },
});

export const DELIVERY_COMMANDS: readonly AddCommand[] = [deliveries, replay];

export async function withWebhooks<T>(
  context: CommandContext,
  work: (webhooks: OperatedWebhooks) => Promise<T>,
): Promise<T> {
  const configured = await import('../../config/configured-webhooks.ts');
  return configured.withWebhooks(context, work);
}

export function describeAttempt({ paint }: CommandContext, attempt: Attempt | undefined | null): string {
  if (attempt === undefined || attempt === null) return 'not attempted yet';
  const { outcome, status, message, durationMs } = attempt;
  if (outcome === 'delivered') return paint.green(`responded ${status} in ${Math.round(durationMs)} ms`);
  return paint.red(`failed: ${message ?? (status === null ? outcome : `${outcome} ${status}`)}`);
}

function describeLast(context: CommandContext, { state, lastAttempt }: LoggedDelivery): string {
  const wasDropped = lastAttempt === null && state === 'dropped';
  return wasDropped ? 'not sent: the endpoint was not active' : describeAttempt(context, lastAttempt);
}

/** Null without an attempt. */
export function attemptJson(attempt: Attempt | undefined | null): Record<string, unknown> | null {
  const fields = ['attempt', 'startedAt', 'durationMs', 'outcome', 'status', 'message', 'answer'] as const;
  return attempt === undefined || attempt === null ? null : fieldJson(attempt, fields);
}

function deliveryJson(delivery: LoggedDelivery): Record<string, unknown> {
  return {
    ...fieldJson(delivery, ['id', 'eventId', 'endpointId', 'topic', 'kind', 'state', 'seq']),
    ...fieldJson(delivery, ['createdAt', 'finishedAt', 'nextAttemptAt', 'attempts']),
    last_attempt: attemptJson(delivery.lastAttempt),
  };
}

export function deliveryTable(context: CommandContext, found: readonly LoggedDelivery[]): string {
  const rows = found.map((delivery) => {
    const { id, topic, kind, state, attempts, createdAt } = delivery;
    return [id, topic, kind, state, attempts, createdAt, describeLast(context, delivery)];
  });
  return context.tableText(['id', 'topic', 'kind', 'state', 'attempts', 'created', 'last attempt'], rows);
}
