import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DayFiles, RECIPES_FOLDER } from '../support/sources/recipe-folder.ts';

/** What a day's upstreams tell, in short. */
interface Joined {
  /** Entries by provider and id, as models.dev has them. */
  readonly modelsDev?: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** Name, and dollars a token for input and output, by id. */
  readonly openrouter?: Readonly<Record<string, readonly [string, string, string]>>;
  /** Provider, and dollars a token for input and output, by key. */
  readonly litellm?: Readonly<Record<string, readonly [string, number, number]>>;
  /** Dollars a million for input and output, by provider and id. */
  readonly genaiPrices?: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
  /** Names on the text board, best first. */
  readonly lmarena?: readonly string[];
  /** Model versions with a score of 0.5 in MMLU. */
  readonly epoch?: readonly string[];
  /** Models with 50 in every task, or whole lines. */
  readonly livebench?: readonly string[];
}

/** The files of a day of `sources/public`, each in its upstream's own form; who isn't given has nothing. */
export function joinedFiles(told: Joined): DayFiles {
  const { modelsDev = {}, openrouter = {}, litellm = {}, genaiPrices = {}, epoch = [], livebench = [] } = told;
  return {
    'models-dev.json': mapValues(modelsDev, (models) => ({ models })),
    'openrouter.json': {
      data: Object.entries(openrouter).map(([id, [name, prompt, completion]]) => ({
        id,
        name,
        pricing: { prompt, completion },
      })),
    },
    'litellm.json': mapValues(litellm, ([litellm_provider, input_cost_per_token, output_cost_per_token]) => ({
      litellm_provider,
      mode: 'chat',
      input_cost_per_token,
      output_cost_per_token,
    })),
    'genai-prices.json': Object.entries(genaiPrices).map(([id, models]) => ({
      id,
      models: Object.entries(models).map(([model, [input_mtok, output_mtok]]) => ({
        id: model,
        prices: { input_mtok, output_mtok },
      })),
    })),
    ...boards(told.lmarena ?? []),
    'epoch/mmlu_external.csv': csv([
      'Model version,EM,Release date,Organization,Display name',
      ...epoch.map((model) => `${model},0.5,,,`),
    ]),
    'livebench/table.csv': csv([
      'model,a,b,c',
      ...livebench.map((line) => (line.includes(',') ? line : `${line},50,50,50`)),
    ]),
    'livebench/categories.json': { Coding: ['a', 'b', 'c'] },
  };
}

function csv(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Who stands on boards that nobody was given for: a board always has somebody. */
export const NOBODY = 'lmarena:nobody';

/** Every board that is read; these models are on the text board. */
function boards(models: readonly string[]): DayFiles {
  const settings = JSON.parse(readFileSync(join(RECIPES_FOLDER, 'lmarena/source.json'), 'utf8'));
  const paths: readonly string[] = settings.fetch.map(({ file }: { readonly file: string }) => file);
  const row = (model_name: string, index: number) => ({
    model_name,
    organization: '',
    rating: 1500.5,
    variance: 4,
    vote_count: 10,
    rank: index + 1,
    category: 'overall',
  });
  const nobody = [row('nobody', 0)];
  return Object.fromEntries(
    paths.map((path) => [path, path === 'lmarena/text.parquet' && models.length > 0 ? models.map(row) : nobody]),
  );
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, map: (value: V) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
