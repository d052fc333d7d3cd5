/** `/v1/exports/{day}/…` (specification "Exports") of the newest night, whose records have neither rates nor facts of models. */
import { type ApiState, type Expected, notFound } from '../expected.ts';
import type { Asked, Asking } from '../route.ts';
import type { WireRecord } from '../world.ts';

type Write = (prices: readonly WireRecord[], models: ReadonlyMap<unknown, WireRecord>) => string;

/** Any of the upstreams may have given any row: with one that is restricted, none is left. */
function exportOf({ world }: ApiState, { params, query }: Asked, write: Write): Expected {
  const newest = world.nights.at(-1);
  if (newest === undefined || params['day'] !== newest.day) return notFound('day');
  const terms = [...newest.terms.models, ...newest.terms.pricing];
  const isEmpty = query['exclude'] === 'restricted' && terms.some(({ redistribution }) => redistribution !== true);
  const models = new Map(world.current.models.map((model) => [model['id'], model]));
  return { kind: 'text', text: write(isEmpty ? [] : world.current.pricing, models) };
}

export function litellmResponse(state: ApiState, asked: Asked): Expected {
  return exportOf(state, asked, (prices, models) => {
    const entries = prices.flatMap((price) => {
      const { model_id, provider, input_per_million: input, output_per_million: output } = price;
      if (price['currency'] !== 'USD' || (input === null && output === null)) return [];
      const entry = {
        litellm_provider: provider,
        max_input_tokens: models.get(model_id)?.['context_length'] ?? undefined,
        ...perToken('input_cost_per_token', input),
        ...perToken('output_cost_per_token', output),
        metadata: { model_id, provider, updated_at: price['updated_at'] },
      };
      return [`${JSON.stringify(`${provider}/${model_id}`)}: ${JSON.stringify(entry)}`];
    });
    return entries.length === 0 ? '{}\n' : `{\n${entries.join(',\n')}\n}\n`;
  });
}

function perToken(name: string, perMillion: unknown): object {
  return typeof perMillion === 'number' ? { [name]: Number((perMillion / 1e6).toPrecision(15)) } : {};
}

/** Its schema wants facts that these records lack. */
export function modelsDevResponse(state: ApiState, asked: Asked): Expected {
  return exportOf(state, asked, () => '{}\n');
}

const HEADER =
  'model_id,model_name,organization,provider,meter,unit,per,price,currency,tier,context_min,applies,region,source,updated_at';

export function pricesResponse(state: ApiState, asked: Asked): Expected {
  return exportOf(state, asked, (prices, models) => {
    const lines = prices.flatMap((price) =>
      ['input', 'output'].flatMap((meter) => {
        const amount = price[`${meter}_per_million`] ?? null;
        const { name, organization } = models.get(price['model_id']) ?? {};
        const cells = [price['model_id'], name, organization, price['provider'], meter, 'token', 1_000_000, amount];
        const others = [price['currency'], null, null, null, null, null, price['updated_at']];
        return amount === null ? [] : [[...cells, ...others].map(cell).join(',')];
      }),
    );
    return [HEADER, ...lines, ''].join('\r\n');
  });
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return value === '' || /[",\r\n]/.test(String(value)) ? `"${String(value).split('"').join('""')}"` : String(value);
}

export function askExport({ choose, interests, state: { world } }: Asking): Asked {
  const past = world.nights.map((night) => night.day);
  const unknown = [...interests.edges, ...interests.gaps].filter((other) => !past.includes(other));
  const day = choose.chance(0.2) && unknown.length > 0 ? choose.pick(unknown) : (past.at(-1) ?? '');
  return { params: { day }, query: choose.chance(0.3) ? { exclude: 'restricted' } : {} };
}
