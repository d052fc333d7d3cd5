import { z } from 'zod';
import type { Day } from '../../../runtime/day.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { notFound } from '../../server/errors/http-error.ts';
import type { View } from '../../view/view.ts';
import { dayFromSnapshot } from '../../view/view-meta.ts';
import { visibleSnapshots } from '../access/rights.ts';
import type { ExportName } from '../exports/exports.ts';
import { EXCLUDABLE, EXPORT_HEADERS, EXPORT_TYPES, exportHandler } from '../exports/resolve-export.ts';
import { dataRoute, type RequestContext, type ResponseBody } from '../responses/data-route.ts';
import { dayOf, oneOf } from '../responses/parameters.ts';

export const ExportQuerySchema = z.object({
  exclude: oneOf(EXCLUDABLE, {
    example: 'restricted',
    description:
      'Leaves out rows of sources whose terms do not allow redistribution; the header X-Restricted-Sources names them',
  }).optional(),
});

interface Effective {
  readonly day: Day;
  readonly exclude: (typeof EXCLUDABLE)[number] | null;
}

/** Of an export, with what its schema and an example are. */
interface Documented<Body extends ResponseBody> {
  readonly name: ExportName;
  readonly operationId: string;
  readonly summary: string;
  readonly response: z.ZodType<Body>;
  readonly example: unknown;
}

/** `GET /v1/exports/{day}/…` (specification "Exports"). */
function exportRoute<Body extends ResponseBody>({ name, ...documented }: Documented<Body>) {
  return dataRoute({
    ...documented,
    path: `/v1/exports/:day/${name}`,
    capability: 'exports',
    feature: 'snapshots',
    limitPerMinute: 30,
    type: EXPORT_TYPES[name],
    documentedHeaders: EXPORT_HEADERS,
    description: 'Of a stored snapshot. The newest one needs no key, as `latest`.',
    params: z.object({ day: dayOf('snapshot', { description: 'Day of the snapshot', example: '2026-06-29' }) }),
    query: ExportQuerySchema,
    dependsOnText: "models and prices of the day's snapshot, the terms of their sources, and the names of models",
    errors: ['not_found'],
    cacheControl: 'private, max-age=60',
    prepare: ({ params, query }, context): Effective => {
      if (findSnapshot(params.day, context) === undefined) throw noSuchDay();
      return { day: params.day, exclude: query.exclude ?? null };
    },
    handle: ({ day: of, exclude }) =>
      exportHandler({
        name,
        isRestrictedExcluded: exclude !== null,
        snapshotOf: (view) => {
          const snapshot = view.meta.manifests.find((manifest) => dayFromSnapshot(manifest) === of);
          if (snapshot === undefined) throw noSuchDay();
          return snapshot;
        },
        changedAt: ({ meta: { catalog } }: View) =>
          new Date(catalog.releases.find((release) => release.day === of)?.published_at ?? 0),
      }),
  });
}

/** The version in force on the day comes first. */
function findSnapshot(of: Day, { view, rights, today }: RequestContext): Manifest | undefined {
  return visibleSnapshots(view.meta.manifests, rights, today).find((manifest) => dayFromSnapshot(manifest) === of);
}

function noSuchDay() {
  return notFound('day', 'There is no snapshot of this day');
}

/** Of the other program, which says what its fields mean. */
const AnyObject = z.record(z.string(), z.unknown());

export const EXPORTS = {
  litellm: {
    name: 'litellm.json',
    operationId: 'exportLitellm',
    summary: "Prices in the form of LiteLLM's model_prices_and_context_window.json",
    response: z
      .record(z.string(), AnyObject)
      .meta({ id: 'LitellmExport', description: "Entries of LiteLLM's file by its name of the model" }),
    example: {
      'gpt-5.4-mini': {
        litellm_provider: 'openai',
        max_input_tokens: 400_000,
        input_cost_per_token: 7.5e-7,
        output_cost_per_token: 4.5e-6,
        metadata: { model_id: 'gpt-5.4-mini', provider: 'openai', updated_at: '2026-03-18T00:00:00Z' },
      },
    },
  },
  modelsDev: {
    name: 'models-dev.json',
    operationId: 'exportModelsDev',
    summary: "Prices and limits in the form of models.dev's api.json",
    response: z
      .record(z.string(), AnyObject)
      .meta({ id: 'ModelsDevExport', description: 'Providers of its file by id, each with its models by id' }),
    example: {
      openai: {
        id: 'openai',
        env: ['(unknown)'],
        npm: '(unknown)',
        name: 'openai',
        doc: '(unknown)',
        models: { 'gpt-5.4-mini': { id: 'gpt-5.4-mini', name: 'GPT-5.4 mini', cost: { input: 0.75, output: 4.5 } } },
      },
    },
  },
  prices: {
    name: 'prices.csv',
    operationId: 'exportPrices',
    summary: 'Prices as CSV, a line for each rate',
    response: z.string(),
    example:
      'model_id,model_name,organization,provider,meter,unit,per,price,currency,tier,context_min,applies,region,source,updated_at\r\n' +
      'gpt-5.4-mini,GPT-5.4 mini,OpenAI,openai,input,token,1000000,0.75,USD,,,,,,2026-03-18T00:00:00Z\r\n',
  },
} as const satisfies Record<string, Documented<ResponseBody>>;

export const exportRoutes = [exportRoute(EXPORTS.litellm), exportRoute(EXPORTS.modelsDev), exportRoute(EXPORTS.prices)];
