/** What must not compile: each line that the compiler is expected to refuse is an error where it takes it. */
// biome-ignore lint/correctness/noUndeclaredDependencies: scripts/clients.sh installs it, beside which this is compiled.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];
const client = createClient<paths>({ baseUrl: '' });

export function wrongFields(model: Schemas['Model'], price: Schemas['Price'], account: Schemas['Account']): unknown {
  return [
    // @ts-expect-error: misspelt
    model.organisation,
    // @ts-expect-error: another record's
    price.name,
    // @ts-expect-error: it may be null
    model.release_date.length,
    // @ts-expect-error: it belongs to usage
    account.plan.remaining,
  ];
}

export function wrongPoints(history: Schemas['ModelHistory']): unknown {
  // @ts-expect-error: which payload it is depends on the kind
  const early = history.points[0]?.payload.currency;
  if (history.kind !== 'score') return early;
  return [
    history.points[0]?.payload.n,
    // @ts-expect-error: of pricing
    history.points[0]?.payload.currency,
    // @ts-expect-error: there is no such kind
    history.kind === 'price',
  ];
}

export function wrongEvents(event: Schemas['ChangeEvent']): unknown {
  if (event.op === 'delete') {
    // @ts-expect-error: there is no record any more
    return event.data.updated_at;
  }
  if (event.entity_type !== 'pricing') return event.data.updated_at;
  return [
    event.data.currency,
    event.key.provider,
    // @ts-expect-error: of a ranking
    event.data.rank,
    // @ts-expect-error: of a score
    event.key.benchmark_id,
  ];
}

export async function wrongCalls({ error }: Schemas['Error']): Promise<unknown> {
  return [
    // @ts-expect-error: there is no such route
    await client.GET('/v1/prices'),
    // @ts-expect-error: the category is missing
    await client.GET('/v1/rankings'),
    // @ts-expect-error: there is no such order
    await client.GET('/v1/models', { params: { query: { sort: 'price' } } }),
    // @ts-expect-error: there is no such code
    error.code === 'not-found',
    // @ts-expect-error: nothing is sent but GET
    await client.POST('/v1/models'),
  ];
}
