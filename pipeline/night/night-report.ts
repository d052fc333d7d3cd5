import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Hold } from '../../schemas/release.ts';
import { type FetchedFile, fetchedFileFrom } from '../../schemas/upstreams.ts';
import type { RunReport } from '../run/run.ts';
import type { Check } from './check/check.ts';
import type { Diff } from './diff.ts';
import type { NightResult, NightStatus } from './night-result.ts';
import type { Preview } from './preview.ts';

/** What a night has found out so far; what a stage adds is missing where the night didn't come that far. */
export interface NightFindings {
  /** What became of every file that the source lists; undefined where it lists none. */
  readonly fetched?: readonly FetchedFile[] | undefined;
  readonly checked?: Check;
  readonly changed?: Diff;
  readonly holds?: readonly Hold[];
  /** Of a dry run, and of a night that is held. */
  readonly preview?: Preview;
}

export interface NightReportInput {
  readonly request: { readonly day: Day; readonly source: string };
  readonly status: NightStatus | 'failed';
  readonly found: NightFindings;
  /** What ended the stages early. */
  readonly error: unknown;
  /** What the night answered; undefined where it failed. */
  readonly result: Pick<NightResult, 'problems' | 'next_command'> | undefined;
}

/** The report of a night that began its stages, whatever became of it (specification "Run reports"). */
export function nightReport({ request, status, found, error, result }: NightReportInput): RunReport {
  const { fetched, checked, changed, holds } = found;
  const facts = {
    day: request.day,
    source: request.source,
    fetched: fetched?.map(fetchedFileFrom) ?? null,
    rows: checked?.rows ?? null,
    quarantined: checked?.quarantined ?? null,
    orphans: checked?.orphans ?? null,
    carried: checked?.stale ?? null,
    suspects: checked?.suspects ?? null,
    withheld: DATASET_NAMES.filter((name) => checked?.withheld.has(name)),
    records: changed?.records ?? null,
    deleted: changed?.deleted ?? null,
    events: changed?.events ?? null,
    first_seq: changed?.firstSeq ?? null,
    last_seq: changed?.lastSeq ?? null,
    holds: holds ?? [],
    ...answerOf(result),
    ...(found.preview === undefined ? {} : { preview: found.preview }),
  };
  return { status, error, facts, issues: checked?.issues ?? [] };
}

/** What a person has to know of the answer; nothing of a night that failed. */
function answerOf(result: NightReportInput['result']): Pick<NightResult, 'problems' | 'next_command'> {
  return { problems: result?.problems ?? [], next_command: result?.next_command ?? null };
}
