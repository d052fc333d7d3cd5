/**
 * Gives releases of days in the future their right day (specification "A day that was wrong"; decision 0099). Events keep their numbers
 * and bytes, snapshots their content, so whoever followed has followed rightly, and the next night goes on from there. All of it becomes
 * visible with one swap of the catalog; a command that dies before has changed nothing.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays, type Day, dayFromDate, daysBetween, isDay } from '../../../runtime/day.ts';
import { AppError } from '../../../runtime/errors.ts';
import type { Catalog, CatalogEntry } from '../../../schemas/catalog.ts';
import { getEntry, loadRelease, markPublished, swapCatalog } from '../../../storage/catalog.ts';
import { loadCatalogToContinue } from '../../../storage/continue-catalog.ts';
import type { DuckDBLimits } from '../../../storage/duckdb/database.ts';
import type { ObjectStore } from '../../../storage/object-store.ts';
import { uploadRelease } from '../../night/publish.ts';
import type { Run } from '../../run/run.ts';
import { claimWorkFolder } from '../../run/work-folder-store.ts';
import { runUpkeep, type UpkeepDeps, type UpkeepEnd } from '../upkeep-run.ts';
import { redateRelease } from './redate-release.ts';
import type { DayShift } from './shift-days.ts';

export interface RedateDeps extends UpkeepDeps {
  readonly store: ObjectStore;
  readonly duckdb: DuckDBLimits;
  readonly uploadsMax: number;
}

export interface RedateRequest {
  /** The first day that is wrong; those after it move with it. */
  readonly day: Day;
  /** Its right day. */
  readonly to: Day;
}

export interface Redated {
  readonly redated: readonly { readonly from: Day; readonly to: Day }[];
}

/**
 * Rejects with `not_found` where there is no such snapshot, and with `usage` where its day is not in the future, is the first of the
 * store, or has no room where it is to go.
 */
export function redate(request: RedateRequest, deps: RedateDeps): Promise<Redated & UpkeepEnd> {
  const tell = (facts: Redated) => ({ status: 'redated', facts });
  return runUpkeep({ command: 'catalog redate', request, tell }, deps, (run) => redateAll(request, deps, run));
}

async function redateAll(request: RedateRequest, deps: RedateDeps, run: Run): Promise<Redated> {
  const { store, uploadsMax } = deps;
  const loaded = await loadCatalogToContinue(store, 'all');
  const { kept, wrong, shift } = planRedate(loaded.catalog, request, deps.clock());
  await claimWorkFolder(deps.workFolder, { store, catalog: loaded.catalog });
  const database = await run.openDatabase(deps.duckdb);
  const redated: Awaited<ReturnType<typeof uploadRelease>>[] = [];
  for (const entry of wrong) {
    const previous = redated.at(-1)?.entry ?? kept.at(-1);
    if (previous === undefined) throw new Error('the first release is never moved');
    const folder = join(run.folder.scratch, entry.day);
    await mkdir(folder, { recursive: true });
    const input = { entry, release: await loadRelease(store, entry), previous, shift, run: deps.newRunId() };
    const release = await run.stage('redate', () => redateRelease(input, { store, database, folder }));
    redated.push(await run.stage('upload', () => uploadRelease({ release, folder }, { store, uploadsMax })));
    await rm(folder, { recursive: true });
  }
  const entries = redated.map(({ entry }) => entry);
  await swapCatalog(store, loaded, { releases: [...kept, ...entries] });
  for (const { entry, body } of redated) await markPublished(store, entry, body);
  return { redated: entries.map(({ day, redated_from }) => ({ from: redated_from?.day ?? day, to: day })) };
}

interface Plan {
  readonly kept: readonly CatalogEntry[];
  /** The releases that move, oldest first. */
  readonly wrong: readonly CatalogEntry[];
  readonly shift: DayShift;
}

function planRedate(catalog: Catalog | undefined, { day, to }: RedateRequest, now: Date): Plan {
  if (!isDay(to)) throw new AppError('usage', `${to} is no day such as 2026-11-20`);
  const entry = getEntry(catalog, day);
  const releases = catalog?.releases ?? [];
  const at = releases.indexOf(entry);
  const [kept, wrong] = [releases.slice(0, at), releases.slice(at)];
  const today = dayFromDate(now);
  const days = daysBetween(to, day);
  const last = addDays(wrong.at(-1)?.day ?? day, -days);
  const before = kept.at(-1)?.day;
  if (day <= today) throw refused(day, `is not in the future: today is ${today} (UTC), and published days stay`);
  if (before === undefined)
    throw refused(day, 'is the first snapshot, which gives the store its identity: begin a new store');
  if (to <= before) throw refused(day, `can't become ${to}: it has to lie after ${before}, the snapshot before it`);
  if (last > today)
    throw refused(day, `can't become ${to}: the newest snapshot would be of ${last}, and today is ${today} (UTC)`);
  return { kept, wrong, shift: { from: day, days, now } };
}

function refused(day: Day, why: string): AppError {
  return new AppError('usage', `${day} ${why}`);
}
