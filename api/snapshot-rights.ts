import { SCHEMA_VERSION } from '../schemas/datasets.ts';
import { type Day, dayFromDate } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { planLimitFrom, type Rights } from './rights.ts';
import { queryProblem } from './validation.ts';

/** The snapshots that a caller may see, oldest first as given (SPEC "Plan table", DECISIONS "Commercial default"). */
export function visibleSnapshots(manifests: readonly Manifest[], rights: Rights, today: Day): readonly Manifest[] {
  const { snapshots } = rights;
  if (snapshots === 'all') return manifests;
  if (snapshots === 'latest') return manifests.slice(-1);
  const limit = planLimitFrom(rights, today);
  const lastOfMonth = new Map(manifests.map((manifest) => [manifest.id.slice(0, 'YYYY-MM'.length), manifest]));
  const isMonthEnd = (manifest: Manifest) => lastOfMonth.get(manifest.id.slice(0, 'YYYY-MM'.length)) === manifest;
  const newest = new Set(manifests.slice(Math.max(0, manifests.length - snapshots.daily)));
  return manifests.filter((manifest) => {
    return newest.has(manifest) || (isMonthEnd(manifest) && (limit === null || dayOf(manifest) >= limit));
  });
}

/**
 * The snapshots of a schema version, `major` or `major.minor`; those of the major version in force where none is asked for
 * (SPEC "schema_version query parameter"). Throws RequestInvalid for a version that there isn't.
 */
export function snapshotsOfVersion(manifests: readonly Manifest[], wanted: string | undefined): readonly Manifest[] {
  const known = [...new Set([SCHEMA_VERSION, ...manifests.map(({ schema_version: version }) => version)])];
  const inForce = majorOf(SCHEMA_VERSION);
  const isWanted = (version: string) => version === wanted || majorOf(version) === (wanted ?? inForce);
  if (known.some(isWanted)) return manifests.filter(({ schema_version: version }) => isWanted(version));
  const expected = known.map((version) => `'${version}'`).join(', ');
  const msg = `Input should be one of ${expected}`;
  throw queryProblem('schema_version', wanted, { msg, type: 'enum', ctx: { expected } });
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

function dayOf({ data_as_of: dataAsOf }: Manifest): Day {
  return dayFromDate(new Date(dataAsOf));
}
