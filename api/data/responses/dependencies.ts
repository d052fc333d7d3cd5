/**
 * What a response depends on beside the effective request, and when that last changed: the source of `ETag` and
 * `Last-Modified` (specification "Conditional requests"; decision 0030). A response must stay byte for byte the same
 * while its dependencies do.
 */

import type { Day } from '../../../runtime/day.ts';
import type { DatasetName } from '../../../schemas/datasets.ts';
import type { Dependency } from '../../server/route.ts';
import type { HistoryKind } from '../../view/history-kinds.ts';
import type { ValueInForce, View } from '../../view/view.ts';

export function contentOf(view: View, datasets: readonly DatasetName[]): Dependency {
  return all(...datasets.map((name) => inForce(view.contentOf(name))));
}

/** For responses that also have earlier records: unlike its content, a dataset's last change never comes back. */
export function lastChangeOf(view: View, dataset: DatasetName): Dependency {
  const { since } = view.contentOf(dataset);
  // A release's hash covers the one before it.
  return { on: since.release_sha256, changedAt: new Date(since.published_at) };
}

/** A value that may be older than the newest release. */
export function inForce({ value: on, since }: ValueInForce): Dependency {
  return { on, changedAt: new Date(since.published_at) };
}

/** Captures of past days never change. */
export function capturesOf(
  view: View,
  dataset: DatasetName,
  { from, to }: { readonly from: Day; readonly to: Day },
): Dependency {
  const captures = view.capturesOf(dataset).filter(({ day }) => day >= from && day <= to);
  const newest = captures.at(-1);
  return {
    // A release's hash covers the one before it, so the last one covers all captures.
    on: [captures.map(({ day }) => day), newest?.release_sha256],
    changedAt: newest === undefined ? NEVER : new Date(newest.published_at),
  };
}

/**
 * What the intervals of a dataset say of one day: the captures up to it, and the one after it, which may end an interval before the day.
 */
export function captureAround(view: View, dataset: DatasetName, on: Day): Dependency {
  const captures = view.capturesOf(dataset);
  const before = captures.findLast(({ day }) => day <= on);
  const after = captures.find(({ day }) => day > on);
  const newest = after ?? before;
  return {
    on: [before?.release_sha256, after?.release_sha256],
    changedAt: newest === undefined ? NEVER : new Date(newest.published_at),
  };
}

export function backfillOf({ meta, backfilledAt }: View): Dependency {
  return { on: meta.catalog.backfill?.pricing?.sha256, changedAt: backfilledAt };
}

/** The first day with data of a kind. Dated by its release; for a reconstructed day see {@link backfillOf}. */
export function availableFromOf({ meta }: View, kind: HistoryKind): Dependency {
  const on = meta.availableFrom[kind];
  const first = meta.catalog.releases.find(({ day }) => day === on);
  return { on, changedAt: first === undefined ? NEVER : new Date(first.published_at) };
}

export function releaseOf({ newest }: View): Dependency {
  return { on: newest.release_sha256, changedAt: new Date(newest.published_at) };
}

/** A value unchanged since a day, which sets only `Last-Modified`. */
export function sinceDay(day: Day, on: unknown = null): Dependency {
  return { on, changedAt: new Date(`${day}T00:00:00Z`) };
}

/** A value whose changes another dependency dates. */
export function value(on: unknown): Dependency {
  return { on, changedAt: NEVER };
}

export function all(...dependencies: readonly Dependency[]): Dependency {
  return { on: dependencies.map(({ on }) => on), changedAt: latest(dependencies.map(({ changedAt }) => changedAt)) };
}

/** Before any possible change. */
const NEVER = new Date(0);

function latest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}
