import { join } from 'node:path';
import {
  type FloorMeasured,
  measureFloor,
  measureNight,
  type NightMeasured,
  prepareNight,
  type StageInput,
} from './night.ts';
import { gigabytes, median, type ResultTable, seconds } from './results.ts';

export interface NightBenchOptions {
  /** Where to generate and publish. */
  readonly folder: string;
  /** How many nights, or pairs of floor and night, each figure is taken from. */
  readonly repeats: number;
  readonly progress: (text: string) => void;
}

export const CHANGED = 0.01;

/**
 * Specification "Performance goals": the night against writing the same snapshot alone, in turn, so that both see the same
 * machine.
 */
export async function compareWithFloor(
  sizes: readonly number[],
  { folder, repeats, progress }: NightBenchOptions,
): Promise<ResultTable> {
  const rows: (readonly string[])[] = [];
  for (const scores of sizes) {
    progress(`floor: publishing the first day of ${scores} scores`);
    const stage = await prepareNight({
      folder: join(folder, 'floor'),
      scores,
      changed: CHANGED,
      memoryLimit: memoryFor(scores),
    });
    const pairs: Pair[] = [];
    for (let pair = 0; pair < repeats; pair += 1) {
      const night = await measureNight(stage);
      const floor = await measureFloor(stage, night);
      pairs.push({ night, floor });
      progress(`  pair ${pair + 1}: floor ${seconds(floor.writeMs)} s, night ${seconds(night.wallMs)} s`);
    }
    rows.push([String(scores), ...cellsFromPairs(pairs)]);
  }
  return {
    title: 'A night with 1 % of the scores changed, against writing its snapshot alone',
    columns: [
      'scores',
      'load s',
      'floor s',
      'night s',
      'night / floor',
      'each pair',
      'processor s',
      'its ratio',
      'peak memory GB',
    ],
    rows,
    note:
      'Goal: at most 1.6 times the floor; memory at most 1.5 GB at 1 M scores, 4 GB at 10 M. Floor: typed rows in memory to `jsonl.gz` and ' +
      'hashes, without loading them (first column) or starting. Night: the whole process of `modelstats nightly`. Medians; the largest peak.',
  };
}

interface Pair {
  readonly floor: FloorMeasured;
  readonly night: NightMeasured;
}

function cellsFromPairs(pairs: readonly Pair[]): readonly string[] {
  const middle = (value: (pair: Pair) => number) => median(pairs.map(value));
  const ratio = ({ night, floor }: Pair) => night.wallMs / floor.writeMs;
  return [
    seconds(middle(({ floor }) => floor.loadMs)),
    seconds(middle(({ floor }) => floor.writeMs)),
    seconds(middle(({ night }) => night.wallMs)),
    middle(ratio).toFixed(2),
    pairs.map((pair) => ratio(pair).toFixed(2)).join(' '),
    seconds(middle(({ night }) => night.cpuMs)),
    middle(({ night, floor }) => night.cpuMs / floor.writeCpuMs).toFixed(2),
    gigabytes(Math.max(...pairs.map(({ night }) => night.peakBytes))),
  ];
}

/** Specification "Performance goals": the same state with more and more of it changed. */
export async function measureChanges(
  scores: number,
  parts: readonly number[],
  { folder, repeats, progress }: NightBenchOptions,
): Promise<ResultTable> {
  const rows: (readonly string[])[] = [];
  for (const changed of parts) {
    progress(`changes: ${changed * 100} % of ${scores} scores`);
    rows.push([
      `${changed * 100} %`,
      ...(await measureOne({
        folder: join(folder, 'changes'),
        scores,
        changed,
        nights: repeats,
        memoryLimit: memoryFor(scores),
      })),
    ]);
  }
  return {
    title: `A night with ${scores} scores, by how many changed`,
    columns: ['changed', ...COLUMNS],
    rows,
    note: 'Goal: linear or better in the changes.',
  };
}

/** Specification "Performance goals": the same part changed of a growing state. */
export async function measureStates(
  sizes: readonly number[],
  { folder, repeats, progress }: NightBenchOptions,
): Promise<ResultTable> {
  const rows: (readonly string[])[] = [];
  for (const size of sizes) {
    const scores = Math.round(size);
    progress(`states: ${scores} scores`);
    rows.push([
      String(scores),
      ...(await measureOne({
        folder: join(folder, 'states'),
        scores,
        changed: CHANGED,
        nights: repeats,
        memoryLimit: memoryFor(scores),
      })),
    ]);
  }
  return {
    title: 'A night with 1 % of the scores changed, by the size of the state',
    columns: ['scores', ...COLUMNS],
    rows,
    note: 'Goal: linear or better: the processor time per score does not grow.',
  };
}

const COLUMNS = ['events', 'night s', 'processor s', 'processor µs per score', 'peak memory GB'] as const;

/** Cells for {@link COLUMNS}: the median night of a few. */
async function measureOne(input: StageInput & { readonly nights: number }): Promise<readonly string[]> {
  const stage = await prepareNight(input);
  const nights: NightMeasured[] = [];
  for (let night = 0; night < input.nights; night += 1) nights.push(await measureNight(stage));
  const wallMs = median(nights.map((night) => night.wallMs));
  const cpuMs = median(nights.map((night) => night.cpuMs));
  const events = nights[0]?.release.events ?? { upsert: 0, delete: 0 };
  return [
    String(events.upsert + events.delete),
    seconds(wallMs),
    seconds(cpuMs),
    ((cpuMs * 1000) / input.scores).toFixed(2),
    gigabytes(Math.max(...nights.map((night) => night.peakBytes))),
  ];
}

/** DuckDB's part of the peak memory that specification "Performance goals" allows. */
export function memoryFor(scores: number): string {
  return scores > 2_000_000 ? '2GB' : '1GB';
}
