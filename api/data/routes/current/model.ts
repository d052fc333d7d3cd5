import { z } from 'zod';
import { text } from '../../../../storage/duckdb/row-shape.ts';
import { type HttpError, notFound } from '../../../server/errors/http-error.ts';
import type { View } from '../../../view/view.ts';
import { dataRoute, jsonArray } from '../../answers/data-route.ts';
import { all, contentOf, inForce } from '../../answers/dependencies.ts';
import { id } from '../../answers/parameters.ts';
import {
  EXAMPLE_MODEL,
  EXAMPLE_PRICE,
  ModelSchema,
  PriceSchema,
  RankingSchema,
  ScoreSchema,
} from '../../answers/records.ts';

const EXAMPLE_ALIAS = { upstream: 'models-dev', id: 'openai/gpt-5.4-mini' };

const AliasSchema = z
  .looseObject({ upstream: z.string().describe('Who calls it so'), id: z.string().describe('Its name there') })
  .meta({ id: 'Alias' });

const ModelDetailSchema = z
  .looseObject({
    ...ModelSchema.shape,
    scores: z.array(ScoreSchema).describe('By benchmark'),
    rankings: z.array(RankingSchema).describe('By category'),
    pricing: z.array(PriceSchema).describe('By provider'),
    aliases: z.array(AliasSchema).describe('What upstreams call it, by upstream and name'),
  })
  .meta({ id: 'ModelDetail' });

export const modelRoute = dataRoute({
  path: '/v1/models/:id',
  operationId: 'getModel',
  capability: 'current',
  feature: null,
  limitPerMinute: 120,
  summary: 'One model with its scores, rankings, prices and aliases',
  params: z.object({ id: id('The model; encode a slash as %2F', 'gpt-5.4-mini') }),
  response: ModelDetailSchema,
  example: { ...EXAMPLE_MODEL, scores: [], rankings: [], pricing: [EXAMPLE_PRICE], aliases: [EXAMPLE_ALIAS] },
  errors: ['not_found'],
  cacheControl: 'public, max-age=60',
  prepare: ({ params }) => params,
  answer: ({ id: model }) => ({
    dependsOn: ({ view }) => all(contentOf(view, ['models', 'scores', 'rankings', 'pricing']), inForce(view.names)),
    assertThere: async ({ view }) => {
      const [record] = await linesOf(view, 'SELECT line FROM models WHERE id = $1', model);
      if (record === undefined) throw noSuchModel();
    },
    cached: async ({ view }) => {
      const [[record], scores, rankings, pricing] = await Promise.all([
        view.rows({ line: text, aliases: text }, 'SELECT line, aliases FROM models WHERE id = $1', [model]),
        linesOf(view, 'SELECT line FROM scores WHERE model_id = $1 ORDER BY benchmark_id', model),
        linesOf(view, 'SELECT line FROM rankings WHERE model_id = $1 ORDER BY category', model),
        linesOf(view, 'SELECT line FROM pricing WHERE model_id = $1 ORDER BY provider', model),
      ]);
      if (record === undefined) throw noSuchModel();
      const open = record.line.slice(0, -1);
      const lists = `"scores":${jsonArray(scores)},"rankings":${jsonArray(rankings)},"pricing":${jsonArray(pricing)}`;
      return `${open},${lists},"aliases":${record.aliases}}`;
    },
  }),
});

function noSuchModel(): HttpError {
  return notFound('id', 'There is no such model');
}

async function linesOf(view: View, sql: string, model: string): Promise<readonly string[]> {
  const rows = await view.rows({ line: text }, sql, [model]);
  return rows.map(({ line }) => line);
}
