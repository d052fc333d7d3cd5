import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { Release, UpstreamCounts } from '../../../schemas/release.ts';
import type { Check } from '../check/check.ts';
import type { UpstreamRows } from '../check/upstream-rows.ts';
import type { Diff } from '../diff.ts';
import type { Shrinkage } from './usual-loss.ts';

/** What there is less of than the night before: records of a dataset, or rows of one of the upstreams that fill it. */
export interface Loss extends Shrinkage {
  readonly dataset: DatasetName;
  readonly of: 'records' | 'rows';
  /** Whose rows; of a dataset's records the one that fills it alone, where there is one. */
  readonly upstream: string | undefined;
}

/** Everything that became fewer, datasets first. Growth and what isn't known are nowhere here. */
export function findLosses(checked: Check, changed: Diff, previous: Release | undefined): readonly Loss[] {
  const losses = DATASET_NAMES.flatMap((dataset): readonly Loss[] => {
    const known = previous?.upstream_rows?.[dataset] ?? {};
    const counted = [...(checked.upstreamRows[dataset] ?? [])].flatMap(([upstream, rows]) =>
      rows === null || (rows === 0 && known[upstream] === undefined) ? [] : [{ upstream, rows }],
    );
    const [before, after] = [changed.previousRecords[dataset], changed.records[dataset]];
    const [first, ...others] = counted;
    const isAlone = others.length === 0 && Object.keys(known).every((id) => id === first?.upstream);
    if (isAlone && first?.rows === checked.rows[dataset]) {
      return [{ dataset, of: 'records', upstream: first.upstream, before, after }];
    }
    const parts = counted.map(
      ({ upstream, rows }): Loss => ({
        dataset,
        of: 'rows',
        upstream,
        before: known[upstream]?.rows ?? 0,
        after: rows,
      }),
    );
    return [{ dataset, of: 'records', upstream: undefined, before, after }, ...parts];
  });
  return losses.filter(({ before, after }) => after < before);
}

/** What the release says of each upstream's rows: as counted today, else as they were counted last. */
export function upstreamCounts(
  today: UpstreamRows,
  { day, previous }: { readonly day: string; readonly previous: Release | undefined },
): UpstreamCounts | undefined {
  const counts: UpstreamCounts = {};
  for (const dataset of DATASET_NAMES) {
    const before = previous?.upstream_rows?.[dataset] ?? {};
    const told = [...(today[dataset] ?? [])].flatMap(([upstream, rows]) => {
      const count = rows === null ? before[upstream] : { rows, day };
      return count === undefined || count.rows === 0 ? [] : [[upstream, count] as const];
    });
    if (told.length > 0) counts[dataset] = Object.fromEntries(told);
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}
