/**
 * A message to operators about a night that needs attention, or its end (specification "Notices of nights"). The fields
 * are a contract for operators' programs.
 */
import { z } from 'zod';
import type { Day } from '../../runtime/day.ts';

export const NOTICE_KINDS = ['held', 'rejected', 'failed', 'late', 'recovered'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Records that a held night would delete. */
const GoneSchema = z.object({
  dataset: z.string(),
  records: z.number(),
  /** The first by key. */
  examples: z.array(z.string()),
});
export type Gone = z.infer<typeof GoneSchema>;

export const NoticeSchema = z.object({
  /** `test`: only from `modelstats notify test`. */
  kind: z.enum([...NOTICE_KINDS, 'test']),
  day: z.string(),
  /** The store's URL, without user, password and query. */
  store: z.string(),
  at: z.iso.datetime(),
  /** The whole notice in a few lines, as chats show it. */
  text: z.string(),
  reasons: z.array(z.string()),
  gone: z.array(GoneSchema),
  /** For a shell; null without one. */
  next_command: z.string().nullable(),
  /** Of the automatic retry; null without one, or while it runs. */
  next_attempt_at: z.iso.datetime().nullable(),
  /** The run's folder with report.json and issues.jsonl. */
  report: z.string().nullable(),
});
export type Notice = z.infer<typeof NoticeSchema>;

/** The rest of a notice is derived from these. */
export interface NoticeFacts {
  readonly kind: Notice['kind'];
  readonly day: Day;
  readonly at: Date;
  readonly reasons?: readonly string[];
  readonly gone?: readonly Gone[];
  readonly nextCommand?: string | null | undefined;
  readonly nextAttemptAt?: Date | undefined;
  readonly report?: string | null | undefined;
}

/** Enough for a telephone; the run's report has the rest. */
const REASONS_MAX = 10;
/** Characters of one reason. */
const REASON_LENGTH_MAX = 500;
/** Some chats accept 2000 characters. */
const TEXT_LENGTH_MAX = 1800;

/** Bounded, without control characters that a terminal or chat might execute. */
export function noticeFrom(store: string, facts: NoticeFacts): Notice {
  const given = facts.reasons ?? [];
  const reasons = given.slice(0, REASONS_MAX).map((reason) => bounded(plain(reason), REASON_LENGTH_MAX));
  if (given.length > REASONS_MAX) reasons.push(`and ${given.length - REASONS_MAX} more`);
  const gone = (facts.gone ?? []).map(({ dataset, records, examples }) => ({
    dataset,
    records,
    examples: examples.map((id) => bounded(plain(id), REASON_LENGTH_MAX)),
  }));
  const notice = {
    kind: facts.kind,
    day: facts.day,
    store,
    at: facts.at.toISOString(),
    reasons,
    gone,
    next_command: facts.nextCommand ?? null,
    next_attempt_at: facts.nextAttemptAt?.toISOString() ?? null,
    report: facts.report ?? null,
  };
  return { ...notice, text: textOf(notice) };
}

/** Also the subject of its mail. */
export function headlineOf({ kind, day }: Pick<Notice, 'kind' | 'day'>): string {
  return `modelstats: ${HEADLINES[kind](day)}`;
}

const HEADLINES: Readonly<Record<Notice['kind'], (day: Day) => string>> = {
  held: (day) => `${day} is held and needs a person`,
  rejected: (day) => `the source of ${day} was rejected`,
  failed: (day) => `the night of ${day} failed`,
  late: (day) => `${day} is late`,
  recovered: (day) => `recovered, ${day} is published`,
  test: (day) => `test notice of ${day}`,
};

function textOf(notice: Omit<Notice, 'text'>): string {
  const gone = notice.gone.map(({ dataset, records, examples }) => {
    const more = records > examples.length ? ', …' : '';
    return `would be deleted: ${records} ${dataset} (${examples.join(', ')}${more})`;
  });
  // The reasons are cut, never the command.
  const end = [...adviceOf(notice), `store: ${notice.store}`].join('\n');
  // Chats would notify everybody for <!channel> or @all in a source's text.
  const middle = [...notice.reasons, ...gone]
    .join('\n')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(/@(?=(?:all|channel|everyone|here)\b)/gi, '＠');
  const room = Math.max(0, TEXT_LENGTH_MAX - headlineOf(notice).length - end.length - 2);
  return [headlineOf(notice), ...(middle === '' ? [] : [bounded(middle, room)]), end].join('\n');
}

function adviceOf({ kind, next_command, next_attempt_at }: Omit<Notice, 'text'>): readonly string[] {
  if (kind === 'recovered' || kind === 'test') return [];
  return [
    'Nothing was published; the previous day stays current.',
    ...(next_command === null ? [] : [`${WHEN[kind]}, run: ${next_command}`]),
    ...(next_attempt_at === null ? [] : [`The night is retried at ${next_attempt_at}.`]),
    // A late day may be running now.
    ...(next_attempt_at === null && kind !== 'late' ? ['The night is not retried automatically.'] : []),
  ];
}

const WHEN = {
  held: 'If the source is right',
  rejected: 'When the source is fixed',
  failed: 'When the cause is fixed',
  late: 'To publish it manually before its day ends',
};

function bounded(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/** The deleted records in a night's preview. */
export interface PreviewOfGone {
  readonly datasets: Readonly<
    Record<string, { readonly gone: number; readonly examples: { readonly gone: readonly string[] } }>
  >;
}

/** Empty without a preview. */
export function goneFrom(preview: PreviewOfGone | undefined): readonly Gone[] {
  return Object.entries(preview?.datasets ?? {}).flatMap(([dataset, { gone, examples }]) =>
    gone === 0 ? [] : [{ dataset, records: gone, examples: [...examples.gone] }],
  );
}
