import type { Day } from '../schemas/day.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { HISTORY_MONTHS_FULL } from '../schemas/plans.ts';
import { visibleSnapshots as visibleDays } from '../schemas/visible-snapshots.ts';
import type { Rights } from './rights.ts';

/** The snapshots that a caller may see, newest first (SPEC "Plan table", DECISIONS "Commercial default"). */
export function visibleSnapshots(
  manifests: readonly Manifest[],
  { snapshots, historyMonths }: Rights,
  today: Day,
): readonly Manifest[] {
  const newestFirst = manifests.toReversed();
  if (snapshots === null) return newestFirst;
  const terms = { snapshots, historyMonths: historyMonths ?? HISTORY_MONTHS_FULL };
  const visible = new Set(
    visibleDays(
      manifests.map(({ id }) => id),
      terms,
      today,
    ),
  );
  return newestFirst.filter(({ id }) => visible.has(id));
}
