import type { Day } from '../../schemas/day.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { snapshotFromId } from '../../schemas/snapshot-id.ts';

/** The day of a snapshot, whatever its version. */
export function dayFromSnapshot({ id }: Pick<Manifest, 'id'>): Day {
  return snapshotFromId(id)?.day ?? id;
}

/** Snapshots by their day, in the order given: one for each version that a day's was written in. */
export function groupByDay(manifests: readonly Manifest[]): ReadonlyMap<Day, readonly Manifest[]> {
  const byDay = new Map<Day, Manifest[]>();
  for (const manifest of manifests) {
    const day = dayFromSnapshot(manifest);
    const group = byDay.get(day);
    if (group === undefined) byDay.set(day, [manifest]);
    else group.push(manifest);
  }
  return byDay;
}
