import { z } from 'zod';
import { timestampFromDate } from '../../../runtime/day.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { releaseKey, snapshotPaths } from '../../../storage/keys.ts';
import { type HttpError, notFound } from '../../server/errors/http-error.ts';
import type { View } from '../../view/view.ts';
import { dayFromSnapshot } from '../../view/view-meta.ts';
import { visibleSnapshots } from '../access/rights.ts';
import { dataRoute, type RequestContext } from '../answers/data-route.ts';
import { flag, id, oneOf } from '../answers/parameters.ts';
import { findVersionProblems, isInVersion, schemaVersion } from './snapshots.ts';

/** How long a signed URL is good (specification "Signed addresses"). */
const URL_LIFETIME_SECONDS = 15 * 60;

/** Which file is meant, wherever it lies and whatever has become of it. */
interface Effective {
  /** The snapshot's id. */
  readonly snapshot: string;
  readonly dataset: DatasetName;
  readonly redirect: boolean;
}

/** `GET /v1/snapshots/{snapshot_id}/download` (specification "Snapshot routes"). */
export const snapshotDownloadRoute = dataRoute({
  path: '/v1/snapshots/:snapshot_id/download',
  operationId: 'downloadSnapshot',
  capability: 'snapshots',
  feature: 'snapshots',
  limitPerMinute: 30,
  summary: 'A signed URL for one dataset of a snapshot',
  description: 'Verify size and SHA-256 of what you download. With redirect=true the answer is a 302 to the URL.',
  params: z.object({ snapshot_id: id('The snapshot, as listed', '2026-06-29') }),
  query: z.object({
    dataset: oneOf(DATASET_NAMES, { description: 'Which file', example: 'models' }),
    schema_version: schemaVersion('The version of the records, `major` or `major.minor`; default: that of the id'),
    redirect: flag({ description: 'Answer with a redirect to the file' }),
  }),
  response: z
    .object({
      dataset: z.enum(DATASET_NAMES).describe('As asked for'),
      url: z.url().describe('Needs no key; fetching it costs no quota'),
      expires_at: z.iso.datetime().describe('Until when the URL is good'),
      bytes: z.int().describe('Size of the compressed file'),
      sha256: z.string().describe('Of the compressed file, in hex'),
    })
    .meta({ id: 'SnapshotDownload' }),
  example: {
    dataset: 'models',
    url: 'https://api.example.com/files/releases/2026-06-29.01M7Z20AH0KMS8N3QW4JSZTBNG/snapshot/models.jsonl.gz?expires=1782821700&signature=RrwueUXE5CcYPj1MzDimWd12jdWGu75dds4JOnMTl5s',
    expires_at: '2026-06-30T12:15:00Z',
    bytes: 65_692,
    sha256: '41fbaaedea4ee6ab1b705447dde9a412d13a3825ac52dd86221f976bbf917de0',
  },
  redirects: true,
  errors: ['not_found'],
  cacheControl: 'private, max-age=60',
  check: findVersionProblems,
  prepare: ({ params, query }, context): Effective => {
    const snapshot = findSnapshot(params.snapshot_id, query.schema_version, context);
    if (snapshot === undefined) throw noSuchSnapshot();
    return { snapshot: snapshot.id, dataset: query.dataset, redirect: query.redirect };
  },
  answer: ({ snapshot, dataset, redirect }) => ({
    once: async ({ view, now, signUrl }) => {
      const { key, bytes, sha256 } = getFile(snapshot, dataset, view);
      const url = await signUrl(key, { expiresInSeconds: URL_LIFETIME_SECONDS });
      const expiresAt = new Date(Math.floor(now.getTime() / 1000) * 1000 + URL_LIFETIME_SECONDS * 1000);
      const body = JSON.stringify({ dataset, url, expires_at: timestampFromDate(expiresAt), bytes, sha256 });
      if (!redirect) return { status: 200, headers: {}, body };
      return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body };
    },
  }),
});

/** The file of a dataset: its key in the store, and what its manifest says of it. */
function getFile(snapshot: string, dataset: DatasetName, { meta: { manifests, catalog } }: View) {
  const manifest = manifests.find(({ id: known }) => known === snapshot);
  const entry = manifest && catalog.releases.find(({ day }) => day === dayFromSnapshot(manifest));
  const file = manifest?.datasets.find(({ name }) => name === dataset);
  if (manifest === undefined || entry === undefined || file === undefined) throw noSuchSnapshot();
  return { ...file, key: releaseKey(entry, snapshotPaths(manifest).dataset(dataset)) };
}

function noSuchSnapshot(): HttpError {
  return notFound('snapshot_id', 'There is no such snapshot');
}

/** The snapshot of an id; of a day's own id, in the wanted version of that day. */
function findSnapshot(
  snapshotId: string,
  version: string | undefined,
  { view, rights, today }: RequestContext,
): Manifest | undefined {
  const visible = visibleSnapshots(view.meta.manifests, rights, today).filter((manifest) =>
    isInVersion(manifest, version),
  );
  const exact = visible.find((manifest) => manifest.id === snapshotId);
  if (exact !== undefined || version === undefined) return exact;
  return visible.find((manifest) => dayFromSnapshot(manifest) === snapshotId);
}
