import type { Day } from '../../runtime/day.ts';
import { cursorFromSeq } from '../../schemas/change.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import type { Hold, Release } from '../../schemas/release.ts';
import { type FetchedFile, fetchedFileFrom } from '../../schemas/upstreams.ts';
import type { Run, RunReport } from '../run/run.ts';
import type { Check, Counts } from './check/check.ts';
import type { Diff } from './diff.ts';
import type { Preview } from './preview.ts';

/** `dry_run`: would have been published. */
export type NightStatus = 'published' | 'dry_run' | 'already_published' | 'held' | 'rejected';

/** The field names are the contract of `nightly --json` (specification "JSON answers"). */
export interface NightResult {
  readonly status: NightStatus;
  readonly day: Day;
  readonly snapshot_id: string | null;
  /** In force after the night; null where nothing was published. */
  readonly records: Counts | null;
  readonly events: { readonly upsert: number; readonly delete: number } | null;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly change_cursor: string | null;
  /** Over all datasets. */
  readonly quarantined: number;
  readonly published_at: string | null;
  readonly suspects_pending: number;
  readonly dry_run: boolean;
  /** Why the night was held or rejected. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** For a held night, if the source is right; for a rejected one, once it is fixed; else null. */
  readonly next_command: string | null;
  /** The run's folder with report.json and issues.jsonl; null where no run was needed. */
  readonly report: string | null;
  /** For a held night, and a dry run that reached the comparison. */
  readonly preview?: Preview;
}

/** Filled stage by stage; fields of stages that didn't run are missing. */
export interface NightFindings {
  /** Undefined where the source lists no files to fetch. */
  fetched?: readonly FetchedFile[] | undefined;
  checked?: Check;
  changed?: Diff;
  holds?: readonly Hold[];
  /** For dry runs and held nights. */
  preview?: Preview;
}

interface NightOf {
  readonly request: NightToRun & { readonly dryRun: boolean };
  /** Undefined where no run was needed. */
  readonly run?: Pick<Run, 'folder' | 'warnings'>;
  readonly found?: NightFindings;
}

/** For a night that published, would have (dry run), or found its day published. */
export function resultFromRelease(
  status: 'published' | 'dry_run' | 'already_published',
  release: Release,
  night: NightOf,
): NightResult {
  const { records, events, first_seq, last_seq, suspects_pending } = release;
  return {
    ...emptyResult(status, night),
    snapshot_id: release.manifest.id,
    records,
    events,
    first_seq,
    last_seq,
    change_cursor: cursorFromSeq(last_seq),
    quarantined: sum(release.quarantined),
    published_at: status === 'dry_run' ? null : release.published_at,
    suspects_pending,
    ...previewOf(night),
  };
}

export function resultFromProblems(
  status: 'held' | 'rejected',
  problems: readonly string[],
  night: NightOf,
): NightResult {
  const { request, found: { checked } = {} } = night;
  return {
    ...emptyResult(status, night),
    quarantined: checked === undefined ? 0 : sum(checked.quarantined),
    suspects_pending: checked?.suspects.pending ?? 0,
    problems,
    next_command: nightCommand({ ...request, accept: status === 'held' || request.accept }),
    ...(status === 'held' ? previewOf(night) : {}),
  };
}

function previewOf({ found }: NightOf): Pick<NightResult, 'preview'> {
  return found?.preview === undefined ? {} : { preview: found.preview };
}

function emptyResult(status: NightStatus, { request, run }: NightOf): NightResult {
  return {
    status,
    day: request.day,
    snapshot_id: null,
    records: null,
    events: null,
    first_seq: null,
    last_seq: null,
    change_cursor: null,
    quarantined: 0,
    published_at: null,
    suspects_pending: 0,
    dry_run: request.dryRun,
    problems: [],
    next_command: null,
    warnings: run?.warnings ?? [],
    report: run?.folder.path ?? null,
  };
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Runs a night again; accepted items stay accepted. */
export interface NightToRun {
  readonly day: Day;
  readonly source: string;
  readonly accept: boolean;
  readonly acceptSuspects: readonly string[];
}

/** Can be pasted into a shell. */
export function nightCommand({ day, source, accept, acceptSuspects }: NightToRun): string {
  const suspects = acceptSuspects.length === 0 ? [] : ['--accept-suspect', ...acceptSuspects.map(quoted)];
  const args = [
    'modelstats nightly --source',
    quoted(source),
    '--day',
    day,
    ...(accept ? ['--accept'] : []),
    ...suspects,
  ];
  return args.join(' ');
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The report of every night that began its stages (specification "Run reports").
 * @param error ended the stages early
 * @param result undefined where the night failed
 */
export function nightReport(
  { request, found = {} }: NightOf,
  { error, result }: { readonly error: unknown; readonly result: NightResult | undefined },
): RunReport {
  const { fetched, checked, changed, holds = [], preview } = found;
  const { status = 'failed', problems = [], next_command = null } = result ?? {};
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
    holds,
    problems,
    next_command,
    ...(preview === undefined ? {} : { preview }),
  };
  return { status, error, facts, issues: checked?.issues ?? [] };
}
