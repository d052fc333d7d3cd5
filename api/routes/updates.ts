import { z } from 'zod';
import { addDays } from '../../schemas/day.ts';
import { dataRoute } from '../data-route.ts';
import { integer } from '../parameters.ts';
import { limit, NO_PARAMETERS } from '../parameters-common.ts';
import { jsonArray, jsonObject } from '../queries/json-text.ts';
import { LIST_FIELDS, ModelSchema } from '../records.ts';

export const updatesRoute = dataRoute({
  path: '/v1/updates',
  capability: 'current',
  summary: 'Recently added models, newest first',
  description: 'A model is added when a night first sees it; those of the very first night are not news.',
  params: NO_PARAMETERS,
  query: z.object({
    days: integer({ min: 1, max: 30, fallback: 7, description: 'How many days before today to look back' }),
    limit: limit(200, 50),
  }),
  response: z
    .object({
      days: z.int().describe('As asked for'),
      models: z
        .array(
          z.looseObject({ ...ModelSchema.shape, added_at: z.iso.datetime().describe('Capture that first saw it') }),
        )
        .describe('Newest first'),
      total: LIST_FIELDS.total,
    })
    .meta({ id: 'Updates' }),
  errors: [],
  cacheControl: 'public, max-age=60',
  dependsOnToday: true,
  prepare: ({ query }, { today }) => ({ ...query, since: addDays(today, -query.days) }),
  answer: async ({ days, since, limit: pageSize }, { view }) => {
    const { releases } = view.meta.catalog;
    const firstDay = view.capturedDays('models')[0] ?? '';
    const rows = await view.rows(
      `SELECT line, CAST(added_on AS VARCHAR) AS day, (count(*) OVER ())::DOUBLE AS total FROM models
       WHERE added_on >= $1::VARCHAR::DATE AND added_on > TRY_CAST($2::VARCHAR AS DATE)
       ORDER BY added_on DESC, id LIMIT $3::INTEGER`,
      [since, firstDay, pageSize],
    );
    const capturedAt = new Map(releases.map((release) => [release.day, release.data_as_of]));
    const models = rows.map(({ line, day }) => {
      return `${String(line).slice(0, -1)},"added_at":${JSON.stringify(capturedAt.get(String(day)) ?? null)}}`;
    });
    const total = Number(rows[0]?.['total'] ?? 0);
    return jsonObject({ days: String(days), models: jsonArray(models), total: String(total) });
  },
});
