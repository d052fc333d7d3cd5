import { z } from 'zod';
import { Bytes, inUnits, Seconds, setting, wholeNumber } from '../runtime/setting.ts';
import { RETENTION } from '../schemas/retention.ts';
import { type NoticeTarget, parseTarget, shownTarget, TARGET_FORMS, TARGETS_MAX } from './notices/send-notice.ts';
import { findCronProblem } from './schedule/cron.ts';
import { TIME_OF_DAY } from './schedule/run-day.ts';

export const SOURCE_SETTINGS = {
  lineBytesMax: setting('LINE_BYTES_MAX', Bytes, {
    fallback: 4 * 1024 * 1024,
    text: 'longest line of a source file',
  }),
  fileBytesMax: setting('FILE_BYTES_MAX', Bytes, {
    fallback: 64 * 1024 * 1024 * 1024,
    text: "largest source file after unpacking, and the most that a dataset's rows may take in DuckDB",
  }),
  rowsMax: setting('ROWS_MAX', wholeNumber(1, 1e9), {
    fallback: 50_000_000,
    text: 'most rows of a dataset in a source',
  }),
  ratioMax: setting('RATIO_MAX', wholeNumber(1, 1_000_000), {
    fallback: 200,
    text: 'largest ratio of a source file, unpacked or read, to its own size; not applied below 64 MiB',
  }),
  sqlTimeoutMs: setting('SOURCE_SQL_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 600,
    text: 'longest SELECT of `source.sql`; then it is killed',
  }),
};

const Cron = z.string().superRefine((expression, context) => {
  const message = findCronProblem(expression);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

export const SCHEDULE_SETTINGS = {
  cron: setting('CRON', Cron, {
    fallback: '5 0 * * *',
    text: 'when `schedule` begins a night: a cron expression in UTC of five fields, or six with seconds',
  }),
};

export const RETRY_SETTINGS = {
  firstMs: setting('RETRY_FIRST_SECONDS', inUnits(Seconds, 1000), {
    fallback: 60,
    text: 'longest wait before the first retry of a night; it doubles each time and is randomly shortened by up to half',
  }),
  maxMs: setting('RETRY_MAX_SECONDS', inUnits(Seconds, 1000), {
    fallback: 1800,
    text: 'longest wait between two attempts at a night',
  }),
  until: setting('RETRY_UNTIL', z.string().regex(TIME_OF_DAY, 'must be a time of day HH:MM, up to 24:00'), {
    fallback: '12:00',
    text: "time of the UTC day, up to `24:00`, from which that day's night is neither retried nor caught up",
  }),
};

const RetainedCount = wholeNumber(1, 100_000);

export const RETENTION_SETTINGS = {
  changesMonths: setting('RETENTION_CHANGES_MONTHS', RetainedCount, {
    fallback: RETENTION.changesMonths,
    text: 'calendar months of changes that `prune` retains, counted back from the newest day; fewer break the promise to consumers of the feed',
  }),
  snapshots: setting('RETENTION_SNAPSHOTS', RetainedCount, {
    fallback: RETENTION.snapshots,
    text: 'newest snapshots that `prune` retains, besides the last one of every month',
  }),
  states: setting('RETENTION_STATES', RetainedCount, {
    fallback: RETENTION.states,
    text: 'newest states that `prune` retains. A state has the records in force after a night: the next night starts from the newest one, `republish` rebuilds snapshots from the others',
  }),
};

/** A wrong target is reported by its position, because its text may be a secret. */
const Targets = z.string().transform((text, context): readonly NoticeTarget[] => {
  const targets = text.split(',').flatMap((part, at) => {
    const target = parseTarget(part);
    if (target !== undefined) return [target];
    context.addIssue({ code: 'custom', message: `target ${at + 1} is not one of ${TARGET_FORMS}` });
    return [];
  });
  if (targets.length > TARGETS_MAX)
    context.addIssue({ code: 'custom', message: `has more than ${TARGETS_MAX} targets` });
  const shown = targets.map((target) => JSON.stringify(target));
  for (const target of targets.filter((candidate, at) => shown.indexOf(JSON.stringify(candidate)) < at))
    context.addIssue({ code: 'custom', message: `${shownTarget(target)} is named twice` });
  return targets;
});

/** A chat URL's path and a program's arguments are often secrets. */
function shownTargets(text: string): string {
  return text
    .split(',')
    .flatMap((part) => parseTarget(part) ?? [])
    .map(shownTarget)
    .join(',');
}

export const NOTICE_SETTINGS = {
  targets: setting('NOTIFY', Targets.default([]), {
    text: 'who gets [notices](operations.md#notices) of nights, comma-separated: `https://…`, `http://…`, `mailto:name@host`, `exec:/path/of/a/program` with arguments; write a comma in a URL as `%2C`',
    shown: shownTargets,
  }),
  lateAfter: setting(
    'NOTIFY_LATE_AFTER',
    z.string().regex(TIME_OF_DAY, 'must be a time of day HH:MM, up to 24:00').optional(),
    {
      text: 'time of the UTC day, up to `24:00`, from which a due day that is not published is late, for notices, metrics and `status`. If the night is due only after that time, the time is on the next day',
      documented: '`MODELSTATS_RETRY_UNTIL`',
    },
  ),
};

export const FETCH_SETTINGS = {
  concurrency: setting('FETCHES_MAX', wholeNumber(1, 64), { fallback: 4, text: 'files of a source fetched at once' }),
  bytesMax: setting('FETCH_BYTES_MAX', Bytes, {
    fallback: 256 * 1024 * 1024,
    text: 'largest fetched file, unpacked, and largest sum of the files in a zip file',
  }),
  timeoutMs: setting('FETCH_TIMEOUT_SECONDS', inUnits(Seconds, 1000), {
    fallback: 300,
    text: 'longest request to an upstream, to the last byte',
  }),
  attemptsMax: setting('FETCH_ATTEMPTS_MAX', wholeNumber(1, 20), {
    fallback: 4,
    text: 'attempts of one request to an upstream, the first included',
  }),
  waitMsMax: setting('FETCH_WAIT_SECONDS_MAX', inUnits(Seconds, 1000), {
    fallback: 120,
    text: 'longest wait between two attempts; an upstream whose `Retry-After` is longer is given up',
  }),
};
