/**
 * What an operator is told of a night that needs somebody, and that it is over (specification "Notices of nights"). Its fields are a
 * contract: programs of operators read them as JSON.
 */
import { z } from 'zod';
import type { Day } from '../../runtime/day.ts';

export const NOTICE_KINDS = ['held', 'rejected', 'failed', 'late', 'recovered'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Records of a dataset that would be gone with a night that is held. */
const GoneSchema = z.object({
  dataset: z.string(),
  records: z.number(),
  /** The first of them by key. */
  examples: z.array(z.string()),
});
export type Gone = z.infer<typeof GoneSchema>;

export const NoticeSchema = z.object({
  /** `test` is of `modelstats notify test` alone. */
  kind: z.enum([...NOTICE_KINDS, 'test']),
  day: z.string(),
  /** The store's address, without user, password and query. */
  store: z.string(),
  at: z.iso.datetime(),
  /** All of it for a person, in a few lines; what chats show. */
  text: z.string(),
  reasons: z.array(z.string()),
  gone: z.array(GoneSchema),
  /** To paste into a shell; null where there is nothing to run. */
  next_command: z.string().nullable(),
  /** When the day is tried again by itself; null where it is not, or is just now. */
  next_attempt_at: z.iso.datetime().nullable(),
  /** Folder with the run's report.json and issues.jsonl. */
  report: z.string().nullable(),
});
export type Notice = z.infer<typeof NoticeSchema>;

/** What is known of a night; the rest of a notice follows from it. */
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

/** More says little on a telephone; the rest is in the run's report. */
const REASONS_MAX = 10;
/** Of one reason, in characters. */
const REASON_LENGTH_MAX = 500;
/** Below the 2000 characters that some chats take. */
const TEXT_LENGTH_MAX = 1800;

/** A notice as it is sent, within its bounds and without control characters, which nobody's terminal or chat is to run. */
export function noticeFrom(store: string, facts: NoticeFacts): Notice {
  const told = facts.reasons ?? [];
  const reasons = told.slice(0, REASONS_MAX).map((reason) => bounded(plain(reason), REASON_LENGTH_MAX));
  if (told.length > REASONS_MAX) reasons.push(`and ${told.length - REASONS_MAX} more`);
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

/** The first line of a notice, which is a mail's subject, too. */
export function headlineOf({ kind, day }: Pick<Notice, 'kind' | 'day'>): string {
  return `modelstats: ${HEADLINES[kind](day)}`;
}

const HEADLINES: Readonly<Record<Notice['kind'], (day: Day) => string>> = {
  held: (day) => `${day} is held and needs a person`,
  rejected: (day) => `the source of ${day} was rejected`,
  failed: (day) => `the night of ${day} failed`,
  late: (day) => `${day} is late`,
  recovered: (day) => `recovered, ${day} is published`,
  test: (day) => `a test of ${day}: notices arrive`,
};

function textOf(notice: Omit<Notice, 'text'>): string {
  const gone = notice.gone.map(({ dataset, records, examples }) => {
    const more = records > examples.length ? ', …' : '';
    return `would be gone: ${records} ${dataset} (${examples.join(', ')}${more})`;
  });
  // The command is never cut: what it follows is.
  const end = [...adviceOf(notice), `store: ${notice.store}`].join('\n');
  // A chat would take <!channel> or @all in a source's words for a call to everybody.
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
    'Nothing of it was published; the day before stays current.',
    ...(next_command === null ? [] : [`${WHEN[kind]}, run: ${next_command}`]),
    ...(next_attempt_at === null ? [] : [`It is tried again at ${next_attempt_at}.`]),
    // A day that is late may be worked on just now.
    ...(next_attempt_at === null && kind !== 'late' ? ['It is not tried again by itself.'] : []),
  ];
}

const WHEN = {
  held: 'If the source is right',
  rejected: 'When the source is mended',
  failed: 'When the cause is gone',
  late: 'To publish it by hand while its day lasts',
};

function bounded(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/** What a preview of a night says that would be gone with it. */
export interface PreviewOfGone {
  readonly datasets: Readonly<
    Record<string, { readonly gone: number; readonly examples: { readonly gone: readonly string[] } }>
  >;
}

/** What would be gone with a night that is held; nothing without a preview. */
export function goneFrom(preview: PreviewOfGone | undefined): readonly Gone[] {
  return Object.entries(preview?.datasets ?? {}).flatMap(([dataset, { gone, examples }]) =>
    gone === 0 ? [] : [{ dataset, records: gone, examples: [...examples.gone] }],
  );
}
