import { type Day, dayFromDate } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { planLimitFrom, type Rights } from './rights.ts';

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

function dayOf({ data_as_of: dataAsOf }: Manifest): Day {
  return dayFromDate(new Date(dataAsOf));
}
