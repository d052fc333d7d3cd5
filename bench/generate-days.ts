/** Run as a process of its own, so that its memory is not the bench's: `tsx bench/generate-days.ts FOLDER SCORES CHANGED`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALIASES_MAX } from '../pipeline/source/aliases.ts';
import { Database, sqlText } from '../storage/duckdb/database.ts';
import { FIRST_DAY, SECOND_DAY } from './night.ts';

interface DaysToGenerate {
  readonly folder: string;
  readonly scores: number;
  /** Part of the scores that differ on the second day: 9 of 10 in value, the rest gone or new, half and half. */
  readonly changed: number;
}

/**
 * Writes two days of source data in JSON Lines, the same for the same numbers: `scores` rows of a hundred times as many
 * models as benchmarks, grouped by model as upstream lists them (not in key order), and small datasets to go with them.
 */
async function generateDays({ folder, scores, changed }: DaysToGenerate): Promise<void> {
  const database = await Database.open(':memory:', { memoryLimit: '1GB', threads: 2, tempFolder: join(folder, 'tmp') });
  const benchmarks = Math.max(1, Math.round(Math.sqrt(scores / 100)));
  const models = Math.ceil(scores / benchmarks);
  await mkdir(folder, { recursive: true });
  const upstreams = [{ id: 'shop', name: 'A shop', url: 'https://shop.test' }];
  await writeFile(join(folder, 'source.json'), JSON.stringify({ aliases: 'aliases.csv', upstreams }));
  await database.run(`COPY (${aliasesSql(models)}) TO ${sqlText(join(folder, 'aliases.csv'))} (FORMAT csv, HEADER)`);
  for (const day of [FIRST_DAY, SECOND_DAY]) {
    await mkdir(join(folder, day), { recursive: true });
    const write = (name: string, select: string) =>
      database.run(
        `COPY (${select}) TO ${sqlText(join(folder, day, `${name}.jsonl`))}
         (FORMAT json, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ')`,
      );
    await write('models', modelsSql(models));
    await write('benchmarks', benchmarksSql(benchmarks));
    await write('scores', scoresSql({ scores, benchmarks, changed, isSecondDay: day === SECOND_DAY }));
    await write('rankings', rankingsSql(Math.ceil(models / 20)));
    await write('pricing', pricingSql(models));
  }
  database.close();
}

/** Ids as upstream makes them: a lab, a family, a version, a release date. */
function modelId(index: string): string {
  return `['openai/gpt', 'anthropic/claude', 'google/gemini', 'Qwen/Qwen', 'mistralai/Mistral', 'deepseek-ai/DeepSeek',
    'zai-org/GLM', '@cf/meta/llama'][1 + ${chance(index, 1)} % 8] || '-' || (${index} % 40 / 10)::DECIMAL(3,1) || '-' ||
    ['mini', 'pro', 'thinking:free', 'instruct'][1 + ${chance(index, 2)} % 4] || '-' || (20250000 + ${index})`;
}

function benchmarkId(index: string): string {
  return `['mteb-', 'aider-', 'vectara-', 'swe-bench--'][1 + ${chance(index, 11)} % 4] || 'task-' || (100 + ${index})`;
}

function modelsSql(models: number): string {
  return `SELECT ${modelId('i')} AS id, 'Model ' || i AS name, 'Lab ' || i % 50 AS organization,
      DATE '2025-01-01' + (i % 300)::INTEGER AS release_date, 128000 AS context_length, 'azure,bedrock' AS inference,
      ${earlier('i')} AS updated_at
    FROM range(${models}) AS rows(i)`;
}

/** A name for each model, as many as a table may have. */
function aliasesSql(models: number): string {
  return `SELECT 'shop' AS upstream, 'us.' || ${modelId('i')} AS id, ${modelId('i')} AS model_id FROM range(${Math.min(models, ALIASES_MAX)}) AS rows(i)`;
}

function benchmarksSql(benchmarks: number): string {
  return `SELECT ${benchmarkId('i')} AS id, 'Task ' || i AS name, 'embedding' AS category,
      TIMESTAMP '2025-06-03 10:20:57' AS updated_at
    FROM range(${benchmarks}) AS rows(i)`;
}

function scoresSql({ scores, benchmarks, changed, isSecondDay }: ScoresShape): string {
  const isChanged = `${chance('i', 3)} % 1000000 < ${Math.round(changed * 1_000_000)}`;
  const isAbsent = `${isChanged} AND ${chance('i', 4)} % 20 = ${isSecondDay ? 0 : 1}`;
  const day = isSecondDay ? `if(${isChanged}, 2, 1)` : '1';
  return `SELECT ${modelId(`(i // ${benchmarks})`)} AS model_id, ${benchmarkId(`(i % ${benchmarks})`)} AS benchmark_id,
      if(i % 3 = 0, ${chance('i', 5, day)} / 4294967296, (${chance('i', 5, day)} % 100000) / 1000) AS value,
      ['official', 'independent', 'embeddings-benchmark/results'][1 + ${chance('i', 6)} % 3] AS source,
      if(i % 4 = 0, DATE '2025-03-01' + (i % 200)::INTEGER, NULL) AS measured_at,
      if(${day} = 2, TIMESTAMP '${SECOND_DAY} 04:00:00', ${earlier('i')}) AS updated_at
    FROM range(${scores}) AS rows(i) WHERE NOT (${isAbsent})`;
}

interface ScoresShape {
  readonly scores: number;
  readonly benchmarks: number;
  readonly changed: number;
  readonly isSecondDay: boolean;
}

function rankingsSql(models: number): string {
  return `SELECT ${modelId('i')} AS model_id, category, i + 1 AS rank, 1200 + (${chance('i', 7)} % 3000) / 10 AS trueskill_mu,
      4.25 AS trueskill_sigma, ${earlier('i')} AS updated_at
    FROM range(${models}) AS rows(i), (VALUES ('text'), ('code'), ('vision')) AS categories(category)`;
}

function pricingSql(models: number): string {
  return `SELECT ${modelId('i')} AS model_id, provider, (1 + ${chance('i', 8)} % 1000) / 100 AS input_per_million,
      (1 + ${chance('i', 9)} % 4000) / 100 AS output_per_million, 'USD' AS currency, DATE '2025-05-20' AS effective_from,
      ${earlier('i')} AS updated_at
    FROM range(${models}) AS rows(i), (VALUES ('azure'), ('bedrock')) AS providers(provider)`;
}

/** A time of the year before the first day. */
function earlier(index: string): string {
  return `TIMESTAMP '2025-01-01 00:00:00' + INTERVAL (${chance(index, 10)} % 31000000) SECOND`;
}

/** A whole number below 2³², seemingly at random, always the same for the same arguments. */
function chance(index: string, use: number, version = '1'): string {
  return `(hash(${index}, ${use}, ${version}) >> 32)::BIGINT`;
}

const [target, ...numbers] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: generate-days.ts FOLDER SCORES CHANGED');
const [scoresWanted = 0, changedWanted = 0] = numbers.map(Number);
await generateDays({ folder: target, scores: scoresWanted, changed: changedWanted });
