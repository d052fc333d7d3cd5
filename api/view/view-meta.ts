import { z } from 'zod';
import type { Day } from '../../runtime/day.ts';
import { AppError } from '../../runtime/errors.ts';
import { type Catalog, CatalogSchema, isContinued } from '../../schemas/catalog.ts';
import { type Column, DATASETS, type DatasetName, mapDatasets } from '../../schemas/datasets.ts';
import { type Manifest, snapshotFromId } from '../../schemas/manifest.ts';
import { manifestsOf, type Release } from '../../schemas/release.ts';
import { retainedFrom } from '../../schemas/retention.ts';
import { type ReleasedFile, type Upstream, UpstreamSchema } from '../../schemas/upstreams.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS } from '../../storage/keys.ts';
import { HISTORY_SOURCES, type HistoryKind } from './history-kinds.ts';

/** Increment when responses from the same tables change: their entity tags must differ. */
export const RESPONSE_FORMAT = 10;

/** Increment when tables or indexes change, except for an added column, which changes the hash. */
const TABLES_FORMAT = 17;

/** A view of another format is rebuilt. */
export const VIEW_FORMAT = `${TABLES_FORMAT}-${hashOfColumns()}`;

function hashOfColumns(): string {
  const named = (columns: readonly Column[]) => columns.map(({ name, type }) => [name, type]);
  const tables = Object.values(DATASETS).map(({ columns }) => named(columns));
  const points = Object.values(HISTORY_SOURCES).map(({ payload }) => named(payload));
  return sha256(JSON.stringify([tables, points])).slice(0, 12);
}

/** Stored in the view. */
export interface ViewMeta extends ViewFacts {
  readonly format: string;
  readonly catalog: Catalog;
  /** Of the catalog's snapshots, oldest first; each day's version in force first. */
  readonly manifests: readonly Manifest[];
  /** SHA-256 of each dataset's uncompressed lines. */
  readonly contents: Readonly<Record<DatasetName, readonly ValueChange[]>>;
  /** JSON text of `RankingMethods` or null (specification "Rankings"). */
  readonly rankingMethods: readonly ValueChange[];
  /** JSON text of a list of `Source`, since the first of consecutive releases with the same. */
  readonly sources: ValueChange;
  /** SHA-256 of the models' names; empty if a release has none. */
  readonly aliases: readonly ValueChange[];
}

/** A release that changed a value. Lists are oldest first. */
export interface ValueChange {
  readonly day: Day;
  readonly value: string;
}

/** Known only once the tables are written. */
export interface ViewFacts {
  /** First day with a point of each kind, captured or reconstructed; null: none yet. */
  readonly availableFrom: Readonly<Record<HistoryKind, Day | null>>;
  /** Days that added a current model, ascending. */
  readonly addedDays: readonly Day[];
}

/** @param releases those that the previous view doesn't have, by day */
export function metaOf(
  catalog: Catalog,
  releases: ReadonlyMap<Day, Release>,
  previous: ViewMeta | undefined,
): Omit<ViewMeta, keyof ViewFacts> {
  const listed = groupByDay(previous?.manifests ?? []);
  const manifests = catalog.releases
    .filter((entry) => entry.parts.includes('snapshot'))
    .flatMap(({ day }) => {
      const release = releases.get(day);
      return release === undefined ? (listed.get(day) ?? []) : manifestsOf(release);
    });
  const contentOn = (name: DatasetName) => (day: Day) =>
    releases.get(day)?.manifest.datasets.find((dataset) => dataset.name === name)?.content_sha256;
  const methodOn = (day: Day) => {
    const release = releases.get(day);
    return release === undefined ? undefined : JSON.stringify(release.ranking_method ?? null);
  };
  const sourcesOn = (day: Day) => {
    const release = releases.get(day);
    return release === undefined ? undefined : JSON.stringify(sourcesFrom(release));
  };
  const [sources] = changesOf(previous && [previous.sources], catalog, sourcesOn).slice(-1);
  if (sources === undefined) throw new AppError('corrupt', 'the catalog has no release');
  const aliasesOn = (day: Day) => {
    const release = releases.get(day);
    return release && (release.files.find(({ path }) => path === RELEASE_PATHS.aliases)?.sha256 ?? '');
  };
  return {
    format: VIEW_FORMAT,
    catalog,
    manifests,
    contents: mapDatasets((name) => changesOf(previous?.contents[name], catalog, contentOn(name))),
    rankingMethods: changesOf(previous?.rankingMethods, catalog, methodOn),
    sources,
    aliases: changesOf(previous?.aliases, catalog, aliasesOn),
  };
}

/** Undefined values change nothing. */
function changesOf(
  known: readonly ValueChange[] = [],
  { releases }: Catalog,
  valueOn: (day: Day) => string | undefined,
): readonly ValueChange[] {
  const changes = [...known];
  for (const { day } of releases) {
    const value = valueOn(day);
    if (value !== undefined && value !== changes.at(-1)?.value) changes.push({ day, value });
  }
  return changes;
}

/** Undefined for another format. */
export function metaFromJson(text: string): ViewMeta | undefined {
  const parsed: unknown = JSON.parse(text);
  if (parsed === null || typeof parsed !== 'object' || !('format' in parsed) || parsed.format !== VIEW_FORMAT) return;
  const meta = parsed as ViewMeta; // Written in this format by this program.
  return { ...meta, catalog: CatalogSchema.parse(meta.catalog) };
}

/**
 * Whether the catalog has the view's releases, no event that the view has pruned, the same reconstructed prices, and records in the same
 * version: these two change intervals of earlier days.
 */
export function canFollow({ catalog: old, manifests }: ViewMeta, catalog: Catalog): boolean {
  if (firstRetainedSeq(old) > firstRetainedSeq(catalog)) return false;
  if (JSON.stringify(old.backfill) !== JSON.stringify(catalog.backfill)) return false;
  if (old.releases.at(-1)?.schema_version !== catalog.releases.at(-1)?.schema_version) return false;
  const listed = new Set(manifests.map(({ id }) => id));
  return (
    isContinued(old, catalog) &&
    catalog.releases
      .slice(0, old.releases.length)
      .every(({ day, parts }) => !parts.includes('snapshot') || listed.has(day))
  );
}

/** The first event in the feed; the next one if it is empty. */
export function firstRetainedSeq(catalog: Catalog): number {
  const from = retainedFrom(catalog) ?? '';
  const first = catalog.releases.find(({ day, first_seq: seq }) => day >= from && seq !== null);
  return first?.first_seq ?? (catalog.releases.at(-1)?.last_seq ?? 0) + 1;
}

export function dayFromSnapshot({ id }: Pick<Manifest, 'id'>): Day {
  return snapshotFromId(id)?.day ?? id;
}

/** A day has one snapshot per version. */
export function groupByDay(manifests: readonly Manifest[]): ReadonlyMap<Day, readonly Manifest[]> {
  return Map.groupBy(manifests, dayFromSnapshot);
}

const Instant = z.iso.datetime();

/** An upstream in `GET /v1/sources` (specification "Sources of the data"). */
export const SourceSchema = z
  .object({
    id: UpstreamSchema.shape.id.describe('Id that records have as `source`'),
    name: z.string().describe('For people'),
    url: z.string().describe('Its home page'),
    license: z.string().nullable().describe('Licence of the data, by its usual short name'),
    terms_url: z.string().nullable().describe('Address of its terms'),
    attribution: z.string().nullable().describe('Text to show with the data'),
    redistribution: z.boolean().describe('Whether its terms allow redistribution'),
    terms_checked: z.iso.date().nullable().describe('Day on which the terms were last checked'),
    fetched_at: Instant.nullable().describe('When its newest file was fetched'),
    checked_at: Instant.nullable().describe('When a file was last requested'),
    failed_since: z.iso
      .date()
      .nullable()
      .describe('First of the consecutive days on which a file could not be fetched; null if there are none'),
    files: z.int().min(0).describe('Number of files fetched from it'),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof SourceSchema>;

/** Ordered by id. */
export function sourcesFrom({ upstreams = [], fetched = [] }: Pick<Release, 'upstreams' | 'fetched'>): Source[] {
  return upstreams
    .map((upstream) =>
      sourceFrom(
        upstream,
        fetched.filter((file) => file.upstream === upstream.id),
      ),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function sourceFrom({ checked: terms_checked, ...upstream }: Upstream, files: readonly ReleasedFile[]): Source {
  const { id, name, url, license, terms_url, attribution, redistribution } = upstream;
  return {
    id,
    name,
    url,
    license,
    terms_url,
    attribution,
    redistribution,
    terms_checked,
    fetched_at: newest(files.map(({ fetched_at }) => fetched_at)),
    checked_at: newest(files.map(({ checked_at }) => checked_at)),
    failed_since: inOrder(files.map(({ failed_since }) => failed_since))[0] ?? null,
    files: files.length,
  };
}

function newest(instants: readonly (string | null)[]): string | null {
  return inOrder(instants).at(-1) ?? null;
}

/** Oldest first, without nulls. */
function inOrder(times: readonly (string | null)[]): readonly string[] {
  return times.filter((time) => time !== null).sort();
}
