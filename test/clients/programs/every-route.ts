/**
 * A consumer's program on a client that openapi-typescript made of the document: it asks every route, goes through every list to its
 * end, and prints what it found. `every_route.py` is the same in Python. A route that is new needs no line in them: `every` asks it.
 */
// biome-ignore lint/correctness/noUndeclaredDependencies: scripts/clients.sh installs it, beside which this is compiled and run.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];
type Kind = Schemas['ModelHistory']['kind'];

const [baseUrl = '', key = '', odd = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
const stranger = createClient<paths>({ baseUrl });

/** The data of an answer; throws where it is refused. */
function found<T>({ data, error }: { readonly data?: T; readonly error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

/** All records of a list, page by page. */
async function every<Page extends { next_cursor: string | null }, Item>(
  ask: (cursor?: string) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await ask(cursor);
    all.push(...itemsOf(page));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

const at = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

const models = await every(
  async (cursor) => found(await client.GET('/v1/models', { params: { query: { limit: 2, ...at(cursor) } } })),
  (page) => page.models.map(({ id }) => id),
);
const benchmarks = await every(
  async (cursor) => found(await client.GET('/v1/benchmarks', { params: { query: { limit: 1, ...at(cursor) } } })),
  (page) => page.benchmarks.map(({ id }) => id),
);
const scores = await every(
  async (cursor) => found(await client.GET('/v1/scores', { params: { query: { limit: 2, ...at(cursor) } } })),
  (page) => page.scores.map(({ model_id, benchmark_id, value }) => `${model_id} ${benchmark_id} ${value}`),
);
const rankings = await every(
  async (cursor) => {
    const query = { category: 'general', limit: 2, ...at(cursor) };
    return found(await client.GET('/v1/rankings', { params: { query } }));
  },
  (page) => page.rankings.map(({ rank, model_id }) => `${rank} ${model_id}`),
);
const updates = await every(
  async (cursor) =>
    found(await client.GET('/v1/updates', { params: { query: { days: 30, limit: 1, ...at(cursor) } } })),
  (page) => page.models.map(({ id, added_at }) => `${id} ${added_at}`),
);

/** The body of each route with a key: one that has none does not compile. */
type Bodies = {
  readonly [Path in Extract<
    keyof paths,
    `/v1/${string}`
  >]: paths[Path]['get']['responses'][200]['content']['application/json'];
};

/** The reference as far as it is read here: what it fills in works as it stands. */
interface Reference {
  readonly paths: Readonly<Record<string, { readonly get: ReferenceOperation }>>;
}
interface ReferenceOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly examples?: { readonly default: { readonly value: unknown } };
  }[];
}

/** The names of all operations below `/v1`, each asked as the reference asks it. */
async function everyOperation(): Promise<readonly string[]> {
  // Paths and parameters are those of the document, which no type knows.
  const untyped = client as unknown as {
    GET(path: string, options: object): Promise<{ readonly data?: Bodies[keyof Bodies]; readonly error?: unknown }>;
  };
  const reference = (await (await fetch(`${baseUrl}/docs/reference/openapi.json`)).json()) as Reference;
  const asked: string[] = [];
  for (const [path, { get }] of Object.entries(reference.paths)) {
    if (!path.startsWith('/v1/')) continue;
    const given = (get.parameters ?? []).filter(({ required }) => required === true);
    const valuesIn = (place: string) =>
      given.filter((one) => one.in === place).map(({ name = '', examples }) => [name, examples?.default.value]);
    const params = { path: Object.fromEntries(valuesIn('path')), query: Object.fromEntries(valuesIn('query')) };
    found(await untyped.GET(path, { params }));
    asked.push(get.operationId);
  }
  return asked;
}

/** What an event holds, by its type and op: the compiler knows which record it is. */
function toldOf(event: Schemas['ChangeEvent']): string {
  const { entity_type: type, op } = event;
  switch (event.entity_type) {
    case 'model':
      return `${type} ${op} ${event.key.id}: ${event.data?.name ?? null}`;
    case 'score':
      return `${type} ${op} ${event.key.model_id} ${event.key.benchmark_id}: ${event.data?.value ?? null}`;
    case 'ranking':
      return `${type} ${op} ${event.key.model_id} ${event.key.category}: ${event.data?.rank ?? null}`;
    case 'pricing':
      return `${type} ${op} ${event.key.model_id} ${event.key.provider}: ${event.data?.currency ?? null}`;
  }
}

const changes: string[] = [];
for (let cursor: string | undefined, hasMore = true; hasMore; ) {
  const page = found(await client.GET('/v1/changes', { params: { query: { limit: 5, ...at(cursor) } } }));
  changes.push(...page.events.map(toldOf));
  cursor = page.next_cursor;
  hasMore = page.has_more;
}

/** What a history holds, by its kind: the compiler knows which payload it is. */
function pointsOf(history: Schemas['ModelHistory']): readonly string[] {
  switch (history.kind) {
    case 'score':
      return history.points.map(
        ({ date, benchmark_id, value, payload }) => `${date} ${benchmark_id} ${value} ${payload.n}`,
      );
    case 'ranking':
      return history.points.map(({ date, category_id, value, payload }) => {
        return `${date} ${category_id} ${value} ${payload.positions}`;
      });
    case 'pricing':
      return history.points.map(
        ({ date, value, payload }) => `${date} ${payload.provider} ${value} ${payload.currency}`,
      );
    case 'metadata':
      return history.points.map(({ date, payload }) => `${date} ${payload.name} ${payload.organization}`);
  }
}

async function historyOf(kind: Kind): Promise<readonly string[]> {
  const params = { path: { model_id: 'a' }, query: { kind } };
  return pointsOf(found(await client.GET('/v1/models/{model_id}/history', { params })));
}

const top = found(
  await client.GET('/v1/rankings/history', { params: { query: { category_id: 'general', top: 1 } } }),
).points.map(({ date, model_id, value, payload }) => `${date} ${model_id} ${value} ${payload.positions}`);
const snapshots = found(await client.GET('/v1/snapshots')).snapshots;
const [{ id: snapshotId } = { id: '' }] = snapshots;
const download = found(
  await client.GET('/v1/snapshots/{snapshot_id}/download', {
    params: { path: { snapshot_id: snapshotId }, query: { dataset: 'models' } },
  }),
);
const file = await fetch(new URL(download.url, baseUrl));
const account = found(await client.GET('/v1/account'));
const ready = found(await stranger.GET('/health/ready'));

const unknown = await client.GET('/v1/models/{id}', { params: { path: { id: 'nobody' } } });
const keyless = await stranger.GET('/v1/models');
const invalid = await client.GET('/v1/rankings', { params: { query: { category: 'general', limit: 51 } } });

/** The code of an envelope; the words of a list of problems. */
function refusalOf(error: Schemas['Error'] | Schemas['ValidationError'] | undefined): string {
  if (error === undefined) return 'none';
  return 'error' in error
    ? `${error.error.code} ${error.error.param}`
    : error.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`).join();
}

const told = {
  every: await everyOperation(),
  models,
  benchmarks,
  scores,
  rankings,
  updates,
  categories: found(await client.GET('/v1/categories')).categories.map(({ id }) => id),
  sources: found(await client.GET('/v1/sources')).sources.map(({ id }) => id),
  model: found(await client.GET('/v1/models/{id}', { params: { path: { id: odd } } })).scores.map(({ value }) => value),
  histories: {
    score: await historyOf('score'),
    ranking: await historyOf('ranking'),
    pricing: await historyOf('pricing'),
    metadata: await historyOf('metadata'),
  },
  top,
  snapshots: snapshots.map(({ id, datasets }) => `${id} ${datasets.length}`),
  download: [download.bytes, (await file.arrayBuffer()).byteLength],
  changes,
  account: [account.plan.plan, account.client_source],
  ready: ready.release.day,
  live: found(await stranger.GET('/health/live')).status,
  refusals: [unknown, keyless, invalid].map(({ error }) => refusalOf(error)),
};
console.log(JSON.stringify(told));
