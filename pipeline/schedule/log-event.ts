import type { BaseLogger } from 'pino';
import type { Day } from '../../runtime/day.ts';
import { isPublished, type NightAnswer, type NightEnd } from './run-day.ts';
import type { ScheduleEvent } from './scheduler.ts';

/** A log line: `error` is for what an operator has to act on, `warn` for what mends itself or can wait. */
export type LogLine = readonly [level: 'info' | 'warn' | 'error', message: string];

/** Reasons or warnings told with a line; the rest is in the run's report. */
const REASONS_MAX = 20;

/** Writes the lines about an event, its facts in their fields. */
export function logEvent(log: Pick<BaseLogger, LogLine[0]>, event: ScheduleEvent): void {
  const fields = event.type === 'night_ended' ? fieldsOfEnd(event) : withoutType(event);
  for (const [level, message] of linesFromEvent(event)) log[level](fields, message);
}

function linesFromEvent(event: ScheduleEvent): readonly LogLine[] {
  switch (event.type) {
    case 'scheduler_started':
      return [
        ['info', `the next night is due at ${event.next?.toISOString() ?? 'no time'}`],
        ...(event.isRetried ? [] : [['warn', 'nights due then are neither tried again nor caught up'] as const]),
      ];
    case 'catch_up':
      return [['info', "today's night was due already: catching up"]];
    case 'due_while_busy':
      return [['warn', 'a night is due while another day is worked on: it waits']];
    case 'night_started':
      return [['info', 'night started']];
    case 'night_ended':
      return linesFromEnd(event.end, event.day);
    case 'retry_planned':
      return [['warn', `trying again at ${event.at.toISOString()}`]];
    case 'given_up':
      return [['error', `given up ${event.day} until the next night is due: ${event.why}`]];
    case 'late':
      return [['error', `${event.day} is late: ${event.reason}`]];
    case 'release_seen':
      return [['info', `the newest snapshot is of ${event.day}`]];
    case 'stop_requested':
      return [['info', event.running === undefined ? 'stopping' : 'stopping; the running night may finish']];
    case 'scheduler_stopped':
      return [['info', 'the scheduler has stopped']];
  }
}

function linesFromEnd(end: NightEnd, day: Day): readonly LogLine[] {
  switch (end.status) {
    case 'published':
      return [['info', `published ${day}`]];
    case 'already_published':
      return [['info', `${day} is published already`]];
    case 'held': {
      const advice = `if the source is right, run: ${end.next_command}`;
      return [['error', `held ${day}: it needs an operator; ${advice}`]];
    }
    case 'rejected':
      return [['error', `the source of ${day} was rejected`]];
    case 'failed':
      return [['error', `the night of ${day} failed`]];
  }
}

function fieldsOfEnd({ day, attempt, end }: Extract<ScheduleEvent, { type: 'night_ended' }>): object {
  const problems = end.problems.slice(0, REASONS_MAX);
  if (end.status === 'failed') return { day, attempt, problems };
  if (!isPublished(end)) return { day, attempt, problems, report: end.report };
  return { day, attempt, ...countsOf(end), warnings: end.warnings.slice(0, REASONS_MAX) };
}

function countsOf({ snapshot_id, events, first_seq, last_seq, quarantined, suspects_pending }: NightAnswer): object {
  return { snapshot_id, events, first_seq, last_seq, quarantined, suspects_pending };
}

function withoutType({ type: _, ...fields }: ScheduleEvent): object {
  return 'release' in fields ? { day: fields.day } : fields;
}
