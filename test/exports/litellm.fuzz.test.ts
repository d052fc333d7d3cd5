/**
 * LiteLLM itself, which loads an export by its own setting, against `GET /v1/cost` of the same service. `make test-fuzz` installs it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listen } from '../support/api/listen.ts';
import type { TestApi } from '../support/api/open-api.ts';
import { ModelsDevSchema } from '../support/exports/models-dev-schema.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';
import { openPublic } from '../support/site/use-public.ts';
import { loadRealDay, PUBLIC_BY_DEFAULT } from '../support/sources/real-upstream.ts';
import { NEWEST, useRecipe } from '../support/sources/use-recipe.ts';
import { OFFERS_DAY, publishOffers } from '../worlds/offers-day.ts';

const PYTHON = join(import.meta.dirname, '../../.tools/litellm/bin/python');
const PROGRAM = join(import.meta.dirname, 'litellm_costs.py');
const PATH = '/v1/exports/latest/litellm.json';
/** Far more than LiteLLM needs for thousands of costs, in milliseconds. */
const RUN_MS_MAX = 120_000;

/** Without those that LiteLLM asks for their prices or an account, or knows only as `custom_llm_provider`. */
const PROVIDERS = [
  ...['anthropic', 'azure', 'deepseek', 'gemini', 'groq', 'mistral', 'openai', 'openrouter', 'together_ai'],
];

/** What a request uses, in tokens; the prompt includes what is cached and written. */
interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
  readonly tier: 'batch' | 'flex' | 'priority' | null;
}

interface Case extends Usage {
  /** LiteLLM's key. */
  readonly model: string;
  readonly entry: Entry;
}

interface Entry {
  readonly litellm_provider: string;
  readonly metadata: { readonly model_id: string; readonly provider: string };
  readonly [field: string]: unknown;
}

beforeAll(() => {
  if (!existsSync(PYTHON)) throw new Error(`${PYTHON} is missing: run "make test-fuzz"`);
});

/** Requests that an entry has every price for. */
function usagesOf(entry: Entry): readonly Usage[] {
  const has = (...fields: readonly string[]) => fields.every((field) => typeof entry[field] === 'number');
  if (!has('input_cost_per_token', 'output_cost_per_token')) return [];
  const plain = { prompt: 1200, completion: 300, cached: 0, written: 0, tier: null };
  const cached = has('cache_read_input_token_cost') ? 500 : 0;
  const written = has('cache_creation_input_token_cost') ? 200 : 0;
  const tiers = (['batch', 'flex', 'priority'] as const).filter((tier) => {
    const suffix = tier === 'batch' ? 'batches' : tier;
    return has(`input_cost_per_token_${suffix}`, `output_cost_per_token_${suffix}`);
  });
  return [
    plain,
    ...(cached + written > 0 ? [{ ...plain, cached, written }] : []),
    ...(has('input_cost_per_token_above_200k_tokens') ? [{ ...plain, prompt: 250_000, cached, written }] : []),
    ...tiers.map((tier) => ({ ...plain, tier })),
  ];
}

interface LiteLLMReply {
  readonly models: number;
  /** Numbers, or why there is none. */
  readonly costs: readonly unknown[];
}

function askLiteLLM(url: string, cases: readonly Case[]): Promise<LiteLLMReply> {
  const requests = cases.map(({ entry, tier, ...request }) => {
    return { ...request, batch: tier === 'batch', tier: tier === 'batch' ? null : tier };
  });
  const { promise, resolve, reject } = Promise.withResolvers<LiteLLMReply>();
  // LiteLLM takes no map that is much smaller than its own, unless told to.
  const anySize = { MODEL_COST_MAP_MIN_MODEL_COUNT: '1', MODEL_COST_MAP_MAX_SHRINK_RATIO: '0' };
  const env = { ...process.env, ...anySize, LITELLM_MODEL_COST_MAP_URL: url };
  const child = execFile(PYTHON, [PROGRAM], { env, timeout: RUN_MS_MAX, maxBuffer: 2 ** 26 }, (error, stdout) => {
    if (error) reject(error);
    else resolve(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  });
  child.stdin?.end(JSON.stringify(requests));
  return promise;
}

async function costOf(api: TestApi, { entry, prompt, completion, cached, written, tier }: Case): Promise<unknown> {
  const { model_id: model, provider } = entry.metadata;
  const query = new URLSearchParams({
    model,
    provider,
    input: String(prompt - cached - written),
    output: String(completion),
  });
  if (cached > 0) query.set('cache_read', String(cached));
  if (written > 0) query.set('cache_write', String(written));
  if (tier !== null) query.set('tier', tier);
  return (await api.ask(api.accounts.customers.commercial, `/v1/cost?${query}`)).json().cost;
}

/** Every request to a model of the export, what LiteLLM refuses, and where the two disagree. */
async function compare(api: TestApi) {
  const entries = Object.entries((await api.json(PATH)) as Readonly<Record<string, Entry>>);
  const isFound = (key: string, provider: string) =>
    PROVIDERS.includes(provider) && (key.startsWith(`${provider}/`) || ['anthropic', 'openai'].includes(provider));
  const cases = entries
    .filter(([key, { litellm_provider: provider }]) => isFound(key, provider))
    .flatMap(([model, entry]) => usagesOf(entry).map((usage): Case => ({ model, entry, ...usage })));
  const { models, costs } = await askLiteLLM((await listen(api.app)) + PATH, cases);
  expect(models).toBe(entries.length);
  const found = { compared: [] as Case[], refused: [] as string[], different: [] as unknown[] };
  for (const [at, one] of cases.entries()) {
    if (at % 100 === 0) api.clock.advance(61_000); // The limits of a minute.
    const [ours, theirs] = [Number(await costOf(api, one)), costs[at]];
    if (typeof theirs !== 'number') found.refused.push(one.model);
    else if (Math.abs(theirs - ours) <= 1e-9 * ours) found.compared.push(one);
    else found.different.push([one, theirs, ours]);
  }
  return found;
}

function count(cases: readonly Case[], isOf: (one: Case) => boolean): number {
  return new Set(cases.filter(isOf).map(({ model }) => model)).size;
}

test('LiteLLM computes from an export what GET /v1/cost says', { timeout: RUN_MS_MAX }, async () => {
  const api = await openPublic({ days: publishOffers, now: `${OFFERS_DAY}T12:00:00Z` });
  const { compared, refused, different } = await compare(api);
  expect([different, refused]).toEqual([[], []]);
  expect(new Set(compared.map(({ tier }) => tier))).toEqual(new Set([null, 'batch', 'flex', 'priority']));
  expect(
    count(compared, ({ prompt, cached, written }) => prompt > 200_000 && cached > 0 && written > 0),
  ).toBeGreaterThan(0);
});

test.skipIf(UPSTREAM_DATA === undefined)(
  'so it does for a thousand models of a recorded day, whose other export models.dev accepts',
  { timeout: 300_000 },
  async () => {
    const recipe = await useRecipe('public');
    await recipe.publish('2026-08-01', loadRealDay(PUBLIC_BY_DEFAULT, '2026-08-01'));
    const api = await openPublic({ store: recipe.url, now: '2026-08-02T12:00:00Z', versions: NEWEST });
    const { compared, refused, different } = await compare(api);
    expect(different).toEqual([]);
    expect(count(compared, () => true)).toBeGreaterThan(1000);
    expect(count(compared, ({ cached }) => cached > 0)).toBeGreaterThan(200);
    expect(count(compared, ({ prompt }) => prompt > 200_000)).toBeGreaterThan(50);
    expect(count(compared, ({ tier }) => tier === 'batch')).toBeGreaterThan(40);
    // It asks for some models at another provider, such as Mistral's at Azure.
    expect(refused.length).toBeLessThan(compared.length / 100);
    const providers = ModelsDevSchema.parse(await api.json('/v1/exports/latest/models-dev.json'));
    expect(Object.values(providers).flatMap(({ models }) => Object.keys(models)).length).toBeGreaterThan(3000);
  },
);
