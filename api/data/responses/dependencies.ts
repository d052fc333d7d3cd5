/**
 * What an answer depends on beside the effective request, and when that last changed: what its entity tag and its
 * `Last-Modified` are made of (specification "Conditional requests"; decision 0030). Whatever is not named here may change, and
 * the answer must stay the same, byte for byte.
 */

import type { Day } from '../../../runtime/day.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Dependency } from '../../server/route.ts';
import type { HistoryKind } from '../../view/tables/history-kinds.ts';
import type { ValueInForce, View } from '../../view/view.ts';

/** The records of some datasets as they are now. */
export function contentOf(view: View, datasets: readonly DatasetName[]): Dependency {
  return all(...datasets.map((name) => inForce(view.contentOf(name))));
}

/** A value of the newest release that may have been so for longer. */
export function inForce({ value: on, since }: ValueInForce): Dependency {
  return { on, changedAt: new Date(since.published_at) };
}

/** The days on which a dataset was captured within a range, and what was captured on them; days that are over stay as they are. */
export function capturesOf(
  view: View,
  dataset: DatasetName,
  { from, to }: { readonly from: Day; readonly to: Day },
): Dependency {
  const captures = view.capturesOf(dataset).filter(({ day }) => day >= from && day <= to);
  const newest = captures.at(-1);
  return {
    // A release's hash covers the one that it goes on from, so the last one stands for what all of them captured.
    on: [captures.map(({ day }) => day), newest?.release_sha256],
    changedAt: newest === undefined ? NEVER : new Date(newest.published_at),
  };
}

/** Reconstructed prices. */
export function backfillOf({ meta, backfilledAt }: View): Dependency {
  return { on: meta.catalog.backfill?.pricing?.sha256, changedAt: backfilledAt };
}

/** The first day with data of a kind, which its own release told; where the day is reconstructed {@link backfillOf} says when. */
export function availableFromOf({ meta }: View, kind: HistoryKind): Dependency {
  const on = meta.availableFrom[kind];
  const first = meta.catalog.releases.find(({ day }) => day === on);
  return { on, changedAt: first === undefined ? NEVER : new Date(first.published_at) };
}

/** The newest release as such. */
export function releaseOf({ newest }: View): Dependency {
  return { on: newest.release_sha256, changedAt: new Date(newest.published_at) };
}

/** A value that has been as it is since the beginning of a day; the day is for `Last-Modified` alone. */
export function sinceDay(day: Day, on: unknown = null): Dependency {
  return { on, changedAt: new Date(`${day}T00:00:00Z`) };
}

/** A value whose changes are told by something else. */
export function value(on: unknown): Dependency {
  return { on, changedAt: NEVER };
}

/** Several together. */
export function all(...dependencies: readonly Dependency[]): Dependency {
  return { on: dependencies.map(({ on }) => on), changedAt: latest(dependencies.map(({ changedAt }) => changedAt)) };
}

/** Before anything that could have changed. */
const NEVER = new Date(0);

function latest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}
