import { z } from 'zod';
import { timestampFromDate } from '../../../runtime/day.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import { type Manifest, ManifestSchema } from '../../../schemas/manifest.ts';
import { findVersion, isVersion } from '../../../schemas/record-versions.ts';
import { releaseKey, snapshotPaths } from '../../../storage/keys.ts';
import type { SnapshotAccess } from '../../accounts/organizations/plans.ts';
import { type HttpError, notFound, queryProblem, type RequestProblem } from '../../server/errors/http-error.ts';
import type { CheckedQuery } from '../../server/parse-request.ts';
import type { View } from '../../view/view.ts';
import { dayFromSnapshot } from '../../view/view-meta.ts';
import { visibleSnapshots } from '../access/rights.ts';
import { dataRoute, type RequestContext } from '../responses/data-route.ts';
import { all, releaseOf, sinceDay, value } from '../responses/dependencies.ts';
import { flag, freeText, idOf, oneOf } from '../responses/parameters.ts';

const FILES = [
  ['models', 2795, 65_692, '41fbaaedea4ee6ab1b705447dde9a412d13a3825ac52dd86221f976bbf917de0', 582_675],
  ['benchmarks', 107, 2075, '4124c181d91d58ea8ead090cdd505d9f85742b5ab0f3304e2fdc47c128aa0025', 16_917],
  ['scores', 5642, 67_497, 'b9afa20758f3c3c74d3866bf4ad8d3c6b3990d829f6f97cf76271541ce632857', 1_105_407],
  ['rankings', 354, 5301, 'e6d577cb342435d4aa663eac937ebddadee59e0fc0c60dec8802bac9fac1f658', 51_818],
  ['pricing', 4874, 64_430, '12eccf6d47ba42e72119875ccb79605b33bc22324a97f4959fcf20997c278842', 917_219],
] as const;
/** Of the uncompressed lines, in the order of {@link FILES}. */
const CONTENT_SHA256 = [
  '987e4239f4716930c54fbd65c560e17c2dc6b69ee2b83a1de3f5df51f6828cc5',
  '1d35abac67f48dee99cb6056f2026facf63a67910c34d942713312360627876e',
  '155946f8aa3a4cc70035a0c3c1c395284d3ede8a9ccf6f32c49900dc67c58cec',
  'b8b8d99c220b54913551dd97d1c7b08712c7a40fbd1cc8c9ae3f28d35a58a3df',
  '99023131257e61420f2219aa46787102e630835cac9024d56aef714b647535ec',
];

/** The effective request, independent of what is published. */
interface Listed {
  readonly schemaVersion: string | undefined;
  /** Null: all. */
  readonly shown: SnapshotAccess | null;
  /** In calendar months; null: no month-ends. */
  readonly historyMonths: number | null;
}

/** `GET /v1/snapshots` (specification "Snapshot routes"). */
export const snapshotsRoute = dataRoute({
  path: '/v1/snapshots',
  operationId: 'listSnapshots',
  capability: 'snapshots',
  feature: 'snapshots',
  limitPerMinute: 30,
  summary: 'Bulk snapshots, newest first',
  query: z.object({
    schema_version: schemaVersion('Only snapshots in this version, `major` or `major.minor`; default: all'),
  }),
  response: z
    .object({
      snapshots: z.array(z.looseObject(ManifestSchema.shape).meta({ id: 'Snapshot' })).describe('Newest first'),
    })
    .meta({ id: 'Snapshots' }),
  csv: 'snapshots',
  example: {
    snapshots: [
      {
        id: '2026-06-29',
        published_at: '2026-06-30T00:20:00Z',
        data_as_of: '2026-06-29T23:59:59Z',
        schema_version: '1.0',
        datasets: FILES.map(([name, records, bytes, sha256, contentBytes], i) => ({
          name,
          format: 'jsonl.gz',
          records,
          bytes,
          sha256,
          content_bytes: contentBytes,
          content_sha256: CONTENT_SHA256[i],
        })),
        change_cursor: 'NDYxMjM',
        prev_id: '2026-06-28',
      },
    ],
  },
  dependsOnText: 'the newest release, and which snapshots are listed',
  errors: [],
  cacheControl: 'private, max-age=60',
  check: findVersionProblems,
  prepare: ({ query }, { rights }): Listed => ({
    schemaVersion: query.schema_version,
    shown: rights.snapshots,
    historyMonths: rights.snapshots?.monthEnds === true ? rights.historyMonths : null,
  }),
  handle: (effective) => ({
    // The newest release's hash covers all before it. The listed ids depend on more: month-ends leave a plan's window
    // at midnight, and pruning removes old snapshots.
    dependsOn: (context) => {
      const { view, rights, today } = context;
      const ids = value(listedSnapshots(effective, context).map((manifest) => manifest.id));
      return all(ids, releaseOf(view), rights.snapshots?.monthEnds === true ? sinceDay(today) : value(null));
    },
    cached: async (context) => JSON.stringify({ snapshots: listedSnapshots(effective, context) }),
  }),
});

/** Newest first. */
function listedSnapshots(
  { schemaVersion: version }: Listed,
  { view, rights, today }: RequestContext,
): readonly Manifest[] {
  return visibleSnapshots(view.meta.manifests, rights, today).filter((manifest) => isInVersion(manifest, version));
}

export function schemaVersion(description: string) {
  return freeText({ max: 20, description, example: '1.0' }).optional();
}

/** A version must be announced, or in force at the newest release. */
export function findVersionProblems(
  { values }: CheckedQuery<{ readonly schema_version?: string | undefined }>,
  { versions, view }: Pick<RequestContext, 'versions' | 'view'>,
): readonly RequestProblem[] {
  const { schema_version: version } = values;
  if (version === undefined || findVersion(version, versions, view.newest) !== undefined) return [];
  const known = versions.filter((candidate) => findVersion(candidate.version, versions, view.newest) === candidate);
  const expected = known.map((candidate) => `'${candidate.version}'`).join(', ');
  const msg = `Input should be one of ${expected}, or the major part of one`;
  return [queryProblem('schema_version', version, { msg, type: 'enum', ctx: { expected } })];
}

/** An undefined version matches all snapshots. */
export function isInVersion({ schema_version: version }: Manifest, requested: string | undefined): boolean {
  return requested === undefined || isVersion(version, requested);
}

/** Specification "Signed addresses". */
const URL_LIFETIME_SECONDS = 15 * 60;

/** The effective request, independent of the store. */
interface Download {
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
  description: 'Verify size and SHA-256 of the download. With redirect=true the response is a 302 to the URL.',
  params: z.object({ snapshot_id: idOf('snapshot', 'The snapshot, as listed', '2026-06-29') }),
  query: z.object({
    dataset: oneOf(DATASET_NAMES, { description: 'The dataset of the file', example: 'models' }),
    schema_version: schemaVersion('The version of the records, `major` or `major.minor`; default: that of the id'),
    redirect: flag({ description: 'Redirect to the file' }),
  }),
  response: z
    .object({
      dataset: z.enum(DATASET_NAMES).describe('As requested'),
      url: z.url().describe('Needs no key; fetching it costs no quota'),
      expires_at: z.iso.datetime().describe('When the URL expires'),
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
  dependsOnText: null,
  errors: ['not_found'],
  cacheControl: 'private, max-age=60',
  check: findVersionProblems,
  prepare: ({ params, query }, context): Download => {
    const snapshot = findSnapshot(params.snapshot_id, query.schema_version, context);
    if (snapshot === undefined) throw noSuchSnapshot();
    return { snapshot: snapshot.id, dataset: query.dataset, redirect: query.redirect };
  },
  handle: ({ snapshot, dataset, redirect }) => ({
    uncached: async ({ view, now, signUrl }) => {
      const { key, bytes, sha256 } = getFile(snapshot, dataset, view);
      const url = await signUrl(key, { expiresInSeconds: URL_LIFETIME_SECONDS });
      const expiresAt = new Date(Math.floor(now.getTime() / 1000) * 1000 + URL_LIFETIME_SECONDS * 1000);
      const body = JSON.stringify({ dataset, url, expires_at: timestampFromDate(expiresAt), bytes, sha256 });
      if (!redirect) return { status: 200, headers: {}, body };
      return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body };
    },
  }),
});

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

/** If a version is requested, a day as id finds that day's snapshot in it. */
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
