/**
 * How long the parts of a release stay (specification "Retention"), for prune and for readers.
 *
 * - Rules count from the newest release, so that an outage removes nothing, but at most from today, so that neither
 *   does a future day.
 * - The newest release keeps everything; the next night starts from it.
 * - History and release.json stay for ever.
 */

import { addMonths, type Day } from '../runtime/day.ts';
import type { Catalog, CatalogEntry, ReleasePart } from './catalog.ts';

export interface Retention {
  /** Calendar months before the newest day, that day's date included. */
  readonly changesMonths: number;
  /** Newest releases with snapshots; the last one of every calendar month also stays. */
  readonly snapshots: number;
  /** Newest releases with states. */
  readonly states: number;
}

/**
 * Defaults.
 *
 * - 13 months of changes: the specification's promise; a consumer that syncs once a year keeps its cursor.
 * - 90 snapshots and month-ends: the promise to Commercial; more only costs storage.
 * - 7 states: the next night needs one; snapshots are rebuilt from the others, for damage unnoticed over a long
 *   weekend. A state is as large as a snapshot.
 */
export const RETENTION: Retention = { changesMonths: 13, snapshots: 90, states: 7 };

/** A part of a live release past every rule. */
export interface ExpiredPart {
  readonly release: CatalogEntry;
  readonly part: ReleasePart;
  /** For people: the rule that it failed. */
  readonly reason: string;
}

/** Oldest release first, like `releases`. */
export function findExpired(
  releases: readonly CatalogEntry[],
  retention: Retention,
  today: Day,
): readonly ExpiredPart[] {
  const newest = releases.at(-1);
  if (newest === undefined) return [];
  // Future releases don't displace past ones.
  const past = releases.filter(({ day }) => day <= today);
  const rules: Readonly<Record<ReleasePart, Rule>> = {
    snapshot: snapshotRule(past, retention),
    changes: changesRule(past.at(-1)?.day ?? today, retention),
    state: stateRule(past, retention),
  };
  const expiredOf = (release: CatalogEntry) => release.parts.filter((part) => !rules[part].retains(release));
  return releases
    .filter((release) => release !== newest && release.day <= today)
    .flatMap((release) => expiredOf(release).map((part) => ({ release, part, reason: rules[part].reason })));
}

/**
 * The first day still in the feed: the specification's `retained_from`. From there to the newest release, every release
 * has its changes, so the feed has no hole. Null before the first night.
 */
export function retainedFrom(catalog: Catalog | undefined): Day | null {
  const releases = catalog?.releases ?? [];
  const hole = releases.findLastIndex((release) => !release.parts.includes('changes'));
  return releases[hole + 1]?.day ?? null;
}

interface Rule {
  readonly retains: (release: CatalogEntry) => boolean;
  /** Why a release expires. */
  readonly reason: string;
}

function changesRule(newest: Day, { changesMonths }: Retention): Rule {
  const from = addMonths(newest, -changesMonths);
  return { retains: ({ day }) => day >= from, reason: `older than ${changesMonths} months: before ${from}` };
}

function snapshotRule(releases: readonly CatalogEntry[], { snapshots }: Retention): Rule {
  const stored = releases.filter(({ parts }) => parts.includes('snapshot'));
  const lastOfMonth = new Map(stored.map((release) => [release.day.slice(0, 'YYYY-MM'.length), release]));
  const retained = new Set([...stored.slice(-snapshots), ...lastOfMonth.values()]);
  const reason = `not among the newest ${snapshots} snapshots, nor the last one of its month`;
  return { retains: (release) => retained.has(release), reason };
}

function stateRule(releases: readonly CatalogEntry[], { states }: Retention): Rule {
  const retained = new Set(releases.filter(({ parts }) => parts.includes('state')).slice(-states));
  return { retains: (release) => retained.has(release), reason: `not among the newest ${states} states` };
}
