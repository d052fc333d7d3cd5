import { join } from 'node:path';
import { addDays, type Day } from '../../runtime/day.ts';
import { type DayRows, writeDay } from '../support/pipeline/write-day.ts';
import { type Random, randomFromSeed } from '../support/random.ts';

const FIRST_DAY: Day = '2024-02-27';
const DAY_WITHOUT_RANKINGS = 1;
const REPEATING_DAY = 3;
const MODELS = 24;
const BENCHMARKS = 4;

/**
 * Writes a source of small dated folders, the same for the same seed. Every day differs from the one before: records
 * come, change, go and come back; one day lacks the rankings' file, and one repeats the day before it.
 */
export async function writeInventedDays(folder: string, days: number, seed: number): Promise<readonly Day[]> {
  const names = Array.from({ length: days }, (_, index) => addDays(FIRST_DAY, index));
  for (const [index, day] of names.entries()) {
    const like = index === REPEATING_DAY ? index - 1 : index;
    const rows = inventRows(like, randomFromSeed(seed + like));
    await writeDay(join(folder, day), rows);
  }
  return names;
}

function inventRows(index: number, random: Random): DayRows {
  const chance = (probability: number) => random() < probability;
  const models = Array.from({ length: MODELS }, (_, at) => `org/model-${at}:${at % 2 === 0 ? 'Big' : 'big'}@1`).filter(
    () => chance(0.9),
  );
  const benchmarks = Array.from({ length: BENCHMARKS }, (_, at) => `bench ${at}`);
  const scores = models.flatMap((model_id) =>
    benchmarks.filter(() => chance(0.95)).map((benchmark_id) => ({ model_id, benchmark_id, value: rounded(random) })),
  );
  const rankings = models.map((model_id, at) => ({ model_id, category: 'overall', rank: at + 1, trueskill_mu: 25 }));
  const pricing = models
    .filter(() => chance(0.9))
    .map((model_id) => ({ model_id, provider: 'acme', input_per_million: 1 + rounded(random) }));
  return {
    models: models.map((id) => ({ id, name: chance(0.8) ? id : `${id} as of ${index}` })),
    benchmarks: benchmarks.map((id) => ({ id, name: id })),
    scores,
    ...(index === DAY_WITHOUT_RANKINGS ? {} : { rankings }),
    pricing,
  };
}

function rounded(random: Random): number {
  return Math.round(random() * 1000) / 1000;
}
