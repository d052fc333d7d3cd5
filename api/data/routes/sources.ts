import { z } from 'zod';
import { SourceSchema } from '../../view/view-meta.ts';
import { dataRoute } from '../responses/data-route.ts';
import { inForce } from '../responses/dependencies.ts';

export const sourcesRoute = dataRoute({
  path: '/v1/sources',
  operationId: 'listSources',
  capability: 'current',
  feature: null,
  isFree: true,
  limitPerMinute: 60,
  summary: 'Sources of the data, with their terms',
  description: 'As named by the newest release. Costs no unit of the daily quota.',
  response: z.object({ sources: z.array(SourceSchema).describe('By id') }).meta({ id: 'Sources' }),
  csv: 'sources',
  example: {
    sources: [
      {
        id: 'shop',
        name: 'The shop',
        url: 'https://shop.example.com',
        license: 'CC-BY-4.0',
        terms_url: 'https://shop.example.com/terms',
        attribution: 'Data from The shop, https://shop.example.com',
        redistribution: true,
        terms_checked: '2026-06-01',
        fetched_at: '2026-06-29T00:05:00Z',
        checked_at: '2026-06-30T00:05:00Z',
        failed_since: '2026-06-30',
        files: 2,
      },
    ],
  },
  dependsOnText: 'the sources, as the newest release names them',
  errors: [],
  cacheControl: 'public, max-age=60',
  prepare: () => ({}),
  handle: () => ({
    dependsOn: ({ view }) => inForce(view.sources),
    cached: async ({ view }) => `{"sources":${view.sources.value}}`,
  }),
});
