import { version as duckdbVersion } from '@duckdb/node-api';
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
import { HISTORY_SOURCES } from './tables/history-kinds.ts';
import type { TableFacts } from './tables/view-tables.ts';
import type { TextsMeta } from './text/text-meta.ts';

/** Raised whenever the answers made of the same tables change: entity tags differ then. */
export const RESPONSE_FORMAT = 10;

/** Raised whenever tables or texts are made in another way. A column that is added to a dataset is none of that: see below. */
const TABLES_FORMAT = 11;

/** The form of a view, with the columns that are in it: a view of another one is rebuilt, never extended. */
export const VIEW_FORMAT = `${TABLES_FORMAT}-${hashOfColumns()}`;

function hashOfColumns(): string {
  const named = (columns: readonly Column[]) => columns.map(({ name, type }) => [name, type]);
  const tables = Object.values(DATASETS).map(({ columns }) => named(columns));
  const points = Object.values(HISTORY_SOURCES).map(({ payload }) => named(payload));
  return sha256(JSON.stringify([tables, points])).slice(0, 12);
}

/** What a view says about itself, stored in it. */
export interface ViewMeta extends TableFacts {
  readonly format: string;
  /** DuckDB's version: another one may hash, and so order, otherwise. */
  readonly engine: string;
  /** The catalog it was built from. */
  readonly catalog: Catalog;
  /** Of every snapshot that the catalog still has, oldest first, in every version of its day, the one in force first. */
  readonly manifests: readonly Manifest[];
  /** The SHA-256 of each dataset's uncompressed lines. */
  readonly contents: Readonly<Record<DatasetName, readonly ValueChange[]>>;
  /** How the rankings in force were made, as the JSON text of `RankingMethods` or null (specification "Rankings"). */
  readonly rankingMethods: readonly ValueChange[];
  /** The upstreams that the newest release names, as the JSON text of a list of `Source`, and the first release in a row to tell the same. */
  readonly sources: ValueChange;
  /** The SHA-256 of the names of models; empty where a release keeps none. */
  readonly aliases: readonly ValueChange[];
  /** The files of text beside the view. */
  readonly texts: TextsMeta;
}

/** A release with another value than the one before; of all of them, oldest first, the last has the value in force. */
export interface ValueChange {
  readonly day: Day;
  readonly value: string;
}

/** What a view says about itself that only its tables and texts tell. */
export type ViewFacts = TableFacts & Pick<ViewMeta, 'texts'>;

/**
 * What the view of a catalog says about itself.
 *
 * @param releases those that the view before doesn't have, by day
 */
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
    engine: duckdbVersion(),
    catalog,
    manifests,
    contents: mapDatasets((name) => changesOf(previous?.contents[name], catalog, contentOn(name))),
    rankingMethods: changesOf(previous?.rankingMethods, catalog, methodOn),
    sources,
    aliases: changesOf(previous?.aliases, catalog, aliasesOn),
  };
}

/** The known changes of a value and those of the releases that are new; releases that don't tell it change nothing. */
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

/** Reads what a view says about itself; undefined where it is of another format or engine. */
export function metaFromJson(text: string): ViewMeta | undefined {
  const parsed: unknown = JSON.parse(text);
  if (parsed === null || typeof parsed !== 'object' || !('format' in parsed) || parsed.format !== VIEW_FORMAT) return;
  const meta = parsed as ViewMeta; // Written by this very format of this program.
  if (meta.engine !== duckdbVersion()) return;
  return { ...meta, catalog: CatalogSchema.parse(meta.catalog) };
}

/** True where the catalog only adds to what the view has: the same releases, and no event that was pruned before. */
export function canExtend({ catalog: old, manifests }: ViewMeta, catalog: Catalog): boolean {
  if (firstRetainedSeq(old) > firstRetainedSeq(catalog)) return false;
  const listed = new Set(manifests.map(({ id }) => id));
  const count = old.releases.length;
  const isSame = isContinued(old, catalog);
  return (
    isSame && catalog.releases.slice(0, count).every(({ day, parts }) => !parts.includes('snapshot') || listed.has(day))
  );
}

/** The first event that the feed still has, or the next to come where it has none. */
export function firstRetainedSeq(catalog: Catalog): number {
  const from = retainedFrom(catalog) ?? '';
  const first = catalog.releases.find(({ day, first_seq: seq }) => day >= from && seq !== null);
  return first?.first_seq ?? (catalog.releases.at(-1)?.last_seq ?? 0) + 1;
}

/** The day of a snapshot, whatever its version. */
export function dayFromSnapshot({ id }: Pick<Manifest, 'id'>): Day {
  return snapshotFromId(id)?.day ?? id;
}

/** Snapshots by their day, in the order given: one for each version that a day's was written in. */
export function groupByDay(manifests: readonly Manifest[]): ReadonlyMap<Day, readonly Manifest[]> {
  return Map.groupBy(manifests, dayFromSnapshot);
}

const Instant = z.iso.datetime();

/** An upstream as `GET /v1/sources` lists it: who it is, on which terms, and how its files came (specification "Sources of the data"). */
export const SourceSchema = z
  .object({
    id: UpstreamSchema.shape.id.describe('Under which records name it as their source'),
    name: z.string().describe('For people'),
    url: z.string().describe('Its home page'),
    license: z.string().nullable().describe('Licence of the data, by its usual short name'),
    terms_url: z.string().nullable().describe('Where its terms stand'),
    attribution: z.string().nullable().describe('The line that whoever shows the data has to show with it'),
    redistribution: z.boolean().describe('Whether its terms allow to pass the data on'),
    terms_checked: z.iso.date().nullable().describe('Day on which somebody last read the terms'),
    fetched_at: Instant.nullable().describe('When its newest file came'),
    checked_at: Instant.nullable().describe('When it was last asked for a file'),
    failed_since: z.iso
      .date()
      .nullable()
      .describe('First of the days in a row on which a file of it could not be had; null while all is well'),
    files: z.int().min(0).describe('Files that are fetched from it'),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof SourceSchema>;

/** The upstreams that a release names, by id. */
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

/** Days or instants of one form, the oldest first, without those that there are not. */
function inOrder(times: readonly (string | null)[]): readonly string[] {
  return times.filter((time) => time !== null).sort();
}
