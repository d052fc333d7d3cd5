import { join } from 'node:path';
import { seqFromCursor } from '../../schemas/change.ts';
import type { ApiBenchOptions } from '../api/stages.ts';
import { type Measured, measureScript } from '../measure.ts';
import { gigabytes, median, type ResultTable, seconds } from '../results.ts';
import { prepareSync, removeCopy, replaceCopy, runSync, type SyncStage, TARGETS } from './stage.ts';

/** The same work done by the floor and by `modelstats sync`, round by round. */
interface Series {
  readonly name: string;
  readonly floor: readonly Measured[];
  readonly sync: readonly Measured[];
}

/**
 * What an exact copy costs: importing a snapshot against DuckDB reading the same files, and following the feed against paging
 * it and parsing it only. A table each.
 */
export async function measureSync(scores: number, options: ApiBenchOptions): Promise<readonly ResultTable[]> {
  const stage = await prepareSync(scores, options);
  try {
    const { rows, series: imported } = await measureImports(stage, options);
    await stage.publishSecond();
    const { events, series: followed } = await measureFollowing(stage, options);
    return [importTable(rows, imported, options), followTable(events, followed, options)];
  } finally {
    await stage.server.stop();
  }
}

async function measureImports(stage: SyncStage, { repeats, progress }: ApiBenchOptions) {
  const series: Series[] = [];
  for (const [name, ending] of Object.entries(TARGETS)) {
    const [floor, sync]: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round < repeats; round += 1) {
      const file = join(stage.folder, 'floor.duckdb');
      await removeCopy(file);
      floor.push(await measureScript('bench/sync/read-files.ts', [stage.snapshot, file], {}));
      await removeCopy(baseOf(stage, ending));
      sync.push(await runSync(stage, baseOf(stage, ending), 'imported'));
      progress(
        `  import into ${name}: ${seconds(sync.at(-1)?.wallMs ?? 0)} s, floor ${seconds(floor.at(-1)?.wallMs ?? 0)} s`,
      );
    }
    series.push({ name, floor, sync });
  }
  const response = await fetch(`${stage.server.origin}/v1/snapshots`, { headers: authorization(stage) });
  const { snapshots } = (await response.json()) as { readonly snapshots: readonly ListedSnapshot[] }; // As the route answers.
  return { rows: snapshots[0]?.datasets.reduce((sum, { records }) => sum + records, 0) ?? 0, series };
}

interface ListedSnapshot {
  readonly change_cursor: string;
  readonly datasets: readonly { readonly records: number }[];
}

async function measureFollowing(stage: SyncStage, { repeats, progress }: ApiBenchOptions) {
  const response = await fetch(`${stage.server.origin}/v1/snapshots`, { headers: authorization(stage) });
  const { snapshots } = (await response.json()) as { readonly snapshots: readonly ListedSnapshot[] }; // As the route answers.
  const [newest = '', oldest = ''] = snapshots.map(({ change_cursor: cursor }) => cursor);
  const events = (seqFromCursor(newest) ?? 0) - (seqFromCursor(oldest) ?? 0);
  const series: Series[] = [];
  for (const [name, ending] of Object.entries(TARGETS)) {
    const [floor, sync]: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round < repeats; round += 1) {
      const into = join(stage.folder, `followed${ending}`);
      await replaceCopy(baseOf(stage, ending), into);
      floor.push(await measureScript('bench/sync/page-feed.ts', [oldest], stage.env));
      sync.push(await runSync(stage, into, 'followed'));
      progress(
        `  follow into ${name}: ${seconds(sync.at(-1)?.wallMs ?? 0)} s, floor ${seconds(floor.at(-1)?.wallMs ?? 0)} s`,
      );
    }
    series.push({ name, floor, sync });
  }
  return { events, series };
}

function authorization({ env }: SyncStage): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${env['MODELSTATS_API_KEY']}` };
}

/** The copy that the imports leave, at the first day. */
function baseOf({ folder }: SyncStage, ending: string): string {
  return join(folder, `copy${ending}`);
}

function importTable(rows: number, series: readonly Series[], { repeats }: ApiBenchOptions): ResultTable {
  return {
    title: 'modelstats sync: importing a snapshot, against DuckDB reading the same files',
    columns: ['into', 'rows', 'read_json s', 'sync s', 'ratio', 'each pair', 'rows/s', ...USED],
    rows: series.map((one) => row(rows, one)),
    note:
      'Whole processes. read_json: the five compressed files at hand into the tables of a copy, with keys, in one transaction. Sync: ' +
      'downloads them from the same machine, checks hashes, imports them in one transaction, and reads all lines back. 2 threads and 1 GB ' +
      `for DuckDB. Medians of ${repeats} pairs each; the largest peak.`,
  };
}

function followTable(events: number, series: readonly Series[], { repeats }: ApiBenchOptions): ResultTable {
  return {
    title: 'modelstats sync: following the feed, against a loop that only pages and parses it',
    columns: ['into', 'events', 'paging s', 'sync s', 'ratio', 'each pair', 'events/s', ...USED],
    rows: series.map((one) => row(events, one)),
    note:
      'Whole processes. Every score of the copy changes. Sync applies batches of 20,000 events, a transaction each, and proves the copy; the ' +
      `loop parses each page and drops it. Medians of ${repeats} pairs each; the largest peak.`,
  };
}

const USED = ['floor processor s', 'processor s', 'floor peak GB', 'peak GB'];

function row(count: number, { name, floor, sync }: Series): readonly string[] {
  const middle = (measured: readonly Measured[], value: (one: Measured) => number) => median(measured.map(value));
  const ratios = sync.map(({ wallMs }, index) => wallMs / (floor[index]?.wallMs ?? Number.NaN));
  const peak = (measured: readonly Measured[]) => gigabytes(Math.max(...measured.map(({ peakBytes }) => peakBytes)));
  return [
    name,
    String(count),
    seconds(middle(floor, ({ wallMs }) => wallMs)),
    seconds(middle(sync, ({ wallMs }) => wallMs)),
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(2)).join(' '),
    (count / (middle(sync, ({ wallMs }) => wallMs) / 1000)).toFixed(0),
    seconds(middle(floor, ({ cpuMs }) => cpuMs)),
    seconds(middle(sync, ({ cpuMs }) => cpuMs)),
    peak(floor),
    peak(sync),
  ];
}
