import { z } from 'zod';
import { ManifestSchema } from '../../schemas/manifest.ts';
import { dataRoute } from '../data-route.ts';
import { NO_PARAMETERS, schemaVersion } from '../parameters-common.ts';
import { snapshotsOfVersion, visibleSnapshots } from '../snapshot-rights.ts';

/** `GET /v1/snapshots` (SPEC). */
export const snapshotsRoute = dataRoute({
  path: '/v1/snapshots',
  capability: 'snapshots',
  summary: 'Bulk snapshots, newest first',
  params: NO_PARAMETERS,
  query: z.object({ schema_version: schemaVersion }),
  response: z
    .object({ snapshots: z.array(z.looseObject(ManifestSchema.shape).meta({ id: 'Snapshot' })) })
    .meta({ id: 'Snapshots' }),
  errors: [],
  cacheControl: 'private, max-age=60',
  dependsOnToday: true, // Which month-ends a plan has moves on with its history.
  prepare: ({ query }, { view, rights, today }) => {
    const manifests = snapshotsOfVersion(view.meta.manifests, query.schema_version);
    return { ids: visibleSnapshots(manifests, rights, today).map(({ id }) => id) };
  },
  answer: async ({ ids }, { view }) => {
    const wanted = new Set(ids);
    return JSON.stringify({ snapshots: view.meta.manifests.filter(({ id }) => wanted.has(id)).reverse() });
  },
});
