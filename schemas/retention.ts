/**
 * How long the parts of a release stay (specification "Retention"). One place for the numbers and for the rules, as pure
 * functions of a catalog: prune takes away by them, readers tell by them what is there.
 *
 * - All rules count from the newest release, so that an outage or a wrong clock takes nothing away; and from today at the latest, so
 *   that a release of a day in the future takes nothing away either.
 * - The newest release keeps everything; the next night starts from it.
 * - History and release.json stay for ever; they are no part that a rule knows of.
 */

import { addMonths, type Day } from '../runtime/day.ts';
import type { Catalog, CatalogEntry, ReleasePart } from './catalog.ts';

export interface Retention {
  /** Calendar months of changes before the newest day, that day's date included. */
  readonly changesMonths: number;
  /** Newest snapshots, counted in releases; the last one of every calendar month stays besides. */
  readonly snapshots: number;
  /** Newest states, counted in releases. */
  readonly states: number;
}

/**
 * What is kept unless configured otherwise.
 *
 * - 13 months of changes: the specification's promise. A consumer that syncs once a year still finds its place.
 * - 90 snapshots and month-ends: the specification's promise to Commercial. Fewer would break it, more costs storage only.
 * - 7 states: the next night needs one. The others are what snapshots are rebuilt from, for as long as a damage may
 *   stay unseen over a long weekend; a state is as large as a snapshot, so months of them would double the store.
 */
export const RETENTION: Retention = { changesMonths: 13, snapshots: 90, states: 7 };

/** A part of a live release that no rule keeps any longer. */
export interface ExpiredPart {
  readonly release: CatalogEntry;
  readonly part: ReleasePart;
  /** For people: the rule that it has outlived. */
  readonly reason: string;
}

/** Every listed part that no rule keeps, oldest release first; `releases` as in a catalog, oldest first. */
export function findExpired(
  releases: readonly CatalogEntry[],
  retention: Retention,
  today: Day,
): readonly ExpiredPart[] {
  const newest = releases.at(-1);
  if (newest === undefined) return [];
  // Those to come take no place from those that are there.
  const past = releases.filter(({ day }) => day <= today);
  const rules: Readonly<Record<ReleasePart, Rule>> = {
    snapshot: snapshotRule(past, retention),
    changes: changesRule(past.at(-1)?.day ?? today, retention),
    state: stateRule(past, retention),
  };
  const expiredOf = (release: CatalogEntry) => release.parts.filter((part) => !rules[part].keeps(release));
  return releases
    .filter((release) => release !== newest && release.day <= today)
    .flatMap((release) => expiredOf(release).map((part) => ({ release, part, reason: rules[part].reason })));
}

/**
 * The first day that is still in the feed: `retained_from` of the specification. The feed reaches back from the newest
 * release for as long as every release has its changes, so it never has a hole. Null before the first night.
 */
export function retainedFrom(catalog: Catalog | undefined): Day | null {
  const releases = catalog?.releases ?? [];
  const hole = releases.findLastIndex((release) => !release.parts.includes('changes'));
  return releases[hole + 1]?.day ?? null;
}

interface Rule {
  readonly keeps: (release: CatalogEntry) => boolean;
  /** Why a release goes that it doesn't keep. */
  readonly reason: string;
}

function changesRule(newest: Day, { changesMonths }: Retention): Rule {
  const from = addMonths(newest, -changesMonths);
  return { keeps: ({ day }) => day >= from, reason: `older than ${changesMonths} months: before ${from}` };
}

function snapshotRule(releases: readonly CatalogEntry[], { snapshots }: Retention): Rule {
  const stored = releases.filter(({ parts }) => parts.includes('snapshot'));
  const lastOfMonth = new Map(stored.map((release) => [release.day.slice(0, 'YYYY-MM'.length), release]));
  const kept = new Set([...stored.slice(-snapshots), ...lastOfMonth.values()]);
  const reason = `not among the newest ${snapshots} snapshots, nor the last one of its month`;
  return { keeps: (release) => kept.has(release), reason };
}

function stateRule(releases: readonly CatalogEntry[], { states }: Retention): Rule {
  const kept = new Set(releases.filter(({ parts }) => parts.includes('state')).slice(-states));
  return { keeps: (release) => kept.has(release), reason: `not among the newest ${states} states` };
}
