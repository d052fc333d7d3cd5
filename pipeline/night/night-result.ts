import type { Day } from '../../runtime/day.ts';
import { cursorFromSeq } from '../../schemas/change.ts';
import type { Release } from '../../schemas/release.ts';
import type { Run } from '../run/run.ts';
import type { Check, Counts } from './check/check.ts';
import { type NightToRun, nightCommand } from './next-command.ts';
import type { Preview } from './preview.ts';

/** `dry_run`: would have been published. */
export type NightStatus = 'published' | 'dry_run' | 'already_published' | 'held' | 'rejected';

/** What became of a night; the field names are the contract of `nightly --json` (specification "JSON answers"). */
export interface NightResult {
  readonly status: NightStatus;
  readonly day: Day;
  readonly snapshot_id: string | null;
  /** Records in force after the night, by dataset; null where nothing was published. */
  readonly records: Counts | null;
  readonly events: { readonly upsert: number; readonly delete: number } | null;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly change_cursor: string | null;
  /** Rows set aside as bad, over all datasets. */
  readonly quarantined: number;
  readonly published_at: string | null;
  readonly suspects_pending: number;
  readonly dry_run: boolean;
  /** Why the night was held or rejected. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** What to run next where the night was held, if the source is right, or rejected, once it was mended; else null. */
  readonly next_command: string | null;
  /** Folder with the run's report.json and issues.jsonl; null where no run was needed. */
  readonly report: string | null;
  /** Of a dry run that came as far as comparing, and of a night that was held: what would be published. */
  readonly preview?: Preview;
}

/** The night that a result is of. */
export interface NightOf {
  readonly request: NightToRun & { readonly dryRun: boolean };
  /** Undefined where no run was needed. */
  readonly run?: Pick<Run, 'folder' | 'warnings'>;
  readonly preview?: Preview | undefined;
}

/** The result of a night that published, would have (dry run), or found its day published before. */
export function resultFromRelease(
  status: 'published' | 'dry_run' | 'already_published',
  release: Release,
  night: NightOf,
): NightResult {
  return {
    ...emptyResult(status, night),
    snapshot_id: release.manifest.id,
    records: release.records,
    events: release.events,
    first_seq: release.first_seq,
    last_seq: release.last_seq,
    change_cursor: cursorFromSeq(release.last_seq),
    quarantined: sum(release.quarantined),
    published_at: status === 'dry_run' ? null : release.published_at,
    suspects_pending: release.suspects_pending,
  };
}

/** The result of a night that published nothing, with the reasons. */
export function resultFromProblems(
  status: 'held' | 'rejected',
  problems: readonly string[],
  { checked, ...night }: NightOf & { readonly checked: Check | undefined },
): NightResult {
  return {
    ...emptyResult(status, night),
    quarantined: checked === undefined ? 0 : sum(checked.quarantined),
    suspects_pending: checked?.suspects.pending ?? 0,
    problems,
    next_command: nightCommand({ ...night.request, accept: status === 'held' || night.request.accept }),
  };
}

function emptyResult(status: NightStatus, { request, run, preview }: NightOf): NightResult {
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
    ...(preview === undefined ? {} : { preview }),
  };
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
