import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASET_NAMES } from '../schemas/datasets.ts';
import type { Day } from '../schemas/day.ts';
import { messageFromError } from '../schemas/errors.ts';
import type { Hold } from '../schemas/release.ts';
import type { Check } from './check/check.ts';
import type { Diff } from './diff.ts';

export type NightStatus = 'published' | 'already_published' | 'held' | 'rejected';

/** What a run found out on its way; each stage adds its part, so that a failed run's report tells how far it came. */
export interface Findings {
  readonly stages: { readonly stage: string; readonly ms: number }[];
  readonly warnings: string[];
  status: NightStatus | 'failed';
  error?: unknown;
  check?: Check;
  diff?: Diff;
  holds?: readonly Hold[];
}

export interface ReportInput {
  readonly request: { readonly day: Day; readonly source: string };
  readonly run: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly findings: Findings;
}

/** Writes `report.json` and `issues.jsonl` of a run, whatever became of it (DESIGN §5). */
export async function writeReport(folder: string, input: ReportInput): Promise<void> {
  const { status, error, check, diff, holds, stages, warnings } = input.findings;
  const report = {
    status,
    day: input.request.day,
    run: input.run,
    source: input.request.source,
    started_at: input.startedAt.toISOString(),
    finished_at: input.finishedAt.toISOString(),
    error: error === undefined ? null : messageFromError(error),
    rows: check?.rows ?? null,
    quarantined: check?.quarantined ?? null,
    orphans: check?.orphans ?? null,
    suspects: check?.suspects ?? null,
    withheld: DATASET_NAMES.filter((name) => check?.withheld.has(name)),
    records: diff?.records ?? null,
    deleted: diff?.deleted ?? null,
    events: diff?.events ?? null,
    first_seq: diff?.firstSeq ?? null,
    last_seq: diff?.lastSeq ?? null,
    holds: holds ?? [],
    warnings,
    stages,
  };
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  const issues = (check?.issues ?? []).map((issue) => `${JSON.stringify(issue)}\n`);
  await writeFile(join(folder, 'issues.jsonl'), issues.join(''));
}
