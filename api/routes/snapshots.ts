import { z } from 'zod';
import { ManifestSchema } from '../../schemas/manifest.ts';
import { dataRoute } from '../data-route.ts';
import { NO_PARAMETERS } from '../parameters-common.ts';
import { findVersionProblems, isInVersion, schemaVersion } from '../schema-version.ts';
import { visibleSnapshots } from '../snapshot-rights.ts';

/** `GET /v1/snapshots` (SPEC). */
export const snapshotsRoute = dataRoute({
  path: '/v1/snapshots',
  capability: 'snapshots',
  summary: 'Bulk snapshots, newest first',
  params: NO_PARAMETERS,
  query: z.object({
    schema_version: schemaVersion(
      'Only snapshots in this version, `major` or `major.minor`; left out: in every version',
    ),
  }),
  response: z
    .object({
      snapshots: z.array(z.looseObject(ManifestSchema.shape).meta({ id: 'Snapshot' })).describe('Newest first'),
    })
    .meta({ id: 'Snapshots' }),
  errors: [],
  cacheControl: 'private, max-age=60',
  dependsOnToday: true, // Month-ends leave the history of a plan.
  check: findVersionProblems,
  prepare: ({ query }, { view, rights, today }) => ({
    ids: visibleSnapshots(view.meta.manifests, rights, today)
      .filter((manifest) => isInVersion(manifest, query.schema_version))
      .map(({ id }) => id),
  }),
  answer: async ({ ids }, { view }) => {
    const byId = new Map(view.meta.manifests.map((manifest) => [manifest.id, manifest]));
    return JSON.stringify({ snapshots: ids.map((id) => byId.get(id)) });
  },
});
