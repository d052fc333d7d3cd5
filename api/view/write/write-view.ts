import { listValue } from '@duckdb/node-api';
import { AppError } from '../../../runtime/errors.ts';
import type { Day } from '../../../runtime/day.ts';
import { CatalogSchema } from '../../../schemas/catalog.ts';
import { DATASET_NAMES, type DatasetName } from '../../../schemas/datasets.ts';
import type { RecordVersion } from '../../../schemas/record-version.ts';
import { getVersion, RECORD_VERSIONS } from '../../../schemas/record-versions.ts';
import { Database, type DuckDBSettings } from '../../../storage/duckdb/database.ts';
import type { FetchedParts } from '../fetch-parts.ts';
import { HISTORY_KINDS, type HistoryKind, type HistorySource } from '../history-kinds.ts';
import { INDEXES, SCHEMA } from '../schema.ts';
import { firstRetainedSeq, type ViewFacts, type ViewMeta } from '../view-meta.ts';
import { assertEqual } from './assert-equal.ts';
import { countRankings } from './counts.ts';
import { writeCurrent } from './current.ts';
import { writeEvents } from './events.ts';
import { cutoversOf } from './history-rows.ts';
import { captureIds, numberIds } from './ids.ts';
import { writeIntervals } from './intervals.ts';
import { writeNames } from './names.ts';
import { writeNews } from './news.ts';
import { openForWriting, type Writer } from './writer.ts';

export interface WriteViewInput {
  /** An empty path, or that of a view that the releases continue. */
  readonly path: string;
  /** What the view at the path says; undefined: there is none. */
  readonly before: ViewMeta | undefined;
  readonly parts: FetchedParts;
  readonly meta: Omit<ViewMeta, keyof ViewFacts>;
  /** Default: those that this program knows. */
  readonly versions?: readonly RecordVersion[] | undefined;
  /** Default: those that this program answers. */
  readonly histories?: Readonly<Record<HistoryKind, HistorySource>> | undefined;
  readonly duckdb: DuckDBSettings;
}

/**
 * Writes a view, or brings one up to date, and proves it: its records are those of the newest release, byte for byte. Resolves to what it
 * says about itself. Rejects with `corrupt` where it is not; the file is worth nothing then.
 */
export async function writeView(input: WriteViewInput): Promise<ViewMeta> {
  const duckdb = await Database.open(':memory:', input.duckdb);
  const view = openForWriting(input.path);
  try {
    view.exec('BEGIN');
    if (input.before === undefined) view.exec(SCHEMA);
    await fill({ duckdb, view }, input);
    if (input.before === undefined) view.exec(INDEXES);
    const meta = { ...input.meta, ...factsOf({ view }) };
    view.exec('DELETE FROM meta');
    view.prepare('INSERT INTO meta VALUES (?)').run(JSON.stringify(meta));
    view.exec('COMMIT');
    assertEqual(view, input.parts.newest, input.meta.catalog);
    return meta;
  } finally {
    view.close();
    duckdb.close();
  }
}

async function fill(writer: Writer, input: WriteViewInput): Promise<void> {
  const { before, parts, meta, versions = RECORD_VERSIONS, histories } = input;
  const { catalog } = meta;
  const since = before?.catalog.releases.at(-1)?.day;
  const isFirst = before === undefined;
  const backfill = (catalogs: ViewMeta['catalog'] | undefined) => JSON.stringify(catalogs?.backfill ?? null);
  await captureIds(writer, parts);
  await numberIds(writer);
  await writeIntervals(writer, {
    parts,
    cutovers: cutoversOf(catalog, versions),
    since,
    isBackfillNew: isFirst || backfill(before?.catalog) !== backfill(catalog),
    histories,
  });
  const rankingDays = catalog.releases.filter(({ day, captured }) => captured.includes('rankings') && (since === undefined || day > since));
  countRankings(writer, rankingDays.map(({ day }) => day));
  const firstSeq = firstRetainedSeq(catalog);
  await writeNews(writer, { catalog, releases: parts.releases, changes: parts.changes, firstSeq, previousDay: since });
  await writeEvents(writer, { changes: parts.changes, firstSeq });
  await writeCurrent(writer, {
    state: parts.state,
    changes: isFirst ? undefined : parts.changes,
    version: getVersion(versions, parts.newest.schema_version),
  });
  await writeNames(writer, { models: parts.state.models, aliases: parts.aliases });
}

function factsOf({ view }: Pick<Writer, 'view'>): ViewFacts {
  const first = view.prepare<[string], { readonly day: Day | null }>('SELECT min(valid_from) AS day FROM intervals WHERE kind = ?');
  const day = (kind: HistoryKind) => first.get(kind)?.day ?? null;
  const added = view.prepare<[], { readonly day: Day }>('SELECT DISTINCT added_on AS day FROM models WHERE added_on IS NOT NULL ORDER BY day').all();
  return {
    availableFrom: { score: day('score'), ranking: day('ranking'), pricing: day('pricing'), metadata: day('metadata') },
    addedDays: added.map((row) => row.day),
  };
}
