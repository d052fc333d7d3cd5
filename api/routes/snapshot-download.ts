import { z } from 'zod';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { timestampFromDate } from '../../schemas/day.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import { notFound } from '../api-error.ts';
import { dataRoute } from '../data-route.ts';
import { flag, oneOf } from '../parameters.ts';
import { id, schemaVersion } from '../parameters-common.ts';
import { snapshotsOfVersion, visibleSnapshots } from '../snapshot-rights.ts';

/** How long a signed URL is good (SPEC "Other constants"). */
export const URL_LIFETIME_SECONDS = 15 * 60;

/** `GET /v1/snapshots/{snapshot_id}/download` (SPEC). */
export const snapshotDownloadRoute = dataRoute({
  path: '/v1/snapshots/:snapshot_id/download',
  capability: 'snapshots',
  summary: 'A signed URL for one dataset of a snapshot',
  description: 'Verify size and SHA-256 of what you download. With redirect=true the answer is a 302 to the URL.',
  params: z.object({ snapshot_id: id('The snapshot, as listed', '2026-06-29') }),
  query: z.object({
    dataset: oneOf(DATASET_NAMES, { description: 'Which file', example: 'models' }),
    schema_version: schemaVersion,
    redirect: flag({ description: 'Answer with a redirect to the file' }),
  }),
  response: z
    .object({
      dataset: z.enum(DATASET_NAMES),
      url: z.url().describe('Needs no key; fetching it costs no quota'),
      expires_at: z.iso.datetime(),
      bytes: z.int().describe('Size of the compressed file'),
      sha256: z.string().describe('Of the compressed file, in hex'),
    })
    .meta({ id: 'SnapshotDownload' }),
  errors: ['not_found'],
  cacheControl: 'private, max-age=60',
  dependsOnToday: true,
  prepare: ({ params, query }, { view, rights, today }) => {
    const manifests = snapshotsOfVersion(view.meta.manifests, query.schema_version);
    const manifest = visibleSnapshots(manifests, rights, today).find(({ id: listed }) => listed === params.snapshot_id);
    const entry = view.meta.catalog.releases.find(({ day }) => day === manifest?.id);
    const file = manifest?.datasets.find(({ name }) => name === query.dataset);
    if (entry === undefined || file === undefined) throw notFound('snapshot_id', 'There is no such snapshot');
    return { key: releaseKey(entry, RELEASE_PATHS.snapshot(query.dataset)), file, redirect: query.redirect };
  },
  answerOnce: async ({ key, file, redirect }, { now, signUrl }) => {
    const url = await signUrl(key, { expiresInSeconds: URL_LIFETIME_SECONDS });
    const expiresAt = new Date(Math.floor(now.getTime() / 1000) * 1000 + URL_LIFETIME_SECONDS * 1000);
    const { name: dataset, bytes, sha256 } = file;
    const body = JSON.stringify({ dataset, url, expires_at: timestampFromDate(expiresAt), bytes, sha256 });
    if (!redirect) return { status: 200, headers: {}, body };
    return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body };
  },
});
