import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Day, dayFromDate } from '../../runtime/day.ts';

/** How the last night went, by its report (specification "Run reports"). */
export interface LastRun {
  readonly day: Day;
  readonly status: string;
  readonly finished_at: string;
  /** Why it published nothing. */
  readonly reasons: readonly string[];
  /** What to run where it was held, if the source is right, or rejected, once it was mended; else null. */
  readonly next_command: string | null;
  /** Folder of the report. */
  readonly report: string;
}

/** What is read of a report; those of other commands have no source, and older ones neither problems nor a command. */
const ReportSchema = z.looseObject({
  status: z.string(),
  day: z.string(),
  source: z.string(),
  finished_at: z.string(),
  error: z.string().nullable(),
  problems: z.array(z.string()).default([]),
  next_command: z.string().nullable().default(null),
});

/** Reports that are looked into: between two nights there are a few of `verify`, `mirror` and `prune`. */
const REPORTS_MAX = 100;

/**
 * The newest night that left a report in a work folder. Dry runs are none, and neither is one of a day to come: that one had a wrong clock,
 * and would be the newest until then.
 */
export async function findLastRun(workFolder: string, now: Date): Promise<LastRun | undefined> {
  const runs = join(workFolder, 'runs');
  const names = await readdir(runs).catch(() => []);
  const past = names.filter((name) => dayOf(name) <= dayFromDate(now));
  // By the id of the run, which tells when it began: a day's folder may be of a later run than the next day's.
  const newest = past.sort((a, b) => (runOf(a) < runOf(b) ? 1 : -1)).slice(0, REPORTS_MAX);
  for (const name of newest) {
    const found = await readRun(join(runs, name));
    if (found !== undefined && found.status !== 'dry_run') return found;
  }
  return undefined;
}

async function readRun(folder: string): Promise<LastRun | undefined> {
  try {
    const report = ReportSchema.parse(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));
    const { day, status, finished_at, problems, error, next_command } = report;
    const reasons = problems.length > 0 || error === null ? problems : [error];
    return { day, status, finished_at, reasons, next_command, report: folder };
  } catch {
    return undefined; // Of another command, still running, killed, or not readable.
  }
}

function dayOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

function runOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
