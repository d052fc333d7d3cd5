/**
 * The world as the API must show it, computed from raw daily rows in plain Maps and arrays: every point of history, the
 * records in force, every snapshot's content and the whole feed. It rests on the night's oracle (test/night-oracle) and shares
 * no code with storage/, pipeline/ or api/.
 *
 * A record has a point on a day when its dataset was captured that day and the record wasn't set aside or carried.
 * Unchanged records are one object however many points show them, so a year of days fits in memory.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Day, isDay } from '../../runtime/day.ts';
import { DATASET_NAMES, type DatasetName } from '../../schemas/datasets.ts';
import { publishedRecord, sha256, sortByKey } from '../night-oracle/canonical.ts';
import { ORACLE_VERSION } from '../night-oracle/columns.ts';
import { loadDay } from '../night-oracle/load-day.ts';
import { oracleNight } from '../night-oracle/night-oracle.ts';
import type { Value, Values } from '../night-oracle/row-rules.ts';
import {
  type OracleAlias,
  type OracleDay,
  type OracleEvent,
  type OracleNight,
  type OracleState,
  type OracleUpstream,
  type PerDataset,
  perDataset,
} from '../night-oracle/state.ts';

/** A published record: its columns in wire order. */
export type WireRecord = Readonly<Record<string, Value>>;

/** The points of one key: `values[i]` is the captured record of `days[i]`, days ascending. */
export interface Series {
  readonly key: readonly string[];
  readonly days: Day[];
  readonly values: Values[];
}

/** The uncompressed lines of a snapshot's file. */
export interface SnapshotContent {
  readonly records: number;
  readonly contentBytes: number;
  readonly contentSha256: string;
}

export interface OracleTerms {
  readonly source: string;
  readonly license: unknown;
  readonly redistribution: unknown;
}

export interface PublishedNight {
  readonly day: Day;
  readonly dataAsOf: string;
  readonly captured: readonly DatasetName[];
  readonly contents: PerDataset<SnapshotContent>;
  /** Empty where there are no records, or no upstream was ever named. */
  readonly terms: PerDataset<readonly OracleTerms[]>;
  /** The newest event of the feed after this night. */
  readonly lastSeq: number;
}

export type FeedEvent = OracleEvent & { readonly schema_version: string };

export interface World {
  /** Oldest first, one or more. */
  readonly nights: readonly PublishedNight[];
  /** By entity id; every key that ever had a point. */
  readonly series: PerDataset<ReadonlyMap<string, Series>>;
  /** The records in force after the last night, by key. */
  readonly current: PerDataset<readonly WireRecord[]>;
  /** `feed[i]` has the seq `i + 1`. */
  readonly feed: readonly FeedEvent[];
  /** What upstreams call the models that are there after the last night. */
  readonly aliases: readonly OracleAlias[];
  /** Whom the source of the last night names. */
  readonly upstreams: readonly OracleUpstream[];
}

/** Runs the nights of these days, oldest first; a day that is held or rejected publishes nothing. */
function buildWorld(days: readonly (() => OracleDay)[]): World {
  const nights: PublishedNight[] = [];
  const series = perDataset(() => new Map<string, Series>());
  const feed: FeedEvent[] = [];
  let state: OracleState | undefined;
  let last: OracleDay | undefined;
  for (const load of days) {
    const day = load();
    const night = oracleNight(state, day);
    if (night.verdict !== 'published') continue;
    state = night.state;
    last = day;
    const captured = DATASET_NAMES.filter((dataset) => day.rows[dataset] !== undefined);
    for (const dataset of captured) addPoints(series[dataset], dataset, state);
    for (const event of night.events) feed.push({ ...event, schema_version: ORACLE_VERSION });
    const terms = termsOf({ captured, upstreams: day.upstreams ?? [] }, night, nights.at(-1));
    nights.push({ ...publishedNight(night, captured, day.capturedAt), terms });
  }
  if (state === undefined) throw new Error('none of the days was published');
  const current = currentRecords(state);
  const aliases = shownAliases(last?.aliases ?? [], current);
  return { nights, series, current, feed, aliases, upstreams: last?.upstreams ?? [] };
}

function shownAliases(aliases: readonly OracleAlias[], { models }: World['current']): readonly OracleAlias[] {
  const there = new Set(models.map(({ id }) => id));
  return aliases.filter(({ model_id }) => there.has(model_id));
}

function addPoints(series: Map<string, Series>, dataset: DatasetName, { day, records }: OracleState): void {
  for (const [id, { key, values, validFrom }] of records[dataset]) {
    if (validFrom === null) continue; // set aside, carried for the snapshot alone
    const ofKey = series.get(id) ?? { key, days: [], values: [] };
    ofKey.days.push(day);
    ofKey.values.push(values);
    series.set(id, ofKey);
  }
}

/** Rows of these days name no upstream: each that is listed may have given them. */
function termsOf(
  { captured, upstreams }: Pick<PublishedNight, 'captured'> & Pick<World, 'upstreams'>,
  { lines }: OracleNight,
  before: PublishedNight | undefined,
): PublishedNight['terms'] {
  const listed = upstreams
    .map(({ id: source, license = null, redistribution = false }) => ({ source, license, redistribution }))
    .sort((a, b) => (a.source < b.source ? -1 : 1));
  return perDataset((dataset) => {
    if (lines[dataset].length === 0) return [];
    const earlier = before?.terms[dataset] ?? [];
    return listed.length > 0 && captured.includes(dataset) ? listed : earlier;
  });
}

function publishedNight(
  night: OracleNight,
  captured: readonly DatasetName[],
  dataAsOf: string,
): Omit<PublishedNight, 'terms'> {
  const contents = perDataset((dataset) => {
    const text = night.lines[dataset].join('');
    const contentBytes = Buffer.byteLength(text);
    return { records: night.lines[dataset].length, contentBytes, contentSha256: sha256(text) };
  });
  return { day: night.state.day, dataAsOf, captured, contents, lastSeq: night.state.lastSeq };
}

function currentRecords({ records }: OracleState): PerDataset<readonly WireRecord[]> {
  return perDataset((dataset) =>
    sortByKey(records[dataset].values()).map(({ values }) => publishedRecord(dataset, values)),
  );
}

/** The world of a folder of dated folders, read day by day so that only one day's raw rows are in memory. */
export function loadWorld(
  folder: string,
  options: {
    /** Days that an operator accepts where the guard holds them. */
    readonly acceptedDays: readonly Day[];
    /** Only these days; all dated folders where absent. */
    readonly days?: readonly Day[];
  },
): World {
  const { acceptedDays, days } = options;
  const names = readdirSync(folder).filter((name) => isDay(name) && days?.includes(name) !== false);
  return buildWorld(
    names.sort().map((name) => () => ({ ...loadDay(join(folder, name)), accept: acceptedDays.includes(name) })),
  );
}

export function firstNight({ nights }: World): PublishedNight {
  const night = nights[0];
  if (night === undefined) throw new Error('a world has a night');
  return night;
}

export function lastNight({ nights }: World): PublishedNight {
  const night = nights.at(-1);
  if (night === undefined) throw new Error('a world has a night');
  return night;
}
